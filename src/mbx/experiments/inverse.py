"""Inverse dynamics: the inputs that bring prescribed motions about, at some times.

Each motion is an invariant more. Positions and velocities follow from the invariants alone,
step by step along the time, so that the assembly stays the one of the start. Then inputs are
found such that the accelerations of a form keep the motions,

    A_p ud(inputs) + b_p = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.experiments.observe import Place
from mbx.experiments.plan import NotRunError
from mbx.experiments.rounding import COUNT, noise
from mbx.experiments.start import driven, inputs_of, start_of
from mbx.experiments.written import Invariants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.experiments.clock import Clock
    from mbx.experiments.observe import Observer, Seen
    from mbx.experiments.plan import Plan
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array

__all__ = ["Driven", "driven_places", "with_inputs"]

STRIDE: Final = 0.05
"""How far a coordinate moves in a step along the time, relative to 1 and to itself."""
SHORTEST: Final = 1e-9
"""Part of the whole time below which a step is none."""
NONE: Final = 1e-10
"""Part of the largest singular value below which one is zero."""
ROUNDS: Final = 30
EXACT: Final = 1e-11
"""Part of its terms that may remain of a prescribed acceleration."""


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """A place on a prescribed motion, and the rows of the motions: A ud + b = 0."""

    place: Place
    A: Array
    b: Array

    def missing(self, ud: Array) -> tuple[Array, Array]:
        """Return what accelerations leave of the motions, and the size of the terms."""
        return self.A @ ud + self.b, np.abs(self.A) @ np.abs(ud) + np.abs(self.b)


def driven_places(plan: Plan, times: Sequence[float], clock: Clock) -> list[Driven]:
    """Return the states on the prescribed motions at some times, in rising order."""
    _require_solvable(plan)
    system = driven(plan)
    start = start_of(plan)
    q, u = (np.array([start[v.path] for v in x]) for x in (system.q, system.u))
    rows = Invariants(system, plan.parameters, inputs_of(plan))
    t, found = plan.first, []
    _require_determined(plan, rows, t, q, u)
    for wanted in times:
        while t < wanted:
            clock.check()
            t, q, u = _stepped(rows, t, q, u, wanted, plan)
        A, b = rows.accelerations(t, q, u)
        p = len(plan.motions)
        state = dict(zip([v.path for v in system.q], q.tolist(), strict=True))
        state |= dict(zip([v.path for v in system.u], u.tolist(), strict=True))
        place = Place(state, plan.parameters, inputs_of(plan), t)
        found.append(Driven(place, A[len(A) - p :], b[len(b) - p :]))
    return found


def _require_solvable(plan: Plan) -> None:
    inputs, motions = len(plan.unknowns), len(plan.motions)
    if plan.system.order > 2:  # noqa: PLR2004  then ud are no accelerations
        raise NotRunError("motions under an invariant of order 3 or more are not prescribed")
    if any(one.order > 0 for one in plan.motions):
        raise NotRunError("a prescribed rate leaves its coordinate open")
    if inputs > motions:
        raise NotRunError(
            f"{inputs} inputs for {motions} prescribed motion{'s' * (motions != 1)} are not unique"
        )
    if inputs < motions:
        raise NotRunError(f"{inputs} inputs cannot bring {motions} prescribed motions about")


def _require_determined(plan: Plan, rows: Invariants, t: float, q: Array, u: Array) -> None:
    A, _ = rows.accelerations(t, q, u)
    left = A.shape[1] - _rank(A)
    if left:
        raise NotRunError(
            f"the prescribed motions leave {left} degree{'s' * (left != 1)} of freedom open"
        )
    p = len(plan.motions)
    if _rank(A) < _rank(A[: len(A) - p]) + p:
        raise NotRunError("the prescribed motions depend on each other, or on the invariants")


def _rank(A: Array) -> int:
    size = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
    s = np.linalg.svd(A / np.where(size > 0, size, 1.0), compute_uv=False)
    return int((s > NONE * s.max(initial=0.0)).sum())


def _stepped(
    rows: Invariants, t: float, q: Array, u: Array, last: float, plan: Plan
) -> tuple[float, Array, Array]:
    """Go on by a step in which no coordinate moves far; halve it as long as one would."""
    rate = rows.rates(t, q, u)
    size = np.maximum(1.0, np.abs(q))
    speed = float((np.abs(rate) / size).max(initial=0.0))
    step = min(last - t, STRIDE / speed if speed > 0 else last - t, (plan.last - plan.first) / 20)
    while step > SHORTEST * (plan.last - plan.first):
        new = last if step == last - t else t + step
        guess = q + rate * (new - t)
        try:
            q1, u1 = rows.onto(new, guess, u)
        except NotRunError:
            step /= 2
            continue
        if (np.abs(q1 - guess) <= STRIDE * size).all():
            return new, q1, u1
        step /= 2
    raise NotRunError(f"the prescribed motions cannot be followed beyond t = {t:.6g} s")


def with_inputs(
    observer: Observer, equations: Equations, plan: Plan, places: Sequence[Driven]
) -> list[Seen]:
    """Return what a form gives at places, with the inputs that keep the motions there.

    Accelerations are affine in inputs in most models, and one step is enough; with friction
    that grows with reactions they are not.
    """
    paths = plan.unknowns
    x = np.array([[one.place.inputs[path] for path in paths] for one in places])
    width = 1.0
    nearby = replace(observer, nudge=True)
    for attempt in range(ROUNDS):
        # the inputs themselves, and each of them changed by itself
        changes = [np.zeros(len(paths)), *(width * np.eye(len(paths)))]
        asked = [_with(one.place, paths, x[k] + d) for k, one in enumerate(places) for d in changes]
        seen = observer.at(equations, asked)
        each = len(changes)
        now = [seen[k * each] for k in range(len(places))]
        done = True
        for k, one in enumerate(places):
            here = seen[k * each : (k + 1) * each]
            if not all(s.regular for s in here):
                continue
            left, size = one.missing(here[0].ud)
            slopes = np.stack([one.missing(s.ud)[0] - left for s in here[1:]], axis=1) / width
            # what inputs do may cancel what acts without them
            allowed = EXACT * (size + np.abs(slopes) @ np.abs(x[k]))
            if attempt and (np.abs(left) > allowed).any():
                rounding = _rounding(nearby, equations, one, asked[k * each], left)
                allowed = np.maximum(allowed, rounding)
            if (np.abs(left) <= allowed).all():
                continue
            done = False
            if _rank(slopes) < len(paths):
                raise NotRunError("the inputs do not determine the prescribed motions")
            x[k] -= np.linalg.solve(slopes, left)
        if done:
            return now
        width = max(width / 10, 1e-6)
    raise NotRunError("no inputs were found that keep the prescribed motions")


def _rounding(
    nearby: Observer, equations: Equations, one: Driven, place: Place, left: Array
) -> Array:
    """Return how far what is left of the motions may be off by rounding.

    Where motions and inputs are zero but for that, their own sizes say nothing of it.
    """
    seen = nearby.at(equations, [place] * COUNT)
    others = [one.missing(s.ud)[0] for s in seen if s.regular]
    return np.array([noise(x, [other[k] for other in others]) for k, x in enumerate(left)])


def _with(place: Place, paths: Sequence[str], x: Array) -> Place:
    return replace(place, inputs={**place.inputs, **dict(zip(paths, map(float, x), strict=True))})
