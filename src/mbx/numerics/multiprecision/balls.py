"""Balls of `python-flint`: a middle and a radius, between them the true value."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mbx.numerics.multiprecision.digit_numbers import Exact

__all__ = ["Balls"]


class UnclearError(ArithmeticError):
    """More digits are needed to tell which of two numbers is the larger."""


def _less(a: Any, b: Any) -> int:
    if a < b:
        return 1
    if a >= b:
        return 0
    raise UnclearError("two numbers cannot be told apart")


def _sign(x: Any) -> Any:
    if x.is_zero():
        return arb(0)
    if x.contains(0):
        raise UnclearError("a number cannot be told from zero")
    return arb(1 if x > 0 else -1)


def _power(base: Any, exponent: Any, constant: Callable[[Any], Any]) -> Any:
    """Return a power; that of `arb` itself has no value where a ball contains zero."""
    if isinstance(exponent, float):
        return base ** constant(exponent)
    p, q = exponent.numerator, exponent.denominator
    if q > 1:
        if base.contains(0) and not base.is_zero():
            raise UnclearError("a number cannot be told from zero")
        base = base.root(q)
    result = arb(1)
    for bit in f"{abs(p):b}":
        result = result * result * base if bit == "1" else result * result
    return result if p > 0 else 1 / result


def _function(name: str) -> Callable[..., Any]:
    method = getattr(arb, name)

    def value(*args: Any) -> Any:
        found = method(*args)
        if not found.is_finite():
            raise ValueError(f"{name} has no value")
        return found

    return value


_NAMES: Final = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log"
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: _function(name) for name in _NAMES.split()},
    "abs": abs,
    "sign": _sign,
    "less": _less,
    "power": _power,
}


@dataclass(frozen=True, slots=True)
class Balls:
    """Balls with so many digits."""

    digits: int

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of expressions."""
        return _FUNCTIONS

    @contextmanager
    def within(self) -> Iterator[None]:
        """Let all arithmetic inside have these digits."""
        before = ctx.prec
        ctx.dps = self.digits
        try:
            yield
        finally:
            ctx.prec = before

    def exact(self, value: Any) -> Any:
        """Return a rational or a double as it is."""
        if isinstance(value, Fraction):
            return arb(fmpq(value.numerator, value.denominator))
        return arb(value)

    def is_finite(self, x: Any) -> bool:
        """Return whether something is a number."""
        return bool(x.is_finite())

    def middle(self, x: Any) -> Any:
        """Return a number without what is not known of it."""
        return x.mid()

    def fraction(self, x: Any) -> Fraction:
        """Return the middle as a rational."""
        mantissa, exponent = x.mid().man_exp()
        return int(mantissa) * Fraction(2) ** int(exponent)

    def upper(self, x: Any) -> Any:
        """Return a bound that the magnitude does not exceed."""
        return x.abs_upper()

    def lower(self, x: Any) -> Any:
        """Return a bound that the magnitude exceeds."""
        return x.abs_lower()

    def widened(self, x: Any, by: Any) -> Any:
        """Return a number of which so much less is known."""
        return x + arb(0, by.abs_upper())

    def product(self, A: Exact, B: Exact) -> Exact:
        """Return A B."""
        return _from(_to(A) * _to(B))

    def solve(self, A: Exact, B: Exact) -> Exact:
        """Return x with A x = B; raise `ZeroDivisionError` where A may be singular."""
        return _from(_to(A).solve(_to(B)))

    def nearly(self, A: Exact, B: Exact) -> Exact:
        """Return about that x, in less time: nothing is said of what is not known of it."""
        return _from(_to(A).solve(_to(B), algorithm="approx"))


def _to(A: Exact) -> Any:
    rows, columns = A.shape
    return arb_mat(rows, columns, A.ravel().tolist())


def _from(A: Any) -> Exact:
    rows, columns = A.nrows(), A.ncols()
    return np.fromiter(A.entries(), dtype=object, count=rows * columns).reshape(rows, columns)
