"""Surfaces on the way: where a step goes through one, and whether the motion leads on beyond it.

A surface is found by the roots of dense output (Hairer, Norsett and Wanner, II.6). Along a step it
is interpolated by Chebyshev polynomials on parts that are halved until they are resolved, so that
neither a narrow band nor a fast sign change between the ends of a step is missed (Boyd, Solving
Transcendental Equations, 2014, chapter 3). If on either
side of it the motion leads back to it, nothing leads on: the system sticks there (Filippov,
Differential equations with discontinuous righthand sides, 1988, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.events.paces import FEW
from mbx.analyses.simulate.events.switches import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.analyses.simulate.events.kinks import Kinks
    from mbx.analyses.simulate.events.switches import Sides, Switches
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Crossings", "Moving", "StuckError"]

DEGREE: Final = 12
"""Degree of the polynomials that stand for surfaces along a part of a step."""
FAR: Final = 4.0
"""A surface that is farther away than so many times its change along a step is not met."""
RESOLVED: Final = 1e-7
"""Part of the largest value of a run by which a polynomial may miss a surface between its nodes."""
HALVINGS: Final = 24
"""How often a step is halved at most: beyond that a surface is no smooth function."""
MOST: Final = 10_000
"""Events of a run."""
CHOICES: Final = 6
"""Surfaces on which a run may start at once."""


class StuckError(NotRunError):
    """A state from which the motion leads back to it on either side of a surface."""


class Moving(Protocol):
    """What says where a state goes."""

    def ahead(self, t: float, y: Array, h: float) -> Array:
        """Return the state a little later, by the midpoint rule."""


@dataclass
class Crossings:
    """The surfaces of a run.

    Attributes:
        switches: What they are.
        kinks: Velocities that may jump at them.
        ahead: Seconds by which is looked ahead.
        nothing: How far from each surface a state may be that counts as on it.
        sides: Where the run is.
        events: Those that it went through.
    """

    switches: Switches
    kinks: Kinks
    ahead: float
    nothing: Array
    sides: Sides = ()
    events: list[Event] = field(default_factory=list)
    _largest: Array = field(default_factory=lambda: np.zeros(()))

    def begin(self, t: float, y: Array, moving: Callable[[Sides], Moving]) -> None:
        """Find the sides at the start; on a surface, those to which the motion leads."""
        s = self.switches.at(t, y)
        sides = [1 if x > 0 else -1 for x in s]
        on = np.flatnonzero(np.abs(s) <= self.nothing)
        if len(on) > CHOICES:
            raise NotRunError(f"it starts where {len(on)} conditions change at once")
        found = []
        for choice in product((1, -1), repeat=len(on)):
            for k, side in zip(on, choice, strict=True):
                sides[k] = side
            after = self._after(t, y, moving(tuple(sides)))[on]
            still = np.abs(after) <= self.nothing[on]
            if (still | (after * np.array(choice) > 0)).all():
                found.append(tuple(sides))
        if not found:
            raise NotRunError(f"it sticks at its start: {self._back(on)}")
        self.sides = found[0]

    def first(self, t: float, end: float, state: Callable[[float], Array]) -> float | None:
        """Return the time right behind the first surface of a step; None where there is none."""
        sides = np.array(self.sides)

        def left(at: float) -> Array:
            return np.asarray(self.switches.at(at, state(at)) * sides)

        span = end - t
        few = np.array([left(t + span * x) for x in FEW])
        self._largest = np.maximum(self._largest, np.abs(few).max(axis=0))
        if (few.min(axis=0) > FAR * np.ptp(few, axis=0)).all():
            return None
        waiting = [(t, end, 0)]
        while waiting:
            low, high, depth = waiting.pop()
            nodes = (low + high) / 2 + (high - low) / 2 * _NODES
            values = np.array([left(float(at)) for at in nodes])
            middle = (low + high) / 2
            if depth < HALVINGS and low < middle < high and not self._resolved(values):
                waiting += [(middle, high, depth + 1), (low, middle, depth + 1)]
                continue
            found = [
                _root(left, j, before, at)
                for j in range(values.shape[1])
                for before, at in _gone(left, j, low, high, values[::2, j])
            ]
            if found:
                return min(found)
            if (last := left(high) < 0).any():
                return min(_root(left, j, low, high) for j in np.flatnonzero(last).tolist())
        return None

    def _resolved(self, values: Array) -> bool:
        """Return whether polynomials through every second value meet the others."""
        miss = np.abs(_BETWEEN @ values[::2] - values[1::2]).max(axis=0)
        return bool((miss <= RESOLVED * self._largest).all())

    def behind(self, t: float, y: Array) -> bool:
        """Return whether a state is behind a surface."""
        return bool(self._other(t, y)[0])

    def hidden(
        self, t: float, end: float, between: Callable[[float], Array]
    ) -> tuple[float, str] | None:
        """Return when velocities jump in a step without a surface, and which; None if none do."""
        found = self.kinks.within(t, end, between, self.sides, self.switches.fixed)
        if found is None:
            return None
        return found[0], f"at t = {found[0]:.6g} s, {found[1]}"

    def kink(self, t: float, y: Array) -> str:
        """Return which velocities would jump where a state is behind a surface; "" if none would.

        The state is not yet brought onto invariants that may have another slope there.
        """
        gone, sides = self._other(t, y)
        old, new = ((each, self.switches.fixed(each)) for each in (self.sides, sides))
        jumps = self.kinks.at(t, y, old, new)
        if jumps is None:
            return ""
        names = ", ".join(self.switches.names[k] for k in gone)
        return f"at t = {t:.6g} s, where {names} = 0, {jumps}"

    def _other(self, t: float, y: Array) -> tuple[list[int], Sides]:
        """Return the surfaces that a state is behind, and the sides there."""
        gone = np.flatnonzero(self.switches.at(t, y) * np.array(self.sides) < 0).tolist()
        return gone, tuple(-x if k in gone else x for k, x in enumerate(self.sides))

    def cross(self, t: float, before: Array, y: Array, moving: Callable[[Sides], Moving]) -> None:
        """Go to the other side of what the state is behind; raise `StuckError` where it sticks.

        `before` is the state as the step gives it, and `y` the same on the invariants.
        """
        gone, sides = self._other(t, before)
        s = self.switches.at(t, y)
        self.events += [Event(t, self.switches.names[k], sides[k]) for k in gone]
        if len(self.events) > MOST:
            raise NotRunError(f"there are more than {MOST} events before t = {t:.6g} s")
        after = self._after(t, y, moving(sides))
        stuck = [k for k in gone if (after[k] - s[k]) * sides[k] < 0 and after[k] * sides[k] < 0]
        if stuck:
            raise StuckError(f"it sticks at t = {t:.6g} s: {self._back(stuck)}")
        self.sides = sides

    def _after(self, t: float, y: Array, by: Moving) -> Array:
        """Return the surfaces a little later."""
        return self.switches.at(t + self.ahead, by.ahead(t, y, self.ahead))

    def _back(self, some: object) -> str:
        names = ", ".join(self.switches.names[k] for k in np.asarray(some).tolist())
        return f"on either side of {names} = 0 the motion leads back to it"


_NODES: Final = -np.cos(np.arange(2 * DEGREE + 1) * np.pi / (2 * DEGREE))
"""Every second one is a node of a polynomial; those between show how well it fits."""
_FIT: Final = np.linalg.inv(np.polynomial.chebyshev.chebvander(_NODES[::2], DEGREE))
_BETWEEN: Final = np.polynomial.chebyshev.chebvander(_NODES[1::2], DEGREE) @ _FIT


def _gone(
    left: Callable[[float], Array], which: int, low: float, high: float, values: Array
) -> Iterator[tuple[float, float]]:
    """Yield the first times between which an entry becomes negative, by its polynomial."""
    if values.min() > 0 and values.min() > values.max() / 2:
        return
    coefficients = _FIT @ values
    slopes = np.polynomial.chebyshev.chebder(coefficients)
    if not np.abs(slopes).max(initial=0.0):
        return
    turns = np.polynomial.chebyshev.chebroots(np.trim_zeros(slopes, "b"))
    inner = turns[np.abs(turns.imag) < RESOLVED].real
    before = low
    for x in (*np.sort(inner[np.abs(inner) < 1]).tolist(), 1.0):
        at = high if x == 1.0 else (low + high) / 2 + (high - low) / 2 * x
        if left(at)[which] < 0:
            yield before, at
            return
        before = at


def _root(left: Callable[[float], Array], which: int, low: float, high: float) -> float:
    """Return the first number behind a root at which an entry is negative."""
    while low < (middle := (low + high) / 2) < high:
        if left(middle)[which] < 0:
            high = middle
        else:
            low = middle
    return high
