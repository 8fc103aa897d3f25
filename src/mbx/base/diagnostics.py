"""Findings about a model: where, what, and what would mend it.

Readers and checks collect `Diagnostic`s in a `Report` and go on; only the command line
prints them. Every text that reaches a terminal passes through `safe_text`.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from mbx.base.late import view

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "MAX_MESSAGE",
    "MAX_SHOWN",
    "Diagnostic",
    "Report",
    "Severity",
    "Source",
    "Span",
    "article",
    "nearest",
    "safe_text",
    "suggestion",
]

Severity = Literal["error", "warning", "note"]

MAX_SHOWN = 100
"""Diagnostics shown per file; the rest is counted."""
MAX_MESSAGE = 500
"""Characters of one message."""

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def safe_text(text: str) -> str:
    r"""Return `text` with every control, format or unpaired character as ``\u{..}``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in _INVISIBLE else c for c in text
    )


class Source:
    """A text that was read, and the name it goes by in messages.

    `folder` is where relative imports are looked for; a text from nowhere has none. `roots`
    are further folders that the user, never a model, has named.
    """

    def __init__(
        self,
        name: str,
        text: str,
        folder: Path | None = None,
        roots: Mapping[str, Path] | None = None,
    ) -> None:
        """Keep the text; line starts are computed when they are first used."""
        self.name = name
        self.text = text
        self.folder = folder
        self.roots: Mapping[str, Path] = roots or {}

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return a line, from 1, without its end."""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")

    def offset(self, span: Span) -> int:
        """Return where in the text a span begins."""
        return min(span.start, len(self.text))

    def pointer(self, span: Span) -> str | None:
        """Return the JSON pointer of a span, in a JSON text."""
        return span.pointer


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source: from `start` to before `end`.

    In a JSON file `pointer` names the value and the offsets count inside its string.
    """

    source: Source
    start: int
    end: int
    pointer: str | None = None

    @property
    def position(self) -> tuple[int, int]:
        """Line and column, both from 1."""
        return self.source.position(self.source.offset(self))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: code, message, position, severity and remedy."""

    code: str
    message: str
    span: Span | None = None
    severity: Severity = "error"
    help: str | None = None

    def render(self) -> str:
        """Return the finding as text: position, code, message, source line with caret, remedy."""
        message = _shorten(safe_text(self.message))
        head = f"{self.severity}[{self.code}]: {message}"
        lines = [head]
        if self.span is not None:
            line, column = self.span.position
            lines = [f"{safe_text(self.span.source.name)}:{line}:{column}: {head}"]
            lines += _excerpt(self.span, line, column)
        if self.help is not None:
            lines.append(f"  help: {_shorten(safe_text(self.help))}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """Return the finding as plain data."""
        position: dict[str, object] = {}
        if self.span is not None:
            line, column = self.span.position
            position = {"file": self.span.source.name, "line": line, "column": column}
            pointer = self.span.source.pointer(self.span)
            if pointer is not None:
                position["pointer"] = pointer
        remedy = {} if self.help is None else {"help": self.help}
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            **position,
            **remedy,
        }


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def _excerpt(span: Span, line: int, column: int, width: int = 100) -> list[str]:
    """Return the source line, cut around the position if long, and a caret line."""
    text = span.source.line(line)
    first = max(0, column - 1 - width // 2) if len(text) > width else 0
    shown = safe_text(text[first : first + width].replace("\t", " "))
    before = safe_text(text[first : column - 1].replace("\t", " "))
    length = 1 if span.source.pointer(span) is not None else span.end - span.start
    length = max(1, min(length, len(shown) - len(before)))
    return [f"  {shown}", f"  {' ' * len(before)}{'^' * length}"]


@dataclass(slots=True)
class Report:
    """Findings in the order they were met, each kept once."""

    _diagnostics: list[Diagnostic] = field(default_factory=list)
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def add(
        self,
        code: str,
        message: str,
        at: Span | None = None,
        *,
        severity: Severity = "error",
        help: str | None = None,  # noqa: A002  the word users read
    ) -> None:
        """Record a finding unless it is recorded already."""
        self.extend([Diagnostic(code, message, at, severity, help)])

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Record findings of another report or check."""
        for diagnostic in diagnostics:
            position = (
                None
                if diagnostic.span is None
                else (id(diagnostic.span.source), diagnostic.span.start, diagnostic.span.pointer)
            )
            key = (diagnostic.code, diagnostic.message, position)
            if key not in self._seen:
                self._seen.add(key)
                self._diagnostics.append(diagnostic)

    def advise(self, codes: Collection[str], help: str, *, since: int = 0) -> None:  # noqa: A002
        """Give a remedy to the first finding with these codes, from a number on, if it has none."""
        late = {id(diagnostic) for diagnostic in self._diagnostics[since:]}
        first = next(
            (
                diagnostic
                for diagnostic in self
                if diagnostic.code in codes and id(diagnostic) in late
            ),
            None,
        )
        if first is not None and first.help is None:
            self._diagnostics[self._diagnostics.index(first)] = replace(first, help=help)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Yield the findings by file and position."""

        def order(diagnostic: Diagnostic) -> tuple[str, int, str]:
            if diagnostic.span is None:
                return ("", 0, diagnostic.code)
            return (
                diagnostic.span.source.name,
                diagnostic.span.source.offset(diagnostic.span),
                diagnostic.code,
            )

        return iter(sorted(self._diagnostics, key=order))

    def __len__(self) -> int:
        """Return how many findings there are."""
        return len(self._diagnostics)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that make the model unusable."""
        return [diagnostic for diagnostic in self if diagnostic.severity == "error"]

    def only(self, code: str) -> bool:
        """Return whether there are findings with this code and with no other."""
        return {diagnostic.code for diagnostic in self._diagnostics} == {code}

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(diagnostic.severity != "error" for diagnostic in self._diagnostics)

    def __repr__(self) -> str:
        """Return how many findings there are."""
        counts = Counter(diagnostic.severity for diagnostic in self._diagnostics)
        text = ", ".join(
            f"{n} {word}{'s' * (n != 1)}" for word in get_args(Severity) if (n := counts[word])
        )
        return f"<Report: {text or 'no errors'}>"

    def __str__(self) -> str:
        """Return the findings as text."""
        return self.render()

    def _repr_html_(self) -> str | None:
        return view("report_html", self)

    def render(self, limit: int = MAX_SHOWN) -> str:
        """Return the findings as text, at most `limit` of them and then a count."""
        diagnostics = list(self)
        blocks = [diagnostic.render() for diagnostic in diagnostics[:limit]]
        if len(diagnostics) > limit:
            blocks.append(f"… and {len(diagnostics) - limit} more")
        return "\n".join(blocks)


def article(word: str) -> str:
    """Return a word with its indefinite article."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, if one is close."""
    from difflib import get_close_matches  # noqa: PLC0415  only on the way to an error

    candidates = sorted(set(known))[:2000]
    matches = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return matches[0] if matches else None


def suggestion(name: str, known: Iterable[str], lead: str = "") -> str:
    """Return the clause that suggests the known name most like `name`, "" if none is close.

    `lead` comes before the clause: "; " in a message, nothing in a remedy.
    """
    near = nearest(name, known)
    return f"{lead}did you mean '{near}'?" if near else ""
