"""Scalars and functions of them: jets, and jets with a small part.

`Dual(a, b)` is a + b e with e^2 = 0; `b` is then a partial derivative, itself a scalar along the
motion. Parts of different derivatives have different tags, the inner one the larger tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mbx.verify.oracle.numbers import jets
from mbx.verify.oracle.numbers.jets import Jet

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from mbx.verify.oracle.numbers.number_fields import Field, Number

__all__ = ["Arithmetic", "Dual", "Scalar", "value_of"]


@dataclass(frozen=True, slots=True)
class Dual:
    """A scalar and its derivative in one direction."""

    a: Scalar
    b: Scalar
    tag: int

    def __add__(self, other: Any) -> Any:
        """Add."""
        x, y, tag = _paired(self, other)
        return Dual(x.a + y.a, x.b + y.b, tag)

    def __neg__(self) -> Dual:
        """Negate."""
        return Dual(-self.a, -self.b, self.tag)

    def __sub__(self, other: Any) -> Any:
        """Subtract."""
        return self + (-other)

    def __mul__(self, other: Any) -> Any:
        """Multiply."""
        x, y, tag = _paired(self, other)
        return Dual(x.a * y.a, x.a * y.b + x.b * y.a, tag)

    def __truediv__(self, other: Any) -> Any:
        """Divide."""
        x, y, tag = _paired(self, other)
        quotient = x.a / y.a
        return Dual(quotient, (x.b - quotient * y.b) / y.a, tag)

    def __radd__(self, other: Any) -> Any:
        """Add."""
        return _lifted(other, self.tag) + self

    def __rsub__(self, other: Any) -> Any:
        """Subtract."""
        return _lifted(other, self.tag) - self

    def __rmul__(self, other: Any) -> Any:
        """Multiply."""
        return _lifted(other, self.tag) * self

    def __rtruediv__(self, other: Any) -> Any:
        """Divide."""
        return _lifted(other, self.tag) / self


Scalar: TypeAlias = Jet | Dual


def _lifted(x: Scalar, tag: int) -> Dual:
    """Return a scalar with a part that is zero."""
    if isinstance(x, Dual) and x.tag == tag:
        return x
    return Dual(x, Jet((0 * value_of(x),)), tag)


def _paired(x: Scalar, y: Scalar) -> tuple[Dual, Dual, int]:
    tag = max(s.tag for s in (x, y) if isinstance(s, Dual))
    return _lifted(x, tag), _lifted(y, tag), tag


def value_of(x: Scalar) -> Number:
    """Return the value of a scalar now."""
    while isinstance(x, Dual):
        x = x.a
    return x.c[0]


class Arithmetic:
    """Constants and functions of scalars over a field."""

    def __init__(self, field: Field) -> None:
        """Take the field."""
        self.field = field
        self.zero, self.one = self.constant(0), self.constant(1)
        self.half = self.field.number(1) / 2
        self.nothing = self.field.number(10) ** -(field.digits // 2)
        """What is smaller is zero where signs matter: states come as rounded numbers."""

    def constant(self, value: float | Fraction) -> Jet:
        """Return a constant."""
        return Jet((self.field.number(value),))

    def sign(self, x: Scalar) -> int:
        """Return the sign of the value: -1, 0 or 1."""
        value = self.field.exact(value_of(x))
        return 0 if abs(value) < self.nothing else 1 if value > 0 else -1

    def call(self, name: str, x: Scalar) -> Scalar:
        """Return an elementary function of a scalar."""
        if isinstance(x, Dual):
            return Dual(self.call(name, x.a), _SLOPES[name](self, x.a) * x.b, x.tag)
        return _SERIES[name](self, x)

    def atan2(self, y: Scalar, x: Scalar) -> Scalar:
        """Return the angle of the point (x, y)."""
        if isinstance(y, Dual) or isinstance(x, Dual):
            p, q, tag = _paired(y, x)
            slope = (q.a * p.b - p.a * q.b) / (q.a * q.a + p.a * p.a)
            return Dual(self.atan2(p.a, q.a), slope, tag)
        start = self.field.atan2(y.c[0], x.c[0])
        n = min(x.n, y.n)
        if n == 1 or (len(x.c) == 1 and len(y.c) == 1 and not (x.g or y.g)):
            _same_for_all_rates(x, y)
            return Jet((start,), n)
        rate = (x * jets.ddt(y) - y * jets.ddt(x)) / (x * x + y * y)
        return jets.integral(start, rate, n)

    def power(self, x: Scalar, p: Scalar) -> Scalar:
        """Return x^p."""
        whole = _whole(p)
        if whole is not None:
            return self._whole_power(x, whole)
        if isinstance(p, Jet) and len(p.c) == 1 and not p.g:
            return self._fixed_power(x, p.c[0])
        return self.call("exp", p * self.call("log", x))

    def sqrt(self, x: Scalar) -> Scalar:
        """Return the root of a scalar that is zero or more."""
        if isinstance(x, Jet) and len(x.c) == 1 and not x.g and x.c[0] == 0:
            return x
        return self._fixed_power(x, self.half)

    def _fixed_power(self, x: Scalar, p: Number) -> Scalar:
        if isinstance(x, Dual):
            slope = self._fixed_power(x.a, p - 1) * Jet((p,))
            return Dual(self._fixed_power(x.a, p), slope * x.b, x.tag)
        value = self.field.exact(x.c[0])
        if value < 0:
            raise ValueError("power of a negative number")
        start = self.field.call("sqrt", value) if p == self.half else x.c[0] ** p
        return jets.power(x, p, start)

    def _whole_power(self, x: Scalar, p: int) -> Scalar:
        if p < 0:
            inverse: Scalar = self.one / self._whole_power(x, -p)
            return inverse
        result: Scalar | None = None
        while p:
            if p & 1:
                result = x if result is None else result * x
            p >>= 1
            x = x * x if p else x
        return self.one if result is None else result


def _whole(p: Scalar) -> int | None:
    """Return the whole number that a constant is."""
    if isinstance(p, Dual) or len(p.c) > 1 or p.g:
        return None
    near = round(float(p.c[0]))
    return near if abs(p.c[0] - near) < 1e-30 else None  # noqa: PLR2004  far below a double


def _same_for_all_rates(*several: Jet) -> None:
    if any(x.n == 1 and x.g for x in several):
        raise jets.NonlinearError


def _sin_cos(m: Arithmetic, x: Jet, *, circular: bool) -> tuple[Jet, Jet]:
    names = ("sin", "cos") if circular else ("sinh", "cosh")
    sine, cosine = (m.field.call(name, x.c[0]) for name in names)
    return jets.series_sin_cos(x, sine, cosine, -1 if circular else 1)


def _integrated(name: str) -> Callable[[Arithmetic, Jet], Jet]:
    """Return a function by its derivative, a function of the argument."""

    def made(m: Arithmetic, x: Jet) -> Jet:
        start = m.field.call(name, x.c[0])
        if x.n == 1 or (len(x.c) == 1 and not x.g):
            _same_for_all_rates(x)
            return Jet((start,), x.n)
        rate = _SLOPES[name](m, x) * jets.ddt(x)
        return jets.integral(start, rate, x.n)

    return made


_SERIES: Final[dict[str, Callable[[Arithmetic, Jet], Jet]]] = {
    "sin": lambda m, x: _sin_cos(m, x, circular=True)[0],
    "cos": lambda m, x: _sin_cos(m, x, circular=True)[1],
    "sinh": lambda m, x: _sin_cos(m, x, circular=False)[0],
    "cosh": lambda m, x: _sin_cos(m, x, circular=False)[1],
    "tan": lambda m, x: _SERIES["sin"](m, x) / _SERIES["cos"](m, x),
    "tanh": lambda m, x: _SERIES["sinh"](m, x) / _SERIES["cosh"](m, x),
    "exp": lambda m, x: jets.series_exp(x, m.field.call("exp", x.c[0])),
    "log": _integrated("log"),
    "asin": _integrated("asin"),
    "acos": _integrated("acos"),
    "atan": _integrated("atan"),
}

_SLOPES: Final[dict[str, Callable[[Arithmetic, Any], Any]]] = {
    "sin": lambda m, x: m.call("cos", x),
    "cos": lambda m, x: -m.call("sin", x),
    "sinh": lambda m, x: m.call("cosh", x),
    "cosh": lambda m, x: m.call("sinh", x),
    "tan": lambda m, x: m.one + m.call("tan", x) * m.call("tan", x),
    "tanh": lambda m, x: m.one - m.call("tanh", x) * m.call("tanh", x),
    "exp": lambda m, x: m.call("exp", x),
    "log": lambda m, x: m.one / x,
    "asin": lambda m, x: m.one / m.sqrt(m.one - x * x),
    "acos": lambda m, x: -(m.one / m.sqrt(m.one - x * x)),
    "atan": lambda m, x: m.one / (m.one + x * x),
}
