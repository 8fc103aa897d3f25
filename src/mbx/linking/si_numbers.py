"""What numbers mean: in SI, exact where that is possible.

A value written with numbers alone is in the unit of what it is assigned to; a number with a
unit is in that unit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.language import units
from mbx.language.document.expressions import (
    Call,
    Expression,
    Group,
    Negative,
    Number,
    Power,
    Product,
    Reference,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.language.units import Unit

__all__ = ["Value", "bare", "in_unit", "literal", "pure_value", "unit_of"]

Value = Fraction | float

_LARGEST: Final = 1e300
_EXACT_BITS: Final = 4096
_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    name: getattr(math, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
    )
}


def literal(text: str) -> Value:
    """Return a number's value, exact unless its exponent is extreme."""
    _, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > 60:  # noqa: PLR2004  exact powers beyond help nobody
        return float(text)
    return Fraction(text)


def bare(expression: Expression) -> bool:
    """Return whether an expression is made of unitless numbers alone (and pi)."""
    match expression:
        case Number(_, unit):
            return unit is None
        case Reference((segment,), 0):
            return segment.name == "pi" and segment.index is None
        case Negative(x) | Group(x):
            return bare(x)
        case Sum(pairs) | Product(pairs):
            return all(bare(e) for _, e in pairs)
        case Power(base, exponent):
            return bare(base) and bare(exponent)
        case Call(function, arguments):
            return function in _FUNCTIONS and all(map(bare, arguments))
    return False


def pure_value(expression: Expression) -> Value | None:
    """Return the value of an expression of numbers alone; none if it cannot be had."""
    try:
        value = _value(expression)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        return None
    return value if abs(float(value)) <= _LARGEST else None


def _value(node: Expression) -> Value:
    match node:
        case Number(text, _):
            return literal(text)
        case Reference():
            return math.pi
        case Negative(x):
            return -_value(x)
        case Group(x):
            return _value(x)
        case Sum(terms):
            return _sum([_value(e) if s == "+" else -_value(e) for s, e in terms])
        case Product(factors):
            value: Value = Fraction(1)
            for sign, factor in factors:
                part = _value(factor)
                value = _kept(value * part if sign == "*" else value / part)
            return value
        case Power(base, exponent):
            return _power(_value(base), _value(exponent))
        case Call(function, arguments):
            return _FUNCTIONS[function](*(float(_value(a)) for a in arguments))
    raise TypeError(node)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) * bits <= _EXACT_BITS:
            return Fraction(base ** int(exponent))
    return float(float(base) ** float(exponent))


def _kept(value: Value) -> Value:
    """Return an exact value as long as it is short; sums and products make them long."""
    if isinstance(value, Fraction) and value.denominator.bit_length() > _EXACT_BITS:
        return float(value)
    return value


def _sum(values: list[Value]) -> Value:
    total: Value = Fraction(0)
    for value in values:
        total = _kept(total + value)
    return total


def in_unit(expression: Expression, unit: Unit) -> Value | None:
    """Return the SI value of numbers alone that stand where a unit is declared."""
    value = pure_value(expression)
    return None if value is None else unit.si(value)


def unit_of(text: str | None) -> Unit:
    """Return a declared unit; none declared, or a whole number, is a pure number."""
    return units.parse("1" if text is None or text == "integer" else text)
