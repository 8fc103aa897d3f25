"""Decimals, which Python has, with functions of `mpmath`: what there is without balls.

Nothing is known of their rounding, except that it shrinks with more digits.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from mpmath import mp  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mbx.numerics.multiprecision.digit_numbers import Exact

__all__ = ["Decimals"]

_RANGE: Final = 10_000
"""Largest exponent: functions of larger numbers would take too long."""
_BITS: Final = 3 * _RANGE


def _function(name: str) -> Callable[..., Decimal]:
    def value(*args: Decimal) -> Decimal:
        found = getattr(mp, name)(*(mp.mpf(str(x)) for x in args))
        if not isinstance(found, mp.mpf) or not mp.isfinite(found) or mp.mag(found) > _BITS:
            raise ValueError(f"{name} has no value")
        return Decimal(mp.nstr(found, getcontext().prec))

    return value


def _sign(x: Decimal) -> Decimal:
    return Decimal((x > 0) - (x < 0))


_NAMES: Final = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log"
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: _function(name) for name in _NAMES.split()},
    "abs": abs,
    "sign": _sign,
}


@dataclass(frozen=True, slots=True)
class Decimals:
    """Decimals with so many digits."""

    digits: int

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of expressions."""
        return _FUNCTIONS

    @contextmanager
    def within(self) -> Iterator[None]:
        """Let all arithmetic inside have these digits."""
        with localcontext() as context, mp.workdps(self.digits):
            context.prec = self.digits
            context.Emax, context.Emin = _RANGE, -_RANGE
            yield

    def exact(self, value: Any) -> Any:
        """Return a rational or a double as it is."""
        if isinstance(value, Fraction):
            return Decimal(value.numerator) / Decimal(value.denominator)
        return Decimal(value)

    def is_finite(self, x: Any) -> bool:
        """Return whether something is a number."""
        return bool(x.is_finite())

    def middle(self, x: Any) -> Any:
        """Return the number itself."""
        return x

    def fraction(self, x: Any) -> Fraction:
        """Return the number as a rational."""
        return Fraction(x)

    def upper(self, x: Any) -> Any:
        """Return the magnitude."""
        return abs(x)

    def lower(self, x: Any) -> Any:
        """Return the magnitude."""
        return abs(x)

    def widened(self, x: Any, by: Any) -> Any:
        """Return the number itself: nobody keeps what is not known of it."""
        del by
        return x

    def product(self, A: Exact, B: Exact) -> Exact:
        """Return A B."""
        if A.shape[1]:
            return np.asarray(A @ B)
        return np.full((A.shape[0], B.shape[1]), Decimal(0), dtype=object)

    def solve(self, A: Exact, B: Exact) -> Exact:
        """Return x with A x = B, by elimination; a pivot of rounding raises an error."""
        n = len(A)
        work = np.concatenate([A, B], axis=1)
        for k in range(n):
            pivots = [abs(x) for x in work[k:, k].tolist()]
            row = k + pivots.index(max(pivots))
            if not work[row, k]:
                raise ZeroDivisionError("singular matrix")
            if row != k:
                work[[k, row]] = work[[row, k]]
            for i in range(k + 1, n):
                if work[i, k]:
                    work[i, k + 1 :] -= work[k, k + 1 :] * (work[i, k] / work[k, k])
        x = work[:, n:]
        for k in reversed(range(n)):
            x[k] /= work[k, k]
            for i in range(k):
                if work[i, k]:
                    x[i] -= x[k] * work[i, k]
        return np.asarray(x)

    def nearly(self, A: Exact, B: Exact) -> Exact:
        """Return that x: nobody keeps what is not known of it."""
        return self.solve(A, B)
