"""Numbers with derivatives, to any depth: what a page is differentiated with when it is checked.

A jet is a value and its derivative in one direction; both may be jets in turn. The derivatives
share nothing with those of `mbx.expr.derivatives`, which the page was made with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FUNCTIONS", "Jet", "divide", "power", "slope_of", "value_of"]


@dataclass(frozen=True, slots=True)
class Jet:
    """A value and its derivative."""

    value: Any
    slope: Any

    def __add__(self, other: Any) -> Jet:
        """Return a sum."""
        return Jet(self.value + value_of(other), self.slope + slope_of(other))

    __radd__ = __add__

    def __neg__(self) -> Jet:
        """Return the opposite."""
        return Jet(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Any:
        """Return a difference."""
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        """Return a difference."""
        return -self + other

    def __mul__(self, other: Any) -> Jet:
        """Return a product."""
        a, b = self.value, value_of(other)
        return Jet(a * b, self.slope * b + a * slope_of(other))

    __rmul__ = __mul__


def value_of(x: Any) -> Any:
    """Return the value of a jet or of a number."""
    return x.value if isinstance(x, Jet) else x


def slope_of(x: Any) -> Any:
    """Return the derivative of a jet; that of a number is zero."""
    return x.slope if isinstance(x, Jet) else 0.0


def divide(a: Any, b: Any) -> Any:
    """Return a quotient."""
    if isinstance(b, Jet):
        below = divide(1.0, b.value)
        return a * Jet(below, -(b.slope * below * below))
    if isinstance(a, Jet):
        return Jet(divide(a.value, b), divide(a.slope, b))
    return a / b


def power(base: Any, exponent: float) -> Any:
    """Return a power with a number as its exponent."""
    if not isinstance(base, Jet):
        return base**exponent
    if exponent == 0:
        return 1.0
    slope = exponent * power(base.value, exponent - 1) * base.slope
    return Jet(power(base.value, exponent), slope)


def _sin(x: Any) -> Any:
    return Jet(_sin(x.value), _cos(x.value) * x.slope) if isinstance(x, Jet) else math.sin(x)


def _cos(x: Any) -> Any:
    return Jet(_cos(x.value), -_sin(x.value) * x.slope) if isinstance(x, Jet) else math.cos(x)


def _tan(x: Any) -> Any:
    return divide(_sin(x), _cos(x))


def _sqrt(x: Any) -> Any:
    return power(x, 0.5)


def _exp(x: Any) -> Any:
    if isinstance(x, Jet):
        value = _exp(x.value)
        return Jet(value, value * x.slope)
    return math.exp(x)


def _log(x: Any) -> Any:
    return Jet(_log(x.value), divide(x.slope, x.value)) if isinstance(x, Jet) else math.log(x)


def _abs(x: Any) -> Any:
    return -x if _number(x) < 0 else x


def _sign(x: Any) -> float:
    number = _number(x)
    return float((number > 0) - (number < 0))


def _number(x: Any) -> float:
    while isinstance(x, Jet):
        x = x.value
    return float(x)


def _asin(x: Any) -> Any:
    if isinstance(x, Jet):
        return Jet(_asin(x.value), divide(x.slope, _sqrt(1.0 - x.value * x.value)))
    return math.asin(x)


def _acos(x: Any) -> Any:
    return math.pi / 2 - _asin(x)


def _atan(x: Any) -> Any:
    if isinstance(x, Jet):
        return Jet(_atan(x.value), divide(x.slope, 1.0 + x.value * x.value))
    return math.atan(x)


def _atan2(y: Any, x: Any) -> Any:
    if isinstance(y, Jet) or isinstance(x, Jet):
        a, b = value_of(y), value_of(x)
        turned = b * slope_of(y) - a * slope_of(x)
        return Jet(_atan2(a, b), divide(turned, a * a + b * b))
    return math.atan2(y, x)


def _sinh(x: Any) -> Any:
    return (_exp(x) - _exp(-x)) * 0.5


def _cosh(x: Any) -> Any:
    return (_exp(x) + _exp(-x)) * 0.5


def _tanh(x: Any) -> Any:
    return divide(_sinh(x), _cosh(x))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "sqrt": _sqrt,
    "exp": _exp,
    "log": _log,
    "abs": _abs,
    "sign": _sign,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "atan2": _atan2,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
}
"""The functions that a page may have, of numbers and of jets."""
