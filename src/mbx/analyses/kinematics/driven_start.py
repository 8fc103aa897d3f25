"""Where a driven mechanism starts: on the branch of the model's start.

The model is assembled without drives, and these are then led from where they are to where they
begin, so that no group changes its branch on the way. Where that halts, or where the model has
no start without drives, it is assembled at once, with the drives where they begin.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import Motion, NotRunError
from mbx.analyses.experiments.experiment_start import motions_at, start_of
from mbx.analyses.kinematics.follow import HaltError, March
from mbx.analyses.kinematics.groups.decompose import NotDeterminedError, decompose
from mbx.analyses.kinematics.groups.group_machine import compiled
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.solve_motion import solution_of
from mbx.expr.build import add, mul
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import number
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.expr.nodes import Node

__all__ = ["driven_start"]

_STEPS: Final = 16
_SAME: Final = 1e-12
"""Way of a drive, in SI units, that is none."""


def driven_start(
    plan: Plan, mechanism: Mechanism, motions: Mapping[str, Node], tick: Callable[[], None]
) -> tuple[dict[str, float], str]:
    """Return the coordinates with all drives where they begin, and why they were not led there.

    Raise `HaltError` where there is no such state on the way, and none elsewhere either. `tick`
    is called at every step, and may raise to end the work.
    """
    moved = tuple(
        Motion(path=v.path, symbol=v.symbol, order=0, value=motions[v.path], unknowns=())
        for v in plan.system.q
        if v.path in motions
    )
    driven = replace(plan, motions=moved)
    try:
        goal = motions_at(driven, plan.first)
    except (ArithmeticError, ValueError):
        goal = {}
    if not all(map(np.isfinite, goal.values())) or len(goal) < len(moved):
        raise NotRunError(f"a drive has no value at t = {plan.first:g} s")
    halt: HaltError | None = None
    if moved and not (plan.held or plan.freed or _timed(mechanism)):
        try:
            state: dict[str, float] | None = start_of(replace(plan, motions=()), keeping="said")
        except NotRunError:
            state = None
        if state is not None:
            try:
                return _led(plan, state, goal, tick), ""
            except HaltError as halted:  # what it was led by is no time
                halt = HaltError(replace(halted.diagnosis, t=plan.first), halted.last)
            except NotDeterminedError:
                pass
    try:
        return start_of(driven), "" if halt is None else str(halt)
    except NotRunError:
        decompose(mechanism.graph)  # what is driven too often has a better reason
        if halt is not None:
            raise halt from None
        raise NotRunError(
            "no consistent state has the drives where they begin; say with --guess where to look"
        ) from None


def _timed(mechanism: Mechanism) -> bool:
    """Return whether the model itself moves with time, which cannot be led aside."""
    nodes = [invariant.value for invariant in mechanism.invariants]
    for pair in mechanism.pairs:
        if pair.motion is not None:
            nodes += [*pair.motion[1], *(x for row in pair.motion[0] for x in row)]
    for frame in mechanism.frames.values():
        nodes += [*frame.p, *(x for row in frame.R for x in row)]
    return TIME in free_symbols(nodes)


def _led(
    plan: Plan, state: Mapping[str, float], goal: Mapping[str, float], tick: Callable[[], None]
) -> dict[str, float]:
    """Return the coordinates after drives went straight from the model's start to a goal."""
    if all(abs(value - state[path]) <= _SAME for path, value in goal.items()):
        return {v.path: state[v.path] for v in plan.system.q}
    drives = {
        path: add(number(state[path]), mul(number(value - state[path]), TIME))
        for path, value in goal.items()
    }
    values = {**plan.parameters, **plan.inputs}
    mechanism = mechanism_of(plan.linked, plan.system, drives, values)
    try:
        solution = solution_of(mechanism, "td")
    except NotDeterminedError:
        solution = solution_of(mechanism, "global")
    march = March(solution, compiled(solution), tick)
    here = march.begin(0.0, solution.start(state, 0.0))
    for k in range(_STEPS):
        here = march.go(here, (k + 1) / _STEPS)
    index = solution.place
    return {
        v.path: float(here.x[index[v.symbol]]) if v.symbol in index else state[v.path]
        for v in plan.system.q
    }
