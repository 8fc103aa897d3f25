"""The way of a state through time: steps, what keeps them on the invariants, and results between.

By Dormand and Prince's method of order 8 (Hairer, Norsett and Wanner, II.5). Results between
the ends of steps are interpolated by its polynomials of order 7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mbx.experiments.passage import Passage
from mbx.experiments.plan import NotRunError
from mbx.experiments.start import inputs_of
from mbx.experiments.trajectory import ATOL, RTOL, SHORTEST
from mbx.experiments.written import Invariants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.engine import Engine
    from mbx.experiments.clock import Clock
    from mbx.experiments.plan import Plan
    from mbx.formalism.numerics import Array

__all__ = ["METHODS", "March", "Method"]

Method = Literal["projection", "baumgarte"]
METHODS: Final[tuple[Method, ...]] = ("projection", "baumgarte")
ALPHA: Final = 20.0
"""In 1/s: what is left of invariants dies away by exp(-ALPHA t), critically damped (Baumgarte,
Computer Methods in Applied Mechanics and Engineering 1, 1972, with alpha = beta)."""
_SECOND: Final = 2


@dataclass
class March:
    """A run under way.

    Attributes:
        plan, engine: What is run, and by what.
        method: What keeps it on the invariants.
        clock: How long it may take.
        hear: What is told the state after each step.
        states: Results by their times.
        steps: How many steps led there.
        drift: The largest part of invariants of positions and of velocities that was left.
    """

    plan: Plan
    engine: Engine
    method: Method
    clock: Clock
    hear: Callable[[float, Array], None]
    states: dict[float, Array] = field(default_factory=dict)
    steps: int = 0
    drift: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Write out the invariants."""
        system = self.plan.system
        self._rows = Invariants(system, self.plan.parameters, inputs_of(self.plan))
        self._n = len(system.q), len(system.q) + len(system.u)
        self._passage = Passage()
        orders = [
            r.order for r in system.rows if r.order < _SECOND or (r.affine and r.order == _SECOND)
        ]
        self._holonomic = [k for k, order in enumerate(orders) if order == 0]
        self._low = [k for k, order in enumerate(orders) if order < _SECOND]
        self._step: float | None = None

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
        solver: Any = None
        while t < bound:
            try:
                solver = self._solver(t, y, bound) if solver is None else solver
                self.clock.check()
                solver.step()
                self._require_step(solver)
                polynomial = None
                if waiting and waiting[0] <= solver.t:
                    polynomial = solver.dense_output()
                new = self._kept(solver.t, solver.y)
                self._look(solver.t, new)
            except NotRunError:
                if not self.engine.distrusted():
                    raise
                solver, self._step = None, None  # once more, with care
                continue
            while polynomial is not None and waiting and waiting[0] <= solver.t:
                at = waiting.pop(0)
                self.states[at] = self._kept(at, polynomial(at))
            self.steps += 1
            self._step = solver.h_abs
            if new is not solver.y:
                solver.y, solver.f = new, self._rate(solver.t, new)
            t, y = solver.t, new
            self.hear(t, y)
        self.states[bound] = y

    def _solver(self, t: float, y: Array, bound: float) -> Any:
        from scipy.integrate import DOP853  # noqa: PLC0415  only for runs

        first = None if self._step is None else min(self._step, bound - t)
        return DOP853(self._rate, t, y, bound, rtol=RTOL, atol=ATOL, first_step=first)

    def _require_step(self, solver: Any) -> None:
        whole = self.plan.last - self.plan.first
        stuck = solver.status == "running" and solver.h_abs < SHORTEST * whole
        if solver.status == "failed" or stuck:
            why = ", where the invariants are nearly singular" * self._passage.close
            raise NotRunError(f"no step leads on from t = {solver.t:.6g} s{why}")

    def _kept(self, t: float, y: Array) -> Array:
        """Return a state brought back onto the invariants, if the method does so."""
        if not self._rows.any or self.method != "projection":
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
        if not self.engine.trusted(self.engine.rate(t, y), A, b):
            raise NotRunError(f"accelerations leave the invariants at t = {t:.6g} s")
        self._passage.hear(t, A)
        left = self._rows.drift(t, y[:nq], y[nq:nu])
        self.drift = max(self.drift[0], left[0]), max(self.drift[1], left[1])

    def _rate(self, t: float, y: Array) -> Array:
        found = self.engine.rate(t, y)
        if self.method == "baumgarte" and self._rows.any:
            nq, nu = self._n
            found[nq:nu] += self._stabilised(t, y[:nq], y[nq:nu])
        return found

    def _stabilised(self, t: float, q: Array, u: Array) -> Array:
        """Return the least accelerations that bring back what is left of the invariants.

        A ud + b = -2 alpha v - alpha^2 c instead of zero.
        """
        A, _ = self._rows.accelerations(t, q, u)
        c, v = self._rows.left(t, q, u)
        wanted = np.zeros(len(A))
        wanted[self._low] -= 2 * ALPHA * v
        wanted[self._holonomic] -= ALPHA**2 * c[: len(self._holonomic)]
        return np.asarray(np.linalg.lstsq(A, wanted, rcond=1e-10)[0])
