"""Operations on numbers alone: exact where they can be, and never silently not a number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import NoValueError
from mbx.expr.nodes import Node, Number, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["FUNCTIONS", "number_function", "number_power"]

FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
}
"""The elementary functions, on floats."""

_EXACT: Final[dict[str, Callable[[Any], Any]]] = {"abs": abs, "sign": FUNCTIONS["sign"]}
_EXACT_BITS: Final = 4096

_TURNS: Final = frozenset({"cos", "sin"})
_EPS: Final = 2.0**-52


def number_function(name: str, values: Sequence[Number]) -> Node:
    """Return an elementary function of numbers."""
    if name in _EXACT:
        return number(_EXACT[name](values[0]))
    try:
        value = FUNCTIONS[name](*map(float, values))
        if name in _TURNS and abs(value) < _EPS * abs(float(values[0])):
            return number(0)  # less than the rounding of the angle: a quarter turn, or a half
        return number(value)
    except (ValueError, OverflowError) as error:
        listed = ", ".join(map(str, values))
        raise NoValueError(f"{name}({listed}) is no number") from error


def number_power(value: Number, exponent: Number) -> Node:
    """Return a power of a number."""
    if value == 0 and exponent < 0:
        raise NoValueError("division by zero")
    exact = _exact_power(value, exponent)
    if exact is not None:
        return number(exact)
    if value < 0 and exponent.__class__ is not int:
        raise NoValueError(f"({value})^({exponent}): fractional power of a negative number")
    try:
        return number(float(value) ** float(exponent))
    except (ValueError, OverflowError) as error:
        raise NoValueError(f"({value})^({exponent}) is no number") from error


def _exact_power(value: Number, exponent: Number) -> Fraction | None:
    """Return a power of a rational number, if that is rational and not too long."""
    if isinstance(value, float) or isinstance(exponent, float):
        return None
    base, up = Fraction(value), Fraction(exponent)
    length = max(base.numerator.bit_length(), base.denominator.bit_length())
    if length * abs(up) > _EXACT_BITS:
        return None
    if up.denominator == 2 and value >= 0:  # noqa: PLR2004  a square root
        top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
        if (top * top, bottom * bottom) != (base.numerator, base.denominator):
            return None
        return Fraction(top, bottom) ** up.numerator
    return base**up.numerator if up.denominator == 1 else None
