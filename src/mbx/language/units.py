"""Units: a closed table, what each means in SI, dimensions as exponents, and units for display."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BASE",
    "OFFSET_UNITS",
    "ONE",
    "Dimension",
    "Unit",
    "UnitError",
    "conjugate",
    "dimension_text",
    "known_units",
    "multiply_seconds",
    "parse",
    "per_second",
    "show_dimension",
    "si_unit",
    "unit_factors",
    "usual_unit",
]


Dimension = tuple[Fraction, ...]
"""Exponents of kg, m, s, A, K, mol, cd."""

BASE: Final = ("kg", "m", "s", "A", "K", "mol", "cd")
ONE: Final[Dimension] = (Fraction(0),) * len(BASE)

OFFSET_UNITS: Final = frozenset({"degC", "degF"})
"""Temperatures with a zero of their own: they cannot be multiplied."""

_LARGEST_POWER: Final = 64
_LARGEST_FACTOR: Final = 1e100


class UnitError(ValueError):
    """A unit that is not known; `word` is the part at fault."""

    def __init__(self, word: str, *, offset: bool = False) -> None:
        """Keep the word and whether it has a zero of its own."""
        super().__init__(word)
        self.word = word
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: how many SI units it is, and of what dimension."""

    factor: Fraction | float
    dimension: Dimension

    def si(self, value: Fraction | float) -> Fraction | float:
        """Return a value given in this unit in SI, exact where that is possible."""
        return value * self.factor


def _unit(factor: Fraction | float = 1, **powers: int) -> Unit:
    exact = Fraction(factor) if isinstance(factor, int) else factor
    return Unit(exact, tuple(Fraction(powers.get(base, 0)) for base in BASE))


# Units that take prefixes.
_PREFIXED: Final = {
    "m": _unit(m=1),
    "g": _unit(Fraction(1, 1000), kg=1),
    "s": _unit(s=1),
    "A": _unit(A=1),
    "K": _unit(K=1),
    "mol": _unit(mol=1),
    "cd": _unit(cd=1),
    "N": _unit(kg=1, m=1, s=-2),
    "Pa": _unit(kg=1, m=-1, s=-2),
    "J": _unit(kg=1, m=2, s=-2),
    "W": _unit(kg=1, m=2, s=-3),
    "C": _unit(A=1, s=1),
    "V": _unit(kg=1, m=2, s=-3, A=-1),
    "F": _unit(kg=-1, m=-2, s=4, A=2),
    "ohm": _unit(kg=1, m=2, s=-3, A=-2),
    "S": _unit(kg=-1, m=-2, s=3, A=2),
    "Wb": _unit(kg=1, m=2, s=-2, A=-1),
    "T": _unit(kg=1, s=-2, A=-1),
    "H": _unit(kg=1, m=2, s=-2, A=-2),
    "Hz": _unit(s=-1),
}

# Units that stand alone.
_PLAIN: Final = {
    "rad": _unit(),
    "mrad": _unit(Fraction(1, 1000)),
    "deg": _unit(math.pi / 180),
    "rev": _unit(2 * math.pi),
    "sr": _unit(),
    "min": _unit(60, s=1),
    "h": _unit(3600, s=1),
    "day": _unit(86400, s=1),
    "rpm": _unit(2 * math.pi / 60, s=-1),
    "tonne": _unit(1000, kg=1),
    "bar": _unit(100_000, kg=1, m=-1, s=-2),
    "percent": _unit(Fraction(1, 100)),
}

_PREFIXES: Final = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "c": Fraction(1, 100),
    "k": Fraction(1000),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
}


def known_units() -> tuple[str, ...]:
    """Return every unit word there is."""
    prefixed = [p + u for p in _PREFIXES for u in _PREFIXED]
    return tuple(sorted({*_PREFIXED, *_PLAIN, *prefixed}))


def _word(word: str) -> Unit:
    unit = _PLAIN.get(word) or _PREFIXED.get(word)
    if unit is not None:
        return unit
    base = _PREFIXED.get(word[1:])
    scale = _PREFIXES.get(word[:1])
    if base is not None and scale is not None:
        return Unit(base.factor * scale, base.dimension)
    raise UnitError(word, offset=word in OFFSET_UNITS)


_FACTOR = re.compile(
    r"(?P<sign>[*/]?)(?P<base>[A-Za-z_]\w*|[0-9.eE]+)"
    r"(?:\^(?P<power>-?[0-9]+|\(-?[0-9]+/[0-9]+\)))?"
)


@cache
def parse(text: str) -> Unit:
    """Return the unit that a text names, or raise `UnitError`."""
    factor: Fraction | float = Fraction(1)
    dimension = ONE
    for word, power in unit_factors(text):
        unit = _word(word)
        factor = _scaled(factor, unit.factor, power, text)
        dimension = tuple(d + power * e for d, e in zip(dimension, unit.dimension, strict=True))
    return Unit(factor, dimension)


def unit_factors(text: str) -> Iterator[tuple[str, Fraction]]:
    """Yield the unit words of a text and their powers in order, or raise `UnitError`."""
    position = 0
    while position < len(text) or not text:
        match = _FACTOR.match(text, position)
        if match is None or bool(position) != bool(match["sign"]):
            raise UnitError(text)
        position = match.end()
        if match["base"][0].isdigit():
            if match["base"] != "1":
                raise UnitError(match["base"])
            continue
        power = _power(match["power"], text)
        yield match["base"], -power if match["sign"] == "/" else power


def _scaled(
    factor: Fraction | float, base: Fraction | float, power: Fraction, text: str
) -> Fraction | float:
    """Return a factor times a power; no unit is so large or small that floats cannot hold it."""
    try:
        if isinstance(base, Fraction) and power.denominator == 1:
            result = factor * base ** int(power)
        else:
            result = float(factor) * float(base) ** float(power)
        size = abs(float(result))
    except OverflowError:
        raise UnitError(text) from None
    if not 1 / _LARGEST_FACTOR <= size <= _LARGEST_FACTOR:
        raise UnitError(text)
    return result


def _power(text: str | None, unit: str) -> Fraction:
    if text is None:
        return Fraction(1)
    top, _, bottom = text.strip("()").partition("/")
    if len(top) > 4 or len(bottom) > 4 or bottom == "0":  # noqa: PLR2004  checked before any arithmetic
        raise UnitError(unit)
    power = Fraction(int(top), int(bottom or 1))
    if abs(power) > _LARGEST_POWER:
        raise UnitError(unit)
    return power


def show_dimension(dimension: Dimension) -> str:
    """Return a dimension as a unit text in SI base units, `1` for a pure number."""
    above = [_factor(b, p) for b, p in zip(BASE, dimension, strict=True) if p.numerator > 0]
    below = [_factor(b, -p) for b, p in zip(BASE, dimension, strict=True) if p.numerator < 0]
    return "*".join(above or ["1"]) + "".join(f"/{f}" for f in below)


def _factor(base: str, power: Fraction) -> str:
    if power == 1:
        return base
    return f"{base}^{power}" if power.denominator == 1 else f"{base}^({power})"


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
    powers = _combined(text)
    for word, power in more:
        powers[word] = powers.get(word, Fraction(0)) + power
    return _text(powers)


def _combined(text: str) -> dict[str, Fraction]:
    """Return the words of SI units in a text with their powers, in order."""
    powers: dict[str, Fraction] = {}
    for word, power in unit_factors(text):
        for inner, exponent in unit_factors(_plain(word)):
            powers[inner] = powers.get(inner, Fraction(0)) + exponent * power
    return powers


def _plain(word: str) -> str:
    """Return the SI unit of a unit word: without its prefix, if it has one."""
    if word in _SI or parse(word).factor == 1:
        return _SI.get(word, word)
    return _SI.get(word[1:], word[1:])


def _text(factors: dict[str, Fraction]) -> str:
    above = [_shown_factor(word, power) for word, power in factors.items() if power > 0]
    below = [_shown_factor(word, -power) for word, power in factors.items() if power < 0]
    return "*".join(above or ["1"]) + "".join(f"/{factor}" for factor in below)


def _shown_factor(word: str, power: Fraction) -> str:
    if power == 1:
        return word
    return f"{word}^{power}" if power.denominator == 1 else f"{word}^({power})"
