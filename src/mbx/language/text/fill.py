"""Words filled into lines.

Line breaks have no meaning in the text form, so any space outside quotes may become one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.language.text.scan import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["INDENT", "WIDTH", "Word", "fill", "listed", "quoted", "together"]

WIDTH: Final = 96
INDENT: Final = "  "
_LONG_WORD: Final = 200
_TOGETHER: Final = 60
_BREAK: Final = re.compile(r" (?![\[A-Za-z])|(?<![0-9]) ")
"""Where a line may break: at any space but the one between a number and its unit."""


class Word(str):
    """A piece of text that is never broken, such as a quoted text."""

    __slots__ = ()


def fill(words: Iterable[str], indent: str) -> list[str]:
    """Return the words on lines of at most the width, the later ones indented deeper."""
    lines: list[str] = []
    line = indent
    empty = True
    for word in _pieces(words):
        if not empty and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, empty = indent + INDENT * 2, True
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line]


def _pieces(words: Iterable[str]) -> Iterable[str]:
    """Split words at the spaces where a line may break; quoted texts are whole."""
    for word in words:
        if isinstance(word, Word) or len(word) == 0:
            yield word
            continue
        for piece in _BREAK.split(word):
            if len(piece) <= _LONG_WORD:
                yield piece
            else:
                yield from _shorter(piece)


def _shorter(word: str) -> Iterable[str]:
    """Split an overlong product before its operators."""
    start = 0
    for k, character in enumerate(word):
        if character in "*/" and k - start > _LONG_WORD // 2:
            yield word[start:k]
            start = k
    yield word[start:]


def quoted(text: str | None) -> list[str]:
    """Return a text in quotes as a word; nothing if there is none."""
    return [] if text is None else [Word(quote(text))]


def together(words: list[str]) -> list[str]:
    """Return words that belong together as one, if they are short enough."""
    text = " ".join(words)
    return [Word(text)] if len(text) <= _TOGETHER else words


def listed(parts: Iterable[list[str]]) -> list[str]:
    """Join lists of words by commas; lines break between them before they break inside."""
    words: list[str] = []
    for part in map(together, parts):
        if words:
            last = words[-1]
            words[-1] = Word(f"{last},") if isinstance(last, Word) else f"{last},"
        words += part
    return words
