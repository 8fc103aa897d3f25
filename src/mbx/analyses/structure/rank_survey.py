"""Ranks of the invariants over states, and which of them depend on the others.

The rank is that of the matrix with its rows and columns scaled to one over all states, by
singular values; the gap to the next singular value shows how sure it is. A row can be left out
without loss of rank iff its entry in some left null vector is not zero. The same entries show
which multipliers are not unique (Wojtyra and Fraczek, Multibody Syst. Dyn. 30, 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.linalg import qr

from mbx.numerics.execute.stacked_algebra import EPS, NOT_UNIQUE, equilibrate
from mbx.numerics.ranks import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["SURE", "Ranks", "groups", "left_null", "ranks", "scales", "touched"]

SURE: Final = 1e4
"""A smaller gap between singular values is near a singular state."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Ranks at K states.

    Attributes:
        each: The rank at each state; -1 where the matrix has no value.
        gap: Last singular value that counts by the first that does not, or by rounding.
        generic: The largest rank: it holds almost everywhere.
    """

    each: NDArray[np.int64]
    gap: Array
    generic: int

    @property
    def full(self) -> NDArray[np.bool_]:
        """Where the rank is the generic one."""
        return np.asarray(self.each == self.generic)

    @property
    def near(self) -> NDArray[np.bool_]:
        """Where the gap is too small to be sure."""
        return np.asarray((self.each >= 0) & (self.gap < SURE))


def scales(A: Array) -> tuple[Array, Array]:
    """Return scales of rows and columns that hold for all states.

    At each state by itself a column that is only rounding there would be scaled to one.
    """
    sound = np.where(np.isfinite(A), np.abs(A), 0.0)
    _, r, c = equilibrate(sound.max(axis=0, initial=0.0)[None])
    return r[0], c[0]


def ranks(A: Array) -> Ranks:
    """Return the ranks of a stack of matrices."""
    sound = np.asarray(np.isfinite(A).all(axis=(1, 2)))
    r, c = scales(A)
    s = _values(np.where(sound[:, None, None], r * A * c, 0.0))
    rounding = max(A.shape[1:]) * EPS * s[:, :1].max(axis=1, initial=0.0)
    each = np.where(sound, (s > ROUNDING / EPS * rounding[:, None]).sum(axis=1), -1)
    padded = np.column_stack([s, np.zeros(len(A))])
    at, count = np.arange(len(A)), np.maximum(each, 0)
    last = np.where(count > 0, padded[at, np.maximum(count - 1, 0)], np.inf)
    following = np.maximum(padded[at, count], rounding)
    gap = np.where(following > 0, last / np.where(following > 0, following, 1.0), np.inf)
    return Ranks(each, gap, int(each.max(initial=0)))


def _values(A: Array) -> Array:
    if not A.size:
        return np.zeros((len(A), 0))
    return np.asarray(np.linalg.svd(A, compute_uv=False))


def left_null(A: Array, rank: Ranks, chosen: NDArray[np.bool_]) -> list[Array]:
    """Return left null vectors at chosen states, as columns; the largest entry of each is one.

    `rank` has the ranks of A.
    """
    r, c = scales(A)
    result = []
    for k in np.flatnonzero(chosen):
        if not A.shape[1] or not A.shape[2]:
            columns = np.eye(A.shape[1])
        else:
            columns = r * np.linalg.svd(r * A[k] * c)[0][:, rank.each[k] :]
        largest = np.abs(columns).max(axis=0, initial=0.0)
        result.append(columns / np.where(largest > 0, largest, 1.0))
    return result


def touched(columns: Sequence[Array], size: int) -> NDArray[np.bool_]:
    """Return which rows some columns are not zero in, at any of the states."""
    flags = np.zeros(size, dtype=bool)
    for each in columns:
        flags |= np.abs(each).max(axis=1, initial=0.0) > NOT_UNIQUE
    return flags


def groups(columns: Sequence[Array], size: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return rows that depend on each other, each group with those that could go.

    Rows of one circuit, a smallest dependent set, are in one group.
    """
    if not columns or not columns[0].shape[1]:
        return []
    N = columns[0]
    width = N.shape[1]
    # later rows are those to go, unless earlier ones carry more than ten times as much
    order = np.array([10.0 ** (k / max(size, 1)) for k in range(size)])
    _, _, pivots = qr((N * order[:, None]).T, pivoting=True, mode="economic")
    out = [int(k) for k in pivots[:width]]
    circuits = [each @ np.linalg.pinv(each[out]) for each in columns if each.shape[1] == width]
    member = np.zeros((size, width), dtype=bool)
    for each in circuits:
        member |= np.abs(each) > NOT_UNIQUE * np.abs(each).max(axis=0, initial=1.0)
    left = set(range(width))
    result = []
    while left:
        first = min(left)
        group, grown = {first}, {first}
        while grown:
            touching = member[:, sorted(grown)].any(axis=1)
            grown = {j for j in left - group if (member[:, j] & touching).any()}
            group |= grown
        left -= group
        rows = tuple(int(k) for k in np.flatnonzero(member[:, sorted(group)].any(axis=1)))
        result.append((rows, tuple(sorted(out[j] for j in group))))
    return sorted(result)
