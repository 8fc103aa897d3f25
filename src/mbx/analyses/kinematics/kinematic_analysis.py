"""Kinematics of a driven mechanism: positions, velocities and accelerations.

It is solved group by group, or as a whole (`mbx.analyses.kinematics`), from an assembled state on.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.branches import branches as all_of
from mbx.analyses.kinematics.driven_start import driven_start
from mbx.analyses.kinematics.drives import require_values
from mbx.analyses.kinematics.follow import March
from mbx.analyses.kinematics.groups.c_code import c_code
from mbx.analyses.kinematics.groups.decompose import NotDeterminedError, decompose
from mbx.analyses.kinematics.groups.group_machine import compiled
from mbx.analyses.kinematics.groups.group_names import named
from mbx.analyses.kinematics.jacobian_conditions import largest
from mbx.analyses.kinematics.method_agreement import agreement
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.points_of_interest import PointOfInterest
from mbx.analyses.kinematics.reach import reach
from mbx.analyses.kinematics.solve_motion import solution_of
from mbx.analyses.request import UnknownNameError
from mbx.analyses.simulate.result_times import results_at
from mbx.analyses.simulate.runs import Column, Options
from mbx.analyses.time_series import TimeSeries
from mbx.base.short_repr import shorten_repr
from mbx.expr.nodes import number
from mbx.language.units import per_second

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.kinematics.drives import Drives
    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.groups.group_machine import Machine
    from mbx.analyses.kinematics.kinematic_options import KinematicOptions
    from mbx.analyses.kinematics.method_agreement import Agreement
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.reach import Reach
    from mbx.analyses.kinematics.solve_motion import Instant, Method, Solution
    from mbx.analyses.time_series import Origin
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Kinematics", "Study", "study_of"]

_LEVELS: Final = ("positions", "velocities", "accelerations")
_BLOCK: Final = 500
"""Positions that are solved in one go."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinematics(TimeSeries):
    """A mechanism over its times.

    Attributes:
        method: How it was solved.
        backend: What solved it: machine or python.
        groups: Names and bodies of the groups, in order; one where it was solved as a whole.
        t: The times.
        states: Coordinates of the model, a row for each time; `paths` are their names.
        columns: All results.
        condition: The largest condition number of a group's Jacobian, and the group.
        seconds, compiling: CPU time of the positions, and of what went before.
        agreement: How well all methods agree, if requested.
        note: Why it may not be on the branch of the model's start.
        origin: The model that it is of, where it is known.
    """

    method: Method
    backend: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    t: Array
    paths: tuple[str, ...]
    states: Array
    columns: tuple[Column, ...]
    condition: tuple[float, str]
    seconds: float
    compiling: float
    agreement: Agreement | None = None
    note: str = ""
    origin: Origin | None = None

    def __repr__(self) -> str:
        """Return what it is of, and the names of its results."""
        return self.describe("Kinematics", self.method)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data, all results of the last time."""
        data: dict[str, Any] = {
            "method": self.method,
            "groups": [{"name": name, "bodies": list(bodies)} for name, bodies in self.groups],
            "positions": len(self.t),
            "condition": {"value": self.condition[0], "group": self.condition[1]},
            "last": {column.name: float(column.values[-1]) + 0.0 for column in self.columns},
        }
        if self.note:
            data["note"] = self.note
        return data if self.agreement is None else {**data, "agreement": self._agreement()}

    def _agreement(self) -> dict[str, Any]:
        agreement = self.agreement
        if agreement is None:
            raise TypeError("nothing was compared")
        return {
            "holds": agreement.holds,
            "missing": agreement.missing,
            "compared": [
                {**asdict(comparison), "errors": dict(zip(_LEVELS, comparison.errors, strict=True))}
                for comparison in agreement.comparisons
            ],
        }


@dataclass(frozen=True, eq=False)
class Study:
    """A mechanism that is ready to be solved, from an assembled state on.

    `note` states why that is not on the branch of the model's start, if it may not be.
    """

    linked: Linked
    plan: Plan
    mechanism: Mechanism
    drives: Drives
    state: Mapping[str, float]
    note: str = ""

    def __repr__(self) -> str:
        """Return the name of the model."""
        return shorten_repr(f"<Study of the kinematics of {self.linked.model.name}>")

    def chains(self) -> tuple[list[Chain], list[str]]:
        """Return the structural groups with their names; raise `NotDeterminedError` if none."""
        solution = solution_of(self.mechanism, "td", readouts=False)
        chains = list(solution.chains)
        return chains, [named(solution.view, chain) for chain in chains]

    @property
    def decomposes(self) -> bool:
        """Whether its structure falls into groups."""
        try:
            decompose(self.mechanism.graph)
        except NotDeterminedError:
            return False
        return True

    def times(self, request: KinematicOptions) -> Array:
        """Return the times of the positions; all drives must have values then."""
        times = self._times(request)
        motions = {str(s.value): motion for s, motion in self.mechanism.drives.items()}
        require_values(motions, times)
        return times

    def _times(self, request: KinematicOptions) -> Array:
        until, every = request.until, request.every
        if self.drives.times is not None:
            if until is not None or every is not None:
                raise NotRunError(f"the sweep of '{self.drives.swept}' says all times itself")
            return self.drives.times
        first = self.plan.first
        if every is None and first == (self.plan.last if until is None else until):
            return np.array([first])
        return results_at(self.plan, Options(until=until, every=every))[1]

    def run(self, request: KinematicOptions) -> Kinematics:
        """Return positions, velocities and accelerations; raise `HaltError` where it halts."""
        began = time.process_time()
        times = self.times(request)
        solution = solution_of(self.mechanism, request.method)
        engine = compiled(solution)
        points = [
            (_called(body, r), PointOfInterest(solution, body, np.array(r)))
            for body, r in request.points
        ]
        tick = _clock(request.seconds)
        march = March(solution, engine, tick)
        instants = [march.begin(float(times[0]), solution.start(self.state, float(times[0])))]
        ready = time.process_time()
        block = _BLOCK
        while len(instants) < len(times):
            done = len(instants)
            swept = march.sweep(instants[-1], times[done : done + block])
            instants += swept
            if len(swept) < min(block, len(times) - done):
                instants.append(march.go(instants[-1], float(times[len(instants)])))
            block = min(2 * len(swept) + 1, _BLOCK)  # where steps are doubtful, fewer at a time
            tick()
            request.progress(len(instants) / len(times))
        took = time.process_time() - ready, ready - began
        kinematics = self._results(request, solution, engine, instants, points, took)
        if not request.compared:
            return kinematics
        indices = np.linspace(0, len(instants) - 1, min(request.compared, len(instants)))
        chosen = [instants[k] for k in indices.round().astype(int)]
        return replace(kinematics, agreement=agreement(self.mechanism, chosen, solution))

    def _results(
        self,
        request: KinematicOptions,
        solution: Solution,
        engine: Machine | Solution,
        instants: list[Instant],
        points: Sequence[tuple[str, PointOfInterest]],
        clock: tuple[float, float],
    ) -> Kinematics:
        system = self.mechanism.system
        shown = [v for v in system.q if v.symbol in solution.place]
        indices = [solution.place[v.symbol] for v in shown]
        t = np.array([instant.t for instant in instants])
        levels = [
            np.array([getattr(instant, name)[indices] for instant in instants]).reshape(len(t), -1)
            for name in ("x", "xd", "xdd")
        ]
        columns = [Column("t", "s", t)]
        for order, values in enumerate(levels):
            columns += [
                Column(v.path + "'" * order, per_second(v.unit, order), values[:, k])
                for k, v in enumerate(shown)
            ]
        if request.natural:
            columns += _natural(solution, instants)
        for name, point in points:
            motions = np.array([point.at(instant) for instant in instants])
            for order in range(3):
                columns += [
                    Column(
                        f"{name}.{c}" + "'" * order, per_second("m", order), motions[:, order, k]
                    )
                    for k, c in enumerate("xyz")
                ]
        x = np.array([instant.x for instant in instants])
        worst = (1.0, "")
        for group, J in solution.jacobians_over(t, x):
            columns += _transmission(group, J)
            value, where = largest(J, worst[0])
            worst = (value, group.label) if where >= 0 else worst
        groups = [(g.name, g.bodies) for g in solution.groups if g.name != "readout"]
        return Kinematics(
            method=solution.method,
            backend="python" if engine is solution else "machine",
            groups=tuple(groups),
            t=t,
            paths=tuple(v.path for v in shown),
            states=levels[0],
            columns=tuple(columns),
            condition=worst,
            seconds=clock[0],
            compiling=clock[1],
            note=self.note,
        )

    def c_code(self, request: KinematicOptions) -> dict[str, str]:
        """Return the mechanism as C, with this start: file names and texts."""
        solution = solution_of(self.mechanism, request.method)
        start = solution.start(self.state, float(self.times(request)[0]))
        return c_code(solution, start, self.mechanism.system.name)

    def reach(self, name: str, request: KinematicOptions) -> Reach:
        """Return how far a drive can go from the state, the others held where they are."""
        fixed = {
            str(s.value): number(self.state[str(s.value)])
            for s in self.mechanism.drives
            if str(s.value) != name
        }
        dimensions = {v.path: v.dimension for v in self.mechanism.system.q}
        if name not in dimensions:
            raise UnknownNameError(f"there is no coordinate '{name}' to drive")
        far = 2 * np.pi if dimensions[name] == "1" else _size(self.mechanism, self.state)
        values = {**self.plan.parameters, **self.plan.inputs}
        return reach(
            lambda drives: mechanism_of(self.linked, self.mechanism.system, drives, values),
            name,
            self.state,
            fixed,
            request.method,
            far=float(far),
            tick=_clock(request.seconds),
        )

    def branches(self, request: KinematicOptions, seed: int = 1) -> list[dict[str, float]]:
        """Return the coordinates of the model on every branch of the search, with rates."""
        solution = solution_of(self.mechanism, request.method)
        t = float(self.times(request)[0])
        near = solution.start(self.state, t)
        instants = all_of(solution, t, near, seed, _clock(request.seconds))
        system = self.mechanism.system
        return [
            {
                v.path + "'" * order: float(values[solution.place[v.symbol]])
                for order, values in enumerate((instant.x, instant.xd, instant.xdd))
                for v in system.q
                if v.symbol in solution.place
            }
            for instant in instants
        ]


def _clock(seconds: float) -> Callable[[], None]:
    """Return what raises `NotRunError` once so much CPU time has passed."""
    end = time.process_time() + seconds

    def tick() -> None:
        if time.process_time() > end:
            raise NotRunError(f"it took more than {seconds:g} s of CPU time")

    return tick


def _called(body: str, r: tuple[float, float, float]) -> str:
    return f"{body}({','.join(f'{x:g}' for x in r)})"


def _size(mechanism: Mechanism, state: Mapping[str, float]) -> float:
    """Return a length that no drive of a mechanism is expected to exceed."""
    lengths = [abs(state[v.path]) for v in mechanism.system.q if v.dimension == "m"]
    sides = [float(np.linalg.norm(side.r)) for p in mechanism.pairs for side in (p.first, p.second)]
    return 2 * sum([*lengths, *sides]) + 1e-3


def _natural(solution: Solution, instants: list[Instant]) -> list[Column]:
    """Return natural coordinates with their rates; vectors have no unit."""
    columns = []
    for s, k in solution.place.items():
        name = str(s.value)
        if "@" in name:
            unit = solution.view.dimension(s)
            for order, level in enumerate(("x", "xd", "xdd")):
                values = np.array([getattr(instant, level)[k] for instant in instants])
                columns.append(Column(name + "'" * order, per_second(unit, order), values))
    return columns


def _transmission(group: Group, J: Array) -> Iterator[Column]:
    """Yield the transmission angle of a dyad: between the two bars at their pin.

    Of a slider it is between the rod and the normal of its line. Both are the angle between the
    gradients of the two constraints, 90 degrees where they hold the pin best.
    """
    if group.name in {"3R", "RRPR"} and J.shape[1:] == (2, 2):
        a, b = J[:, 0], J[:, 1]
        sine = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        angle = np.arctan2(sine, np.abs((a * b).sum(axis=1)))
        yield Column(f"transmission({', '.join(group.bodies)})", "rad", angle)


def study_of(
    linked: Linked,
    plan: Plan,
    drives: Drives,
    *,
    start: bool = True,
    seconds: float = float("inf"),
) -> Study:
    """Return a mechanism ready to be solved; raise `NotRunError` where it cannot be assembled.

    That may take so many seconds of CPU time.
    """
    values = {**plan.parameters, **plan.inputs}
    motions = dict(drives.motions)
    for motion in plan.motions:
        if motion.order == 0:
            motions.setdefault(motion.path, motion.value)
    mechanism = mechanism_of(linked, plan.system, motions, values)
    state: Mapping[str, float] = {}
    note = ""
    if start:
        state, note = driven_start(plan, mechanism, motions, _clock(seconds))
    return Study(linked, plan, mechanism, drives, state, note)
