"""Pivots of a matrix of numbers: large enough to divide by, and few entries to fill.

A pivot is no small part of the largest entry of its row; of these it is the one whose row and
column have the fewest others (Markowitz, Management Science 3, 1957). So numbers only say what
is no pivot, and at nearly all states the same ones are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.formalism.numerics import equilibrate

if TYPE_CHECKING:
    from mbx.formalism.numerics import Array

__all__ = ["common_pivots", "pivots"]

_NOISE: Final = 1e-9
"""Part of the largest singular value below which one is zero."""
_LEAST: Final = 1e-3
"""Part of the largest entry of its row that a pivot is at least."""
_COMMON: Final = 0.1
"""The same, at every one of several states."""


def pivots(A: Array, together: int = 0) -> list[tuple[int, int]]:
    """Return rows and columns of a largest regular block, in an order to eliminate in.

    The first rows, as many as are `together`, have one scale, for some may be rounding only.
    """
    if not A.any():
        return []
    W = equilibrate(A[None], together)[0][0]
    sizes = np.linalg.svd(W, compute_uv=False)
    filled = W != 0
    found: list[tuple[int, int]] = []
    while len(found) < np.sum(sizes > _NOISE * sizes[0]):
        size = np.abs(W)
        largest = size.max(axis=1, keepdims=True)
        able = (size >= _LEAST * largest) & (largest > _NOISE * size.max())
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        fill = np.where(able, others, np.iinfo(np.int64).max)
        # of equal ones the last, as in all eliminations of the graph
        at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        i, j = divmod(at, A.shape[1])
        found.append((i, j))
        W = W - np.outer(W[:, j] / W[i, j], W[i])
        filled = filled | np.outer(filled[:, j], filled[i])
        for whole in (W, filled):
            whole[i], whole[:, j] = 0, 0
    return found


def common_pivots(A: Array) -> list[tuple[int, int]]:
    """Return pivots of square matrices, (K, n, n), that are good at all K states at once.

    Where no entry is large enough at all of them, the one that is least small at its worst.
    """
    W = equilibrate(A)[0]
    filled = (W != 0).any(axis=0)
    n = A.shape[-1]
    found: list[tuple[int, int]] = []
    while len(found) < n:
        size = np.abs(W)
        largest = size.max(axis=2, keepdims=True)
        worst = np.where(largest > 0, size / np.where(largest > 0, largest, 1.0), 0.0).min(axis=0)
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        if (worst >= _COMMON).any():
            fill = np.where(worst >= _COMMON, others, np.iinfo(np.int64).max)
            at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        else:
            at = int(np.argmax(worst))
        i, j = divmod(at, n)
        if worst[i, j] == 0:
            return []
        found.append((i, j))
        W = W - W[:, :, j, None] / W[:, i, None, j, None] * W[:, i, None, :]
        filled = filled | np.outer(filled[:, j], filled[i])
        W[:, i], W[:, :, j] = 0, 0
        filled[i], filled[:, j] = False, False
    return found
