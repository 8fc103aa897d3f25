"""Forward dynamics: a model run through time, by any form, and what is watched meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.crossing import Crossings
from mbx.analyses.expected import judged, observed
from mbx.analyses.kinks import Kinks
from mbx.analyses.march import March
from mbx.analyses.methods import METHODS, PROJECTED, Ground, form_of, prepared
from mbx.analyses.momentum import Momenta
from mbx.analyses.regular import require_regular
from mbx.analyses.switches import Switches
from mbx.experiments.clock import Clock
from mbx.experiments.energy import Energies
from mbx.experiments.plan import NotRunError
from mbx.experiments.start import inputs_of, start_of
from mbx.experiments.written import Invariants

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.methods import Method, Watched
    from mbx.analyses.switches import Event, Sides
    from mbx.codegen.subject import Places
    from mbx.experiments.plan import Plan
    from mbx.experiments.reference import Reference
    from mbx.experiments.steps import Stepper
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array

__all__ = ["Column", "Energy", "Options", "Run", "expectations_met", "results_at", "simulate"]

RESULTS: Final = 200
"""Stretches between results, where nothing says how far apart these are."""
MOST: Final = 1_000_000
"""Results of a run."""
AHEAD: Final = 1e-7
"""Part of the whole time by which is looked ahead where conditions change."""
_END: Final = 1e-9
"""Part of a stretch by which the last one may be longer: times have rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is to be made.

    Attributes:
        method: What keeps the invariants.
        independent: Coordinates that `groups` integrates; else the first that determine all.
        every: Seconds between results; None for what the experiment says.
        until: When it ends; None for what the experiment says.
        also: Further times of results.
        joints: Joints whose wrenches are asked for; `all` for all of them.
        seconds: CPU time that it may take.
        progress: Hears the part of the time that is done.
    """

    method: str = "projection"
    independent: tuple[str, ...] = ()
    every: float | None = None
    until: float | None = None
    also: tuple[float, ...] = ()
    joints: tuple[str, ...] = ()
    seconds: float = inf
    progress: Callable[[float], None] = lambda _part: None


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A quantity along a run: its name, its SI unit and its values."""

    name: str
    unit: str
    values: Array


@dataclass(frozen=True, slots=True)
class Energy:
    """The energy along all steps of a run.

    Attributes:
        change: Its largest change from the start, in J.
        relative: The same, relative to the largest kinetic energy.
        changed_by: What makes it change; None where it is conserved.
        kinetic: The largest kinetic energy, in J.
        unexplained: Whether it changes by more than a run may be off, and nothing does work.
    """

    change: float
    relative: float
    changed_by: str | None
    kinetic: float
    unexplained: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """A model run through time.

    Attributes:
        experiment: Its name; "" for none.
        method: What kept the invariants.
        form: The form that gave accelerations.
        backend: What evaluated it: llvm, cc or python.
        paths: Names of the state.
        t: Times of the results.
        states: States at these times, a row for each.
        columns: All results: time, state, energies, momenta, and what the experiment names.
        energy: How the energy changed.
        drift: The largest part that was left of invariants of positions and of velocities.
        events: Where conditions changed on the way, such as the direction of friction.
        steps, evaluations: How many there were.
        seconds, compiling: CPU time of the run, and of what went before.
        references: What the experiment expects, and what was found.
        omitted: Components of wrenches that are not unique.
    """

    experiment: str
    method: Method
    form: str
    backend: str
    paths: tuple[str, ...]
    t: Array
    states: Array
    columns: tuple[Column, ...]
    energy: Energy
    drift: tuple[float, float]
    events: tuple[Event, ...]
    steps: int
    evaluations: int
    seconds: float
    compiling: float
    references: tuple[Reference, ...] = ()
    omitted: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Array:
        """Return a result by its name."""
        return next(one.values for one in self.columns if one.name == name)

    @property
    def last(self) -> dict[str, float]:
        """The state at the end."""
        return dict(zip(self.paths, self.states[-1].tolist(), strict=True))

    @property
    def met(self) -> bool:
        """Whether all is met that the experiment expects."""
        return all(one.met for one in self.references)

    def as_json(self) -> dict[str, Any]:
        """Return what is to be told of it as plain data; results are in its columns."""
        return {
            "experiment": self.experiment,
            "method": self.method,
            "form": self.form,
            "backend": self.backend,
            "first": float(self.t[0]),
            "last": float(self.t[-1]),
            "results": len(self.t),
            "state": self.last,
            "energy": {
                "change": _number(self.energy.change),
                "relative": _number(self.energy.relative),
                "changed_by": self.energy.changed_by,
                "unexplained": self.energy.unexplained,
            },
            "drift": list(self.drift),
            "events": [{"t": e.t, "what": e.what, "side": e.side} for e in self.events],
            "steps": self.steps,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "compiling": self.compiling,
            "omitted": list(self.omitted),
            "references": [one.as_json() for one in self.references],
        }


def simulate(
    plan: Plan,
    form: tuple[str, Equations] | None = None,
    options: Options | None = None,
    *,
    places: Places | None = None,
    blank: Mapping[int, Reference] | None = None,
    nudge: float = 0.0,
) -> Run:
    """Run a plan by a form; raise `NotRunError` where it leads nowhere.

    `places` are states in general position, without which machine code has no ranks to rely on;
    `blank` are the expectations that are to be judged, by their numbers. By `nudge`, relative and
    in SI units, the start is moved.
    """
    began = time.process_time()
    way = _integrated(plan, form, options or Options(), places, nudge)
    march, energies = way.march, way.energies
    states = np.array([march.states[t] for t in way.times.tolist()])
    return Run(
        experiment=plan.name,
        method=way.method,
        form=way.form[0],
        backend=march.engine.backend,
        paths=way.paths,
        t=way.times,
        states=states,
        columns=(*_columns(way.plan, way.form[1], energies, way.times, states),),
        energy=way.energy,
        drift=march.drift,
        events=tuple(march.crossings.events),
        steps=march.steps,
        evaluations=march.calls,
        seconds=way.done - way.ready,
        compiling=way.ready - began,
        references=way.judged(blank or {}),
    )


def expectations_met(
    plan: Plan,
    form: tuple[str, Equations] | None,
    options: Options,
    *,
    places: Places | None,
    blank: Mapping[int, Reference],
) -> tuple[Reference, ...]:
    """Run a plan as `simulate` does, and return nothing but what became of expectations."""
    return _integrated(plan, form, options, places).judged(blank)


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A run that was made: the march, the energies along it, and when it was ready and done."""

    plan: Plan
    method: Method
    form: tuple[str, Equations]
    paths: tuple[str, ...]
    times: Array
    march: March
    energies: Energies
    ready: float
    done: float

    @property
    def energy(self) -> Energy:
        """How the energy changed."""
        found = self.energies
        return Energy(
            found.change, found.relative, found.changed_by, found.kinetic, found.unexplained
        )

    def judged(self, blank: Mapping[int, Reference]) -> tuple[Reference, ...]:
        """Return what became of expectations."""
        known = {
            t: dict(zip(self.paths, y.tolist(), strict=True)) for t, y in self.march.states.items()
        }
        return judged(self.plan, self.form, known, self.energy, blank)


def _integrated(
    plan: Plan,
    form: tuple[str, Equations] | None,
    options: Options,
    places: Places | None,
    nudge: float = 0.0,
) -> _Way:
    """Run a plan through time."""
    method = next((one for one in METHODS if one == options.method), None)
    if method is None:
        raise NotRunError(f"no method is called '{options.method}', only {', '.join(METHODS)}")
    if plan.motions:
        moved = ", ".join(one.path for one in plan.motions)
        raise NotRunError(f"the motion of '{moved}' is prescribed: mbx inverse finds the inputs")
    plan, times = results_at(plan, options)
    name, equations = form_of(method, plan.system) if form is None else form
    state = start_of(plan, equations if equations.signature.higher else None)
    start = np.array(list(state.values()))
    require_regular(plan, state)
    times = _with(times, options.also)
    rows = Invariants(plan.system, plan.parameters, inputs_of(plan))
    if nudge:
        start = _nudged(plan, rows, start, nudge)
    switches = Switches(plan, equations, places)
    crossings = Crossings(switches, Kinks(plan, equations), AHEAD * (plan.last - plan.first))
    energies = Energies(plan, equations)
    energies.hear(plan.first, start)

    def hear(t: float, y: Array) -> None:
        energies.hear(t, y)
        options.progress((t - plan.first) / (plan.last - plan.first))

    def made(sides: Sides) -> tuple[Watched, Stepper]:
        form = name, switches.on(sides)
        return prepared(method, Ground(plan, form, start, places, rows, options.independent))

    clock = Clock.of(options.seconds)
    march = March(plan, rows, made, crossings, method in PROJECTED, clock, hear)
    march.prepare(start)
    wanted = {one.time for one in plan.expected if one.time is not None}
    exact = {t for t in wanted if plan.first < t < plan.last} | {plan.last}
    ready = time.process_time()
    march.run(start, sorted(exact), times.tolist())
    done = time.process_time()
    return _Way(plan, method, (name, equations), tuple(state), times, march, energies, ready, done)


def _nudged(plan: Plan, rows: Invariants, y: Array, by: float) -> Array:
    """Return a start that is moved a little, in a direction that is always the same."""
    moved = y + by * np.maximum(np.abs(y), 1.0) * np.random.default_rng(1).choice((-1, 1), len(y))
    nq, nu = len(plan.system.q), len(plan.system.u)
    q, u = rows.onto(plan.first, moved[:nq], moved[nq : nq + nu])
    return np.concatenate([q, u, y[nq + nu :]])


def results_at(plan: Plan, options: Options) -> tuple[Plan, Array]:
    """Return the plan with its end, and the times of results."""
    last = plan.last if options.until is None else options.until
    whole = last - plan.first
    if not isfinite(whole) or whole <= 0:
        hint = "" if options.until is not None else "; say until when it is to run"
        raise NotRunError(f"it runs from {plan.first:g} s to {last:g} s, which is no time{hint}")
    every = plan.every if options.every is None else options.every
    if every is None:
        every = whole / RESULTS
    if not isfinite(every) or every <= 0:
        raise NotRunError(f"results every {every:g} s are none")
    if whole / every > MOST:
        raise NotRunError(f"{whole / every:.3g} results are too many, the most are {MOST}")
    count = floor(whole / every * (1 - _END)) + 1
    times = plan.first + every * np.arange(count)
    return replace(plan, last=last), np.append(times, last)


def _with(times: Array, also: Sequence[float]) -> Array:
    """Return times with others among them; raise `NotRunError` for one outside of the run."""
    first, last = times[0], times[-1]
    for t in also:
        if not first <= t <= last:
            raise NotRunError(f"it runs from {first:g} s to {last:g} s, not at {t:g} s")
    return np.union1d(times, also) if also else times


def _columns(
    plan: Plan, equations: Equations, energies: Energies, t: Array, states: Array
) -> list[Column]:
    signature = equations.signature
    variables = (*signature.q, *signature.u, *signature.higher)
    found = [Column("t", "s", t)]
    found += [Column(x.path, x.unit, states[:, k]) for k, x in enumerate(variables)]
    rows = list(zip(t.tolist(), states, strict=True))
    parts = np.array([energies.at(*row) for row in rows])
    found += [
        Column("kinetic energy", "J", parts[:, 0]),
        Column("potential energy", "J", parts[:, 1]),
        Column("energy", "J", parts.sum(axis=1)),
    ]
    momenta = Momenta(plan, equations)
    moved = np.array([momenta.at(*row) for row in rows])
    found += [Column(name, unit, moved[:, k]) for k, (name, unit) in enumerate(momenta.names)]
    known = {one.name for one in found}
    for name, unit, values in observed(plan, equations, t, states):
        if name not in known:
            found.append(Column(name, unit, values))
    return found


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
