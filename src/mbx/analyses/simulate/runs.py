"""Forward dynamics: a model run through time, by any form, and what is watched meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.chaos import with_chaos
from mbx.analyses.simulate.integrate import How, integrated
from mbx.analyses.simulate.result_times import results_at, with_times
from mbx.analyses.simulate.results.total_momentum import Momenta
from mbx.analyses.simulate.run_expectations import declared, observed
from mbx.analyses.time_series import TimeSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.achieved_error import Achieved
    from mbx.analyses.simulate.events.leap import Passed
    from mbx.analyses.simulate.events.switches import Event
    from mbx.analyses.simulate.integrate import Way
    from mbx.analyses.simulate.methods import Method
    from mbx.analyses.simulate.results.energy_balance import Energies
    from mbx.analyses.time_series import Origin
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = [
    "Column",
    "EndedError",
    "Energy",
    "Options",
    "Run",
    "expectations_met",
    "simulate",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is to be made.

    Attributes:
        method: What keeps the invariants.
        independent: Coordinates that `groups` integrates; else the first that determine all.
        every: Seconds between results; None for what the experiment says.
        until: When it ends; None for what the experiment says.
        also: Further times of results.
        tolerance: How far a step may be off, relative to each variable; None for what the
            experiment says, or else the method.
        results: Further kinds of results: accelerations, multipliers, reactions.
        error: Whether the error is estimated, by a second run with another tolerance.
        joints: Joints whose wrenches are asked for; `all` for all of them.
        seconds: CPU time that it may take.
        progress: Hears the part of the time that is done.
    """

    method: str = "projection"
    independent: tuple[str, ...] = ()
    every: float | None = None
    until: float | None = None
    also: tuple[float, ...] = ()
    tolerance: float | None = None
    results: tuple[str, ...] = ()
    error: bool = False
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
        work: The work of everything that acts until the end, in J.
        off: How far the energy is off its start and that work at most, in J; None if unknown.
        why: Why that is unknown.
    """

    change: float
    relative: float
    changed_by: str | None
    kinetic: float
    work: Mapping[str, float] = field(default_factory=dict)
    off: float | None = None
    why: str = ""

    @classmethod
    def of(cls, found: Energies) -> Energy:
        """Return what was found along a run."""
        return cls(
            found.change,
            found.relative,
            found.changed_by,
            found.kinetic,
            found.work,
            found.off,
            found.why,
        )

    @property
    def balance(self) -> float | None:
        """How far it is off, relative to the largest kinetic energy or work; None if unknown."""
        if self.off is None:
            return None
        size = max([self.kinetic, *map(abs, self.work.values())])
        return self.off / size if size else self.off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run(TimeSeries):
    """A model run through time.

    Attributes:
        experiment: Its name; "" for none.
        method: What kept the invariants.
        form: The form that gave accelerations.
        backend: What evaluated it: llvm, cc or python.
        interpreted: Why Python did, and not machine code; "" where machine code did.
        paths: Names of the state.
        t: Times of the results.
        states: States at these times, a row for each.
        columns: All results: time, state, declared variables of order 2 and more, energies,
            momenta, and what the experiment names.
        energy: How the energy changed.
        drift: The largest part that was left of invariants of positions and of velocities.
        events: Where conditions changed on the way, such as the direction of friction.
        singular: Singular configurations on the way, which it went over.
        steps, evaluations: How many there were.
        seconds, compiling: CPU time of the run, and of what went before.
        references: What the experiment expects, and what was found.
        omitted: Components of wrenches that are not unique.
        given: The tolerance that was asked for; None for that of the method.
        ended: Why it ended before its time; "" where it did not.
        error: How far it is off, where that is estimated.
        declared: Variables of order 2 and more, which are among the columns.
        origin: The model that it is of, where it is known.
    """

    experiment: str
    method: Method
    form: str
    backend: str
    interpreted: str = ""
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
    given: float | None = None
    ended: str = ""
    error: Achieved | None = None
    declared: tuple[str, ...] = ()
    singular: tuple[Passed, ...] = ()
    origin: Origin | None = None

    def __repr__(self) -> str:
        """Return what it is of, and the names of its results."""
        return self.describe("Run", self.form or self.method)

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
            "interpreted": self.interpreted,
            "first": float(self.t[0]),
            "last": float(self.t[-1]),
            "results": len(self.t),
            "ended": self.ended,
            "tolerance": self.given,
            "error": None
            if self.error is None
            else {
                "by": self.error.tolerance,
                "last": dict(self.error.last),
                "largest": dict(self.error.largest),
            },
            "state": self.last,
            "energy": {
                "change": _number(self.energy.change),
                "relative": _number(self.energy.relative),
                "changed_by": self.energy.changed_by,
                "work": dict(self.energy.work),
                "off": self.energy.off,
                "balance": self.energy.balance,
                "not_balanced": self.energy.why,
            },
            "drift": list(self.drift),
            "events": [{"t": e.t, "what": e.what, "side": e.side} for e in self.events],
            "singular": [
                {"t": one.t, "rank": one.rank, "usual": one.usual} for one in self.singular
            ],
            "steps": self.steps,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "compiling": self.compiling,
            "omitted": list(self.omitted),
            "references": [one.as_json() for one in self.references],
        }


class EndedError(NotRunError):
    """A run that ended before its time, with what there is of it."""

    def __init__(self, run: Run) -> None:
        """Keep the run; why it ended is the message."""
        super().__init__(run.ended)
        self.run = run


def simulate(
    plan: Plan,
    form: tuple[str, Equations] | None = None,
    options: Options | None = None,
    *,
    blank: Mapping[int, Reference] | None = None,
    nudge: float = 0.0,
) -> Run:
    """Run a plan by a form; raise `EndedError` where it leads no further, with the run up to there.

    Where it does not begin, raise `NotRunError`. `blank` are the expectations that are to be
    judged, by their numbers. By `nudge`, relative and in sizes of the model, the start is moved.
    """
    began = time.process_time()
    options = options or Options()
    way = _way(plan, form, options, nudge)
    march = way.march
    states = np.array([march.states[t] for t in way.times.tolist()])
    run = Run(
        experiment=plan.name,
        method=way.method,
        form=way.form[0],
        backend=march.engine.backend,
        interpreted=march.engine.interpreted,
        paths=way.paths,
        t=way.times,
        states=states,
        columns=(*_columns(way.plan, way.form[1], way.energies, way.times, states),),
        energy=Energy.of(way.energies),
        drift=march.drift,
        events=tuple(march.crossings.events),
        steps=march.steps,
        evaluations=march.calls,
        seconds=way.done - way.ready,
        compiling=way.ready - began,
        references=_judged(way, blank or {}, form, options),
        given=way.given,
        ended=way.ended,
        declared=tuple(one.path for one in plan.system.quasi),
        singular=tuple(march.singularities.passed),
    )
    if run.ended:
        raise EndedError(run)
    return run


def expectations_met(
    plan: Plan,
    form: tuple[str, Equations] | None,
    options: Options,
    *,
    blank: Mapping[int, Reference],
) -> tuple[tuple[Reference, ...], str]:
    """Run a plan as `simulate` does; return what became of expectations, and why it ended early.

    That is "" where it came to its end, or as far as its time allowed.
    """
    way = _way(plan, form, options)
    ended = way.ended if way.march.clock.left else ""
    return _judged(way, blank, form, options), ended


def _judged(
    way: Way,
    blank: Mapping[int, Reference],
    form: tuple[str, Equations] | None,
    options: Options,
) -> tuple[Reference, ...]:
    """Return what became of expectations; those open that a chaotic motion does not decide."""
    left = replace(options, seconds=way.march.clock.left)
    return with_chaos(
        way,
        way.judged(blank),
        blank,
        lambda nudge: _way(way.plan, form, left, nudge),
    )


def _way(
    plan: Plan,
    form: tuple[str, Equations] | None,
    options: Options,
    nudge: float = 0.0,
) -> Way:
    plan, times = results_at(plan, options)
    how = How(
        method=options.method,
        times=with_times(times, options.also),
        independent=options.independent,
        tolerance=options.tolerance,
        seconds=options.seconds,
        progress=options.progress,
        nudge=nudge,
    )
    return integrated(plan, form, how)


def _columns(
    plan: Plan, equations: Equations, energies: Energies, t: Array, states: Array
) -> list[Column]:
    signature = equations.signature
    variables = (*signature.q, *signature.u, *signature.higher)
    found = [Column("t", "s", t)]
    found += [Column(x.path, x.unit, states[:, k]) for k, x in enumerate(variables)]
    found += [Column(*one) for one in declared(plan, equations, t, states)]
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
