"""What is lost at a singular state: when it is met, and what moves there by itself."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["first_singular", "moving_ones"]

MOVES: Final = 0.1
"""Part of the largest rate from which a variable counts as moving."""
ROUNDS: Final = 60
_GOLDEN: Final = (sqrt(5) - 1) / 2

_State = tuple[float, "Array", "Array"]


def moving_ones(A: Array, system: System) -> list[str]:
    """Return the variables that move most where a motion nearly keeps the rows of A."""
    v = np.abs(np.linalg.svd(A)[2][-1])
    moving = [x for x, size in zip(system.u, v, strict=True) if size > MOVES * v.max()]
    return [x.path.removesuffix("'") if x.base is not None else x.path for x in moving]


def first_singular(
    rows: Invariants, before: _State, last: float, matrix: Callable[[float, Array, Array], Array]
) -> _State:
    """Return where a matrix is nearest to singular between a state and a time after it.

    By golden section; the smallest singular value is the distance to a singular matrix.
    """
    t, q, u = before
    rate = rows.rates(t, q, u)

    def at(x: float) -> tuple[float, _State]:
        try:
            q1, u1 = rows.onto(x, q + rate * (x - t), u)
        except NotRunError:  # beyond the last state there is
            return np.inf, before
        s = np.linalg.svd(matrix(x, q1, u1), compute_uv=False)
        return float(s[-1]), (x, q1, u1)

    a, b = t, last
    for _ in range(ROUNDS):
        c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        a, b = (a, d) if at(c)[0] <= at(d)[0] else (c, b)
    least, state = at((a + b) / 2)
    return state if np.isfinite(least) else before
