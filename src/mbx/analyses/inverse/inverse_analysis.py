"""Inverse dynamics: a motion is prescribed, and inputs and reactions are computed over time.

Positions and speeds follow from the motions (`mbx.analyses.inverse.prescribed_motion`), inputs
from a form (`mbx.analyses.inverse.inverse_solution`). Where loads jump, as friction does at a
reversal, the results have both limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import driven, inputs_of, start_of
from mbx.analyses.experiments.load_variants import with_loads
from mbx.analyses.experiments.observe import Observer
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.inverse.inverse_columns import Result, columns_of, inputs_in
from mbx.analyses.inverse.inverse_expectations import judged
from mbx.analyses.inverse.inverse_solution import SINGULAR, with_inputs
from mbx.analyses.inverse.load_switches import switches_of
from mbx.analyses.inverse.prescribed_motion import Track
from mbx.analyses.inverse.reversals import jumps_along
from mbx.analyses.jammed import why_none
from mbx.analyses.joint_wrenches import Situation, joints_named, wrenches
from mbx.analyses.reaction_units import reaction_units
from mbx.analyses.simulate.engine import chosen_form
from mbx.analyses.simulate.regular_start import require_regular
from mbx.analyses.simulate.result_times import results_at
from mbx.analyses.simulate.runs import Options as Times
from mbx.analyses.time_series import TimeSeries
from mbx.formalism import registry
from mbx.numerics.states.manifold import Manifold, Points, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.observe import Seen
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.analyses.inverse.reversals import Jump, Rest
    from mbx.analyses.simulate.runs import Column
    from mbx.analyses.time_series import Origin
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Inverse", "Options", "inverse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How inverse dynamics is to be done.

    Attributes:
        every: Seconds between results; None for what the experiment states.
        until: When it ends; None for what the experiment states.
        joints: Joints whose wrenches are requested; `all` for all of them.
        least: Whether inputs of the least sum of squares are taken where others do as well.
        seconds: CPU time that it may take.
        progress: Receives the part of the time that is done.
    """

    every: float | None = None
    until: float | None = None
    joints: tuple[str, ...] = ()
    least: bool = False
    seconds: float = inf
    progress: Callable[[float], None] = lambda _part: None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inverse(TimeSeries):
    """Inputs and reactions along a prescribed motion.

    Attributes:
        experiment: Its name.
        form: The form that gave them.
        motions: What is prescribed.
        inputs: What was sought.
        reactions: Columns of reactions that have a name.
        paths: Names of the state.
        t: Times of the results; twice the same where a load jumps.
        states: States at these times, a row for each.
        columns: All results: time, side of a jump, state, accelerations, inputs, reactions, and
            what the experiment names.
        open: How many freedoms the motions leave to themselves.
        jumps: Where loads jump.
        rests: Where a load has no sign for a while.
        singular: Singular states on the way, in words; numbers are on both sides of them.
        changes: When the motion enters or leaves a branch that the model names.
        deviations: How far inputs by other forms are off, relative to the largest.
        omitted: Reactions that are not unique.
        references: What the experiment expects, and the results.
        origin: The model that it is of, where it is known.
    """

    experiment: str
    form: str
    motions: tuple[str, ...]
    inputs: tuple[str, ...]
    reactions: tuple[str, ...]
    paths: tuple[str, ...]
    t: Array
    states: Array
    columns: tuple[Column, ...]
    open: int
    jumps: tuple[Jump, ...] = ()
    rests: tuple[Rest, ...] = ()
    singular: tuple[str, ...] = ()
    changes: tuple[tuple[float, str, bool], ...] = ()
    deviations: Mapping[str, float]
    omitted: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    origin: Origin | None = None

    def __repr__(self) -> str:
        """Return what it is of, and the names of its results."""
        return self.describe("Inverse", self.form)

    @property
    def met(self) -> bool:
        """Whether all is met that the experiment expects."""
        return all(reference.met for reference in self.references)

    def sides(self, t: float) -> tuple[int, int] | None:
        """Return the results before and after a jump at a time; None where there is one alone."""
        here = np.flatnonzero(self.t == t)
        return (int(here[0]), int(here[1])) if len(here) > 1 else None

    def as_json(self) -> dict[str, Any]:
        """Return its main results as plain data; results are in its columns."""
        columns = {column.name: column for column in self.columns if column.name in self._reported}
        return {
            "experiment": self.experiment,
            "form": self.form,
            "motions": list(self.motions),
            "first": float(self.t[0]),
            "last": float(self.t[-1]),
            "results": len(self.t),
            "open": self.open,
            "ranges": {
                name: {
                    "unit": column.unit,
                    "least": _extreme(column.values, self.t, np.nanargmin),
                    "most": _extreme(column.values, self.t, np.nanargmax),
                }
                for name, column in columns.items()
            },
            "jumps": [
                {
                    "t": jump.place.place.t,
                    "of": [each.name for each in jump.switches],
                    "loads": sorted({path for each in jump.switches for path in each.loads}),
                    **self._limits(jump),
                }
                for jump in self.jumps
            ],
            "rests": [
                {"of": rest.name, "first": rest.first, "last": rest.last} for rest in self.rests
            ],
            "singular": list(self.singular),
            "branches": [
                {"t": t, "branch": path, "entered": entered} for t, path, entered in self.changes
            ],
            "forms": {
                form: off if isfinite(off) else None for form, off in self.deviations.items()
            },
            "omitted": list(self.omitted),
            "references": [reference.as_json() for reference in self.references],
        }

    @property
    def _reported(self) -> set[str]:
        return {*self.inputs, *self.reactions}

    def _limits(self, jump: Jump) -> dict[str, dict[str, float]]:
        sides = self.sides(jump.place.place.t)
        if sides is None:
            return {}
        return {
            side: {
                column.name: float(column.values[k])
                for column in self.columns
                if column.name in self._reported
            }
            for side, k in zip(("before", "after"), sides, strict=True)
        }


def _extreme(values: Array, t: Array, which: Callable[[Array], Any]) -> dict[str, float] | None:
    if np.isnan(values).all():
        return None
    k = int(which(values))
    return {"value": float(values[k]), "t": float(t[k])}


def inverse(
    plan: Plan,
    forms: Mapping[str, Equations] | None = None,
    options: Options | None = None,
    *,
    linked: Linked | None = None,
    blank: Mapping[int, Reference] | None = None,
) -> Inverse:
    """Find what brings the prescribed motions of a plan about; raise `NotRunError` if nothing does.

    The first of the forms gives the results, and others are compared with it. `linked` is the
    model, without which reactions have no units, and joints no wrenches; `blank` are the
    expectations that are to be judged.
    """
    options = options or Options()
    units = {} if linked is None else reaction_units(linked)
    joints = joints_named(plan.system, options.joints)
    if not plan.motions:
        raise NotRunError("it prescribes no motion: mbx simulate runs it")
    plan, times = _timed(plan, options)
    forms = dict([chosen_form(plan.system)]) if not forms else dict(forms)
    clock = Clock.of(options.seconds)
    track = Track(plan, clock, forms)
    if track.open:
        require_regular(replace(plan, system=driven(plan)), start_of(plan))
    wanted = {expectation.time for expectation in plan.expected if expectation.time is not None}
    exact = sorted({t for t in wanted if plan.first <= t <= plan.last} | set(times.tolist()))
    every = dict(zip(exact, track.at(exact, options.progress), strict=True))
    samples = [every[t] for t in times.tolist()]
    jumps, rests = jumps_along(track, switches_of(plan.system, plan.unknowns), samples)
    (form, equations), *further = forms.items()
    search = _Search(plan, options, clock)
    jobs = _jobs(samples, jumps)
    seen = search.solve(form, equations, jobs)
    x = inputs_in(plan, seen)
    results = [
        Result(job.driven, job.side, here, dict(zip(plan.unknowns, row.tolist(), strict=True)))
        for job, here, row in zip(jobs, seen, x, strict=True)
    ]
    columns, reactions, omitted = columns_of(plan, results, units)
    if joints and linked is not None:
        regular = [k for k, here in enumerate(seen) if here.regular]
        situations = [Situation(results[k].at, jobs[k].values) for k in regular]
        more, open_ones = wrenches(linked, plan.system, joints, situations)
        more = [
            replace(column, values=_spread(column.values, regular, len(seen))) for column in more
        ]
        columns = (*columns, *(column for column in more if column.name not in reactions))
        reactions = tuple(dict.fromkeys([*reactions, *(column.name for column in more)]))
        omitted = tuple(dict.fromkeys([*omitted, *open_ones]))
    off = {name: _off(x, inputs_in(plan, search.solve(name, each, jobs))) for name, each in further}
    wanted_samples = {t: every[t] for t in exact if t in wanted}
    return Inverse(
        experiment=plan.name,
        form=form,
        motions=tuple(motion.path for motion in plan.motions),
        inputs=plan.unknowns,
        reactions=reactions,
        paths=tuple(v.path for v in (*plan.system.q, *plan.system.u)),
        t=np.array([result.driven.place.t for result in results]),
        states=np.array([list(result.driven.place.state.values()) for result in results]),
        columns=columns,
        open=track.open,
        jumps=tuple(jump for jump in jumps if jump.turns),
        rests=tuple(rests),
        singular=(*track.passed, *search.lost),
        changes=_changes(plan, samples),
        deviations=off,
        omitted=omitted,
        references=judged(plan, forms, wanted_samples, blank or {}, least=options.least),
    )


def _timed(plan: Plan, options: Options) -> tuple[Plan, Array]:
    """Return the plan with its end and the times of results; the start alone, if that is all."""
    if plan.first == plan.last and options.until is None:
        return plan, np.array([plan.first])
    return results_at(plan, Times(until=options.until, every=options.every))


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """A sample at which inputs are sought, and on which side of a jump: -1, 0 or 1."""

    driven: Driven
    side: int
    values: Mapping[Node, Node]


def _jobs(samples: Sequence[Driven], jumps: Sequence[Jump]) -> list[_Job]:
    """Return all samples in order; where a load jumps, both of its sides."""
    jobs_at = {sample.place.t: [_Job(sample, 0, {})] for sample in samples}
    for jump in jumps:
        sides = [(-1, jump.before), (1, jump.after)] if jump.turns else [(0, jump.before)]
        jobs_at[jump.place.place.t] = [_Job(jump.place, side, values) for side, values in sides]
    return [job for t in sorted(jobs_at) for job in jobs_at[t]]


@dataclass(frozen=True, slots=True)
class _Search:
    """Finds inputs at samples, with what jumps put into the loads."""

    plan: Plan
    options: Options
    clock: Clock
    lost: list[str] = field(default_factory=list)

    def solve(self, form: str, equations: Equations, jobs: Sequence[_Job]) -> list[Seen]:
        groups: dict[tuple[int, frozenset[tuple[Node, Node]]], list[int]] = {}
        stretch = 0  # between two jumps; across one, what inputs do may change its sign
        for k, job in enumerate(jobs):
            stretch += job.side > 0
            key = frozenset(job.values.items())
            groups.setdefault((0 if key else stretch, key), []).append(k)
        seen: dict[int, Seen] = {}
        for (_, key), members in groups.items():
            self.clock.check()
            system = (
                with_loads(self.plan.system, jobs[members[0]].values) if key else self.plan.system
            )
            each = registry.derive(system, form) if key else equations
            samples = [jobs[k].driven for k in members]
            here = with_inputs(
                Observer(system),
                each,
                self.plan,
                samples,
                least=self.options.least,
                lost=self.lost,
            )
            for k, driven_sample, result in zip(members, samples, here, strict=True):
                alone = result.status == SINGULAR and any(other.regular for other in here)
                if not result.regular and not alone:
                    raise NotRunError(
                        why_none(system, form, each, driven_sample.place, result.status)
                    )
                seen[k] = result
        return [seen[k] for k in range(len(jobs))]


def _off(x: Array, y: Array) -> float:
    """Return how far inputs are off others, relative to the largest of each."""
    both = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    x, y = x[both], y[both]
    size = np.abs(x).max(axis=0)
    return float((np.abs(y - x).max(axis=0) / np.where(size > 0, size, 1.0)).max())


def _spread(values: Array, rows: Sequence[int], count: int) -> Array:
    """Return values of some rows among all of them; others have no number."""
    spread = np.full(count, np.nan)
    spread[list(rows)] = values
    return spread


def _changes(plan: Plan, samples: Sequence[Driven]) -> tuple[tuple[float, str, bool], ...]:
    """Return when a motion enters or leaves a branch: the time of the first result after it."""
    system = plan.system
    if not system.branches:
        return ()
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    t = np.array([sample.place.t for sample in samples])
    q, u = (
        np.array([[sample.place.state[v.path] for v in variables] for sample in samples])
        for variables in (system.q, system.u)
    )
    belongs = manifold.belongs(Points(t, q, u))
    return tuple(
        (float(t[k]), path, bool(belongs[k, j]))
        for k in range(1, len(t))
        for j, path in enumerate(system.branches)
        if belongs[k, j] != belongs[k - 1, j]
    )
