"""What numbers of many digits must be able to do, and which ones are at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from fractions import Fraction

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = [
    "Exact",
    "Numbers",
    "eye",
    "floats",
    "largest",
    "middle",
    "numbers_of",
    "power_of_ten",
    "widths",
    "zeros",
]

Exact = NDArray[np.object_]
"""A matrix whose entries are such numbers."""


class Numbers(Protocol):
    """Numbers with so many digits; their own operators do the arithmetic, `within` them."""

    @property
    def digits(self) -> int:
        """How many digits they have."""

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions of expressions; `less` raises an error where nothing can be said."""

    def within(self) -> AbstractContextManager[None]:
        """Let all arithmetic inside have these digits."""

    def exact(self, value: Any) -> Any:
        """Return a rational or a double as it is."""

    def is_finite(self, x: Any) -> bool:
        """Return whether something is a number."""

    def middle(self, x: Any) -> Any:
        """Return a number without what is not known of it."""

    def fraction(self, x: Any) -> Fraction:
        """Return a number, without what is not known of it, as a rational."""

    def upper(self, x: Any) -> Any:
        """Return a bound that the magnitude does not exceed."""

    def lower(self, x: Any) -> Any:
        """Return a bound that the magnitude exceeds."""

    def widened(self, x: Any, by: Any) -> Any:
        """Return a number of which so much less is known."""

    def product(self, A: Exact, B: Exact) -> Exact:
        """Return A B."""

    def solve(self, A: Exact, B: Exact) -> Exact:
        """Return x with A x = B; raise `ZeroDivisionError` where A may be singular."""

    def nearly(self, A: Exact, B: Exact) -> Exact:
        """Return about that x, in less time: nothing is said of what is not known of it."""


def numbers_of(digits: int) -> Numbers:
    """Return balls, or decimals where `python-flint` is not installed."""
    try:
        from mbx.numerics.multiprecision.balls import Balls  # noqa: PLC0415  an extra
    except ImportError:
        from mbx.numerics.multiprecision.decimals import Decimals  # noqa: PLC0415  slow to import

        return Decimals(digits)
    return Balls(digits)


def zeros(numbers: Numbers, rows: int, columns: int) -> Exact:
    """Return a matrix of zeros."""
    return np.full((rows, columns), numbers.exact(0), dtype=object)


def eye(numbers: Numbers, n: int) -> Exact:
    """Return the unit matrix."""
    result = zeros(numbers, n, n)
    np.fill_diagonal(result, numbers.exact(1))
    return result


def _each(f: Callable[[Any], Any], A: Exact) -> Exact:
    return np.fromiter(map(f, A.ravel().tolist()), dtype=object, count=A.size).reshape(A.shape)


def middle(numbers: Numbers, A: Exact) -> Exact:
    """Return a matrix without what is not known of its entries."""
    return _each(numbers.middle, A)


def floats(A: Exact) -> Array:
    """Return the doubles nearest to the entries."""
    return np.array([float(x) for x in A.ravel().tolist()]).reshape(A.shape)


def largest(numbers: Numbers, A: Exact) -> Any:
    """Return the largest magnitude that an entry may have."""
    return max(map(numbers.upper, A.ravel().tolist()), default=numbers.exact(0))


def widths(numbers: Numbers, A: Exact) -> Array:
    """Return how far the entries may be from their middles."""
    known = np.array([float(numbers.upper(x - numbers.middle(x))) for x in A.ravel().tolist()])
    return known.reshape(A.shape)


def power_of_ten(numbers: Numbers, exponent: float) -> Any:
    """Return about ten to some power, exactly a power of two."""
    two = numbers.exact(2)
    power = round(exponent * 3.3219280948873626)
    return two**power if power >= 0 else 1 / two**-power
