"""Newton's method for many points at once, by damped steps of least length.

    dx = -J^T (J J^T + mu)^-1 c,   mu = |c|^2, bounded, with rows scaled to 1,

converge as Newton's do, also where rows of J depend on each other (Yamashita and Fukushima,
Computing Suppl. 15, 2001).

Where an iteration differs from this one, its docstring gives the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.tolerances import CLOSE, EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mbx.numerics.ranks import Array

__all__ = ["REACH", "gauss_newton", "row_sizes"]

ITERATIONS: Final = 60
POLISH: Final = 2
"""Steps after all rows are zero to rounding."""
PATIENCE: Final = 8
"""Steps without a gain after which a point that was drawn is given up."""
GAIN: Final = 0.7
"""What is left of an error after a step that counts."""
REACH: Final = 0.5
"""Longest step of a coordinate, in rad and m."""
LEAST: Final = 1e-2
"""A variable counts as at least that large where rows are scaled."""
FLAT: Final = 1e-20
"""Least damping: directions that a row hardly sees are left alone."""
STEEP: Final = 1e-4
"""Most damping, far from a zero."""


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is no state
def gauss_newton(
    f: Callable[[Array], tuple[Array, Array]],
    x: Array,
    free: NDArray[np.bool_],
    reach: float,
    sizes: Array | None = None,
) -> tuple[Array, Array]:
    """Return points where f is zero, and the largest scaled row of f that remains at each.

    `f` returns values (K, m) and Jacobians (K, m, n); only the free columns move. Lengths of
    steps, and `reach`, are relative to the `sizes` of the variables; without them, in SI units.
    """
    unit = np.ones(int(free.sum())) if sizes is None else sizes[free]
    best, least = x, np.full(len(x), np.inf)
    polished = idle = 0
    for _ in range(ITERATIONS):
        c, J = f(x)
        if not c.shape[1]:
            return x, np.zeros(len(x))
        size = row_sizes(J, x, sizes)
        error = (np.abs(c) / np.where(size > 0, size, 1.0)).max(axis=1)
        error = np.where(np.isfinite(error) & np.isfinite(J).all(axis=(1, 2)), error, np.inf)
        better = error < least
        gains = (least > CLOSE) & (error < GAIN * least)
        idle = 0 if gains.any() else idle + 1
        best, least = np.where(better[:, None], x, best), np.where(better, error, least)
        polished += bool((least <= CLOSE).all())
        if polished > POLISH or not free.any() or not np.isfinite(error).any():
            break
        if sizes is not None and idle > PATIENCE:  # of points that were drawn, others are tried
            break
        x = x.copy()
        x[:, free] += unit * _step(c, J[:, :, free] * unit, np.isfinite(error), reach)
    return best, least


def _step(c: Array, J: Array, sound: NDArray[np.bool_], reach: float) -> Array:
    """Return the next step of each point, none where there is nothing sound to go by."""
    c, J = np.where(sound[:, None], c, 0.0), np.where(sound[:, None, None], J, 0.0)
    size = np.abs(J).max(axis=2)
    kept = size > EMPTY * size.max(axis=1, keepdims=True)
    size = np.where(kept, size, 1.0)
    c, J = np.where(kept, c, 0.0) / size, np.where(kept[:, :, None], J, 0.0) / size[:, :, None]
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    mu = np.clip(np.abs(c).max(axis=1, keepdims=True) ** 2, FLAT, STEEP) * s[:, :1] ** 2
    gain = np.where(s > 0, s / np.where(s > 0, s**2 + mu, 1.0), 0.0)
    right = -(np.swapaxes(U, 1, 2) @ c[:, :, None])
    dx = (np.swapaxes(Vt, 1, 2) @ (gain[:, :, None] * right))[:, :, 0]
    longest = np.abs(dx).max(axis=1, initial=0.0)
    return np.asarray(dx * np.minimum(1.0, reach / np.maximum(longest, 1e-300))[:, None])


def row_sizes(J: Array, x: Array, sizes: Array | None = None) -> Array:
    """Return how large the terms of rows are whose slopes are J at x, (K, m).

    `sizes` are those that the variables usually have; without them, one SI unit.
    """
    least = LEAST if sizes is None else LEAST * sizes
    size: Array = (np.abs(J) @ np.maximum(np.abs(x), least)[:, :, None])[:, :, 0]
    # a row that holds by itself is rounding, and its own size says nothing
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    return np.where(size > EMPTY * largest, size, largest)
