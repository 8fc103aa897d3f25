"""Where in a JSON text the value of a pointer stands.

`json` gives no positions; a separate pass finds them, once there is something to report.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Any

from mbx.base.diagnostics import Source, Span

__all__ = ["Fragment", "JsonSource"]

_TOKEN = re.compile(r'\s*("[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+)')


class JsonSource(Source):
    """A JSON text, whose spans are pointers."""

    def offset(self, span: Span) -> int:
        """Return where the pointer's value begins; inside a string, where the fault is."""
        if span.pointer is None:
            return super().offset(span)
        start = self._start(span.pointer)
        inside = span.start + 1 if self.text[start : start + 1] == '"' else 0
        return min(start + inside, len(self.text))

    @cached_property
    def _value_starts(self) -> dict[str, int]:
        return _index(self.text)

    def _start(self, pointer: str) -> int:
        """Return where a value begins; where the nearest one around it does if it is missing."""
        while pointer and pointer not in self._value_starts:
            pointer = pointer.rpartition("/")[0]
        return self._value_starts.get(pointer, 0)


class Fragment(Source):
    """A string inside a JSON text; where it stands is known once the document is read."""

    def __init__(self, text: str) -> None:
        """Keep the text of the string."""
        super().__init__("expression", text)
        self.home: tuple[Source, str] | None = None

    def settle(self, source: Source, pointer: str) -> None:
        """Set where the string stands, for messages."""
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


def _index(text: str) -> dict[str, int]:
    """Return where the value of every pointer begins, from one pass over the text."""
    starts: dict[str, int] = {}
    frames: list[list[Any]] = []  # per container: its pointer, and its next key or index
    pending: str | None = ""
    for match in _TOKEN.finditer(text):
        token, start = match[1], match.start(1)
        if token == ",":
            if frames and isinstance(frames[-1][1], int):
                frames[-1][1] += 1
                pending = f"{frames[-1][0]}/{frames[-1][1]}"
            continue
        if token == ":":
            continue
        if token in {"}", "]"}:
            frames = frames[:-1]
            pending = None
        elif pending is None and frames and frames[-1][1] is None:
            key = json.loads(token) if token[0] == '"' else token
            pending = f"{frames[-1][0]}/{key.replace('~', '~0').replace('/', '~1')}"
        else:
            here = pending if pending is not None else ""
            starts[here] = start
            pending = None
            if token == "{":
                frames.append([here, None])
            elif token == "[":
                frames.append([here, 0])
                pending = f"{here}/0"
    return starts
