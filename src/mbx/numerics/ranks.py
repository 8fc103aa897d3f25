"""Ranks of stacks of matrices, decided by the rounding bounds of their entries.

A singular value counts if it exceeds what rounding can make of it. With scaled singular vectors
u and v, and an entrywise bound E of the errors of the matrix, this is |u|^T E |v| to first order
(Stewart and Sun, Matrix Perturbation Theory, 1990, theorem IV.2.3). So a row that is nothing but
rounding is no constraint although scaling makes it as large as any other, and a small singular
value counts where the entries are exact enough to tell it from zero.

Scaling is by powers of two and rounds nothing. It does not depend on the units of rows and
columns: the logarithms of the entries are brought as close to zero as possible, in the sense of
least squares (Curtis and Reid, J. Inst. Maths Applics 10, 1972), unless the largest entries of
rows and columns alone give a better condition. Blocks that share neither a row
nor a column are decomposed one by one, so what nothing connects is not mixed by rounding.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EPS",
    "LEAST_RECIPROCAL",
    "MARGIN",
    "ROUNDING",
    "SECOND_MARGIN",
    "Array",
    "Factors",
    "blocks",
    "cleaned",
    "doubtful_rows",
    "equilibrate",
    "factors",
    "is_regular",
    "rank",
    "rows_to_one",
    "singular_values",
]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

EPS: Final = float(np.finfo(float).eps)
ROUNDING: Final = 100 * EPS
"""Bound of the relative error of entries whose rounding is not known, times max(rows, columns)."""
OWN: Final = 4 * EPS
"""Times max(rows, columns) and the largest singular value: the error of the decomposition."""
MARGIN: Final = 10.0
"""Times its bound: a smaller entry or singular value is zero; bounds are known to first order."""
SECOND_MARGIN: Final = 1e3
"""The same for the second opinion: what lies between the two is doubtful."""
PART: Final = 0.1
"""Component of a unit vector from which on a row is named."""
LEAST_RECIPROCAL: Final = 1e-14
"""A square matrix with a smaller reciprocal condition is singular."""
NARROW: Final = 10.0
"""Powers of two between entries that are of one size."""
ROUNDS: Final = 3
"""How often scales are found; after the first round, entries that remain small have less weight."""
RIDGE: Final = 1e-9
"""Added to weights, for what is not connected has no scale of its own."""
TWICE: Final = 2.0**-90
"""Part of its row and column below which an entry is rounding of what is rounding already."""
SPOILT: Final = 100.0
"""Times worse that a condition may be by scales of the other kind."""
FARTHEST: Final = 900.0
"""Largest power of two of a scale."""


class Factors(NamedTuple):
    """r A c = U diag(s) Vt, with the singular values that count before all others.

    Attributes:
        bound: What rounding can make of each singular value.
        ranks: The rank of each matrix of the stack.
    """

    U: Array
    s: Array
    Vt: Array
    r: Array
    c: Array
    bound: Array
    ranks: NDArray[np.int64]


def cleaned(A: Array, noise: Array | None, margin: float = MARGIN) -> Array:
    """Return a matrix whose entries below their rounding bounds are zero."""
    return A if noise is None else np.where(np.abs(A) > margin * noise, A, 0.0)


def equilibrate(A: Array, together: int = 0, *, exact: bool = False) -> tuple[Array, Array, Array]:
    """Return r A c, r and c; the largest of each row and column is between 1/2 and 1, or 0.

    The first rows, as many as are `together`, have one scale: that of the largest of them. Where
    entries are of many sizes, there are two ways to begin: with the entries as they are, and with
    scales that do not depend on the units of rows and columns. Entries that are rounding spoil
    the latter; where entries are `exact`, none of them is. The way with the higher rank or a much
    better condition is taken, for the best scaling says how singular a matrix is (Bauer, Numer.
    Math. 5, 1963).
    """
    r, c = np.ones((*A.shape[:-1], 1)), np.ones((*A.shape[:-2], 1, A.shape[-1]))
    if not A.size:
        return r * A * c, r, c
    r, c = _largest_to_one(A, r, c, together)
    wide = np.flatnonzero(np.abs(_exponents(A)).max(axis=(1, 2)) > NARROW)
    wide = wide[np.isfinite(A[wide]).all(axis=(1, 2))]
    if wide.size:
        own = A[wide]
        kept = own if exact else _rounded_once(own, r[wide] * own * c[wide], together)
        new = _largest_to_one(kept, *_balanced(kept, together), together)
        before, after = (_quality(x * own * y) for x, y in ((r[wide], c[wide]), new))
        much = 1 / SPOILT if exact else SPOILT
        better = (after[0] > before[0]) | ((after[0] == before[0]) & (after[1] > much * before[1]))
        r[wide[better]], c[wide[better]] = new[0][better], new[1][better]
    return r * A * c, r, c


def _rounded_once(A: Array, scaled: Array, together: int) -> Array:
    """Return matrices without the entries that are rounding of what is rounding already.

    These are small after rows were scaled before columns, which is the matrix `scaled`, and also
    with columns before rows. One order alone makes entries small that are not: beside a mass of
    2^90 kg, an axis along two directions leaves 2^-90 of the ones in the rows of the masses, but
    not in their columns.
    """
    c = _to_one(np.abs(A).max(axis=-2, keepdims=True))
    r, c = _largest_to_one(A, np.ones((*A.shape[:-1], 1)), c, together)
    return np.where(np.maximum(np.abs(scaled), np.abs(r * A * c)) > TWICE, A, 0.0)


def _exponents(A: Array) -> Array:
    return np.where(A != 0, np.frexp(A)[1], 0).astype(np.float64)


def _largest_to_one(A: Array, r: Array, c: Array, together: int) -> tuple[Array, Array]:
    for _ in range(2):
        size = np.abs(r * A * c).max(axis=-1, keepdims=True)
        size[:, :together] = size[:, :together].max(axis=1, keepdims=True, initial=0.0)
        r = r * _to_one(size)
        c = c * _to_one(np.abs(r * A * c).max(axis=-2, keepdims=True))
    return r, c


def _quality(A: Array) -> tuple[NDArray[np.int64], Array]:
    """Return the ranks of scaled matrices, and their reciprocal conditions on their ranges."""
    s = np.linalg.svd(A, compute_uv=False)
    kept = s > max(A.shape[1:]) * ROUNDING * s[:, :1]
    least = np.where(kept, s, np.inf).min(axis=1)
    condition = np.where(s[:, 0] > 0, least / np.where(s[:, 0] > 0, s[:, 0], 1.0), 1.0)
    return np.asarray(kept.sum(axis=1), dtype=np.int64), condition


def _balanced(A: Array, together: int) -> tuple[Array, Array]:
    """Return powers of two that bring the entries near 1, those that are small beside others least.

    The exponents minimize the sum of w (log2 |a| + rho + gamma)^2 over the entries that are not
    zero, with gamma eliminated. An entry that stays far below the largest of its row and column,
    maybe by rounding only, has less weight w in the next round.
    """
    filled, e = A != 0, _exponents(A)
    w = filled.astype(np.float64)
    for _ in range(ROUNDS):
        rho, gamma = _least_logarithms(w, e, together)
        most = _largest_exponent(e + rho + gamma, filled, -1)
        most[:, :together] = most[:, :together].max(axis=1, keepdims=True, initial=-np.inf)
        rho = rho - most
        gamma = gamma - _largest_exponent(e + rho + gamma, filled, -2)
        w = filled / (1 + ((e + rho + gamma) / NARROW) ** 2) ** 2
    rho, gamma = (np.clip(np.rint(x), -FARTHEST, FARTHEST) for x in (rho, gamma))
    return np.exp2(rho), np.exp2(gamma)


def _least_logarithms(w: Array, e: Array, together: int) -> tuple[Array, Array]:
    """Return rho and gamma that minimize the sum of w (e + rho + gamma)^2."""
    in_rows, in_columns = w.sum(axis=2, keepdims=True), w.sum(axis=1, keepdims=True) + RIDGE
    share = w / in_columns
    left = share @ np.swapaxes(w, 1, 2)
    m = w.shape[1]
    left = (in_rows + RIDGE) * np.eye(m) - left
    right = (share * (w * e).sum(axis=1, keepdims=True) - w * e).sum(axis=2, keepdims=True)
    # one unknown for the rows that are together
    shared = np.r_[np.zeros(together, dtype=np.intp), np.arange(m - together) + (together > 0)]
    P = np.eye(shared.max(initial=-1) + 1)[shared]
    rho = P @ np.linalg.solve(P.T @ left @ P, P.T @ right)
    gamma = -(w * (e + rho)).sum(axis=1, keepdims=True) / in_columns
    return rho, gamma


def _largest_exponent(e: Array, filled: NDArray[np.bool_], axis: int) -> Array:
    largest = np.where(filled, e, -np.inf).max(axis=axis, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0.0)


def rows_to_one(A: Array) -> Array:
    """Return the factors that bring the largest entry of each row near 1."""
    return _to_one(np.abs(A).max(axis=-1, keepdims=True, initial=0.0))


def _to_one(size: Array) -> Array:
    _, exponent = np.frexp(size)
    return np.where(size > 0, np.ldexp(1.0, -exponent), 1.0)


def blocks(A: Array) -> list[tuple[Places, Places]]:
    """Return rows and columns of the parts of a stack that share neither a row nor a column.

    A row or a column that is zero at all states is a part by itself.
    """
    filled = (A != 0).any(axis=0)
    m, n = filled.shape
    if filled.size and filled[0].all() and filled.any(axis=1).all():
        return [(np.arange(m), np.arange(n))]
    # rows and columns as vertices of a graph, which its entries connect
    near = [(m + np.flatnonzero(row)).tolist() for row in filled]
    near += [np.flatnonzero(column).tolist() for column in filled.T]
    found = []
    seen = [False] * (m + n)
    for first in range(m + n):
        if seen[first]:
            continue
        seen[first] = True
        part = [first]
        for vertex in part:
            for other in near[vertex]:
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        every = np.array(sorted(part), dtype=np.intp)
        found.append((every[every < m], every[every >= m] - m))
    return found


def singular_values(A: Array) -> tuple[Array, Array, Array]:
    """Return U, s and V^T with all their vectors, of empty matrices too."""
    if A.size:
        U, s, Vt = np.linalg.svd(A)
        return U, s, Vt
    K, m, n = A.shape
    U, Vt = (np.broadcast_to(np.eye(k), (K, k, k)) for k in (m, n))
    return U, np.zeros((K, 0)), Vt


def factors(A: Array, noise: Array | None = None, together: int = 0) -> Factors:
    """Return the singular values of the equilibrated matrices, and how many of them count.

    `noise` bounds the errors of the entries. Without it they are taken for rounded numbers.
    """
    _, r, c = equilibrate(cleaned(A, noise), together, exact=noise is not None)
    scaled, moved = r * cleaned(A, noise, 1.0) * c, None if noise is None else r * noise * c
    (K, m, n), k = A.shape, min(A.shape[1:])
    U, Vt = np.zeros((K, m, m)), np.zeros((K, n, n))
    s, bound = np.zeros((2, K, k))
    pairs, left, right = 0, m, n  # vectors without a singular value of their own come last
    for rows, columns in blocks(scaled):
        own = np.ix_(np.arange(K), rows, columns)
        u, value, vt = singular_values(scaled[own])
        p = value.shape[1]
        at = slice(pairs, pairs + p)
        s[:, at] = value
        bound[:, at] = _bounds(u, value, vt, None if moved is None else moved[own])
        U[:, rows, at], Vt[:, at, columns] = u[:, :, :p], vt[:, :p]
        pairs, left, right = pairs + p, left - len(rows) + p, right - len(columns) + p
        U[:, rows, left : left + len(rows) - p] = u[:, :, p:]
        Vt[:, right : right + len(columns) - p, columns] = vt[:, p:]
    counts = s > MARGIN * bound
    order = np.lexsort((-s, ~counts), axis=-1)
    if (order != np.arange(k)).any():
        s, bound = (np.take_along_axis(each, order, axis=-1) for each in (s, bound))
        U[:, :, :k] = np.take_along_axis(U[:, :, :k], order[:, None, :], axis=2)
        Vt[:, :k] = np.take_along_axis(Vt[:, :k], order[:, :, None], axis=1)
    return Factors(U, s, Vt, r, c, bound, np.asarray(counts.sum(axis=-1), dtype=np.int64))


def _bounds(U: Array, s: Array, Vt: Array, noise: Array | None) -> Array:
    """Return what rounding can make of singular values, from the errors of a scaled matrix."""
    k, size = s.shape[-1], max(U.shape[-1], Vt.shape[-1])
    if noise is None:
        return np.broadcast_to(size * ROUNDING / MARGIN * s[:, :1], s.shape)
    moved = np.swapaxes(np.abs(U[:, :, :k]), 1, 2) @ noise
    own = size * OWN / MARGIN * s[:, :1]
    return np.asarray(np.maximum((moved * np.abs(Vt[:, :k])).sum(axis=-1), own))


def rank(A: Array, noise: Array | None = None, together: int = 0) -> NDArray[np.int64]:
    """Return how many rows of each matrix are independent."""
    return factors(A, noise, together).ranks


def doubtful_rows(A: Array, noise: Array, M: Array) -> NDArray[np.bool_]:
    """Return the rows of A, (K, m), of which the inertia does not confirm the rank.

    The second opinion is the rank of A M^-1 A^T, from the singular values of A M^-1/2 with rows
    scaled to one, and with a wider margin. Where it differs from the first, a constraint is too
    close to rounding to be taken for one or to be left out; the rows with a part in it are
    returned. A matrix M that is not positive definite has no opinion.
    """
    doubtful = np.zeros(A.shape[:-1], dtype=bool)
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    sound = np.isfinite(M).all(axis=(1, 2)) & (diagonal > 0).all(axis=1)
    if not A.size or not sound.any():
        return doubtful
    A, noise, M = A[sound], noise[sound], M[sound]
    d = 1 / np.sqrt(diagonal[sound])[:, None, :]
    w, V = np.linalg.eigh(np.swapaxes(d, 1, 2) * M * d)
    definite = w[:, 0] > LEAST_RECIPROCAL * w[:, -1]
    root = V / np.sqrt(np.where(definite[:, None], w, 1.0))[:, None, :]
    B, moved = (A * d) @ root, np.sqrt((noise * d) ** 2 @ root**2)
    r = rows_to_one(cleaned(B, moved))
    U, s, Vt = singular_values(r * B)
    second = s > SECOND_MARGIN * _bounds(U, s, Vt, r * moved)
    count = rank(A, noise)
    differ = definite & (second.sum(axis=-1) != count)
    # the vectors of the singular values in dispute
    open_ones = ~second & (np.arange(s.shape[-1]) < count[:, None])
    part = (np.abs(U[:, :, : s.shape[-1]]) * open_ones[:, None, :]).max(axis=-1, initial=0.0)
    doubtful[sound] = differ[:, None] & (part > PART)
    return doubtful


def is_regular(s: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return whether square matrices with these singular values have an inverse."""
    return np.asarray(s[:, -1] > LEAST_RECIPROCAL * s[:, 0])
