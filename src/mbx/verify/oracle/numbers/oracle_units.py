"""The factor of a unit to SI, from a table of this package (spec 3.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

__all__ = ["Factor", "factor"]


@dataclass(frozen=True, slots=True)
class Factor:
    """A rational number, roots of rational numbers, and a power of pi."""

    rational: Fraction = Fraction(1)
    roots: tuple[tuple[Fraction, Fraction], ...] = ()
    pi: Fraction = Fraction(0)


_PREFIXES: Final = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "c": Fraction(1, 100),
    "k": Fraction(1000),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
}
_COHERENT: Final = frozenset(
    "m s A K mol cd N Pa J W C V F ohm S Wb T H Hz".split()  # noqa: SIM905  a table
)
_PLAIN: Final = {
    "1": (Fraction(1), 0),
    "integer": (Fraction(1), 0),
    "g": (Fraction(1, 1000), 0),
    "rad": (Fraction(1), 0),
    "mrad": (Fraction(1, 1000), 0),
    "sr": (Fraction(1), 0),
    "deg": (Fraction(1, 180), 1),
    "rev": (Fraction(2), 1),
    "rpm": (Fraction(2, 60), 1),
    "min": (Fraction(60), 0),
    "h": (Fraction(3600), 0),
    "day": (Fraction(86400), 0),
    "tonne": (Fraction(1000), 0),
    "bar": (Fraction(100000), 0),
    "percent": (Fraction(1, 100), 0),
}
_FACTOR: Final = re.compile(
    r"\s*([*/]?)\s*(1|[A-Za-z]+)\s*(?:\^\s*(?:(-?\d+)|\(\s*(-?\d+)\s*(?:/\s*(\d+))?\s*\)))?\s*"
)


@cache
def factor(unit: str | None) -> Factor:
    """Return what a number in a unit is multiplied by; no unit is 1."""
    rational, roots, turns, at = Fraction(1), [], Fraction(0), 0
    text = unit or "1"
    while at < len(text):
        match = _FACTOR.match(text, at)
        if match is None or (at > 0) != bool(match[1]):
            raise ValueError(f"unit '{text}'")
        power = Fraction(int(match[3] or match[4] or 1), int(match[5] or 1))
        power = -power if match[1] == "/" else power
        base, pi = _word(match[2])
        if power.denominator == 1:
            rational *= base**power.numerator
        elif base != 1:
            roots.append((base, power))
        turns += pi * power
        at = match.end()
    return Factor(rational, tuple(roots), turns)


def _word(word: str) -> tuple[Fraction, int]:
    """Return the factor of one word, and the power of pi next to it."""
    if word in _PLAIN:
        return _PLAIN[word]
    if word in _COHERENT:
        return Fraction(1), 0
    prefix, rest = word[:1], word[1:]
    if prefix in _PREFIXES and (rest in _COHERENT or rest == "g"):
        return _PREFIXES[prefix] * (Fraction(1, 1000) if rest == "g" else 1), 0
    raise ValueError(f"unit '{word}'")
