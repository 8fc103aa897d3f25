"""What to write instead, where a text breaks off in a way that people often write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lark import Token

__all__ = ["remedy_of"]

_DECLARED: Final = frozenset({"param", "input", "coordinate", "speed"})
_NEAR: Final = 64
"""Tokens that are looked at on either side."""
_UNIT_SIGNS: Final = frozenset({"*", "/", "^", "-"})


def remedy_of(tokens: Sequence[Token], k: int, expected: Collection[str]) -> str | None:
    """Return the remedy for a token that does not fit; None where none is known."""
    text = str(tokens[k])
    line = tokens[k].line
    before = [str(token) for token in tokens[max(k - _NEAR, 0) : k] if token.line == line]
    if text == "rotated" and "," in expected:
        return "write a comma before 'rotated'"
    if text == "by" and before and "rotated" in before:
        return f"each rotation begins with 'rotated': rotated {before[-1]} by …"
    if text == "(" and before[-1:] == ["/"]:
        return _flat_unit(before, [str(token) for token in tokens[k + 1 : k + _NEAR]])
    if tokens[k].type == "NAME" and before[1:] and before[0] in _DECLARED and ":" in expected:
        return f"write a colon before the unit: '{before[-1]}: {text}'"
    return None


def _flat_unit(before: Sequence[str], rest: Sequence[str]) -> str | None:
    """Return how a unit is written without brackets: `N/(m*s)` is `N/m/s`."""
    if ":" not in before or ")" not in rest:
        return None
    start = len(before) - 1 - list(reversed(before)).index(":") + 1
    divided = rest[: rest.index(")")]
    words = [*before[start:], *divided]
    if not all(word.isalnum() or word in _UNIT_SIGNS for word in words):
        return None
    flat = "".join(before[start:]) + "".join(divided).translate(str.maketrans("*/", "/*"))
    return f"a unit has no brackets: write '{flat}'"
