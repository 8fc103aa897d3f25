"""How near Jacobians are to singular ones, for many at once.

Rows are scaled to their lengths. Of p rows of length 1 and r columns the singular values have
p as the sum of their squares, and a product D that a determinant gives; so the condition number
is at most p^(r/2)/D, and singular values themselves are computed only where that bound is too weak.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["condition", "largest", "singular", "steepness"]


def _scaled(J: Array) -> Array:
    lengths = np.linalg.norm(J, axis=-1, keepdims=True)
    return np.asarray(J / np.where(lengths > 0, lengths, 1.0))


def condition(J: Array) -> float:
    """Return the condition number of a matrix, its rows scaled to their lengths."""
    if not np.isfinite(J).all():
        return float("inf")
    return float(_exact(_scaled(J)[None])[0]) if J.size else 1.0


def steepness(J: Array, H: Array) -> float:
    """Return the largest singular value of [J H] by the least of J, rows scaled to their lengths.

    J and H are the Jacobians by unknowns and by inputs. A single unknown, whose J has condition 1
    wherever it is, has a dead point where J vanishes relative to H.
    """
    if not (np.isfinite(J).all() and np.isfinite(H).all()):
        return float("inf")
    if not J.size:
        return 1.0
    both = _scaled(np.hstack([J, H]))
    least = np.linalg.svd(both[:, : J.shape[1]], compute_uv=False)[-1]
    return float(np.linalg.norm(both, 2) / least) if least > 0 else float("inf")


def _exact(scaled: Array) -> Array:
    s = np.linalg.svd(scaled, compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.where(s[:, -1] > 0, s[:, 0] / s[:, -1], np.inf)


def _bounds(scaled: Array) -> Array:
    """Return what condition numbers are at most."""
    p, r = scaled.shape[1:]
    if p == r:
        product = np.abs(np.linalg.det(scaled))
    else:
        product = np.sqrt(np.abs(np.linalg.det(np.swapaxes(scaled, 1, 2) @ scaled)))
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.float64(p) ** (r / 2) / product)


def singular(J: Array, limit: float) -> NDArray[np.bool_]:
    """Return which of many matrices have a condition number of a limit or more."""
    if not J.shape[2]:
        return np.zeros(len(J), dtype=bool)
    scaled = _scaled(J)
    doubtful = ~(_bounds(scaled) < limit)
    flags = doubtful.copy()
    if doubtful.any():
        flags[doubtful] = ~(_exact(scaled[doubtful]) < limit)
    return flags


def largest(J: Array, least: float) -> tuple[float, int]:
    """Return the largest condition number of many matrices and its index, if it exceeds `least`.

    Else return `least`, and -1.
    """
    worst, index = least, -1
    if not J.shape[2]:
        return worst, index
    scaled = _scaled(J)
    bounds = _bounds(scaled)
    order = np.argsort(-bounds)
    for begin in range(0, len(order), 64):
        part = order[begin : begin + 64]
        if bounds[part[0]] <= worst:
            break
        exact = _exact(scaled[part])
        k = int(exact.argmax())
        if exact[k] > worst:
            worst, index = float(exact[k]), int(part[k])
    return worst, index
