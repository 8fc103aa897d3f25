"""Assembly: consistent positions, speeds and accelerations from partial data.

What is held stays, what is free is solved for, and what is stated of the rest moves only where
nothing else makes it consistent (`mbx.analyses.experiments.experiment_start`). Held variables
may leave several positions, the assemblies: these are sought from many random positions at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import choices, driven, inputs_of, start_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.inverse.load_limits import limits_at
from mbx.analyses.inverse.prescribed_motion import Track
from mbx.analyses.jammed import why_none
from mbx.analyses.simulate.engine import chosen_form
from mbx.base.short_repr import join_values, shorten_repr
from mbx.formalism.builder import Program
from mbx.language.units import per_second
from mbx.mechanics import motion
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.complete import likely
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import draw
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.inverse.load_limits import Limit
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Assembly", "assemble", "assemble_at", "branches", "distinct", "poses"]

TRIALS: Final = 400
"""Random positions from which assemblies are sought."""
WIDE: Final = np.pi
"""How far from its start a coordinate without a range is sought, in rad and m."""
SAME: Final = 1e-6
"""Part of the largest position of a body by which one assembly may be off itself."""
NEAR: Final = 1e-6
"""Part of the largest singular value below which a state is nearly singular."""
STATES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """A consistent state.

    Attributes:
        t: When.
        state: Coordinates, speeds and what else belongs to the state, by path, in SI units.
        accelerations: Rates of the speeds, or of the highest part of the state, by path.
        prescribed: Variables whose motion is prescribed.
        held: Variables that were kept where they are.
        moved: Variables that are not where they were stated to be.
        rank: How many invariants are independent at the state.
        usual: How many are, at states in general position.
        condition: Largest over smallest singular value of the independent invariants.
        residual: What remains of invariants of positions and of velocities, relative.
        status: Of the equations of motion: regular, or what else.
        form: The form that gives the accelerations; "" where the motion does.
        units: Of the accelerations, by path.
        dependent: Invariants that depend on each other here, and do not in general.
        limits: What accelerations and reactions are on both sides of a jump in the loads.
    """

    t: float
    state: Mapping[str, float]
    accelerations: Mapping[str, float]
    prescribed: tuple[str, ...]
    held: tuple[str, ...]
    moved: tuple[str, ...]
    rank: int
    usual: int
    condition: float
    residual: tuple[float, float]
    status: str
    form: str
    units: Mapping[str, str]
    dependent: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()

    def __repr__(self) -> str:
        """Return the state."""
        return shorten_repr(f"<Assembly at {self.t:.6g} s: {join_values(self.state)}>")

    @property
    def singular(self) -> bool:
        """Whether the mechanism has more freedoms here than in general, or nearly so."""
        return self.rank < self.usual or self.condition > 1 / NEAR

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; what is no number is null."""
        return {
            "t": self.t,
            "state": dict(self.state),
            "accelerations": {
                path: value if np.isfinite(value) else None
                for path, value in self.accelerations.items()
            },
            "prescribed": list(self.prescribed),
            "held": list(self.held),
            "moved": list(self.moved),
            "rank": self.rank,
            "usual": self.usual,
            "singular": self.singular,
            "condition": self.condition if np.isfinite(self.condition) else None,
            "residual": list(self.residual),
            "status": self.status,
            "form": self.form,
            "dependent": list(self.dependent),
            "limits": [limit.as_json() for limit in self.limits],
        }


def assemble(
    plan: Plan, forms: Mapping[str, Equations] | None = None, *, at: float | None = None
) -> Assembly:
    """Return the state where an experiment starts; raise `NotRunError` where there is none.

    With prescribed motions, it can be a state `at` a later time: that to which they lead. The
    first form that has accelerations gives them, of those that apply if none are passed.
    """
    if at is not None and at > plan.first and plan.motions:
        later = replace(plan, last=max(at, plan.last))
        (sample,) = Track(later, Clock.of(inf)).at([at])
        return _judged(replace(later, first=at), sample.place.state, forms)
    plan = plan if at is None else replace(plan, first=at, last=max(at, plan.last))
    completing = None
    if plan.system.order > 2:  # noqa: PLR2004  then accelerations belong to the state
        every = all_forms(plan.system) if forms is None else forms
        completing = next((form for form in every.values() if form.signature.higher), None)
    return _judged(plan, start_of(plan, completing, keeping="nothing"), forms)


def assemble_at(plan: Plan, state: Mapping[str, float]) -> Assembly:
    """Return a state that is consistent already, judged, with its accelerations."""
    return _judged(plan, state, all_forms(plan.system))


def branches(plan: Plan, seed: int = 1, at: float | None = None) -> list[Assembly]:
    """Return the assemblies that a search gives with what is held, that at the start first.

    Where nothing is held, all stated values are. Raise `NotRunError` where that leaves
    coordinates open.
    """
    forms = dict([chosen_form(plan.system)])  # one for all of them, since deriving takes long
    first = assemble(plan, forms, at=at)
    plan = replace(plan, first=first.t, last=max(first.t, plan.last))
    system = driven(plan)
    moved = {motion.path for motion in plan.motions}
    fixed = plan.held or (plan.said.keys() if not plan.motions else moved)
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    free = np.array([v.path not in fixed for v in system.q], dtype=bool)
    if not plan.held and not free.any() and len(system.q):
        raise NotRunError("all coordinates are said; hold those that are to stay")
    here = _points(system, first.state, plan.first)
    _require_determined(manifold, here, free)
    rng = np.random.default_rng(seed)
    spans = [v.range or (likely(v) - WIDE, likely(v) + WIDE) for v in system.q]
    tried = np.array([rng.uniform(*span, TRIALS) for span in spans], dtype=float).T
    q = np.where(free, tried.reshape(TRIALS, len(system.q)), here.q)
    points = Points(np.full(TRIALS, plan.first), q, np.tile(here.u, (TRIALS, 1)))
    points, error = manifold.project_positions(points, free)
    points = here.and_then(points.some((error <= CLOSE) & manifold.assembled(points)))
    chosen = distinct(poses(manifold, points))
    assemblies = [first]
    for k in chosen:
        if k:
            point = points.some(np.arange(len(points)) == k)
            state = _with_speeds(manifold, plan, point)
            if state is not None:
                assemblies.append(_judged(plan, state, forms))
    return assemblies


def _points(system: System, state: Mapping[str, float], t: float) -> Points:
    q, u = (np.array([[state[v.path] for v in x]], dtype=float) for x in (system.q, system.u))
    return Points(np.array([t]), q.reshape(1, len(system.q)), u.reshape(1, len(system.u)))


def _require_determined(manifold: Manifold, at: Points, free: Array) -> None:
    (Cq,) = manifold.at(at, "Cq")
    slopes = Cq[0][:, free]
    rank = (
        np.linalg.matrix_rank(slopes, tol=1e-8 * np.abs(slopes).max(initial=1.0))
        if slopes.size
        else 0
    )
    left = int(free.sum()) - int(rank)
    if left:
        open_ones = [v.path for v, f in zip(manifold.system.q, free, strict=True) if f]
        raise NotRunError(
            f"assemblies cannot be told apart: {left} of {', '.join(open_ones)} must be held"
        )


def poses(manifold: Manifold, points: Points, length: float = 1.0) -> Array:
    """Return where all bodies are, in a length, and how they are turned, a row for each state."""
    system = manifold.system
    entries: list[Node] = []
    sizes: list[float] = []
    for element in system.elements:
        if element.placed:
            entries += element.com.p
            sizes += [length] * len(element.com.p)
        if element.frame is not None:
            entries += [x for row in element.frame.R for x in row]
            sizes += [1.0] * (len(entries) - len(sizes))
    program = Program()
    program.column("p", motion.in_speeds(system).express(entries))
    equations = replace(
        program.equations(system, "poses", "Poses", "", {"p": "p"}),
    )
    equations = replace(equations, signature=replace(equations.signature, higher=()))
    values = run(equations, manifold.values.at(equations, points)).matrix("p")
    return np.asarray(np.asarray(values)[:, :, 0] / np.array(sizes))


def distinct(poses: Array) -> list[int]:
    """Return the first state of each assembly."""
    size = max(1.0, float(np.abs(poses).max(initial=0.0)))
    firsts: list[int] = []
    for k, pose in enumerate(poses):
        if not any(np.abs(pose - poses[j]).max(initial=0.0) <= SAME * size for j in firsts):
            firsts.append(k)
    return firsts


def _with_speeds(manifold: Manifold, plan: Plan, points: Points) -> dict[str, float] | None:
    system = manifold.system
    for free in choices(plan, system.u, plan.said):
        projected, error = manifold.project_velocities(points, free)
        if error[0] <= CLOSE:
            paths = [v.path for v in (*system.q, *system.u)]
            numbers = [*projected.q[0].tolist(), *projected.u[0].tolist()]
            return dict(zip(paths, numbers, strict=True))
    return None


# -- what a state is like ----------------------------------------------------------------------


def _judged(
    plan: Plan, state: Mapping[str, float], forms: Mapping[str, Equations] | None
) -> Assembly:
    system = driven(plan)
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    at = _points(system, state, plan.first)
    rank, condition = _rank(manifold, at)
    generic = draw(manifold, np.random.default_rng(1), STATES).points
    usual = max([rank, *manifold.ranks(generic).tolist()]) if len(generic) else rank
    of_positions, of_velocities = manifold.residuals(at)
    sample = Place(state, plan.parameters, inputs_of(plan), plan.first)
    form, status, equations, rates = _accelerations(plan, sample, forms)
    led = _led(manifold, at, rank)
    if plan.motions and equations is not None:
        # inputs are not known here, and accelerations but those of the motion no more
        paths = [v.path for v in equations.signature.highest]
        form, rates = "", {} if led is None else dict(zip(paths, led, strict=True))
        status = "the prescribed motions leave some open" if led is None else REGULAR
    stated = {v.path: plan.said.get(v.path, v.start) for v in (*system.q, *system.u)}
    moved = tuple(
        path
        for path, old in stated.items()
        if old is not None and abs(state[path] - old) > SAME * max(1.0, abs(old))
    )
    return Assembly(
        t=plan.first,
        state=state,
        accelerations=rates,
        prescribed=tuple(motion.path for motion in plan.motions),
        held=tuple(v.path for v in (*system.q, *system.u) if v.path in plan.held),
        moved=moved,
        rank=rank,
        usual=usual,
        condition=condition,
        residual=(float(of_positions[0]), float(of_velocities[0])),
        status=status,
        form=form,
        units=_units(system),
        dependent=_dependent(manifold, at, rank) if rank < usual else (),
        limits=limits_at(plan.system, form, sample) if form and plan.system.order < 3 else (),  # noqa: PLR2004
    )


def _led(manifold: Manifold, at: Points, rank: int) -> list[float] | None:
    """Return the accelerations that the invariants alone determine, if they do."""
    A, b = manifold.at(at, "A", "b")
    if rank < A.shape[2]:
        return None
    return [float(x) for x in np.linalg.lstsq(A[0], -b[0, :, 0], rcond=None)[0]]


def _units(system: System) -> dict[str, str]:
    """Return the units of accelerations and beyond, and of variables of order 2 and more."""
    units: dict[str, str] = {}
    for v in system.u:
        path, unit = v.path, v.unit
        for _ in range(system.order - 1):
            path, unit = path + "'", per_second(unit)
            units[path] = unit
    for quantity in system.quasi:
        path, unit = quantity.path, quantity.variable.unit
        units[path] = unit
        for _ in range(system.order - quantity.order):
            path, unit = path + "'", per_second(unit)
            units[path] = unit
    return units


def _dependent(manifold: Manifold, at: Points, rank: int) -> tuple[str, ...]:
    """Return the invariants that take part in a relation between them."""
    (A,) = manifold.at(at, "A")
    U, _, _ = np.linalg.svd(A[0])
    part = np.abs(U[:, rank:]).max(axis=1, initial=0.0)
    paths = manifold.equations.step("A").row_labels
    return tuple(path for path, size in zip(paths, part, strict=True) if size > SAME)


def _rank(manifold: Manifold, at: Points) -> tuple[int, float]:
    rank = int(manifold.ranks(at)[0])
    (A,) = manifold.at(at, "A")
    if not A.size or rank <= 0:
        return max(rank, 0), 1.0
    size = np.abs(A[0]).max(axis=1, keepdims=True)
    s = np.linalg.svd(A[0] / np.where(size > 0, size, 1.0), compute_uv=False)
    return rank, float(s[0] / s[rank - 1]) if s[rank - 1] > 0 else float("inf")


def _accelerations(
    plan: Plan, sample: Place, forms: Mapping[str, Equations] | None
) -> tuple[str, str, Equations | None, dict[str, float]]:
    """Return the accelerations by the first form that has some, and why the others have none."""
    status = "no form says this model"
    for name, equations in _forms(plan.system) if forms is None else forms.items():
        outcome = equations.evaluate(sample.state, sample.parameters, sample.inputs, sample.t)
        if outcome.status == REGULAR:
            paths = [v.path for v in equations.signature.highest]
            rates = dict(zip(paths, map(float, outcome.ud), strict=True))
            if "quasi" in equations.results:
                labels = equations.step(equations.results["quasi"]).row_labels
                rates |= dict(zip(labels, map(float, outcome.quasi), strict=True))
            return name, REGULAR, equations, rates
        status = why_none(plan.system, name, equations, sample, str(outcome.status))
    return "", status, None, {}


def _forms(system: System) -> Iterator[tuple[str, Equations]]:
    """Yield the forms of a system, the one that runs it first."""
    try:
        first = chosen_form(system)
    except NotRunError:
        return
    yield first
    yield from (pair for pair in all_forms(system).items() if pair[0] != first[0])
