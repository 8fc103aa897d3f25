"""How far rounding may have moved the entries of each matrix, to first order.

A product of matrices that is zero leaves noise, and scaling would blow it up to a row or a
column like any other. Where a rank is found, entries below their noise are therefore zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.ranks import EPS, MARGIN, blocks, cleaned, factors, rows_to_one, singular_values
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["noise_of"]

IMPLICIT: Final = 1e-12
WIDER: Final = 16.0
"""How many times as large as to first order the noise of a solution is taken for, by rows."""
MOST: Final = 2e-14
"""Of the norm of a solution, an inverse or a root: bounds of bounds grow beyond all use, and
what is taken for noise is lost."""


def noise_of(step: Step, args: Sequence[Array], noise: Sequence[Array], value: Array) -> Array:
    """Return the noise of the value of a step from its arguments and theirs."""
    match step.op:
        case "identity":
            return np.zeros(value.shape)
        case "product":
            return _product(args, noise)
        case "sum":
            return np.asarray(sum(noise) + EPS * sum(np.abs(a) for a in args))
        case "transpose":
            return np.swapaxes(noise[0], 1, 2)
        case "absolute":
            return noise[0]
        case "rows":
            return noise[0][:, list(step.indices or ())]
        case "solve":
            return _solved(args[0], noise[0], value, noise[1])
        case "nullspace":
            # a unit vector; columns are not scaled, for they may themselves be noise
            return _solved(args[0], noise[0], value, np.zeros_like(noise[0][:, :, :1]), unit=True)
        case "pinv":
            return _inverted(args[0], noise[0], value)
        case "sqrtm":
            return _rooted(args[0], noise[0], value)
        case "implicit":
            return np.broadcast_to(IMPLICIT * _norm(value), value.shape)
    return ENTRY * np.abs(value)


def _bounded(noise: Array, value: Array) -> Array:
    return np.minimum(noise, MOST * _norm(value))


def _norm(A: Array) -> Array:
    return np.asarray(np.sqrt((A * A).sum(axis=(1, 2), keepdims=True)))


def _product(args: Sequence[Array], noise: Sequence[Array]) -> Array:
    value, own = args[0], noise[0]
    for right, other in zip(args[1:], noise[1:], strict=True):
        rounding = EPS * value.shape[-1]
        size = np.abs(value)
        own = own @ np.abs(right) + size @ other + rounding * (size @ np.abs(right))
        value = value @ right
    return own


def _solved(A: Array, noise: Array, x: Array, right: Array, *, unit: bool = False) -> Array:
    """Return the noise of x in A x = b: |A^-1| (|dA| |x| + |db|), by norms after scaling.

    Blocks without a common row or column have nothing of each other's noise. Of `unit` vectors,
    the columns of A are not scaled.
    """
    moved = (noise + EPS * np.abs(A)) @ np.abs(x) + right
    found = np.zeros(x.shape)
    for rows, columns in blocks(A):
        if len(rows) == len(columns) == 1 and not unit:
            found[:, columns] = _quotient(
                A[:, rows, columns], noise[:, rows, columns], moved[:, rows[0]], x[:, columns]
            )
            continue
        own = np.ix_(np.arange(len(A)), rows, columns)
        parts = factors(A[own], noise[own])
        s, r, c = parts.s, parts.r, np.swapaxes(parts.c, 1, 2)
        if unit:
            r, c = rows_to_one(cleaned(A[own], noise[own])), np.ones_like(c)
            _, s, _ = singular_values(r * A[own])
        kept = (np.arange(s.shape[-1]) < parts.ranks[:, None]) & (s > 0)
        gain = (1 / np.where(kept, s, np.inf)).max(axis=-1, initial=0.0)[:, None, None]
        largest = (r * moved[:, rows]).max(axis=1, keepdims=True, initial=0.0)
        size = c * gain * largest
        if not unit:  # of rows in very different units, the norm is that of one of them
            k = s.shape[-1]
            inverse = np.where(kept, 1 / np.where(kept, s, 1.0), 0.0)[:, None, :]
            V, Ut = np.swapaxes(parts.Vt[:, :k], 1, 2), np.swapaxes(parts.U[:, :, :k], 1, 2)
            each = c * np.abs((V * inverse) @ Ut) @ (r * moved[:, rows])
            size = np.minimum(size, WIDER * each)
        found[:, columns] = _bounded(size, x[:, columns])
    return found


def _quotient(a: Array, noise: Array, moved: Array, x: Array) -> Array:
    """Return the noise of x in a x = b with numbers a, (K, 1), as that of a block of one row."""
    size = np.abs(a)
    kept = (size > MARGIN * noise) & (size > 0)
    gain = np.where(kept, 1 / np.where(kept, size, 1.0), 0.0)
    return _bounded((gain * moved)[:, None, :], x)


def _inverted(A: Array, noise: Array, X: Array) -> Array:
    """Return the noise of X = A^+, to first order by entries.

    dX = -X dA X + X X^T dA^T (1 - A X) + (1 - X A) dA^T X^T X (Golub and Pereyra, SIAM J. Numer.
    Anal. 10, 1973, section 4).
    """
    E = noise + EPS * np.abs(A)
    Et, Xt = np.swapaxes(E, 1, 2), np.swapaxes(X, 1, 2)
    left, right = np.eye(A.shape[-1]) - X @ A, np.eye(A.shape[-2]) - A @ X
    parts = (
        np.abs(X) @ E @ np.abs(X),
        np.abs(X @ Xt) @ Et @ np.abs(right),
        np.abs(left) @ Et @ np.abs(Xt @ X),
    )
    found = np.asarray(sum(parts))
    for columns, rows in blocks(X):
        own = np.ix_(np.arange(len(A)), columns, rows)
        found[own] = _bounded(found[own], X[own])
    return found


def _rooted(A: Array, noise: Array, root: Array) -> Array:
    """Return the noise of the square root of A, block by block."""
    found = np.zeros(root.shape)
    for rows, columns in blocks(root):
        if len(rows) != len(columns):
            continue
        own = np.ix_(np.arange(len(A)), rows, columns)
        least = np.abs(np.linalg.eigvalsh(root[own])[:, :1, None])
        size = (_norm(noise[own]) + EPS * _norm(A[own])) / (2 * least)
        found[own] = _bounded(np.broadcast_to(size, root[own].shape), root[own])
    return found
