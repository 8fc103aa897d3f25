"""The way of a state through time: steps, the invariants, and results between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.methods import PROJECTED, Ground, stepper_of
from mbx.experiments.passage import Passage
from mbx.experiments.plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.methods import Method
    from mbx.experiments.clock import Clock
    from mbx.formalism.numerics import Array

__all__ = ["March"]


@dataclass
class March:
    """A run under way.

    Attributes:
        ground: What is run, and by what.
        method: What keeps it on the invariants.
        clock: How long it may take.
        hear: What is told the state after each step.
        states: Results by their times.
        steps: How many steps led there.
        drift: The largest part of invariants of positions and of velocities that was left.
    """

    ground: Ground
    method: Method
    clock: Clock
    hear: Callable[[float, Array], None]
    states: dict[float, Array] = field(default_factory=dict)
    steps: int = 0
    drift: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Make the steps ready."""
        system = self.ground.plan.system
        self._n = len(system.q), len(system.q) + len(system.u)
        self._rows, self._engine = self.ground.rows, self.ground.engine
        self._passage = Passage()
        self._stepper = stepper_of(self.method, self.ground)

    def run(self, start: Array, exact: Sequence[float], between: Sequence[float]) -> None:
        """Go from the start to the exact times in rising order, with results between them."""
        t, y = self.ground.plan.first, start
        try:
            self._look(t, y)
        except NotRunError:
            if not self._engine.distrusted():
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
        stepper, fresh = self._stepper, True
        while t < bound:
            try:
                if fresh:
                    stepper.begin(t, y, bound)
                self.clock.check()
                stepper.step()
                new = self._kept(stepper.t, stepper.y)
                self._look(stepper.t, new)
            except NotRunError as error:
                if not self._engine.distrusted():
                    raise self._told(error) from None
                fresh = True  # once more, with care
                continue
            while waiting and waiting[0] <= stepper.t:
                at = waiting.pop(0)
                self.states[at] = self._kept(at, stepper.between(at))
            self.steps += 1
            fresh = False
            if new is not stepper.y:
                stepper.move(new)
            t, y = stepper.t, new
            self.hear(t, y)
        self.states[bound] = y

    def _told(self, error: NotRunError) -> NotRunError:
        """Return why a run ends, with what may be the reason of that."""
        stuck = "no step leads on" in str(error) and self._passage.close
        why = ", where the invariants are nearly singular" * stuck
        return NotRunError(f"{error}{why}")

    def _kept(self, t: float, y: Array) -> Array:
        """Return a state brought back onto the invariants, if the method does so."""
        if not self._rows.any or self.method not in PROJECTED:
            return y
        nq, nu = self._n
        q, u = self._rows.onto(t, y[:nq], y[nq:nu])
        return np.concatenate([q, u, y[nu:]])

    def _look(self, t: float, y: Array) -> None:
        """Look at a state; raise `NotRunError` where it is singular, or accelerations are wrong."""
        if not self._rows.any:
            return
        nq, nu = self._n
        A, b = self._rows.accelerations(t, y[:nq], y[nq:nu])
        if not self._engine.trusted(t, y, A, b):
            raise NotRunError(f"accelerations leave the invariants at t = {t:.6g} s")
        self._passage.hear(t, A)
        left = self._rows.drift(t, y[:nq], y[nq:nu])
        self.drift = max(self.drift[0], left[0]), max(self.drift[1], left[1])
