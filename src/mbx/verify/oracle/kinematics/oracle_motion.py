"""What variables, time and inputs are along a motion, as series in time.

`Motion` knows every rate below the highest; the highest rates are the unknowns. `Partial` and
`Flow` lie over another motion and add a small part: for a partial derivative, and for a rate
where partial derivatives of it are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import factorial
from typing import TYPE_CHECKING, Protocol

from mbx.verify.oracle.numbers.jet_scalars import Dual
from mbx.verify.oracle.numbers.jets import Jet, OrderError, ddt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.verify.oracle.kinematics.declared_world import Named
    from mbx.verify.oracle.numbers.jet_scalars import Arithmetic, Scalar
    from mbx.verify.oracle.numbers.number_fields import Number

__all__ = ["Flow", "Motion", "Moving", "Partial"]

Rates = dict[int, dict[int, "Number"]]
"""Known rates: by order, then by column."""


class Moving(Protocol):
    """What an evaluation needs of a motion."""

    tag: int
    m: Arithmetic

    def variable(self, named: Named, primes: int) -> Scalar:
        """Return a variable or a rate of it."""

    def time(self) -> Scalar:
        """Return the time."""

    def virtual(self, column: int) -> Scalar:
        """Return a coordinate that is always zero, and whose column is not."""

    def outside_value(self, named: Named) -> Scalar | None:
        """Return the value of a parameter or an input that comes from outside."""

    def hold(self, named: Named, value: Scalar) -> Scalar:
        """Return the value of a parameter or an input, as this motion sees it."""


@dataclass(eq=False)
class Motion:
    """A state, and the order of the unknown rates."""

    m: Arithmetic
    order: int
    t: Number
    rates: Rates
    parameters: Mapping[str, Number]
    inputs: Mapping[str, tuple[Number, ...]]
    tag: int = 0
    known: dict[tuple[int, int], Jet] = field(default_factory=dict)

    def variable(self, named: Named, primes: int) -> Scalar:
        """Return a variable or a rate of it."""
        key = (named.column, primes)
        if key not in self.known:
            r = named.order + primes
            if r > self.order:
                raise OrderError
            c = [self.rates[r + k][named.column] / factorial(k) for k in range(self.order - r)] or [
                self.m.zero.c[0]
            ]
            gradient = {named.column: self.m.one.c[0]}
            self.known[key] = Jet(tuple(c), self.order - r + 1, gradient)
        return self.known[key]

    def time(self) -> Scalar:
        """Return the time."""
        return Jet((self.t, self.m.one.c[0]))

    def virtual(self, column: int) -> Scalar:
        """Return a coordinate that is always zero, and whose column is not."""
        return Jet(self.m.zero.c, self.order + 1, {column: self.m.one.c[0]})

    def outside_value(self, named: Named) -> Scalar | None:
        """Return the value of a parameter or an input that comes from outside."""
        if named.kind == "param":
            value = self.parameters.get(named.path)
            return None if value is None else Jet((value,))
        several = self.inputs.get(named.path)
        return None if several is None else Jet(several)

    def hold(self, named: Named, value: Scalar) -> Scalar:  # noqa: ARG002  no small part here
        """Return the value as it is."""
        return value


@dataclass(eq=False)
class Partial:
    """A motion with one quantity changed, and all others fixed."""

    below: Moving
    target: tuple[Named, int] | None
    """A name and its primes; None is the time."""
    tag: int = field(init=False)

    def __post_init__(self) -> None:
        """Lie over the motion below."""
        self.m = self.below.m
        self.tag = self.below.tag + 1

    def _changed(self, value: Scalar) -> Dual:
        return Dual(value, self.m.one, self.tag)

    def variable(self, named: Named, primes: int) -> Scalar:
        """Return a variable or a rate of it."""
        value = self.below.variable(named, primes)
        return self._changed(value) if self.target == (named, primes) else value

    def virtual(self, column: int) -> Scalar:
        """Return a coordinate that is always zero, and whose column is not."""
        return self.below.virtual(column)

    def time(self) -> Scalar:
        """Return the time."""
        value = self.below.time()
        return self._changed(value) if self.target is None else value

    def outside_value(self, named: Named) -> Scalar | None:
        """Return the value of a parameter or an input that comes from outside."""
        return self.below.outside_value(named)

    def hold(self, named: Named, value: Scalar) -> Scalar:
        """Return the value of a parameter or an input without what it owes to other quantities."""
        while isinstance(value, Dual) and value.tag == self.tag:
            value = value.a
        return self._changed(value) if self.target == (named, 0) else value


@dataclass(eq=False)
class Flow:
    """A motion a little later."""

    below: Moving
    tag: int = field(init=False)

    def __post_init__(self) -> None:
        """Lie over the motion below."""
        self.m = self.below.m
        self.tag = self.below.tag + 1

    def variable(self, named: Named, primes: int) -> Scalar:
        """Return a variable or a rate of it."""
        later = self.below.variable(named, primes + 1)
        return Dual(self.below.variable(named, primes), later, self.tag)

    def virtual(self, column: int) -> Scalar:
        """Return a coordinate that is always zero, and whose column is not."""
        return self.below.virtual(column)

    def time(self) -> Scalar:
        """Return the time."""
        return Dual(self.below.time(), self.m.one, self.tag)

    def outside_value(self, named: Named) -> Scalar | None:
        """Return the value of a parameter or an input that comes from outside."""
        value = self.below.outside_value(named)
        if not isinstance(value, Jet) or len(value.c) == 1:
            return value
        return Dual(value, ddt(value), self.tag)

    def hold(self, named: Named, value: Scalar) -> Scalar:
        """Return the value of a parameter or an input, with its rate."""
        if isinstance(value, Dual) and value.tag == self.tag:
            return Dual(self.below.hold(named, value.a), value.b, self.tag)
        return self.below.hold(named, value)
