"""Single mistakes put into the text of a page: a test of the test that a page is."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mistaken", "mistakes_in"]

_MATHEMATICS: Final = re.compile(r"^ {4,}\S")
_SIGN: Final = re.compile(r"(?<= )[+-](?= )")
_TURN: Final = re.compile(r"\b(sin|cos)(?=\()")
_NUMBER: Final = re.compile(r"(?<![\w.\[(])(\d+)(?![\w.\])'])")
_POWER: Final = re.compile(r"\^(\d)")

Mistaken = tuple[str, str]
"""What was changed, and the text with the mistake."""


def mistakes_in(text: str, count: int, seed: int = 0) -> Iterator[Mistaken]:
    """Yield texts with one mistake each: a sign, a sine for a cosine, a number, a power."""
    places = list(_places(text))
    random.Random(seed).shuffle(places)  # noqa: S311  no secret
    for start, end, new, what in places[:count]:
        yield what, text[:start] + new + text[end:]


def _places(text: str) -> Iterator[tuple[int, int, str, str]]:
    start = 0
    body_begins = False
    for line in text.splitlines(keepends=True):
        body_begins = body_begins or re.match(r"1 [A-Z]", line) is not None
        if not body_begins:
            start += len(line)
            continue
        body = re.split(r"\s{2,}\(\d+\)\s*$|    # ", line)[0]
        if _MATHEMATICS.match(line) and (" = " in line or line.startswith("        ")):
            for kind, pattern in (("sign", _SIGN), ("turn", _TURN), ("number", _NUMBER)):
                for found in pattern.finditer(body):
                    new = _changed(kind, found[0])
                    where = f"{kind} at {found.start()} of {line.strip()[:70]}"
                    yield start + found.start(), start + found.end(), new, where
            for found in _POWER.finditer(body):
                new = f"^{int(found[1]) + 1}"
                where = f"power at {found.start()} of {line.strip()[:70]}"
                yield start + found.start(), start + found.end(), new, where
        start += len(line)


def _changed(kind: str, text: str) -> str:
    if kind == "sign":
        return "-" if text == "+" else "+"
    if kind == "turn":
        return "cos" if text == "sin" else "sin"
    return str(int(text) + 1)
