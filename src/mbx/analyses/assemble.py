"""Assembly: consistent positions, speeds and accelerations from partial data.

What is held stays, what is free is solved for, and what is said of the rest moves only where
nothing else makes it consistent (`mbx.experiments.start`). Held variables may leave several
positions, the assemblies: these are looked for from many random places at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.assembly.complete import likely
from mbx.assembly.manifold import CLOSE, Manifold, Points, Values
from mbx.experiments.forms import all_forms
from mbx.experiments.plan import NotRunError
from mbx.experiments.start import choices, driven, inputs_of, start_of
from mbx.formalism.builder import Program
from mbx.formalism.execute import REGULAR, run
from mbx.mechanics import motion
from mbx.verify.sample import draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.experiments.plan import Plan
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.system.system import System

__all__ = ["Assembly", "assemble", "assemble_at", "branches", "distinct", "poses"]

TRIALS: Final = 400
"""Random places from which assemblies are looked for."""
WIDE: Final = np.pi
"""How far from its start a coordinate without a range is looked for, in rad and m."""
SAME: Final = 1e-6
"""Part of the largest place of a body by which one assembly may be off itself."""
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
        moved: Variables that are not where they were said to be.
        rank: How many invariants are independent at the state.
        usual: How many are, at states in general position.
        condition: Largest over smallest singular value of the independent invariants.
        residual: What remains of invariants of positions and of velocities, relative.
        status: Of the equations of motion: regular, or what else.
        form: The form that gives the accelerations.
    """

    t: float
    state: Mapping[str, float]
    accelerations: Mapping[str, float]
    moved: tuple[str, ...]
    rank: int
    usual: int
    condition: float
    residual: tuple[float, float]
    status: str
    form: str

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
            "moved": list(self.moved),
            "rank": self.rank,
            "usual": self.usual,
            "singular": self.singular,
            "condition": self.condition if np.isfinite(self.condition) else None,
            "residual": list(self.residual),
            "status": self.status,
            "form": self.form,
        }


def assemble(plan: Plan, forms: Mapping[str, Equations] | None = None) -> Assembly:
    """Return the state where an experiment starts; raise `NotRunError` where there is none."""
    forms = all_forms(plan.system) if forms is None else forms
    completing = next((one for one in forms.values() if one.signature.higher), None)
    return _judged(plan, start_of(plan, completing), forms)


def assemble_at(plan: Plan, state: Mapping[str, float]) -> Assembly:
    """Return a state that is consistent already, judged, with its accelerations."""
    return _judged(plan, state, all_forms(plan.system))


def branches(plan: Plan, seed: int = 1) -> list[Assembly]:
    """Return all assemblies that were found with what is held, the one at the start first.

    Raise `NotRunError` where what is held leaves coordinates open.
    """
    forms = all_forms(plan.system)
    system = driven(plan)
    held = plan.held | plan.said.keys()
    first = assemble(plan, forms)
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    free = np.array([v.path not in held for v in system.q], dtype=bool)
    at = _points(system, first.state, plan.first)
    _require_determined(manifold, at, free)
    rng = np.random.default_rng(seed)
    spans = [v.range or (likely(v) - WIDE, likely(v) + WIDE) for v in system.q]
    tried = np.array([rng.uniform(*span, TRIALS) for span in spans], dtype=float).T
    q = np.where(free, tried.reshape(TRIALS, len(system.q)), at.q)
    points = Points(np.full(TRIALS, plan.first), q, np.tile(at.u, (TRIALS, 1)))
    points, error = manifold.project_positions(points, free)
    points = at.and_then(points.some((error <= CLOSE) & manifold.assembled(points)))
    chosen = distinct(poses(manifold, points))
    found = [first]
    for k in chosen:
        if k:
            one = points.some(np.arange(len(points)) == k)
            state = _with_speeds(manifold, plan, one)
            if state is not None:
                found.append(_judged(plan, state, forms))
    return found


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


def poses(manifold: Manifold, points: Points) -> Array:
    """Return where all bodies are and how they are turned, a row for each state."""
    system = manifold.system
    places: list[Node] = []
    for element in system.elements:
        if element.placed:
            places += element.com.p
        if element.frame is not None:
            places += [x for row in element.frame.R for x in row]
    program = Program()
    program.column("p", motion.in_speeds(system).said(places))
    equations = replace(
        program.equations(system, "poses", "Poses", "", {"p": "p"}),
    )
    equations = replace(equations, signature=replace(equations.signature, higher=()))
    found = run(equations, manifold.values.at(equations, points)).matrix("p")
    return np.asarray(found)[:, :, 0]


def distinct(poses: Array) -> list[int]:
    """Return the first state of each assembly."""
    size = max(1.0, float(np.abs(poses).max(initial=0.0)))
    found: list[int] = []
    for k, pose in enumerate(poses):
        if not any(np.abs(pose - poses[j]).max(initial=0.0) <= SAME * size for j in found):
            found.append(k)
    return found


def _with_speeds(manifold: Manifold, plan: Plan, points: Points) -> dict[str, float] | None:
    system = manifold.system
    for free in choices(plan, system.u, plan.said):
        found, error = manifold.project_velocities(points, free)
        if error[0] <= CLOSE:
            paths = [v.path for v in (*system.q, *system.u)]
            numbers = [*found.q[0].tolist(), *found.u[0].tolist()]
            return dict(zip(paths, numbers, strict=True))
    return None


# -- what a state is like ----------------------------------------------------------------------


def _judged(plan: Plan, state: Mapping[str, float], forms: Mapping[str, Equations]) -> Assembly:
    system = driven(plan)
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    at = _points(system, state, plan.first)
    rank, condition = _rank(manifold, at)
    others = draw(manifold, np.random.default_rng(1), STATES).points
    usual = max([rank, *manifold.ranks(others).tolist()]) if len(others) else rank
    none = (np.zeros(len(system.q), dtype=bool), np.zeros(len(system.u), dtype=bool))
    left = (
        float(manifold.project_positions(at, none[0])[1][0]),
        float(manifold.project_velocities(at, none[1])[1][0]),
    )
    form, status, rates = _accelerations(plan, state, forms)
    said = {v.path: plan.said.get(v.path, v.start) for v in (*system.q, *system.u)}
    moved = tuple(
        path
        for path, old in said.items()
        if old is not None and abs(state[path] - old) > SAME * max(1.0, abs(old))
    )
    return Assembly(
        t=plan.first,
        state=state,
        accelerations=rates,
        moved=moved,
        rank=rank,
        usual=usual,
        condition=condition,
        residual=left,
        status=status,
        form=form,
    )


def _rank(manifold: Manifold, at: Points) -> tuple[int, float]:
    rank = int(manifold.ranks(at)[0])
    (A,) = manifold.at(at, "A")
    if not A.size or rank <= 0:
        return max(rank, 0), 1.0
    size = np.abs(A[0]).max(axis=1, keepdims=True)
    s = np.linalg.svd(A[0] / np.where(size > 0, size, 1.0), compute_uv=False)
    return rank, float(s[0] / s[rank - 1]) if s[rank - 1] > 0 else float("inf")


def _accelerations(
    plan: Plan, state: Mapping[str, float], forms: Mapping[str, Equations]
) -> tuple[str, str, dict[str, float]]:
    """Return the accelerations by the first form that has some, and what the others say."""
    status = "no form says this model"
    for name, equations in forms.items():
        found = equations.evaluate(state, plan.parameters, inputs_of(plan), plan.first)
        if found.status == REGULAR:
            paths = [one.path for one in equations.signature.highest]
            return name, REGULAR, dict(zip(paths, map(float, found.ud), strict=True))
        status = str(found.status)
    return "", status, {}
