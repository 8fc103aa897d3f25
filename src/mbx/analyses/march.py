"""The way of a state through time: steps, the invariants, and results between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.crossing import StuckError
from mbx.experiments.passage import Passage
from mbx.experiments.plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.crossing import Crossings
    from mbx.analyses.methods import Watched
    from mbx.analyses.switches import Sides
    from mbx.experiments.clock import Clock
    from mbx.experiments.plan import Plan
    from mbx.experiments.steps import Stepper
    from mbx.experiments.written import Invariants
    from mbx.formalism.numerics import Array

__all__ = ["March"]

NEAR: Final = 1e-14
"""Distance to the invariants, in sizes of the state, at which it is left as it is."""


@dataclass
class March:
    """A run under way.

    Attributes:
        plan, rows: What is run, and its invariants.
        made: Gives the form that runs it, and what makes the steps, on a side of each surface at
            which its equations switch.
        crossings: These surfaces.
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
    made: Callable[[Sides], tuple[Watched, Stepper]]
    crossings: Crossings
    projected: bool
    clock: Clock
    hear: Callable[[float, Array], None]
    watch: Callable[[float, float, Callable[[float], Array]], None]
    states: dict[float, Array] = field(default_factory=dict)
    steps: int = 0
    drift: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        system = self.plan.system
        self._n = len(system.q), len(system.q) + len(system.u)
        self._passage = Passage()
        self._left = 0.0, 0.0
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
            self._all[sides] = self.made(sides)
        return self._all[sides]

    def prepare(self, start: Array) -> None:
        """Find the form that runs it at the start, and make it ready."""
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
        for bound in exact:
            if bound > t:
                self._stretch(t, y, bound, [x for x in between if t < x < bound])
                t, y = bound, self.states[bound]

    def _stretch(self, t: float, y: Array, bound: float, between: Sequence[float]) -> None:
        """Go to a time that a step ends at."""
        waiting = list(between)
        fresh = True
        while t < bound:
            engine, stepper = self._by(self.crossings.sides)
            try:
                if fresh:
                    stepper.begin(t, y, bound)
                self.clock.check()
                stepper.step()
                at = self._behind(t, stepper)
                before = stepper.y if at is None else stepper.between(at)
                end = stepper.t if at is None else at
                # before it is brought onto invariants that have another slope there
                kink = "" if at is None else self.crossings.kink(end, before)
                new = before if kink else self._kept(end, before)
                if not kink:
                    self._look(end, new, self._moved(before, new))
            except NotRunError as error:
                if not engine.distrusted():
                    raise self._told(error) from None
                fresh = True  # once more, with care
                continue
            while waiting and waiting[0] <= end:
                wanted = waiting.pop(0)
                self.states[wanted] = self._kept(wanted, stepper.between(wanted))
            self.steps += 1
            if kink:
                raise NotRunError(kink)
            fresh = at is not None
            try:
                if fresh:
                    self.crossings.cross(end, before, new, lambda sides: self._by(sides)[0])
            except StuckError:  # where it sticks is part of the way
                self._hear(t, end, new, stepper)
                raise
            self._hear(t, end, new, stepper)
            if not fresh and new is not stepper.y:
                stepper.move(new)
            t, y = end, new
        self.states[bound] = y

    def _hear(self, t: float, end: float, new: Array, stepper: Stepper) -> None:
        """Let others hear of a step."""
        self.watch(t, end, stepper.between)
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

    def _told(self, error: NotRunError) -> NotRunError:
        """Return why a run ends, with what may be the reason of that."""
        stuck = "no step leads on" in str(error) and self._passage.close
        why = ", where the invariants are nearly singular" * stuck
        return NotRunError(f"{error}{why}")

    def _kept(self, t: float, y: Array) -> Array:
        """Return a state brought back onto the invariants, if the method does so."""
        if not self.rows.any or not self.projected:
            return y
        nq, nu = self._n
        before = y[:nq], y[nq:nu]
        q, u, self._left = self.rows.brought(t, *before, enough=NEAR)
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
        self._passage.hear(t, A * self.rows.sizes[1])
        if self.projected and self._passage.close:
            raise NotRunError(f"the invariants are nearly singular at t = {t:.6g} s")
        left = self._left if self.projected else self.rows.drift(t, y[:nq], y[nq:nu])
        self.drift = max(self.drift[0], left[0]), max(self.drift[1], left[1])
