"""Pivots of a matrix of numbers: large enough to divide by, and few entries to fill.

A pivot is no small part of the largest entry of its row; of these it is the one whose row and
column have the fewest others (Markowitz, Management Science 3, 1957). So numbers only say what
is no pivot, and at nearly all states the same ones are found.

Where there are more rows or columns than the rank, elimination also chooses which of them are
kept. A choice that is good at one state may be singular at another one where the matrix has the
same rank, and there what a state is off its invariants is magnified. So the choice is by all
states at hand, and by threshold complete pivoting: a pivot is no small part of all that is left
(Duff, Erisman and Reid, Direct Methods for Sparse Matrices, 2017, sections 4.4 and 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.ranks import cleaned, equilibrate, factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["common_block", "common_pivots", "pivots", "ranks"]

_NOISE: Final = 1e-9
"""Part of the largest one below which a singular value, or a row, has no pivot."""
_LEAST: Final = 1e-3
"""Part of the largest entry of its row that a pivot is at least."""
_COMMON: Final = 0.1
"""The same, at every one of several states."""
_WHOLE: Final = 0.5
"""Part of the best entry that is left, both at their worst states, that a pivot is at least."""
_AS_GOOD: Final = 0.5
"""Part of the largest one of all blocks from which on a least singular value is as good."""


def pivots(A: Array, noise: Array, together: int = 0) -> list[tuple[int, int]]:
    """Return rows and columns of a largest regular block, in an order to eliminate in.

    `noise` bounds the errors of the entries. The first rows, as many as are `together`, have one
    scale, for some may be rounding only.
    """
    count = int(ranks(A[None], noise[None], together)[0])
    if not count:
        return []
    W = equilibrate(cleaned(A, noise)[None], together)[0][0]
    filled = W != 0
    found: list[tuple[int, int]] = []
    while len(found) < count:
        size = np.abs(W)
        largest = size.max(axis=1, keepdims=True)
        able = (size >= _LEAST * largest) & (largest > _NOISE * size.max())
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        fill = np.where(able, others, np.iinfo(np.int64).max)
        # of equal ones the last, as in all eliminations of the graph
        at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        i, j = divmod(at, W.shape[1])
        found.append((i, j))
        W = W - np.outer(W[:, j] / W[i, j], W[i])
        filled = filled | np.outer(filled[:, j], filled[i])
        for whole in (W, filled):
            whole[i], whole[:, j] = 0, 0
    return found


def ranks(A: Array, noise: Array, together: int = 0) -> NDArray[np.int64]:
    """Return how many pivots matrices, (K, m, n), have at each state."""
    parts = factors(A, noise, together)
    sizes = np.where(np.arange(parts.s.shape[1]) < parts.ranks[:, None], parts.s, 0.0)
    # in general position a value as small as that is left by a state that is not quite consistent
    least = _NOISE * sizes.max(axis=1, keepdims=True, initial=0.0)
    return np.asarray((sizes > least).sum(axis=1), dtype=np.int64)


def common_block(
    A: Array, noise: Array, together: int = 0, *, symmetric: bool = False
) -> list[tuple[int, int]]:
    """Return rows and columns of a largest regular block, about the best one at all K states.

    The first state, in general position, says the rank; states where it is another one do not
    count. Its own pivots are taken, for they fill fewest entries, unless at some state another
    block is better: its least singular value is larger, by whose inverse errors are magnified.
    A block of a symmetric matrix has the same rows as columns: where rows of it are independent,
    so are these columns.
    """
    first = pivots(A[0], noise[0], together)
    count, blocks = len(first), [first]
    same = ranks(A, noise, together) == count
    W = equilibrate(cleaned(A[same], noise[same]), together)[0]
    if 0 < count < max(W.shape[1:]) and len(W) > 1:
        # good at all states, and at each of them
        some = (W, *(W[k : k + 1] for k in range(len(W))))
        found = (_eliminated(each, count, whole=True) for each in some)
        blocks += list({tuple(sorted(block)): block for block in found if block}.values())
    if symmetric:
        sides = [[pair[k] for pair in block] for block in blocks for k in (0, 1)]
        blocks = [list(zip(side, side, strict=True)) for side in sides]
    return blocks[0] if len(blocks) == 1 else _best(W, blocks)


def _best(W: Array, blocks: Sequence[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the first block that is as good as any at all states, or the one that nearly is."""
    least = np.stack([_least(W, block) for block in blocks])
    largest = least.max(axis=0)
    part = np.divide(least, largest, out=np.ones_like(least), where=largest > 0).min(axis=1)
    return blocks[int(np.argmax(part >= min(_AS_GOOD, part.max())))]


def _least(W: Array, block: list[tuple[int, int]]) -> Array:
    """Return the least singular value of a block at each state."""
    if not block:
        return np.ones(len(W))
    rows, columns = zip(*block, strict=True)
    part = W[:, rows][:, :, columns]
    return np.asarray(np.linalg.svd(part, compute_uv=False)[:, -1])


def common_pivots(A: Array) -> list[tuple[int, int]]:
    """Return pivots of square matrices, (K, n, n), that are good at all K states at once.

    Where no entry is large enough at all of them, the one that is least small at its worst.
    """
    return _eliminated(equilibrate(A)[0], A.shape[-1], whole=False)


def _eliminated(W: Array, count: int, *, whole: bool) -> list[tuple[int, int]]:
    """Return so many pivots of scaled matrices, or none where a state has none left.

    At each state an entry is measured by the largest one of its row, or of the whole matrix.
    """
    filled = (W != 0).any(axis=0)
    found: list[tuple[int, int]] = []
    while len(found) < count:
        size = np.abs(W)
        largest = size.max(axis=(1, 2) if whole else 2, keepdims=True)
        worst = np.where(largest > 0, size / np.where(largest > 0, largest, 1.0), 0.0).min(axis=0)
        best = float(worst.max())
        if best <= (_NOISE if whole else 0.0):
            return []
        least = _WHOLE * best if whole else min(_COMMON, best)
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        fill = np.where(worst >= least, others, np.iinfo(np.int64).max)
        at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        i, j = divmod(at, W.shape[2])
        found.append((i, j))
        W = W - W[:, :, j, None] / W[:, i, None, j, None] * W[:, i, None, :]
        filled = filled | np.outer(filled[:, j], filled[i])
        W[:, i], W[:, :, j] = 0, 0
        filled[i], filled[:, j] = False, False
    return found
