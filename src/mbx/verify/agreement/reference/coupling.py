"""How large rows are that are coupled to each other: what rounding of a row leaves in another.

Where the terms of a row cancel or vanish, rounding of the rows remains that it is solved with. In
units of sqrt(M_ii), forces of rows that inertia or invariants couple are comparable: such a row
counts as the sum of these. Rows that nothing couples do not count, and no units do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.reference_numbers import Reference

__all__ = ["Coupling"]


@dataclass(frozen=True)
class Coupling:
    """Which rows are coupled, and with which inertia: in the speeds, the tree, the elements."""

    reference: Reference

    @cached_property
    def _of_speeds(self) -> tuple[Array, NDArray[np.intp]]:
        reference = self.reference
        M = np.abs((reference.K.T @ (reference.Mb @ reference.K)).value).astype(np.float64)
        if not reference.programs.named:  # known models have inertia, too
            M = M + np.abs(reference.balance(None)[0].value).astype(np.float64)
        A = np.abs(reference.numbers("invariants")["A"]).astype(np.float64)
        M, A = np.nan_to_num(M), np.nan_to_num(A)
        pattern = np.asarray((M > 0).any(axis=0))
        for row in np.asarray((A > 0).any(axis=0)):
            pattern |= np.outer(row, row)
        return _with_apparent(np.diagonal(M, axis1=1, axis2=2), A), _components(pattern)

    def in_speeds(self, size: Array, *, accelerations: bool = False) -> Array:
        """Return the sizes of forces on speeds, or of their rates, (N, n, columns)."""
        inertia, groups = self._of_speeds
        if accelerations:
            inertia = np.where(inertia > 0, 1 / np.where(inertia > 0, inertia, 1.0), 0.0)
        return _spread(size, inertia, groups)

    def with_accelerations(self, size: Array, ud: Array) -> Array:
        """Return sizes of forces on speeds, each no less than that of what it accelerates.

        A variable without inertia accelerates what it takes along.
        """
        inertia, _ = self._of_speeds
        return np.asarray(np.maximum(size, inertia[:, :, None] * ud))

    def in_rates(self, size: Array) -> Array:
        """Return the sizes of forces on the rates of the tree."""
        M = np.nan_to_num(np.abs(self.reference.tree.M.now.value).astype(np.float64))
        return _spread(size, np.diagonal(M, axis1=1, axis2=2), self._of_rates)

    @cached_property
    def _of_rates(self) -> NDArray[np.intp]:
        M = np.nan_to_num(np.abs(self.reference.tree.M.now.value).astype(np.float64))
        pattern = np.asarray((M > 0).any(axis=0))
        for row in self.reference.programs.closing.C:
            used = np.array([x is not ZERO for x in row])
            pattern |= np.outer(used, used)
        return _components(pattern)

    @cached_property
    def _of_links(self) -> tuple[Array, NDArray[np.intp]]:
        tree = self.reference.tree
        links = tree.links.links
        pattern = np.eye(len(links), dtype=bool)
        rates = [{int(self._of_rates[j]) for j in link.own} for link in links]
        for k, link in enumerate(links):
            if link.parent is not None:  # a hinge passes forces on, also one without freedom
                pattern[k, link.parent] = True
            pattern[k, : k + 1] |= [
                not rates[k].isdisjoint(hinge_rates) for hinge_rates in rates[: k + 1]
            ]
        groups = np.repeat(_components(pattern), 6)
        d = [np.diagonal(x.now.value.astype(np.float64), axis1=1, axis2=2) for x in tree.inertia]
        return _by_kind(np.abs(np.concatenate(d, axis=1))), groups

    def of_links(self, size: Array, *, twists: bool = False) -> Array:
        """Return the sizes of wrenches on links, or of their twists, six rows each."""
        inertia, groups = self._of_links
        return _spread(size, 1 / inertia if twists else inertia, groups)

    @cached_property
    def _of_elements(self) -> tuple[Array, NDArray[np.intp]]:
        reference = self.reference
        d = np.diagonal(reference.Mb.value.astype(np.float64), axis1=1, axis2=2)
        _, groups = self._of_speeds
        size = np.nan_to_num(np.abs(reference.K.value).astype(np.float64))
        moved = np.asarray((size > 0).any(axis=0))
        of = []
        for e in range(reference.count):
            used = np.flatnonzero(moved[6 * e : 6 * e + 6].any(axis=0))
            of += [int(groups[used[0]]) if used.size else -1 - e] * 6
        return _by_kind(np.abs(d)), np.array(of, dtype=np.intp)

    def of_elements(self, size: Array, rows: list[int]) -> Array:
        """Return the sizes of wrenches on elements, up to six rows each."""
        inertia, groups = self._of_elements
        return _spread(size, inertia[:, rows], groups[rows])


def _components(pattern: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return a number for each row, the same for rows that are coupled, however far."""
    n = len(pattern)
    label = np.arange(n)
    changed = True
    while changed:
        new = label.copy()
        for i in range(n):
            near = pattern[i] | pattern[:, i]
            near[i] = True
            new[i] = label[near].min()
        changed = bool((new != label).any())
        label = new
    return label


def _with_apparent(inertia: Array, A: Array) -> Array:
    """Return inertias; a variable without inertia has that of the others that it takes along.

    That is A_i^2 / (A M^-1 A^T), the largest of all invariants.
    """
    apparent = inertia
    for _ in range(2):  # a variable may take along another
        known = apparent > 0
        light = np.where(known, 1 / np.where(known, apparent, 1.0), 0.0)
        moved = (A**2 * light[:, None, :]).sum(axis=2)
        by = A**2 / np.where(moved > 0, moved, np.inf)[:, :, None]
        apparent = np.where(known, apparent, by.max(axis=1, initial=0.0))
    return apparent


def _by_kind(inertia: Array) -> Array:
    """Return inertias of six rows each: the mass for forces, another for torques, never zero."""
    N = len(inertia)
    blocks = np.nan_to_num(inertia).reshape(N, -1, 2, 3).max(axis=3, keepdims=True, initial=0.0)
    usual = blocks.max(axis=1, keepdims=True, initial=0.0)
    blocks = np.where(blocks > 0, blocks, np.where(usual > 0, usual, 1.0))
    return np.repeat(blocks, 3, axis=3).reshape(N, -1)


def _spread(size: Array, inertia: Array, groups: NDArray[np.intp]) -> Array:
    """Return sqrt(d_i) times the sum of size_j / sqrt(d_j) over the group of each row."""
    if not size.shape[1]:
        return size
    root = np.sqrt(inertia)[:, :, None]
    known = root > 0
    scaled = np.where(known, size / np.where(known, root, 1.0), 0.0)
    sums = np.empty_like(scaled)
    for group in np.unique(groups):
        rows = groups == group
        sums[:, rows] = scaled[:, rows].sum(axis=1, keepdims=True)
    return np.asarray(np.maximum(size, root * sums))
