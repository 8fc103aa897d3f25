"""Linear algebra on stacks of matrices, one for each state, that never raises.

What cannot be done at a state is a fault there: a status instead of an exception. Scaling is
by powers of two, so it rounds nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mbx.numerics.ranks import (
    EPS,
    LEAST_RECIPROCAL,
    Array,
    Factors,
    blocks,
    cleaned,
    equilibrate,
    factors,
    is_regular,
    rank,
    rows_to_one,
    singular_values,
)

__all__ = [
    "EPS",
    "Array",
    "Faults",
    "equilibrate",
    "least_squares",
    "nullspace",
    "pinv",
    "rank",
    "solve",
    "sqrtm",
]

Faults = NDArray[np.object_]
"""One status for each state; empty where there is nothing to say."""

NOTHING: Final = 64 * EPS
"""Unknowns, in SI units, below which equations are not called inconsistent."""
NOISY: Final = 10.0
"""How many times the noise of a system may remain of it: noise is known to first order."""
INCONSISTENT: Final = 1e-8
"""Part of the magnitudes that must not remain of a system with more rows than rank."""
NOT_UNIQUE: Final = 1e-8
"""Component of a unit null vector above which an unknown is not unique."""
WIDE: Final = 12.0
"""Powers of two between the sizes of columns that are very different."""
CORRECTIONS: Final = 3
"""How often a basis of the null space, or a root, is corrected; each one gains some digits."""


def _t(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def _inverse(U: Array, s: Array, Vt: Array, r: NDArray[np.int64], b: Array) -> Array:
    """Return the inverse, on the first r singular values, times b."""
    k = s.shape[-1]
    kept = (np.arange(k) < r[:, None]) & (s > 0)
    inverse = np.where(kept, 1 / np.where(kept, s, 1.0), 0.0)
    return np.asarray(_t(Vt[:, :k]) @ (inverse[..., None] * (_t(U[:, :, :k]) @ b)))


def pinv(A: Array, noise: Array | None = None) -> Array:
    """Return the Moore-Penrose inverses, in the metric as given."""
    A = cleaned(A, noise, 1.0)
    X = np.zeros((len(A), A.shape[-1], A.shape[-2]))
    for rows, columns in blocks(A):
        own = np.ix_(np.arange(len(A)), rows, columns)
        found = _pinv(A[own], None if noise is None else noise[own])
        X[np.ix_(np.arange(len(A)), columns, rows)] = found
    return X


def _pinv(A: Array, noise: Array | None) -> Array:
    """Return the Moore-Penrose inverses of matrices whose rows and columns are connected.

    Independent rows are scaled, and so are independent columns: that changes nothing. Dependent
    columns give way to an orthonormal basis Q of the row space, A^+ = Q (A Q)^+. What is small in
    A is corrected by an iteration that stays in both ranges (Ben-Israel and Cohen, SIAM J. Numer.
    Anal. 3, 1966).
    """
    K, m, n = A.shape
    if not m or not n:
        return np.zeros((K, n, m))
    count = rank(A, noise)
    full = (count == n)[:, None, None]
    _, _, Vt = singular_values(rows_to_one(A) * A)
    Q = np.where(np.arange(n) < count[:, None, None], _t(Vt), 0.0)
    Q = np.where(full, np.eye(n), Q)
    B = A @ Q
    r = np.where((count == m)[:, None, None], rows_to_one(B), 1.0)
    c = np.where(full, _t(rows_to_one(_t(r * B))), 1.0)
    U, s, Vt = singular_values(r * B * c)
    X = Q @ (_t(c) * _inverse(U, s, Vt, count, _t(r) * np.eye(m)))
    X = X + X @ (np.eye(m) - A @ X)
    # the second correction D leaves D A D and its rounding: where X is zero exactly, a bound by
    # the errors of A is too, and what is left would count
    D, size = X @ (np.eye(m) - A @ X), np.abs(X)
    rounding = EPS * (size + size @ (np.abs(A) @ size))
    return cleaned(X + D, rounding + np.abs(D) @ np.abs(A) @ np.abs(D))


def _orthonormal(B: Array, noise: Array | None) -> Array:
    """Return orthonormal null vectors in the last n - r columns, and zeros before them.

    B C = 0 to rounding in every row, whatever the units of rows and columns: a first basis is
    corrected within the row space, and made orthonormal by a factor from the right, which
    leaves its range as it is. Where columns are of very different sizes, as accelerations and
    forces of planets are, the basis is that of the scaled matrix. Blocks that share no column
    have vectors of their own, so that rounding does not mix what has nothing to do with each other.
    """
    kept = cleaned(B, noise, 1.0)
    Br = rows_to_one(cleaned(B, noise)) * kept
    K, n = len(B), B.shape[-1]
    C, empty = np.zeros((K, n, n)), np.zeros((K, n), dtype=bool)
    first = 0
    for rows, columns in blocks(kept):
        k = len(columns)
        at = slice(first, first + k)
        first += k
        own = np.ix_(np.arange(K), rows, columns)
        scaled = factors(B[own], None if noise is None else noise[own])
        r = scaled.ranks
        U, s, Vt = singular_values(Br[own])
        empty[:, at] = np.arange(k) < r[:, None]
        basis = np.where(empty[:, None, at], 0.0, _t(Vt))
        for _ in range(CORRECTIONS if len(rows) else 0):
            basis = basis - _inverse(U, s, Vt, r, Br[own] @ basis)
            basis = 1.5 * basis - 0.5 * basis @ (_t(basis) @ basis)
        wide = np.ptp(np.log2(scaled.c[:, 0]), axis=1) > WIDE if k else np.zeros(K, dtype=bool)
        for one in np.flatnonzero(wide).tolist():
            basis[one] = _graded(scaled, kept[own][one], one)
        C[:, columns, at] = basis
    order = np.argsort(~empty, axis=1, kind="stable")
    return np.take_along_axis(C, order[:, None, :], axis=2)


def _graded(scaled: Factors, B: Array, k: int) -> Array:
    """Return orthonormal null vectors of one matrix whose columns are of very different sizes.

    With rows in the order of their sizes and pivots among the columns, Householder's reflections
    keep every row of a matrix to rounding (Cox and Higham, BIT 38, 1998).
    """
    from scipy.linalg import qr  # noqa: PLC0415  only here

    count, c = int(scaled.ranks[k]), scaled.c[k, 0]
    y = scaled.Vt[k, count:].T
    left = scaled.r[k] * B * c @ y
    y = (
        y
        - _inverse(
            scaled.U[k, None], scaled.s[k, None], scaled.Vt[k, None], scaled.ranks[[k]], left[None]
        )[0]
    )
    vectors = c[:, None] * y
    vectors /= np.abs(vectors).max(axis=0, initial=np.finfo(float).tiny)
    order = np.argsort(-np.abs(vectors).max(axis=1, initial=0.0), kind="stable")
    basis = np.zeros((len(c), len(c)))
    if count < len(c):
        basis[order, count:] = qr(vectors[order], mode="economic", pivoting=True)[0]
    return basis


def _across(C: Array, x: Array) -> Array:
    """Return x without its part in the range of an orthonormal C.

    Once is not enough where that part is large; twice is (Parlett, The Symmetric Eigenvalue
    Problem, 1980, section 6.9).
    """
    for _ in range(2):
        x = x - C @ (_t(C) @ x)
    return x


def nullspace(
    B: Array, independent: tuple[int, ...] | None = None, noise: Array | None = None
) -> tuple[Array, NDArray[np.int64]]:
    """Return square matrices with the null space in their last columns, and the nullities.

    With `independent` columns # the rows # of the basis are the unit matrix, and the others
    -B_*^+ B_# (Orsino (2.29)); where the ranks do not allow it, it is orthonormal.
    """
    n = B.shape[-1]
    r = rank(B, noise)
    C = _orthonormal(B, noise)
    if independent is not None and max(independent, default=0) < n:
        sharp = list(independent)
        star = [k for k in range(n) if k not in independent]
        noises = None if noise is None else (noise[:, :, star], noise[:, :, sharp])
        fits = (r == len(star)) & (rank(B[:, :, star], noises and noises[0]) == r)
        basis = np.zeros((int(fits.sum()), n, len(sharp)))
        basis[:, sharp, range(len(sharp))] = 1.0
        own = noises and (noises[0][fits], noises[1][fits])
        right = -B[fits][:, :, sharp]
        basis[:, star] = least_squares(B[fits][:, :, star], right, noise=own)[0]
        C[fits, :, len(star) :] = basis
    return C, n - r


def solve(A: Array, b: Array, *, positive: bool = False) -> tuple[Array, Faults]:
    """Return x with A x = b, refined once; singular where the scaled matrix is.

    A `positive` definite matrix is scaled to a diagonal near 1, which is best but for a factor
    of its size (van der Sluis, Numer. Math. 14, 1969).
    """
    Ae, r, c = _to_unit_diagonal(A) if positive else equilibrate(A)
    faults = np.full(len(A), "", dtype=object)
    if A.size:
        s = np.linalg.svd(Ae, compute_uv=False)
        faults[~is_regular(s)] = "singular"
    if positive:
        faults[~_is_positive(A)] = "singular"
    x = c[:, 0, :, None] * _lu(Ae, r * b, faults)
    return x + c[:, 0, :, None] * _lu(Ae, r * (b - A @ x), faults), faults


def _to_unit_diagonal(A: Array) -> tuple[Array, Array, Array]:
    """Return d A d with a diagonal between 1/2 and 2, d as a column and d as a row."""
    diagonal = np.diagonal(A, axis1=-2, axis2=-1)
    _, exponent = np.frexp(np.where(diagonal > 0, diagonal, 1.0))
    d = np.ldexp(1.0, -(exponent // 2))
    return d[:, :, None] * A * d[:, None, :], d[:, :, None], d[:, None, :]


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
    return np.asarray((diagonal > 0).all(axis=1) & (w[:, 0] > LEAST_RECIPROCAL * w[:, -1]))


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
    U, s, Vt, r, c, _, count = factors(A, noise and noise[0], together)
    A = A if noise is None else cleaned(A, noise[0], 1.0)
    n, c = A.shape[-1], _t(c)
    x = c * _inverse(U, s, Vt, count, r * b)
    x = x + c * _inverse(U, s, Vt, count, r * (b - A @ x))
    faults, first = np.full(len(A), "", dtype=object), unique or 0
    free = np.arange(n)[:, None] >= count[:, None, None]
    part = np.where(free, np.abs(Vt), 0.0)[:, :, :first].max(axis=(1, 2), initial=0.0)
    singular = part > NOT_UNIQUE
    if (count < n).any():
        C = _orthonormal(A, noise and noise[0])
        # what is unique has no part in a null vector but rounding
        C[~singular, :first] = 0.0
        x = _across(C, x)
        x = x + _across(C, c * _inverse(U, s, Vt, count, r * (b - A @ x)))
    faults[_contradict(A, b, x, r, noise)] = "inconsistent"
    faults[singular] = "singular"
    return x, faults


def _contradict(
    A: Array, b: Array, x: Array, r: Array, noise: tuple[Array, Array] | None
) -> NDArray[np.bool_]:
    """Return where more is left of A x = b than rounding explains, block by block."""
    left = np.abs(r * (b - A @ x)).max(axis=2, initial=0.0)
    size = (r * (np.abs(A) @ np.abs(x) + np.abs(b))).max(axis=2, initial=0.0)
    if noise is None:
        # where x and b are zero but for rounding, they say nothing about the size of that
        least = NOTHING * (r * np.abs(A)).max(axis=2, initial=0.0)
        parts = [np.arange(A.shape[1])]
    else:
        least = NOISY * (r * (noise[0] @ np.abs(x) + noise[1])).max(axis=2, initial=0.0)
        parts = [rows for rows, _ in blocks(A)]
    found = np.zeros(len(A), dtype=bool)
    for rows in parts:
        most, whole, known = (
            each[:, rows].max(axis=1, initial=0.0) for each in (left, size, least)
        )
        found |= most > np.maximum(INCONSISTENT * whole, known)
    return found


def sqrtm(A: Array) -> tuple[Array, Faults]:
    """Return the symmetric square roots; singular where a matrix is not positive definite."""
    faults = np.full(len(A), "", dtype=object)
    if not A.size:
        return A, faults
    faults[~_is_positive(A)] = "singular"
    root = np.zeros_like(A)
    for rows, columns in blocks(A):
        own = np.ix_(np.arange(len(A)), rows, columns)
        if len(rows) != len(columns):  # not symmetric, or zero
            faults[:] = "singular"
            continue
        root[own], singular = _root(A[own])
        faults[singular] = "singular"
    return root, faults


def _root(A: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the square roots of symmetric matrices, and where they have none.

    Eigenvectors are exact beside the largest eigenvalue only. What is left, X E + E X = A - X X,
    is solved for in them, so that small entries of A count as well.
    """
    w, V = np.linalg.eigh(A)
    s = np.sqrt(np.where(w > 0, w, 1.0))
    X = (V * s[:, None, :]) @ _t(V)
    for _ in range(CORRECTIONS):
        left = _t(V) @ (A - X @ X) @ V
        X = X + V @ (left / (s[:, :, None] + s[:, None, :])) @ _t(V)
    return X, np.asarray(w[:, 0] <= 0)
