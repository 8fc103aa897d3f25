"""Whether inputs can bring prescribed motions about: how many, which of them, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.expr.evaluate import free_symbols
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["require_actuated", "require_counts", "require_loads"]

ALONE: Final = 1e-6
"""Part of a direction below which a motion, or an input, takes no part in it."""


def require_counts(plan: Plan, equations: Equations, *, least: bool) -> None:
    """Raise an error where inputs are not unique, or enter by their rates."""
    inputs, motions = plan.unknowns, [motion.path for motion in plan.motions]
    known = {parameter.path: parameter for parameter in plan.system.inputs}
    for parameter in equations.signature.inputs:
        if parameter.path not in inputs and parameter.path.rstrip("'") in inputs:
            raise NotRunError(f"the rate of the input '{parameter.path.rstrip(chr(39))}' acts, too")
    if len(inputs) > len(motions):
        if not least:
            raise NotRunError(
                f"the {len(inputs)} inputs {_quoted(inputs)} are not unique for"
                f" {_count(motions)}; ask for those of the least sum of squares, or solve for"
                f" {'one' if len(motions) == 1 else len(motions)} of them"
            )
        if len({known[path].dimension for path in inputs}) > 1:
            units = ", ".join(f"'{path}' in {known[path].unit}" for path in inputs)
            raise NotRunError(f"inputs of different units have no least sum of squares: {units}")


def require_loads(plan: Plan) -> None:
    """Raise an error where an input that is sought moves the mechanism, and does not load it."""
    system = plan.system
    kinematics = {
        **{f"invariant '{row.path}'": [row.value] for row in (*system.rows, *system.closed)},
        **{f"rate of '{v.path}'": [system.qd[v.rate]] for v in system.q},
        **{
            f"place of '{element.path}'": [*element.com.p, *element.com.v]
            for element in system.elements
        },
    }
    for parameter in system.inputs:
        if parameter.path in plan.unknowns:
            for where, nodes in kinematics.items():
                if parameter.symbol in free_symbols(nodes):
                    raise NotRunError(
                        f"'{parameter.path}' cannot be sought: it is part of the {where}"
                    )


def require_actuated(
    plan: Plan, samples: Sequence[Driven], slopes: Mapping[int, Array]
) -> tuple[list[int], list[str]]:
    """Return where inputs do not reach all motions, and when they lose their hold, in words.

    `slopes` are what a change of each input does to the acceleration of each motion, by sample.
    Raise an error where inputs reach the motions at no sample.
    """
    motions = [motion.path for motion in plan.motions]
    scale = _scale(slopes)
    bad = [k for k in sorted(slopes) if _rank(slopes[k] / scale) < len(motions)]
    if bad and len(bad) == len(slopes):
        S = slopes[bad[0]] / scale
        when = "throughout" if len(slopes) > 1 else f"at t = {samples[bad[0]].place.t:.6g} s"
        raise NotRunError(f"{_lost(plan, S)} {when}")
    texts = [f"{_lost(plan, slopes[k] / scale)} at t = {samples[k].place.t:.6g} s" for k in bad]
    if len(plan.unknowns) != len(motions):
        return bad, texts
    before: tuple[int, float] | None = None
    for k in sorted(slopes):
        if k in bad:
            before = None  # what changes there is reported already
            continue
        sign = float(np.linalg.slogdet(slopes[k] / scale)[0])
        if before is not None and sign != before[1]:
            texts.append(
                f"between t = {samples[before[0]].place.t:.6g} s and {samples[k].place.t:.6g} s"
                f" there is a time at which {_quoted(plan.unknowns)} cannot bring about the motion"
                f" of {_quoted(motions)}"
            )
        before = k, sign
    return bad, texts


def _lost(plan: Plan, S: Array) -> str:
    """Return which motions inputs cannot bring about."""
    motions = [motion.path for motion in plan.motions]
    idle = [
        path
        for path, column in zip(plan.unknowns, np.abs(S).max(axis=0), strict=True)
        if column <= DEPENDENT
    ]
    U, s, _ = np.linalg.svd(S)
    r = int((s > DEPENDENT * max(1.0, s.max(initial=0.0))).sum())
    part = np.linalg.norm(U[:, r:], axis=1)
    lost = [path for path, size in zip(motions, part, strict=True) if size > ALONE]
    count = len(motions) - r
    of = f"{count} of the motions of " if count < len(lost) else "the motion of "
    why = f" ({_quoted(idle)} {'has' if len(idle) == 1 else 'have'} no effect)" if idle else ""
    return f"{_quoted(plan.unknowns)} cannot bring about {of}{_quoted(lost)}{why}"


def _scale(slopes: Mapping[int, Array]) -> Array:
    """Return how much inputs do to each motion at most, as a column."""
    if not slopes:
        return np.ones((1, 1))
    largest = np.abs(np.stack(list(slopes.values()))).max(axis=(0, 2))
    return np.where(largest > 0, largest, 1.0)[:, None]


def _rank(S: Array) -> int:
    s = np.linalg.svd(S, compute_uv=False)
    return int((s > DEPENDENT * max(1.0, s.max(initial=0.0))).sum())


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join(f"'{path}'" for path in paths)


def _count(motions: Sequence[str]) -> str:
    return f"the motion of {_quoted(motions)}"
