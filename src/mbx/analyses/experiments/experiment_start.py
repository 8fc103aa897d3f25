"""Where an experiment starts: a consistent state, from what is stated, held and freed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.expr.build import sub
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import Node, number
from mbx.formalism.builder import Program
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.states.complete import complete, complete_higher, likely
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import sizes_of
from mbx.system.system import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System, Variable

__all__ = ["choices", "driven", "inputs_of", "motions_at", "start_of", "state_of"]

Keeping = Literal["all", "said", "nothing"]
"""What may not be moved: all that is stated, what an experiment states, or nothing."""
ROUNDED: Final = 1e-3
"""Part of the largest variable by which a stated value may be moved: digits that were left out."""


def inputs_of(plan: Plan) -> dict[str, float]:
    """Return the inputs that are set; those that are sought count as zero before that."""
    return {**dict.fromkeys(plan.unknowns, 0.0), **plan.inputs}


def driven(plan: Plan) -> System:
    """Return the system of a plan with its prescribed motions as invariants."""
    rows = [
        _row(f"prescribed {motion.path}", sub(motion.symbol, motion.value), motion.order)
        for motion in plan.motions
    ]
    return replace(plan.system, rows=(*plan.system.rows, *rows))


def motions_at(plan: Plan, t: float) -> dict[str, float]:
    """Return what prescribed motions of coordinates are at a time, by path."""
    bare = Program().equations(plan.system, "", "", "", {})
    signature = bare.signature
    state = dict.fromkeys([x.path for x in (*signature.q, *signature.u, *signature.higher)], 0.0)
    known = values_of(bare, state, plan.parameters, inputs_of(plan), t)
    moved = [motion for motion in plan.motions if motion.order == 0]
    values = evaluate_arrays([motion.value for motion in moved], known)
    return {motion.path: float(value) for motion, value in zip(moved, values, strict=True)}


def start_of(
    plan: Plan, completing: Equations | None = None, *, keeping: Keeping = "all"
) -> dict[str, float]:
    """Return the state at the start; a prescribed motion counts more than a stated value.

    `completing` are equations that define what holds of accelerations, where these belong to the
    state. What may not be moved is all that is stated, unless `keeping` is less: what the
    experiment states, or nothing.
    """
    stated = {**plan.said, **motions_at(plan, plan.first)}
    return _completed(driven(plan), plan, stated, plan.first, completing, keeping)


def state_of(plan: Plan, name: str, completing: Equations | None = None) -> dict[str, float]:
    """Return a state that the model names, completed."""
    alone = replace(plan, held=frozenset(), freed=frozenset(), motions=())
    return _completed(plan.system, alone, plan.system.states[name], 0.0, completing)


def _row(path: str, value: Node, order: int) -> Row:
    return Row(path=path, part="", value=value, order=order, kind="invariant")


def _completed(
    system: System,
    plan: Plan,
    stated: Mapping[str, float],
    t: float,
    completing: Equations | None,
    keeping: Keeping = "all",
) -> dict[str, float]:
    """Return a consistent state near the stated values."""
    higher = [] if completing is None else [x.path for x in completing.signature.higher]
    higher += [x.path for x in system.quasi if x.order < system.order and completing is not None]
    known = {v.path for v in (*system.q, *system.u)}
    rates = {v.path + "'": v for v in system.q if v.path + "'" not in known}
    for path in stated:
        if path not in known and path not in rates and path not in higher:
            raise NotRunError(f"'{path}' is no part of the state, and cannot be given a start")
    # a rate that is no speed is brought to its value by the speeds that it is made of
    rows = [_row(p, sub(v.rate, number(stated[p])), 1) for p, v in rates.items() if p in stated]
    manifold = Manifold(
        replace(system, rows=(*system.rows, *rows)), Values(plan.parameters, inputs_of(plan))
    )
    q, u = (
        np.array([stated.get(v.path, likely(v)) for v in variables], dtype=float)
        for variables in (system.q, system.u)
    )
    before = Points(np.array([t]), q[None], u[None])
    coordinates, speeds = (choices(plan, v, stated) for v in (system.q, system.u))
    completed = complete(manifold, before, coordinates, speeds)
    if completed is None:
        raise NotRunError(
            "no consistent state is near its start; say with 'hold' and 'free' what may change"
        )
    state: dict[str, float] = {}
    for variables, x, new in (
        (system.q, q, completed.points.q[0]),
        (system.u, u, completed.points.u[0]),
    ):
        if keeping != "nothing" and not (plan.motions or plan.held or plan.freed):
            _require_near(variables, stated, x, new, alone=keeping == "all")
        state |= {v.path: float(value) for v, value in zip(variables, new, strict=True)}
    if completing is not None and higher:
        starts = {x.path: x.variable.start for x in system.quasi if x.path in higher}
        if stated.keys().isdisjoint(
            higher
        ):  # else what is stated counts more than what is declared
            stated = {**{path: x for path, x in starts.items() if x is not None}, **stated}
        state |= _higher(completing, manifold, completed.points, stated, list(starts))
    return state


def choices(
    plan: Plan, variables: Sequence[Variable], stated: Mapping[str, float]
) -> list[NDArray[np.bool_]]:
    """Return what assembly may move: one choice after the other, as the first ones fail.

    What is freed, and what is not held; else what is not stated, if anything is; else what has
    no start. At last everything.
    """
    paths = [v.path for v in variables]
    every = np.array([path not in plan.held for path in paths], dtype=bool)
    silent = np.array([v.path not in stated and v.start is None for v in variables], dtype=bool)
    freed = np.array([path in plan.freed for path in paths], dtype=bool)
    if freed.any():
        return [freed | silent, *([every] if plan.held else [])]
    if not every.all():
        return [every]
    unstated = np.array([path not in stated for path in paths], dtype=bool)
    return [silent if unstated.all() else unstated, every]


def _require_near(
    variables: Sequence[Variable],
    stated: Mapping[str, float],
    x: Array,
    new: Array,
    *,
    alone: bool,
) -> None:
    """Raise an error if something that is stated had to move by more than digits left out.

    Where an experiment states nothing of coordinates, or of speeds, those that the model starts
    with count `alone`. What was left out is measured by the largest variable of the same unit; an
    angle is a part of a turn.
    """
    alone = alone and not any(v.path in stated for v in variables)
    sizes: dict[str, float] = {"1": 1.0}
    for v, *values in zip(variables, x, new, strict=True):
        sizes[v.dimension] = max([sizes.get(v.dimension, 0.0), *map(abs, values)])
    for v, old, value in zip(variables, x, new, strict=True):
        is_stated = v.path in stated or (alone and v.start is not None)
        if is_stated and abs(value - old) > ROUNDED * sizes[v.dimension]:
            raise NotRunError(
                f"its start is not consistent: '{v.path}' would have to be {value:.6g}, not"
                f" {old:.6g}; say with 'hold' and 'free' what may change"
            )


def _higher(
    equations: Equations,
    manifold: Manifold,
    points: Points,
    stated: Mapping[str, float],
    declared: Sequence[str],
) -> dict[str, float]:
    """Return accelerations and beyond that belong to the state.

    What is stated of variables that are declared with order 2 or more is kept, too.
    """
    wanted = {path: stated[path] for path in declared if path in stated}
    paths = [v.path for v in equations.signature.higher]
    x = np.array([[stated.get(path, 0.0) for path in paths]])
    free = np.array([path not in stated for path in paths], dtype=bool)
    for choice in (free, np.ones_like(free)):
        completed = complete_higher(equations, manifold.values, points, x.copy(), choice, wanted)
        state = {path: float(value[0]) for path, value in completed.items()}
        if not np.isnan(list(state.values())).any():
            break
    for path, old, size in zip(paths, x[0], _sizes(manifold, len(paths)), strict=True):
        if path in stated and not abs(state[path] - old) <= ROUNDED * max(size, abs(old)):
            raise NotRunError(f"its start is not consistent: '{path}' cannot be {old:.6g}")
    if np.isnan(list(state.values())).any():
        raise NotRunError("no consistent accelerations are near its start")
    return state


def _sizes(manifold: Manifold, count: int) -> Array:
    """Return how large accelerations and beyond are in a model, as many as are requested."""
    sizes = sizes_of(manifold)
    orders = -(-count // max(len(sizes.u), 1))
    rates = [sizes.u / sizes.t ** (k + 1) for k in range(orders)]
    return np.concatenate([*rates, np.zeros(0)])[:count]
