"""Closed loops by structural groups: a whole state from its independent part, and motion by it.

The independent coordinates and their rates are integrated; all others follow from them group by
group, so that every invariant of positions and velocities is kept at each instant, not corrected.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.assemble import assemble_at
from mbx.analyses.engine import Engine, chosen_form
from mbx.assembly.complete import likely
from mbx.experiments.plan import NotRunError
from mbx.experiments.start import start_of
from mbx.expr.evaluate import evaluate
from mbx.groups.march import HaltError
from mbx.groups.mechanism import mechanism_of
from mbx.groups.motion import solution_of
from mbx.groups.solve import StuckError
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.assemble import Assembly
    from mbx.codegen.subject import Places
    from mbx.experiments.plan import Plan
    from mbx.formalism.numerics import Array
    from mbx.link.linked import Linked

__all__ = ["Closure", "Grouped", "assemble_by_groups", "simulate_by_groups"]

_RTOL, _ATOL = 1e-10, 1e-12
_RESULTS: Final = 200


class Closure:
    """Whole states from independent coordinates and their rates, group by group."""

    def __init__(self, linked: Linked, plan: Plan, independent: Sequence[str]) -> None:
        """Take coordinates that determine the mechanism; raise `NotDeterminedError` if not."""
        self.plan = plan
        given = {**plan.parameters, **plan.inputs}
        self.mechanism = mechanism_of(linked, plan.system, dict.fromkeys(independent, TIME), given)
        self._symbols = {v.path: v.symbol for v in plan.system.q}
        self.independent = tuple(independent)
        self.solution = solution_of(self.mechanism, "td")
        self._near: Array | None = None

    def begin(self, state: Mapping[str, float], t: float) -> None:
        """Look for states near another one from now on."""
        self._near = self.solution.start(state, t)

    def state(self, t: float, q: Sequence[float], u: Sequence[float]) -> dict[str, float]:
        """Return the whole state, coordinates and speeds by path; raise `StuckError` if none."""
        if self._near is None:
            raise TypeError("no state to begin with")
        moved = zip(self.independent, zip(q, u, strict=True), strict=True)
        self.solution.move({self._symbols[path]: pair for path, pair in moved})
        found = self.solution.at(t, self._near)
        self._near = found.x
        system, place = self.plan.system, self.solution.place
        state = {v.path: float(found.x[place[v.symbol]]) for v in system.q}
        values = dict(self.mechanism.numbers.values) | {TIME: t}
        for v in system.q:
            values[v.symbol] = float(found.x[place[v.symbol]])
            values[v.rate] = float(found.xd[place[v.symbol]])
        for one in system.u:
            if one.symbol not in values:
                if one.symbol not in system.defined:
                    raise NotRunError(f"the speed '{one.path}' is no rate of a coordinate")
                values[one.symbol] = float(evaluate([system.defined[one.symbol]], values)[0])
            state[one.path] = values[one.symbol]
        return state


def assemble_by_groups(linked: Linked, plan: Plan) -> Assembly:
    """Return the state with what is held, all else group by group, and its accelerations.

    Raise `NotDeterminedError` where what is held leaves freedoms, or is too much.
    """
    system = plan.system
    near = {v.path: plan.said.get(v.path, likely(v)) for v in system.q}
    held = [v.path for v in system.q if v.path in plan.held]
    closure = Closure(linked, plan, held)
    closure.begin(near, plan.first)
    rates = [plan.said.get(f"{path}'", 0.0) for path in held]
    try:
        state = closure.state(plan.first, [near[path] for path in held], rates)
    except StuckError as stuck:
        raise NotRunError(f"the groups do not close: {stuck}") from None
    return assemble_at(plan, state)


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A motion whose dependent coordinates follow by groups: times, and states by row."""

    t: Array
    paths: tuple[str, ...]
    states: Array

    def __getitem__(self, path: str) -> Array:
        """Return one variable over time."""
        return np.asarray(self.states[:, self.paths.index(path)])


def simulate_by_groups(
    linked: Linked,
    plan: Plan,
    independent: Sequence[str],
    until: float,
    *,
    seconds: float = 300.0,
    places: Places | None = None,
) -> Grouped:
    """Run a plan in its independent coordinates; raise `NotRunError` where it leads nowhere.

    It may take some seconds of CPU time: near a dead point of what is independent, steps shrink.
    """
    from scipy.integrate import solve_ivp  # noqa: PLC0415  costs a while

    speeds = [v.path for v in plan.system.u]
    for path in independent:
        if f"{path}'" not in speeds:
            raise NotRunError(f"the rate of '{path}' is no speed of the model")
    name, equations = chosen_form(plan.system)
    start = start_of(plan)
    closure = Closure(linked, plan, independent)
    closure.begin(start, plan.first)
    engine = Engine(plan, name, equations, np.array(list(start.values())), places)
    n, count = len(independent), len(plan.system.q)
    chosen = [count + speeds.index(f"{path}'") for path in independent]

    began = time.process_time()

    def rate(t: float, y: Array) -> Array:
        if time.process_time() - began > seconds:
            raise NotRunError(f"at {t:.6g} s it had taken {seconds:g} s of CPU time")
        state = closure.state(t, y[:n].tolist(), y[n:].tolist())
        whole = engine.rate(t, np.array(list(state.values())))
        return np.concatenate([y[n:], whole[chosen]])

    first = [*(start[path] for path in independent), *(start[f"{p}'"] for p in independent)]
    times = np.linspace(plan.first, until, _RESULTS + 1)
    span = (plan.first, until)
    try:
        found = solve_ivp(rate, span, first, method="DOP853", t_eval=times, rtol=_RTOL, atol=_ATOL)
        if found.status != 0:
            raise NotRunError(f"the integration ends early: {found.message}")
        closure.begin(start, plan.first)
        states = [
            closure.state(float(t), y[:n].tolist(), y[n:].tolist())
            for t, y in zip(found.t, found.y.T, strict=True)
        ]
    except (StuckError, HaltError) as stuck:
        raise NotRunError(f"the groups do not close: {stuck}") from None
    return Grouped(found.t, tuple(states[0]), np.array([list(one.values()) for one in states]))
