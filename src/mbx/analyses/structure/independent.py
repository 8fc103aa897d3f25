"""Independent speeds to choose: those whose complement has the best conditioned columns.

Speeds are dependent where A_* of their columns can be inverted for them. The condition is the
largest singular value of A by the least of A_*, so that a small A_* counts even if it is a
single number; rows and columns of A are scaled to one, over all states at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.linalg import qr

from mbx.analyses.structure.structure_report import Independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["judged", "suggested"]

EXCHANGES: Final = 400
"""Most exchanges of two speeds that are tried."""
NONE: Final = 1e15
"""A larger condition is that of a singular matrix."""


def _conditions(A: Array, dependent: Sequence[int], r: int) -> Array:
    """Return the condition of some columns at each state; infinite where they are singular."""
    if not r:
        return np.ones(len(A))
    s = np.linalg.svd(A[:, :, list(dependent)], compute_uv=False)
    if s.shape[1] < r:
        return np.full(len(A), np.inf)
    least, largest = s[:, r - 1], np.linalg.norm(A, 2, axis=(1, 2))
    condition = np.where(least > 0, largest / np.where(least > 0, least, 1.0), np.inf)
    return np.where(condition < NONE, condition, np.inf)


def _fact(A: Array, dependent: Sequence[int], r: int, names: Sequence[str]) -> Independent:
    each = _conditions(A, dependent, r)
    speeds = tuple(name for k, name in enumerate(names) if k not in set(dependent))
    return Independent(speeds, float(each.max()), float(np.median(each)))


def suggested(
    A: Array, r: int, names: Sequence[str], declared: Sequence[int] | None
) -> Independent:
    """Return the best set of those tried; A is scaled, at states where its rank is r."""
    candidates = []
    if declared is not None and len(declared) == A.shape[2] - r:
        candidates.append(tuple(k for k in range(A.shape[2]) if k not in set(declared)))
    for each in A:
        pivots = qr(each, pivoting=True, mode="r")[1]
        candidates.append(tuple(sorted(int(k) for k in pivots[:r])))
    unique = list(dict.fromkeys(candidates))
    worst = {columns: float(_conditions(A, columns, r).max()) for columns in unique}
    best = min(unique, key=worst.__getitem__)  # of equal ones the first, so the declared one
    best = _exchanged(A, best, worst[best], r)
    return _fact(A, best, r, names)


def _exchanged(A: Array, best: tuple[int, ...], value: float, r: int) -> tuple[int, ...]:
    """Exchange a dependent speed with an independent one while that betters the worst state."""
    left = EXCHANGES
    moved = True
    while moved:
        moved = False
        for out in best:
            for into in (k for k in range(A.shape[2]) if k not in set(best)):
                left -= 1
                if left < 0:
                    return best
                trial = tuple(sorted({*best, into} - {out}))
                worst = float(_conditions(A, trial, r).max())
                if worst < 0.9 * value:
                    best, value, moved = trial, worst, True
                    break
            if moved:
                break
    return best


def judged(A: Array, r: int, names: Sequence[str], chosen: Sequence[int]) -> Independent:
    """Return a set that the model declares, with its condition."""
    dependent = [k for k in range(A.shape[2]) if k not in set(chosen)]
    if len(dependent) != r:
        speeds = tuple(names[k] for k in chosen)
        return Independent(speeds, float("inf"), float("inf"))
    return _fact(A, dependent, r, names)
