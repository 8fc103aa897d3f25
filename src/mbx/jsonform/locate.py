"""Where in a JSON text the value of a pointer stands.

`json` gives no positions, and keeping them for every value would cost more than finding the
few that end up in a message.
"""

from __future__ import annotations

import json
import re

from mbx.diagnostics import Source, Span

__all__ = ["Fragment", "JsonSource"]

_TOKEN = re.compile(r'\s*("(?:\\.|[^"\\])*"|[\[\]{},:]|[^\s\[\]{},:"]+)')


class JsonSource(Source):
    """A JSON text, whose spans are pointers."""

    def offset(self, span: Span) -> int:
        """Return where the pointer's value begins; inside a string, where the fault is."""
        if span.pointer is None:
            return super().offset(span)
        start = _locate(self.text, span.pointer)
        inside = span.start + 1 if self.text[start : start + 1] == '"' else 0
        return min(start + inside, len(self.text))


class Fragment(Source):
    """A string inside a JSON text; where it stands is known once the document is read."""

    def __init__(self, text: str) -> None:
        """Keep the text of the string."""
        super().__init__("expression", text)
        self.home: tuple[Source, str] | None = None

    def settle(self, source: Source, pointer: str) -> None:
        """Say where the string stands; messages are then about that place."""
        self.home = (source, pointer)
        self.name = source.name

    def offset(self, span: Span) -> int:
        """Return where in the JSON text a span begins."""
        if self.home is None:
            return super().offset(span)
        source, pointer = self.home
        return source.offset(Span(source, span.start, span.end, pointer))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column in the JSON text."""
        return super().position(offset) if self.home is None else self.home[0].position(offset)

    def line(self, number: int) -> str:
        """Return a line of the JSON text."""
        return super().line(number) if self.home is None else self.home[0].line(number)

    def pointer(self, span: Span) -> str | None:
        """Return the pointer of the string."""
        return super().pointer(span) if self.home is None else self.home[1]


def _locate(text: str, pointer: str) -> int:
    """Return the offset of a value; of the nearest one around it if it is missing."""
    steps = [s.replace("~1", "/").replace("~0", "~") for s in pointer.split("/")[1:]]
    at = _skip_space(text, 0)
    for step in steps:
        inner = _child(text, at, step)
        if inner is None:
            return at
        at = inner
    return at


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _child(text: str, at: int, step: str) -> int | None:
    """Return where the member or element `step` of the container at `at` begins."""
    if text[at : at + 1] not in {"{", "["}:
        return None
    is_object = text[at] == "{"
    depth, count, key, position = 0, 0, None, at
    expect_value = not is_object
    while found := _TOKEN.match(text, position):
        token, start = found[1], found.start(1)
        position = found.end()
        if depth == 1:
            if is_object and not expect_value and token.startswith('"'):
                key = json.loads(token)
            elif token == ":":
                expect_value = True
                continue
            elif token == ",":
                expect_value = not is_object
                count += 1
                continue
            elif expect_value and (key == step if is_object else str(count) == step):
                return start
        if token in {"{", "["}:
            depth += 1
        elif token in {"}", "]"}:
            depth -= 1
            if depth == 0:
                return None
    return None
