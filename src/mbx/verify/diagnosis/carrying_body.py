"""The body that carries a difference of accelerations.

The difference, as forces along the motions that are allowed, is Z^T M (ud - ud0). A fault in the
inertia of a body, or in the loads on it, is a multiple of what these give along the same
motions. The body whose share points the same way, over all states, carries the difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.sample import given
from mbx.verify.agreement.kinetics import AXES, kinetics_of
from mbx.verify.agreement.mechanics_terms import balance_of
from mbx.verify.derived_forms import Result, evaluate
from mbx.verify.diagnosis.measure_difference import ORACLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.complete import StatePoint
    from mbx.numerics.states.manifold import Points
    from mbx.verify.diagnosis.measure_difference import Measure

__all__ = ["find_body"]

ALIKE: Final = 0.5
"""Cosine of a force and a share of it that is most of it."""
APART: Final = 0.9
"""Part of the largest cosine that the next must not reach."""
ORACLE_STATES: Final = 4
"""States at which the oracle answers."""


def find_body(measure: Measure, states: Sequence[StatePoint]) -> str:
    """Return the body that carries a difference; nothing, if it does not stand out."""
    against_oracle = measure.question.other == ORACLE
    sample = given(measure.manifold, list(states)[:ORACLE_STATES] if against_oracle else states)
    if not sample.names:
        return ""
    points = sample.points
    accelerations = _accelerations(measure, points)
    kinetics = kinetics_of(measure.manifold, points, measure.clock)
    if accelerations is None or kinetics is None:
        return ""
    ud, ud0 = accelerations
    balance = balance_of(measure.system)
    M = np.asarray(run(balance, measure.manifold.values.at(balance, points)).matrix("M"))
    (A,) = measure.manifold.at(points, "A")
    shares: dict[tuple[str, str], list[Array]] = {}
    gaps: list[Array] = []
    inertia = kinetics.wrenches("W", ud0)
    loads = kinetics.wrenches("F", ud0)
    for k in range(len(points)):
        Z = _complement(A[k])
        try:
            root = np.linalg.cholesky(Z.T @ M[k] @ Z)
        except np.linalg.LinAlgError:
            continue
        if not np.isfinite(ud[k] - ud0[k]).all():
            continue
        gaps.append(np.linalg.solve(root, Z.T @ M[k] @ (ud[k] - ud0[k])))
        slopes = kinetics.matrices["K"][k]
        for e, path in enumerate(kinetics.paths):
            rows = slice(len(AXES) * e, len(AXES) * (e + 1))
            for kind, wrench in (("inertia", inertia), ("loads", loads)):
                share = Z.T @ slopes[rows].T @ wrench[k, rows]
                shares.setdefault((path, kind), []).append(np.linalg.solve(root, share))
    return _aligned(gaps, shares)


def _aligned(gaps: Sequence[Array], shares: dict[tuple[str, str], list[Array]]) -> str:
    if not gaps:
        return ""
    gap = np.concatenate(gaps)
    cosines: dict[str, float] = {}
    for (path, _), parts in shares.items():
        share = np.concatenate(parts)
        size = float(np.linalg.norm(gap) * np.linalg.norm(share))
        cosine = abs(float(gap @ share)) / size if size > 0 else 0.0
        cosines[path] = max(cosine, cosines.get(path, 0.0))
    order = sorted(cosines, key=lambda path: -cosines[path])
    clear = len(order) == 1 or cosines[order[1]] < APART * cosines[order[0]]
    return order[0] if cosines[order[0]] >= ALIKE and clear else ""


def _accelerations(measure: Measure, points: Points) -> tuple[Array, Array] | None:
    """Return the accelerations of the form and of what it is compared with."""
    uds = []
    for form in measure.forms:
        result = evaluate(form, measure.manifold.values, points, {}, measure.clock)
        if not isinstance(result, Result):
            return None
        uds.append(np.where((result.status == REGULAR)[:, None], result.ud, np.nan))
    if measure.question.other != ORACLE:
        return uds[0], uds[1]
    from mbx.verify.oracle import Oracle  # its numbers load only where they count

    oracle, system, values = Oracle(measure.linked), measure.system, measure.manifold.values
    reference = np.full_like(uds[0], np.nan)
    for k in range(len(points)):
        state = {v.path: float(points.q[k, j]) for j, v in enumerate(system.q)}
        state |= {v.path: float(points.u[k, j]) for j, v in enumerate(system.u)}
        answer = oracle.at(state, float(points.t[k]), values.parameters, values.inputs)
        if answer.status == REGULAR:
            reference[k] = [float(answer.ud[v.path]) for v in system.u]
    return uds[0], reference


def _complement(A: Array) -> Array:
    """Return an orthonormal basis of the motions that A allows."""
    n = A.shape[1]
    if not A.size:
        return np.eye(n)
    _, s, Vt = np.linalg.svd(A)
    rank = int((s > 1e-10 * s.max(initial=0.0)).sum())
    return np.asarray(Vt[rank:].T)
