"""The integration of a plan: a start, a method, events, and the energy that is balanced with it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of, start_of
from mbx.analyses.experiments.state_functions import Invariants
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.simulate.events.crossing import Crossings
from mbx.analyses.simulate.events.kinks import Kinks
from mbx.analyses.simulate.events.paces import Paces
from mbx.analyses.simulate.events.switches import Switches
from mbx.analyses.simulate.integrators.state_sizes import state_sizes
from mbx.analyses.simulate.integrators.time_march import March
from mbx.analyses.simulate.methods import (
    METHODS,
    PROJECTED,
    Ground,
    form_of,
    looks_of,
    prepared,
    tolerance_of,
)
from mbx.analyses.simulate.regular_start import require_regular
from mbx.analyses.simulate.results.energy_balance import Energies
from mbx.analyses.simulate.run_expectations import judged
from mbx.checking.rules.experiment_statements import LEAST, MOST
from mbx.numerics.states.specialise import specialise, states_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.events.switches import Sides
    from mbx.analyses.simulate.integrators.step_protocol import Stepper
    from mbx.analyses.simulate.methods import Method, Watched
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["How", "Way", "integrated"]

AHEAD: Final = 1e-7
"""Part of the whole time by which is looked ahead where conditions change."""
NOTHING: Final = 1e-13
"""Part of a variable, or of its size, by which a start may be off a surface that it is on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a plan is integrated: as `Options` of a run say, with all times of results."""

    method: str
    times: Array
    independent: tuple[str, ...]
    tolerance: float | None
    seconds: float
    progress: Callable[[float], None]
    nudge: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A plan that was integrated.

    Attributes:
        plan, method, form: What was run, and how.
        given: The tolerance that was asked for; None for that of the method.
        paths: Names of the state.
        times: Times of results, up to where it came.
        march, energies: The way, and the energy along it.
        ready, done: CPU time when it was ready to begin, and at its end.
        ended: Why it ended before its time; "" where it did not.
    """

    plan: Plan
    method: Method
    form: tuple[str, Equations]
    given: float | None
    paths: tuple[str, ...]
    times: Array
    march: March
    energies: Energies
    ready: float
    done: float
    ended: str

    def judged(self, blank: Mapping[int, Reference]) -> tuple[Reference, ...]:
        """Return what became of expectations."""
        last = self.times[-1]
        known = {
            t: dict(zip(self.paths, y.tolist(), strict=True))
            for t, y in self.march.states.items()
            if t <= last
        }
        return judged(self.plan, self.form, known, self.energies, blank, ended=self.ended)


def integrated(plan: Plan, form: tuple[str, Equations] | None, how: How) -> Way:
    """Run a plan through time, as far as it leads; raise `NotRunError` where it does not begin."""
    method = _required(plan, how)
    times = how.times
    name, equations = form_of(method, plan.system) if form is None else form
    equations = specialise(equations, states_of(plan.system))
    state = start_of(plan, equations if equations.signature.higher else None)
    start = np.array(list(state.values()))
    require_regular(plan, state)
    sizes = state_sizes(plan, len(start))
    rows = Invariants(plan.system, plan.parameters, inputs_of(plan), sizes)
    if how.nudge:
        start = _nudged(plan, rows, start, how.nudge * np.maximum(np.abs(start), sizes))
    kinks = Kinks(plan, equations)
    switches = Switches(plan, equations, kinks.nodes)
    whole = plan.last - plan.first
    spread = NOTHING * np.array([whole, *np.maximum(np.abs(start), sizes)])
    nothing = switches.nearby(plan.first, start, spread)
    crossings = Crossings(switches, kinks, AHEAD * whole, nothing)
    energies = Energies(plan, equations)
    energies.hear(plan.first, start)
    nodes = [*kinks.nodes, *energies.powers]
    paces = Paces(nodes, kinks.known, kinks.variables, (plan.first, plan.last), looks_of(method))
    given = plan.tolerance if how.tolerance is None else how.tolerance
    reached = plan.first, start

    def hear(t: float, y: Array) -> None:
        nonlocal reached
        reached = t, y
        energies.hear(t, y)
        how.progress((t - plan.first) / (plan.last - plan.first))

    def made(sides: Sides, t: float, y: Array) -> tuple[Watched, Stepper]:
        form = name, switches.on(sides)
        ground = Ground(plan, form, start, rows, sizes, how.independent, given)
        try:
            return prepared(method, ground)
        except NotRunError:
            if t == plan.first:
                raise
            # on these sides the equations may have no value at the start
            return prepared(method, replace(ground, plan=replace(plan, first=t), start=y))

    clock = Clock.of(how.seconds)
    march = March(
        plan, rows, made, crossings, paces, method in PROJECTED, clock, hear, energies.step
    )
    march.prepare(start)
    wanted = {one.time for one in plan.expected if one.time is not None}
    exact = {t for t in wanted if plan.first < t < plan.last} | {plan.last}
    ready = time.process_time()
    ended = ""
    try:
        march.run(start, sorted(exact), times.tolist())
    except NotRunError as error:
        if march.steps == 0:
            raise
        ended = str(error)
        last, y = reached
        march.states.setdefault(last, y)
        known = [t for t in times.tolist() if t in march.states]
        times = np.array(sorted({*known, *([last] if last > known[-1] else [])}))
    wrong = energies.balanced(tolerance_of(method, given))
    if wrong is not None:
        last, why = wrong
        ended = f"{ended}; {why}" if ended else why
        times = times[times <= last]
    done = time.process_time()
    form = name, equations
    return Way(plan, method, form, given, tuple(state), times, march, energies, ready, done, ended)


def _required(plan: Plan, how: How) -> Method:
    """Return the method of a run that can be made; raise `NotRunError` for another."""
    method = next((one for one in METHODS if one == how.method), None)
    if method is None:
        raise NotRunError(f"no method is called '{how.method}', only {', '.join(METHODS)}")
    if plan.motions:
        moved = ", ".join(one.path for one in plan.motions)
        raise NotRunError(f"the motion of '{moved}' is prescribed: mbx inverse finds the inputs")
    if how.tolerance is not None and not LEAST <= how.tolerance <= MOST:
        raise NotRunError(
            f"no run has a tolerance of {how.tolerance:g}: it is from {LEAST:g} to {MOST:g}"
        )
    return method


def _nudged(plan: Plan, rows: Invariants, y: Array, by: Array) -> Array:
    """Return a start that is moved a little, in a direction that is always the same."""
    moved = y + by * np.random.default_rng(1).choice((-1, 1), len(y))
    nq, nu = len(plan.system.q), len(plan.system.u)
    q, u = rows.onto(plan.first, moved[:nq], moved[nq : nq + nu])
    return np.concatenate([q, u, y[nq + nu :]])
