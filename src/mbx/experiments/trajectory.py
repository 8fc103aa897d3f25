"""Trajectories: a state integrated in time, kept on the invariants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.experiments.passage import Passage
from mbx.experiments.plan import NotRunError
from mbx.experiments.start import inputs_of
from mbx.experiments.written import Invariants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.experiments.clock import Clock
    from mbx.experiments.plan import Plan
    from mbx.formalism.numerics import Array

__all__ = ["Trajectory", "integrate"]

RTOL: Final = 1e-12
ATOL: Final = 1e-14
SHORTEST: Final = 1e-9
"""Part of the whole time below which a step is none."""


@dataclass(slots=True)
class Trajectory:
    """States at the times that were asked for, and how many steps led there."""

    states: dict[float, Array] = field(default_factory=dict)
    steps: int = 0


class Moving(Protocol):
    """What says how fast a state changes."""

    def rate(self, t: float, y: Array) -> Array:
        """Return the rate of a state; raise `NotRunError` where there is none."""


def integrate(
    plan: Plan,
    dynamics: Moving,
    start: Array,
    times: Sequence[float],
    clock: Clock,
    hear: Callable[[float, Array], None] = lambda _t, _y: None,
) -> Trajectory:
    """Integrate from the start to some times in rising order; `hear` every step.

    By Dormand and Prince's method of order 8 (Hairer, Norsett and Wanner, II.5). After each
    step the state is brought back onto the invariants: positions, then velocities. A run
    through a singular state is none.
    """
    from scipy.integrate import DOP853  # noqa: PLC0415  only for runs

    system = plan.system
    rows = Invariants(system, plan.parameters, inputs_of(plan))
    nq, nu = len(system.q), len(system.u)

    def rate(t: float, y: Array) -> Array:
        clock.check()
        return dynamics.rate(t, y)

    whole = plan.last - plan.first
    t, y = plan.first, start
    step: float | None = None
    found = Trajectory()
    passage = Passage()
    passage.hear(t, rows.accelerations(t, y[:nq], y[nq : nq + nu])[0])
    hear(t, y)
    for wanted in times:
        if wanted > t:
            first = None if step is None else min(step, wanted - t)
            solver = DOP853(rate, t, y, wanted, rtol=RTOL, atol=ATOL, first_step=first)
            while solver.status == "running":
                solver.step()
                if solver.status == "failed" or solver.h_abs < SHORTEST * whole:
                    why = ", where the invariants are nearly singular" * passage.close
                    raise NotRunError(f"no step leads on from t = {solver.t:.6g} s{why}")
                found.steps += 1
                if rows.any:
                    q, u = rows.onto(solver.t, solver.y[:nq], solver.y[nq : nq + nu])
                    solver.y = np.concatenate([q, u, solver.y[nq + nu :]])
                    solver.f = rate(solver.t, solver.y)
                    passage.hear(solver.t, rows.accelerations(solver.t, q, u)[0])
                step = solver.h_abs
                hear(solver.t, solver.y)
            t, y = wanted, solver.y
        found.states[wanted] = y
    return found
