"""Linear algebra on stacks of matrices, one for each state, that never raises.

What cannot be done at a state is a fault there: a status instead of an exception. Scaling is
by powers of two, so it rounds nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EPS",
    "Array",
    "Faults",
    "equilibrate",
    "gain",
    "least_squares",
    "nullspace",
    "pinv",
    "rank",
    "solve",
    "sqrtm",
]

Array = NDArray[np.float64]
Faults = NDArray[np.object_]
"""One status for each state; empty where there is nothing to say."""

EPS: Final = float(np.finfo(float).eps)
ZERO_VALUE: Final = 100 * EPS
"""Times max(rows, columns) and the largest one: below it a singular value counts as zero."""
LEAST_RECIPROCAL: Final = 1e-14
"""A matrix with a smaller reciprocal condition is singular."""
NOTHING: Final = 64 * EPS
"""Unknowns, in SI units, below which equations are not called inconsistent."""
NOISY: Final = 10.0
"""How many times the noise of a system may remain of it: noise is known to first order."""
INCONSISTENT: Final = 1e-8
"""Part of the magnitudes that must not remain of a system with more rows than rank."""
NOT_UNIQUE: Final = 1e-8
"""Component of a unit null vector above which an unknown is not unique."""
CORRECTIONS: Final = 3
"""How often a basis of the null space is corrected; each one gains some digits."""


def equilibrate(A: Array, together: int = 0) -> tuple[Array, Array, Array]:
    """Return r A c, r and c; the largest of each row and column is between 1/2 and 1, or 0.

    The first rows, as many as are `together`, have one scale: that of the largest of them.
    """
    r = np.ones((*A.shape[:-1], 1))
    c = np.ones((*A.shape[:-2], 1, A.shape[-1]))
    if A.size:
        for _ in range(2):
            size = np.abs(r * A * c).max(axis=-1, keepdims=True)
            size[:, :together] = size[:, :together].max(axis=1, keepdims=True, initial=0.0)
            r = r * _to_one(size)
            c = c * _to_one(np.abs(r * A * c).max(axis=-2, keepdims=True))
    return r * A * c, r, c


def _to_one(size: Array) -> Array:
    _, exponent = np.frexp(size)
    return np.where(size > 0, np.ldexp(1.0, -exponent), 1.0)


def _t(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def _svd(A: Array) -> tuple[Array, Array, Array]:
    """Return U, s and V^T with all their vectors, of empty matrices too."""
    if A.size:
        U, s, Vt = np.linalg.svd(A)
        return U, s, Vt
    K, m, n = A.shape
    U, Vt = (np.broadcast_to(np.eye(k), (K, k, k)) for k in (m, n))
    return U, np.zeros((K, 0)), Vt


def _count(s: Array, A: Array) -> NDArray[np.int64]:
    """Return how many singular values count as more than zero."""
    least = max(A.shape[-2:]) * ZERO_VALUE * s[:, :1]
    return np.asarray(np.sum(s > least, axis=-1), dtype=np.int64)


def rank(A: Array, together: int = 0) -> NDArray[np.int64]:
    """Return the ranks, found on the equilibrated matrices."""
    return _count(_svd(equilibrate(A, together)[0])[1], A)


def gain(A: Array, *, columns: bool = True) -> tuple[Array, Array, Array]:
    """Return how much an inverse of r A c magnifies, r and c; c may be left at 1."""
    Ae, r, c = equilibrate(A)
    if not columns:
        r, c = _rows_to_one(A), np.ones_like(c)
        Ae = r * A
    _, s, _ = _svd(Ae)
    kept = (np.arange(s.shape[-1]) < rank(A)[:, None]) & (s > 0)
    return (1 / np.where(kept, s, np.inf)).max(axis=-1, initial=0.0), r, c


def _rows_to_one(A: Array) -> Array:
    return _to_one(np.abs(A).max(axis=-1, keepdims=True, initial=0.0))


def _inverse(U: Array, s: Array, Vt: Array, r: NDArray[np.int64], b: Array) -> Array:
    """Return the inverse, on the first r singular values, times b."""
    k = s.shape[-1]
    kept = (np.arange(k) < r[:, None]) & (s > 0)
    inverse = np.where(kept, 1 / np.where(kept, s, 1.0), 0.0)
    return np.asarray(_t(Vt[:, :k]) @ (inverse[..., None] * (_t(U[:, :, :k]) @ b)))


def pinv(A: Array) -> Array:
    """Return the Moore-Penrose inverses, in the metric as given."""
    U, s, Vt = _svd(A)
    return _inverse(U, s, Vt, rank(A), np.broadcast_to(np.eye(A.shape[-2]), U.shape))


def _orthonormal(B: Array, r: NDArray[np.int64]) -> Array:
    """Return orthonormal null vectors in the last n - r columns, and zeros before them.

    B C = 0 to rounding in every row, whatever the units of rows and columns: a first basis is
    corrected within the row space, and made orthonormal by a factor from the right, which
    leaves its range as it is.
    """
    Br = _rows_to_one(B) * B
    U, s, Vt = _svd(Br)
    free = np.arange(B.shape[-1]) >= r[:, None]
    C = np.where(free[:, None, :], _t(Vt), 0.0)
    for _ in range(CORRECTIONS):
        C = C - _inverse(U, s, Vt, r, Br @ C)
        C = 1.5 * C - 0.5 * C @ (_t(C) @ C)
    return C


def nullspace(
    B: Array, independent: tuple[int, ...] | None = None
) -> tuple[Array, NDArray[np.int64]]:
    """Return square matrices with the null space in their last columns, and the nullities.

    With `independent` columns # the rows # of the basis are the unit matrix, and the others
    -B_*^+ B_# (Orsino (2.29)); where the ranks do not allow it, it is orthonormal.
    """
    n = B.shape[-1]
    r = rank(B)
    C = _orthonormal(B, r)
    if independent is not None:
        sharp = list(independent)
        star = [k for k in range(n) if k not in independent]
        fits = (r == len(star)) & (rank(B[:, :, star]) == r)
        basis = np.zeros((int(fits.sum()), n, len(sharp)))
        basis[:, sharp, range(len(sharp))] = 1.0
        basis[:, star] = least_squares(B[fits][:, :, star], -B[fits][:, :, sharp])[0]
        C[fits, :, len(star) :] = basis
    return C, n - r


def solve(A: Array, b: Array, *, positive: bool = False) -> tuple[Array, Faults]:
    """Return x with A x = b, refined once; singular where the equilibrated matrix is."""
    Ae, r, c = equilibrate(A)
    faults = np.full(len(A), "", dtype=object)
    if A.size:
        s = np.linalg.svd(Ae, compute_uv=False)
        faults[s[:, -1] <= LEAST_RECIPROCAL * s[:, 0]] = "singular"
    if positive:
        faults[~_is_positive(A)] = "singular"
    x = c[:, 0, :, None] * _lu(Ae, r * b, faults)
    return x + c[:, 0, :, None] * _lu(Ae, r * (b - A @ x), faults), faults


def _lu(A: Array, b: Array, faults: Faults) -> Array:
    """Return x with A x = b; where a pivot is zero all the same, that is a fault."""
    A = np.where((faults == "")[:, None, None], A, np.eye(A.shape[-1]))
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        if len(A) == 1:
            faults[:] = "singular"
            return np.zeros_like(b)
        parts = [_lu(A[k : k + 1], b[k : k + 1], faults[k : k + 1]) for k in range(len(A))]
        return np.concatenate(parts)


def _is_positive(A: Array) -> NDArray[np.bool_]:
    """Return whether the matrices, their diagonals scaled to 1, are well positive definite."""
    if not A.size:
        return np.ones(len(A), dtype=bool)
    diagonal = np.diagonal(A, axis1=-2, axis2=-1)
    d = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    w = np.linalg.eigvalsh(d[:, :, None] * A * d[:, None, :])
    return np.asarray(w[:, 0] > LEAST_RECIPROCAL * np.abs(w[:, -1]))


def least_squares(
    A: Array,
    b: Array,
    unique: int | None = None,
    together: int = 0,
    noise: tuple[Array, Array] | None = None,
) -> tuple[Array, Faults]:
    """Return x with A x = b; of what is not unique, the smallest in the given metric.

    Singular where one of the first `unique` unknowns is not; inconsistent where no x is, beyond
    what the `noise` of A and b explains.
    """
    Ae, r, c = equilibrate(A, together)
    U, s, Vt = _svd(Ae)
    count, n = _count(s, A), A.shape[-1]
    c = _t(c)
    x = c * _inverse(U, s, Vt, count, r * b)
    x = x + c * _inverse(U, s, Vt, count, r * (b - A @ x))
    faults = np.full(len(A), "", dtype=object)
    if (count < n).any():
        C = _orthonormal(A, count)
        x = x - C @ (_t(C) @ x)
    left = np.abs(r * (b - A @ x)).max(axis=(1, 2), initial=0.0)
    size = (r * (np.abs(A) @ np.abs(x) + np.abs(b))).max(axis=(1, 2), initial=0.0)
    # where x and b are zero but for rounding, they say nothing about the size of that
    least = NOTHING * (r * np.abs(A)).max(axis=(1, 2), initial=0.0)
    if noise is not None:
        moved = r * (noise[0] @ np.abs(x) + noise[1])
        least = np.maximum(least, NOISY * moved.max(axis=(1, 2), initial=0.0))
    faults[left > np.maximum(INCONSISTENT * size, least)] = "inconsistent"
    if unique:
        free = np.arange(n)[:, None] >= count[:, None, None]
        component = np.where(free, np.abs(Vt), 0.0)[:, :, :unique].max(axis=(1, 2), initial=0.0)
        faults[component > NOT_UNIQUE] = "singular"
    return x, faults


def sqrtm(A: Array) -> tuple[Array, Faults]:
    """Return the symmetric square roots; singular where a matrix is not positive definite."""
    faults = np.full(len(A), "", dtype=object)
    if not A.size:
        return A, faults
    w, V = np.linalg.eigh(A)
    faults[~_is_positive(A) | (w[:, 0] <= 0)] = "singular"
    return (V * np.sqrt(np.maximum(w, 0.0))[:, None, :]) @ _t(V), faults
