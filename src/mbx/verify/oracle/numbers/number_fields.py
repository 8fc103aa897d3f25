"""Real numbers of many digits: `arb` of python-flint where it is installed, else mpmath.

Both are used through one small interface. A field sets its precision while it is `working`.
"""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

__all__ = ["ArbField", "Field", "MpField", "Number", "make_field"]

Number: TypeAlias = Any
"""A real number of a field; it has the operators of arithmetic, and `float` takes it."""

GUARD: Final = 20
"""Digits beyond those that are requested."""
BITS: Final = 3.3219280948873623

_SAME_NAME: Final = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "exp", "log")


class Field(Protocol):
    """What the oracle needs of numbers."""

    digits: int

    def working(self) -> AbstractContextManager[None]:
        """Set the precision for a while."""

    def number(self, value: float | Fraction) -> Number:
        """Return an exact number, rounded once."""

    def exact(self, x: Number) -> Number:
        """Return the number without what is known of its error."""

    def call(self, name: str, x: Number) -> Number:
        """Return an elementary function of a number."""

    def atan2(self, y: Number, x: Number) -> Number:
        """Return the angle of the point (x, y)."""

    @property
    def pi(self) -> Number:
        """The number pi."""


class ArbField:
    """Numbers of python-flint; the radii of its balls are kept by it and not used here."""

    def __init__(self, digits: int) -> None:
        """Take the number of digits that results shall have."""
        import flint  # an optional package

        self.digits = digits
        self._flint = flint
        self._bits = int((digits + GUARD) * BITS)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Set the precision for a while."""
        context = self._flint.ctx
        before, context.prec = context.prec, self._bits
        try:
            yield
        finally:
            context.prec = before

    def number(self, value: float | Fraction) -> Number:
        """Return an exact number, rounded once."""
        exact = Fraction(value)
        return self._flint.arb(self._flint.fmpq(exact.numerator, exact.denominator))

    def exact(self, x: Number) -> Number:
        """Return the middle of a ball."""
        return x.mid()

    def call(self, name: str, x: Number) -> Number:
        """Return an elementary function of a number."""
        value = getattr(x, name)()
        if not value.is_finite():
            raise ValueError(name)
        return value

    def atan2(self, y: Number, x: Number) -> Number:
        """Return the angle of the point (x, y)."""
        return self._flint.arb.atan2(y, x)

    @property
    def pi(self) -> Number:
        """The number pi."""
        return self._flint.arb.pi()


class MpField:
    """Numbers of mpmath, in a separate context."""

    def __init__(self, digits: int) -> None:
        """Take the number of digits that results shall have."""
        self.digits = digits

    @cached_property
    def _mp(self) -> Any:
        import mpmath  # type: ignore[import-untyped]  # only where it is used

        context = mpmath.MPContext()
        context.prec = int((self.digits + GUARD) * BITS)
        return context

    @contextmanager
    def working(self) -> Iterator[None]:
        """Do nothing: the context belongs to the field."""
        yield

    def number(self, value: float | Fraction) -> Number:
        """Return an exact number, rounded once."""
        exact = Fraction(value)
        return self._mp.mpf(exact.numerator) / exact.denominator

    def exact(self, x: Number) -> Number:
        """Return the number: nothing is known of its error."""
        return x

    def call(self, name: str, x: Number) -> Number:
        """Return an elementary function of a number."""
        value = getattr(self._mp, name)(x)
        if not (self._mp.isfinite(value) and isinstance(value, self._mp.mpf)):
            raise ValueError(name)
        return value

    def atan2(self, y: Number, x: Number) -> Number:
        """Return the angle of the point (x, y)."""
        return self._mp.atan2(y, x)

    @property
    def pi(self) -> Number:
        """The number pi."""
        return +self._mp.pi


def make_field(digits: int) -> Field:
    """Return the fastest field that is installed."""
    try:
        return ArbField(digits)
    except ImportError:
        return MpField(digits)
