"""Units as people write them: `rad/s`, `N*m`; all values are in SI, so only SI units occur.

A unit text keeps the words that the author chose where they are SI (`N*m` is not `J`), although
the dimension of both is one. A text that names no unit is kept as it is: the display of numbers
never fails.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from mbx.language.units import UnitError, parse, show_dimension, unit_factors

if TYPE_CHECKING:
    from mbx.language.units import Dimension

__all__ = [
    "conjugate",
    "dimension_text",
    "multiply_seconds",
    "per_second",
    "si_unit",
    "usual_unit",
]

_SI: Final = {
    "g": "kg",
    "tonne": "kg",
    "deg": "rad",
    "rev": "rad",
    "mrad": "rad",
    "rpm": "rad/s",
    "min": "s",
    "h": "s",
    "day": "s",
    "bar": "Pa",
    "percent": "1",
}
"""The SI units of the same kind, where another word than that without its prefix."""

_USUAL: Final = (
    *("N", "N*m", "W", "Pa", "N/m", "N*s/m", "N*s", "N*m*s"),
    *("V", "C", "F", "ohm", "S", "Wb", "T", "H"),
)
"""Of the units of one dimension, the one that mechanics uses where nothing is declared."""


@cache
def si_unit(declared: str | None) -> str:
    """Return the SI unit of the kind of a declared unit: rad for deg, N*m for kN*mm."""
    if declared is None or declared == "integer":
        return "1"
    try:
        parse(declared)
        return _joined(declared)
    except UnitError:
        return declared


@cache
def dimension_text(unit: str) -> str:
    """Return the dimension of a unit text in base units, where rad is 1."""
    try:
        return show_dimension(parse(unit).dimension)
    except UnitError:
        return unit


@cache
def multiply_seconds(unit: str, power: int) -> str:
    """Return a unit times a power of seconds."""
    try:
        parse(unit or "1")
        return _joined(unit or "1", ("s", Fraction(power)))
    except UnitError:
        return unit


def per_second(unit: str, times: int = 1) -> str:
    """Return the unit of a rate of something: rad/s of rad, rad/s^2 of its rate."""
    return multiply_seconds(unit, -times)


@cache
def conjugate(unit: str, *, rate: bool = False) -> str:
    """Return the unit of the generalized force on a coordinate or on a speed.

    It is J over the unit of a coordinate, W over that of a speed: N for m, N*m for rad.
    """
    try:
        parts = dict(_combined(unit or "1"))
    except UnitError:
        return ""
    if rate:
        parts["s"] = parts.get("s", Fraction(0)) + 1
    alone = [word for word, power in parts.items() if power]
    if alone == ["m"] and parts["m"] == 1:
        return "N"
    if alone == ["rad"] and parts["rad"] == 1:
        return "N*m"
    if not alone:
        return "J"
    over = {word: -power for word, power in parts.items()}
    dimension = parse(_text({"J": Fraction(1), **over})).dimension
    return usual_unit(dimension) if "rad" not in over else _text({"J": Fraction(1), **over})


@cache
def usual_unit(dimension: Dimension | None, *, energy: bool = False) -> str:
    """Return the usual SI unit of a dimension; "" if the dimension is not known.

    N*m and J share one: what is an energy is in J.
    """
    if dimension is None:
        return ""
    if energy and dimension == parse("J").dimension:
        return "J"
    for unit in _USUAL:
        if parse(unit).dimension == dimension:
            return unit
    return show_dimension(dimension)


# -- factors -----------------------------------------------------------------------------------


def _joined(text: str, *more: tuple[str, Fraction]) -> str:
    """Return the SI unit of a text, times further factors, each word once."""
    found = _combined(text)
    for word, power in more:
        found[word] = found.get(word, Fraction(0)) + power
    return _text(found)


def _combined(text: str) -> dict[str, Fraction]:
    """Return the words of SI units in a text with their powers, in order."""
    found: dict[str, Fraction] = {}
    for word, power in unit_factors(text):
        for inner, own in unit_factors(_plain(word)):
            found[inner] = found.get(inner, Fraction(0)) + own * power
    return found


def _plain(word: str) -> str:
    """Return the SI unit of a unit word: without its prefix, if it has one."""
    if word in _SI or parse(word).factor == 1:
        return _SI.get(word, word)
    return _SI.get(word[1:], word[1:])


def _text(factors: dict[str, Fraction]) -> str:
    above = [_power(word, power) for word, power in factors.items() if power > 0]
    below = [_power(word, -power) for word, power in factors.items() if power < 0]
    return "*".join(above or ["1"]) + "".join(f"/{one}" for one in below)


def _power(word: str, power: Fraction) -> str:
    if power == 1:
        return word
    return f"{word}^{power}" if power.denominator == 1 else f"{word}^({power})"
