"""Surfaces on the way: where a step goes through one, and whether the motion leads on beyond it.

A surface is found by the roots of dense output (Hairer, Norsett and Wanner, II.6). If on either
side of it the motion leads back to it, nothing leads on: the system sticks there (Filippov,
Differential equations with discontinuous righthand sides, 1988, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.switches import Event
from mbx.experiments.plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.switches import Sides, Switches
    from mbx.formalism.numerics import Array

__all__ = ["Crossings", "Moving"]

PARTS: Final = 4
"""Parts of a step whose ends are looked at: it may go through a surface and back."""
MOST: Final = 10_000
"""Events of a run."""
NOTHING: Final = 1e-13
"""A surface, in SI units, that is nearer than this is where the state is."""
CHOICES: Final = 6
"""Surfaces on which a run may start at once."""


class Moving(Protocol):
    """What says where a state goes."""

    def ahead(self, t: float, y: Array, h: float) -> Array:
        """Return the state a little later, by the midpoint rule."""


@dataclass
class Crossings:
    """The surfaces of a run.

    Attributes:
        switches: What they are.
        ahead: Seconds by which is looked ahead.
        sides: Where the run is.
        events: Those that it went through.
    """

    switches: Switches
    ahead: float
    sides: Sides = ()
    events: list[Event] = field(default_factory=list)

    def begin(self, t: float, y: Array, moving: Callable[[Sides], Moving]) -> None:
        """Find the sides at the start; on a surface, those to which the motion leads."""
        s = self.switches.at(t, y)
        sides = [1 if x > 0 else -1 for x in s]
        on = np.flatnonzero(np.abs(s) <= NOTHING)
        if len(on) > CHOICES:
            raise NotRunError(f"it starts where {len(on)} conditions change at once")
        found = []
        for choice in product((1, -1), repeat=len(on)):
            for k, side in zip(on, choice, strict=True):
                sides[k] = side
            after = self._after(t, y, moving(tuple(sides)))[on]
            if all(
                x * side > 0 or abs(x) <= NOTHING for x, side in zip(after, choice, strict=True)
            ):
                found.append(tuple(sides))
        if not found:
            raise NotRunError(f"it sticks at its start: {self._back(on)}")
        self.sides = found[0]

    def first(self, t: float, end: float, state: Callable[[float], Array]) -> float | None:
        """Return the time right behind the first surface of a step; None where there is none."""
        sides = np.array(self.sides)

        def left(at: float) -> Array:
            return np.asarray(self.switches.at(at, state(at)) * sides)

        before = t
        for k in range(1, PARTS + 1):
            at = end if k == PARTS else t + (end - t) * k / PARTS
            gone = np.flatnonzero(left(at) < 0)
            if len(gone):
                return min(_root(left, j, before, at) for j in gone.tolist())
            before = at
        return None

    def cross(self, t: float, y: Array, moving: Callable[[Sides], Moving]) -> None:
        """Go to the other side of what the state is behind; raise `NotRunError` where it sticks."""
        s = self.switches.at(t, y)
        gone = np.flatnonzero(s * np.array(self.sides) < 0)
        sides = list(self.sides)
        for k in gone:
            sides[k] = -sides[k]
            self.events.append(Event(t, self.switches.names[k], sides[k]))
        if len(self.events) > MOST:
            raise NotRunError(f"there are more than {MOST} events before t = {t:.6g} s")
        after = self._after(t, y, moving(tuple(sides)))
        stuck = [k for k in gone if (after[k] - s[k]) * sides[k] < 0 and after[k] * sides[k] < 0]
        if stuck:
            raise NotRunError(f"it sticks at t = {t:.6g} s: {self._back(stuck)}")
        self.sides = tuple(sides)

    def _after(self, t: float, y: Array, by: Moving) -> Array:
        """Return the surfaces a little later."""
        return self.switches.at(t + self.ahead, by.ahead(t, y, self.ahead))

    def _back(self, some: object) -> str:
        names = ", ".join(self.switches.names[k] for k in np.asarray(some).tolist())
        return f"on either side of {names} = 0 the motion leads back to it"


def _root(left: Callable[[float], Array], which: int, low: float, high: float) -> float:
    """Return the first number behind a root at which an entry is negative."""
    while low < (middle := (low + high) / 2) < high:
        if left(middle)[which] < 0:
            high = middle
        else:
            low = middle
    return high
