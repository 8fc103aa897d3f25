"""Over a singular configuration, along the only motion that is smooth there.

Where branches of a mechanism meet, rows of A depend on each other, and near it accelerations and
corrections are divided by what vanishes. The motion itself is smooth as long as it goes on along
its branch. So a stretch around the singular time t* is left out of all that is solved:

    ---x--x-x-xx-x-x--x----            t*            ----x--x-x-xx-x-x--x---
       states by steps     |<-- g -->|    |<-- g -->|    states beyond

The rates at all these states, those beyond on the invariants, are joined by one polynomial, whose
integral from the last state before leads to the states beyond; they are found by iteration. It is
collocation (Hairer, Norsett and Wanner, II.7) with no node where A is nearly singular.

The motion is unique if the rows that are lost come back at once: with U and V bases of what A
loses at t*, U^T A V vanishes there with a slope of full rank. Then the tangents of the branches,
the zeros w of the forms U^T d2c(w, w), are isolated from each other, and the velocity chooses one
(the limit of bifurcation theory: Allgower and Georg, Numerical continuation methods, 1990, section
8.1). Where the least singular value vanishes faster than that, branches touch, or it comes to rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.polynomial import legendre

from mbx.analyses.experiments.experiment_plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Leap", "NoLeapError", "Passed", "Way", "leap_over"]

GAP: Final = 0.05
"""Part of its largest value that the least singular value has where the gap begins."""
LONG: Final = 3.0
"""The stretches of states before and beyond, in halves of the gap."""
NODES: Final = 8
"""States before, and beyond."""
ROUNDS: Final = 40
MOVES: Final = 3
"""How often another singular time is looked for."""
AGREED: Final = 1e-13
"""Change of states beyond, in their sizes, at which they are found."""
SMOOTH: Final = 1e-9
"""How well polynomials of two degrees must agree, in sizes of the state."""
CLOSED: Final = 1e-10
"""Part of the invariants that may be left along the gap: more would be another mechanism, whose
branches do not meet."""
LOST: Final = 1e-6
"""Part of its largest value below which a singular value is zero at t*."""
NOTHING: Final = "it does not come to a singular configuration"
LINEAR: Final = 0.35
"""Ratio of least singular values at half of a distance from t*: 0.5 if linear, 0.25 if quadratic.
"""


class NoLeapError(NotRunError):
    """There is no way over.

    Attributes:
        singular: Whether there is a singular configuration all the same.
    """

    def __init__(self, message: str, *, singular: bool = False) -> None:
        """Take the reason."""
        super().__init__(message)
        self.singular = singular


class Moved(Protocol):
    """What is integrated: variables x of states y."""

    sizes: Array

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast they change."""

    def inside(self, t: float, y: Array) -> Array:
        """Return the variables of a state."""

    def outside(self, t: float, x: Array) -> Array:
        """Return the state of some variables."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """What a leap is made of.

    Attributes:
        moved: The variables and their rates.
        step: Leads from a state to a later time, by steps.
        onto: Brings a state onto the invariants.
        left: Says which part of the invariants is left of a state.
        values: The singular values of A at a state, of all rows that are independent in general.
        peak: The largest that the least of them has been.
    """

    moved: Moved
    step: Callable[[float, Array, float], Array]
    onto: Callable[[float, Array], Array]
    left: Callable[[float, Array], float]
    values: Callable[[float, Array], Array]
    peak: float


@dataclass(frozen=True, slots=True)
class Passed:
    """A singular configuration on the way: when, and how many invariants are independent there."""

    t: float
    rank: int
    usual: int

    def __str__(self) -> str:
        """Return it as a sentence has it."""
        return (
            f"passes a singular configuration, {self.rank} of {self.usual} invariants independent"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Leap:
    """A way over a singular configuration.

    Attributes:
        passed: The configuration.
        first, last: The times between which it leads.
        y: The state at the end.
        at: The state at a time between.
    """

    passed: Passed
    first: float
    last: float
    y: Array
    at: Callable[[float], Array]


def leap_over(way: Way, known: Sequence[tuple[float, Array]], end: float) -> Leap:
    """Return the way over the singular configuration that states lead to before an end.

    Raise `NoLeapError` where there is none.
    """
    meets, slope = _meeting(way, known)
    gap = GAP * way.peak / slope
    if meets > end + gap:
        raise NoLeapError(NOTHING)
    try:
        found, joined = _around(way, known, meets, gap)
    except NoLeapError:
        raise
    except NotRunError as error:
        raise NoLeapError(str(error)) from None
    try:
        return _judged(way, joined, found, gap)
    except NoLeapError as reason:
        raise NoLeapError(str(reason), singular=reason.singular and found <= end) from None


def _around(
    way: Way, known: Sequence[tuple[float, Array]], meets: float, gap: float
) -> tuple[float, _Joined]:
    """Return when A is singular, and the polynomial around this time."""
    for _ in range(MOVES):
        joined = _joined(way, known, meets, gap)
        found = _least(way, joined, meets, gap)
        if abs(found - meets) <= gap / 4:
            return found, joined
        meets = found
    raise NoLeapError(NOTHING)


def _meeting(way: Way, known: Sequence[tuple[float, Array]]) -> tuple[float, float]:
    """Return when A is singular, if the least singular value goes on as it does, and its slope."""
    after = None
    for t, y in reversed(known):
        value = float(way.values(t, y)[-1])
        if after is not None and value > after[1]:
            slope = (value - after[1]) / (after[0] - t)
            return after[0] + after[1] / slope, slope
        if after is not None:
            break
        if value >= GAP * way.peak:
            after = t, value
    raise NoLeapError(NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Rates before and beyond as one polynomial, by what it is in Legendre's polynomials."""

    way: Way
    first: float
    last: float
    nodes: Array
    rates: Array
    begin: tuple[float, Array]

    def over(self, times: Array, keep: slice = slice(None)) -> Array:
        """Return the variables at some times, a row for each, by rates at some of the nodes."""
        nodes, rates = self.nodes[keep], self.rates[keep]
        degree = len(nodes) - 1
        scaled = [
            (2 * x - self.first - self.last) / (self.last - self.first) for x in (nodes, times)
        ]
        start = (2 * self.begin[0] - self.first - self.last) / (self.last - self.first)
        series = np.linalg.solve(legendre.legvander(scaled[0], degree), rates)
        whole = legendre.legint(series, lbnd=start) * (self.last - self.first) / 2
        return np.asarray(self.begin[1] + legendre.legval(scaled[1], whole).T)

    def at(self, t: float) -> Array:
        """Return the state at a time."""
        return self.way.moved.outside(t, self.over(np.array([t]))[0])


def _joined(way: Way, known: Sequence[tuple[float, Array]], meets: float, gap: float) -> _Joined:
    """Return the polynomial through states before and beyond a singular time."""
    moved = way.moved
    early = [one for one in known if one[0] <= meets - (1 + LONG) * gap]
    t, y = early[-1] if early else known[0]
    first = max(meets - (1 + LONG) * gap, t)
    if first > meets - 2 * gap:
        raise NoLeapError("a singular configuration is too near to where it starts")
    spread = (1 - np.cos(np.arange(NODES) * np.pi / (NODES - 1))) / 2
    before = first + (meets - gap - first) * spread
    beyond = meets + gap + LONG * gap * spread
    rates = []
    for node in before.tolist():
        if node > t:
            y = way.step(t, y, node)
            t = node
        rates.append(moved.rate(t, moved.inside(t, y)))
    begin = t, moved.inside(t, y)
    found = _Joined(way, first, float(before[-1]), before, np.array(rates), begin)
    x = found.over(beyond)
    nodes, last = np.concatenate([before, beyond]), float(beyond[-1])
    change = np.inf
    for _ in range(ROUNDS):
        states = [way.onto(t, moved.outside(t, v)) for t, v in zip(beyond.tolist(), x, strict=True)]
        inside = [moved.inside(t, v) for t, v in zip(beyond.tolist(), states, strict=True)]
        late = [moved.rate(t, v) for t, v in zip(beyond.tolist(), inside, strict=True)]
        found = _Joined(way, first, last, nodes, np.vstack([*rates, *late]), begin)
        new = found.over(beyond)
        before_that, change = change, float((np.abs(new - x) / moved.sizes).max(initial=0.0))
        x = new
        if (
            change <= AGREED
            or not change < np.inf
            or (change > before_that / 2 and change < SMOOTH)
        ):
            break
    if not change < SMOOTH:
        raise NoLeapError("the states beyond a singular configuration are not found")
    return found


def _least(way: Way, joined: _Joined, meets: float, gap: float) -> float:
    """Return when the least singular value is least, by golden section."""
    low, high = meets - gap, meets + gap
    golden = (np.sqrt(5) - 1) / 2

    def value(t: float) -> float:
        return float(way.values(t, joined.at(t))[-1])

    a, b = high - golden * (high - low), low + golden * (high - low)
    at_a, at_b = value(a), value(b)
    while high - low > 1e-9 * gap:
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - golden * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + golden * (high - low)
            at_b = value(b)
    return float((low + high) / 2)


def _judged(way: Way, joined: _Joined, meets: float, gap: float) -> Leap:
    """Return the way over if there is a singular configuration on it, and the motion is unique."""
    values = way.values(meets, joined.at(meets))
    lost = int((values <= LOST * way.peak).sum())
    inner = np.linspace(meets - gap, meets + gap, NODES + 1)
    left = max(way.left(t, joined.at(t)) for t in inner.tolist())
    if not lost or left > CLOSED:
        raise NoLeapError(NOTHING)
    beyond = joined.nodes[NODES:]
    miss = joined.over(beyond) - joined.over(beyond, slice(1, -1))
    off = float((np.abs(miss) / way.moved.sizes).max(initial=0.0))
    if off > SMOOTH:
        raise NoLeapError(
            f"the motion is not smooth at the singular configuration at t = {meets:.6g} s",
            singular=True,
        )
    for side in (-gap, gap):
        half, whole = (
            float(way.values(meets + x, joined.at(meets + x))[-1]) for x in (side / 2, side)
        )
        if half < LINEAR * whole or whole < LINEAR * GAP * way.peak:
            raise NoLeapError(
                f"the motion is not unique after the singular configuration at t = {meets:.6g} s:"
                " branches touch each other there, or it comes to rest",
                singular=True,
            )
    t = float(beyond[-1])
    y = way.onto(t, joined.at(t))
    passed = Passed(meets, len(values) - lost, len(values))
    return Leap(passed, joined.begin[0], t, y, joined.at)
