"""The way of a state through time: steps, the invariants, and results between."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.time_limit import OutOfTimeError
from mbx.analyses.simulate.events.singularities import Singularities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.experiments.time_limit import Clock
    from mbx.analyses.simulate.events.crossing import Crossings
    from mbx.analyses.simulate.events.paces import Paces
    from mbx.analyses.simulate.events.switches import Sides
    from mbx.analyses.simulate.integrators.step_protocol import Stepper
    from mbx.analyses.simulate.methods import Watched
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["March"]

AHEAD: Final = 1e-4
"""Part of the whole time in which a kink is looked for where no step leads on."""

STRAIGHT: Final = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 4e-9)
"""Parts of the whole time in which a surface is looked for beyond which equations have no value."""

LEFT: Final = 1e-4
"""Part of an invariant of positions beyond which a motion is not that of the model."""
NEAR: Final = 1e-14
"""Distance to the invariants, in sizes of the state, at which it is left as it is."""


@dataclass
class March:
    """A run under way.

    Attributes:
        plan, rows: What is run, and its invariants.
        made: Gives the form that runs it, and what makes the steps, on a side of each surface at
            which its equations switch, from a time and a state there.
        crossings: These surfaces.
        paces: How long steps may be.
        projected: Whether states are brought back onto the invariants.
        clock: How long it may take.
        hear: What is told the state after each step.
        watch: What is told each step: when it began and ended, and the states between.
        states: Results by their times.
        steps: How many steps led there.
        drift: The largest part of invariants of positions and of velocities that was left.
    """

    plan: Plan
    rows: Invariants
    made: Callable[[Sides, float, Array], tuple[Watched, Stepper]]
    crossings: Crossings
    paces: Paces
    projected: bool
    clock: Clock
    hear: Callable[[float, Array], None]
    watch: Callable[[float, float, Callable[[Array], Array]], None]
    states: dict[float, Array] = field(default_factory=dict)
    steps: int = 0
    drift: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        system = self.plan.system
        self._n = len(system.q), len(system.q) + len(system.u)
        self.singularities = Singularities(self.rows, self.plan.last)
        self._times: list[float] = []
        self._here: tuple[float, Array] = (self.plan.first, np.zeros(0))
        self._there = self._here
        self._left = 0.0, 0.0
        self._long = 0.0
        self._all: dict[Sides, tuple[Watched, Stepper]] = {}

    @property
    def engine(self) -> Watched:
        """The form that runs it where it is."""
        return self._by(self.crossings.sides)[0]

    @property
    def calls(self) -> int:
        """How often all of them were asked."""
        return sum(engine.calls for engine, _ in self._all.values())

    def _by(self, sides: Sides) -> tuple[Watched, Stepper]:
        if sides not in self._all:
            self._all[sides] = self.made(sides, *self._there)
        return self._all[sides]

    def prepare(self, start: Array) -> None:
        """Find the form that runs it at the start, and make it ready."""
        self._there = self.plan.first, start
        self.crossings.begin(self.plan.first, start, lambda sides: self._by(sides)[0])
        self._by(self.crossings.sides)

    def run(self, start: Array, exact: Sequence[float], between: Sequence[float]) -> None:
        """Go from the start to the exact times in rising order, with results between them."""
        t, y = self.plan.first, start
        try:
            self._look(t, y)
        except NotRunError:
            if not self.engine.distrusted():
                raise
            self._look(t, y)
        self.states[t] = y
        self._here = t, y
        self._times = sorted({*between, *exact})
        self.singularities.begin(t, y)
        for bound in exact:
            if bound > self._here[0]:
                self._stretch(bound)

    def _stretch(self, bound: float) -> None:
        """Go to a time that a step ends at, or beyond it by a leap."""
        fresh = True
        while (t := self._here[0]) < bound:
            engine, stepper = self._by(self.crossings.sides)
            try:
                self.clock.check()
                if fresh:
                    stepper.begin(*self._here, bound)
                hop = self._stepped(engine, stepper, bound)
                at = self._behind(t, stepper) if hop is None else hop[0]
                if hop is not None:
                    before = hop[1]
                else:
                    before = stepper.y if at is None else stepper.between(at)
                end = stepper.t if at is None else at
                # before it is brought onto invariants that have another slope there
                kink = "" if at is None else self.crossings.kink(end, before)
                if hop is None and (hidden := self.crossings.hidden(t, end, stepper.between)):
                    at, kink = hidden
                    before, end = stepper.between(at), at
                new = before if kink else self._kept(end, before)
                if self.rows.any and not kink:
                    self._look(end, new, self._moved(before, new))
            except OutOfTimeError as error:
                raise NotRunError(f"{error}{self._late(stepper)}") from None
            except NotRunError as error:
                if not self._leapt() and not engine.distrusted():
                    raise self._told(error) from None
                fresh = True  # once more, with care, or from beyond
                continue
            self._note(t, end, new, stepper)
            self.steps += 1
            if kink:
                raise NotRunError(kink)
            fresh = at is not None
            try:
                if fresh:
                    self._there = end, new
                    self.crossings.cross(end, before, new, lambda sides: self._by(sides)[0])
                    self.singularities.begin(end, new)
            finally:  # where it sticks is part of the way
                self._hear(t, end, new, stepper.many if hop is None else _staying(new))
            if fresh:
                continue
            self.singularities.take(end, new)
            if self.rows.any and self.singularities.near:
                self._leapt()
                fresh = True
            elif new is not stepper.y:
                stepper.move(new)

    def _stepped(
        self, engine: Watched, stepper: Stepper, bound: float
    ) -> tuple[float, Array] | None:
        """Take a step; return the time and the state behind a surface where equations end.

        On one side of a surface they may have no value beyond it, as d^(3/2) where d is negative.
        Steps come as close to it as they can, and the rest of the way is straight.
        """
        try:
            self._step(stepper, bound)
        except OutOfTimeError:
            raise
        except NotRunError:
            found = self._straight(engine, stepper.t, stepper.y)
            if found is None:
                raise
            return found
        return None

    def _straight(self, engine: Watched, t: float, y: Array) -> tuple[float, Array] | None:
        """Return the time and the state behind a surface right ahead; None if there is none."""
        if not self.crossings.switches.any:
            return None
        x = engine.inside(t, y)
        rate = engine.rate(t, x)
        whole = self.plan.last - self.plan.first
        for part in STRAIGHT:
            end = t + max(part * whole, 4 * float(np.spacing(t)))
            state = engine.outside(end, x + (end - t) * rate)
            if self.crossings.behind(end, state):
                return end, state
        return None

    def _leapt(self) -> bool:
        """Go over a singular configuration, if it comes to one; return whether it did.

        A condition that changes on the way over has no place in it.
        """
        if not self.rows.any:
            return False
        leap = self.singularities.over(self._by(self.crossings.sides)[0], self._to)
        if leap is None:
            return False
        if self.crossings.switches.any:
            at = self.crossings.first(leap.first, leap.last, leap.at)
            if at is not None:
                raise NotRunError(
                    f"a condition changes at t = {at:.6g} s, and the configuration is singular at"
                    f" t = {leap.passed.t:.6g} s: the motion between is not known"
                )
        for t in self._between(leap.first, leap.last):
            self.states[t] = leap.at(t)
        self.steps += 1
        self._hear(
            self._here[0],
            leap.last,
            leap.y,
            lambda times: np.array([leap.at(t) for t in times.tolist()]),
        )
        return True

    def _to(self, t: float, y: Array, wanted: float) -> Array:
        """Return the state that steps lead to from one before; what is new of them is the run."""
        _, stepper = self._by(self.crossings.sides)
        stepper.begin(t, y, wanted)
        while (t := stepper.t) < wanted:
            self._step(stepper, wanted)
            y = self._kept(stepper.t, stepper.y, enough=0.0)
            self._note(t, stepper.t, y, stepper)
            if (now := self._here[0]) < stepper.t:
                self.steps += 1
                self.singularities.take(stepper.t, y)
                self._hear(max(t, now), stepper.t, y, stepper.many)
            if stepper.t < wanted and y is not stepper.y:
                stepper.move(y)
        return y

    def _step(self, stepper: Stepper, bound: float) -> None:
        """Take a step that goes over nothing unseen."""
        self.clock.check()
        if not self.paces.any:
            stepper.step()
            return
        t, y = stepper.t, stepper.y
        stepper.until(self.paces.bound(t, bound))
        stepper.step()
        while self.paces.missed(t, stepper.t, stepper.between):
            self.clock.check()
            stepper.begin(t, y, self.paces.bound(t, bound))
            stepper.step()

    def _note(self, t: float, end: float, new: Array, stepper: Stepper) -> None:
        """Keep the results of a step."""
        for wanted in self._between(t, end):
            at_end = wanted == end
            self.states[wanted] = new if at_end else self._kept(wanted, stepper.between(wanted))

    def _between(self, t: float, end: float) -> list[float]:
        """Return the times of results after a time and up to another."""
        return self._times[bisect_right(self._times, t) : bisect_right(self._times, end)]

    def _hear(self, t: float, end: float, new: Array, between: Callable[[Array], Array]) -> None:
        """Let others hear of a step, which ends where the run now is."""
        self._here = end, new
        self._long = end - t
        self.watch(t, end, between)
        self.hear(end, new)

    def _moved(self, before: Array, new: Array) -> float:
        """Return by which part a state was brought back."""
        sizes = np.concatenate(self.rows.sizes)
        n = len(sizes)
        far = max(1.0, float((np.abs(new[:n]) / sizes).max(initial=0.0)))
        return float((np.abs(new - before)[:n] / sizes).max(initial=0.0)) / far

    def _behind(self, t: float, stepper: Stepper) -> float | None:
        """Return the time behind the first surface that a step went through, if it did."""
        if not self.crossings.switches.any:
            return None
        return self.crossings.first(t, stepper.t, stepper.between)

    def _late(self, stepper: Stepper) -> str:
        """Return how far a run came in its time, and what kept its steps short."""
        t, last = self._here[0], self.plan.last
        if not self.steps:
            return f" at t = {t:.6g} s, before its first step: making equations ready took it all"
        held = stepper.held()
        short = f", kept short by {held}" if held else ""
        steps = f"{self.steps} steps, the last of {self._long:.2g} s{short}"
        return f" at t = {t:.6g} s of {last:.6g} s, after {steps}"

    def _told(self, error: NotRunError) -> NotRunError:
        """Return why a run ends, with what may be the reason of that."""
        alone = "no step leads on" in str(error)
        if alone and (kink := self._kink_ahead()):
            return NotRunError(kink)
        stuck = alone and self.singularities.passage.close
        why = ", where the invariants are nearly singular" * stuck
        return NotRunError(f"{error}{why}")

    def _kink_ahead(self) -> str:
        """Return which velocities jump right ahead of where no step leads on; "" if none do."""
        engine, (t, y) = self.engine, self._here
        x = engine.inside(t, y)
        rate = engine.rate(t, x)
        end = t + AHEAD * (self.plan.last - self.plan.first)
        found = self.crossings.hidden(t, end, lambda at: engine.outside(at, x + (at - t) * rate))
        return "" if found is None else found[1]

    def _kept(self, t: float, y: Array, enough: float = NEAR) -> Array:
        """Return a state brought back onto the invariants, if the method does so."""
        if not self.rows.any or not self.projected:
            return y
        nq, nu = self._n
        before = y[:nq], y[nq:nu]
        q, u, self._left = self.rows.brought(t, *before, enough=enough)
        if q is before[0] and u is before[1]:
            return y
        return np.concatenate([q, u, y[nu:]])

    def _look(self, t: float, y: Array, moved: float = 0.0) -> None:
        """Look at a state; raise `NotRunError` where it is singular, or rates are wrong."""
        if not self.rows.any:
            return
        nq, nu = self._n
        A, b = self.rows.accelerations(t, y[:nq], y[nq:nu])
        if not self.engine.trusted(t, y, A, b, moved):
            raise NotRunError(f"rates leave the invariants at t = {t:.6g} s")
        self.singularities.hear(t, A)
        left = self._left if self.projected else self.rows.drift(t, y[:nq], y[nq:nu])
        self.drift = max(self.drift[0], left[0]), max(self.drift[1], left[1])
        if left[0] > LEFT:
            far = f"{self.rows.farthest(t, y[:nq])} is left by {left[0]:.2g} of its size"
            raise NotRunError(f"{far} at t = {t:.6g} s")


def _staying(y: Array) -> Callable[[Array], Array]:
    """Return the states within a step that is too short for any to differ."""
    return lambda times: np.repeat(y[None, :], len(times), axis=0)
