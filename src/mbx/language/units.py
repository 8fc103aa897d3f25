"""Units: a closed table, what each means in SI, and dimensions as exponents.

Radians are pure numbers. Written here because pint evaluates unit texts (`m**9999999999`
hangs it) and costs a second to import; the tests compare every entry with pint.
"""

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
    "known_units",
    "parse",
    "show_dimension",
    "unit_factors",
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
    found = _PLAIN.get(word) or _PREFIXED.get(word)
    if found is not None:
        return found
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
        one = _word(word)
        factor = _scaled(factor, one.factor, power, text)
        dimension = tuple(d + power * e for d, e in zip(dimension, one.dimension, strict=True))
    return Unit(factor, dimension)


def unit_factors(text: str) -> Iterator[tuple[str, Fraction]]:
    """Yield the unit words of a text and their powers in order, or raise `UnitError`."""
    position = 0
    while position < len(text) or not text:
        found = _FACTOR.match(text, position)
        if found is None or bool(position) != bool(found["sign"]):
            raise UnitError(text)
        position = found.end()
        if found["base"][0].isdigit():
            if found["base"] != "1":
                raise UnitError(found["base"])
            continue
        power = _power(found["power"], text)
        yield found["base"], -power if found["sign"] == "/" else power


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
