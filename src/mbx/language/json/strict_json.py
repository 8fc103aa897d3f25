"""Strict JSON: what the standard library lets through is refused here, with its position."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Source, Span, safe_text
from mbx.base.errors import SourceError
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["load"]

_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]|,')
_TOKENS = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|[^\s\[\]{},:"]+'
)
_HIDDEN = {"Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


def load(source: Source, elements: int | None = None) -> Any:
    """Return the value of a JSON text, or raise `SourceError`.

    It has at most so many elements, or as many as a document may have.
    """
    _measure(source, LIMITS.elements if elements is None else elements)
    try:
        value = json.loads(
            source.text,
            object_pairs_hook=_unique(source),
            parse_constant=_constant(source),
            parse_int=_integer(source),
            parse_float=_float(source),
        )
    except json.JSONDecodeError as bad:
        at = bad.pos
        if bad.doc[at : at + 1] == "," and bad.msg.startswith("Illegal trailing comma"):
            # as before Python 3.13: what is wrong stands behind the comma
            at += len(bad.doc[at:]) - len(bad.doc[at + 1 :].lstrip())
        raise SourceError.of(
            "MBX2001",
            f"not JSON: {bad.msg[:1].lower()}{bad.msg[1:]}",
            Span(source, at, at + 1),
        ) from None
    _strings(source, value)
    return value


def _measure(source: Source, elements: int) -> None:
    """Refuse a text that is nested too deep or has too many values, before any is built."""
    depth = count = 0
    for match in _STRUCTURE.finditer(source.text):
        if match[0] in ",[{":
            count += 1
            if count > elements:
                raise SourceError.of(
                    "MBX5040",
                    f"more than {elements} values",
                    Span(source, match.start(), match.end()),
                    help="split the document into several, which it imports",
                )
        if match[0] in "[{":
            depth += 1
            if depth > LIMITS.nesting:
                raise SourceError.of(
                    "MBX5002",
                    f"nested deeper than {LIMITS.nesting}",
                    Span(source, match.start(), match.end()),
                )
        elif match[0] in "]}":
            depth -= 1


def _unique(source: Source) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            at, key = _duplicate(source.text)
            raise SourceError.of(
                "MBX2004",
                f"key '{key[:60]}' stands twice in one object",
                Span(source, at, at + 1),
                help="keep one",
            )
        return value

    return build


def _duplicate(text: str) -> tuple[int, str]:
    """Return where the first key that stands twice in one object does so again."""
    objects: list[set[str]] = []
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token[0] in "[{":
            objects.append(set())
        elif token[0] in "]}":
            objects = objects[:-1]
        elif match["key"] is not None and objects:
            key = json.loads(match["key"])
            if key in objects[-1]:
                return match.start(), key
            objects[-1].add(key)
    return 0, ""


def _find(source: Source, word: str) -> Span:
    """Return where a number or constant stands; what is inside of strings does not count."""
    for match in _TOKENS.finditer(source.text):
        if match[0] == word:
            return Span(source, match.start(), match.start() + len(word[:60]))
    return Span(source, 0, 1)


def _constant(source: Source) -> Callable[[str], Any]:
    def refuse(text: str) -> Any:
        raise SourceError.of("MBX2002", f"{text} is no number", _find(source, text))

    return refuse


def _integer(source: Source) -> Callable[[str], int]:
    def read(text: str) -> int:
        if len(text.lstrip("-")) > LIMITS.integer_digits:
            raise SourceError.of(
                "MBX5005",
                f"integer of {len(text.lstrip('-'))} digits; the limit is {LIMITS.integer_digits}",
                _find(source, text),
            )
        return int(text)

    return read


def _float(source: Source) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text) if len(text) <= LIMITS.number_characters else float("inf")
        digits = re.split("[eE]", text)[0]
        lost = value == 0 and any(c in "123456789" for c in digits)
        if lost or abs(value) > LIMITS.largest_number:
            raise SourceError.of(
                "MBX5005",
                f"{text[:40]} is outside of the numbers that can be kept",
                _find(source, text),
            )
        return value

    return read


def _strings(source: Source, value: Any) -> None:
    """Refuse strings that are too long or hold what no text may hold."""
    stack: list[tuple[Any, str]] = [(value, "")]
    while stack:
        node, pointer = stack.pop()
        match node:
            case dict():
                for key, inner in node.items():
                    step = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
                    stack.append((inner, step))
                    _string(source, key, pointer)
            case list():
                stack += [(inner, f"{pointer}/{k}") for k, inner in enumerate(node)]
            case str():
                _string(source, node, pointer)


def _string(source: Source, text: str, pointer: str) -> None:
    span = Span(source, 0, 1, pointer)
    if len(text) > LIMITS.string:
        raise SourceError.of(
            "MBX5004", f"string of {len(text)} characters; the limit is {LIMITS.string}", span
        )
    if text.isascii() and text.isprintable():
        return
    for character in text:
        category = unicodedata.category(character)
        if category == "Cs":
            raise SourceError.of("MBX2003", f"half a character, {safe_text(character)}", span)
        if category == "Cc" and character not in "\n\t":
            raise SourceError.of(
                "MBX1003", f"control character {safe_text(character)}", span, help="remove it"
            )
        if category in _HIDDEN:
            raise SourceError.of(
                "MBX1013",
                f"invisible character {safe_text(character)} in a text or comment",
                span,
                help="remove it",
            )
