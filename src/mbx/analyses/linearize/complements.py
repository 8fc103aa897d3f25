"""Orthogonal complements on the tree of subsystems, at one state.

Each node has its own invariants on what the nodes below it leave free, B = A R. Leaves come
first: their rows are kept as they are, and where invariants contradict each other, those of the
node that brings them together are met by least squares, each row with its weight. Letters are
those of Orsino's thesis, (2.34), (4.17) and Proposition 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.linearize.tangent_motions import ZERO, freedoms
from mbx.numerics.ranks import cleaned
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mbx.mechanics.subsystem_tree import Part
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Complement", "Tie", "joined", "tied"]


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """C with B C = 0: the unit matrix in the rows `chosen`; `inverse` is that of B in the others.

    B has full column rank there, so that least squares have one solution, whatever the weights.
    """

    chosen: tuple[int, ...]
    dependent: tuple[int, ...]
    C: Array
    inverse: Array

    @classmethod
    def of(cls, B: Array, weights: Array, preferred: Sequence[int] = ()) -> Complement:
        """Return the complement of a matrix, whose rows may depend on each other."""
        known = freedoms(B, preferred)
        dependent = tuple(k for k in range(B.shape[1]) if k not in known.chosen)
        # (W B)^+ W takes the right side of W B x = W right
        least = ZERO * weights.min(initial=1.0) / weights.max(initial=1.0)
        inverse = np.linalg.pinv(weights[:, None] * B[:, list(dependent)], rcond=least) * weights
        return cls(known.chosen, dependent, known.T, np.asarray(inverse))

    def least_squares(self, right: Array) -> Array:
        """Return x with B x = right, as nearly as can be, and 0 in the chosen rows."""
        x = np.zeros((*right.shape[:-2], len(self.C), right.shape[-1]))
        x[..., list(self.dependent), :] = self.inverse @ right
        return x


@dataclass(frozen=True, slots=True, eq=False)
class Tie:
    """A node: its rows, what they are of the variables below it, and what they leave free.

    `free` are the positions in u of the variables that go up to the next node.
    """

    part: Part
    rows: tuple[int, ...]
    children: tuple[Tie, ...]
    A: Array
    R: Array
    complement: Complement
    free: tuple[int, ...]

    @property
    def S(self) -> Array:  # noqa: N802  Orsino's letter
        """What all variables below do as those that are free move."""
        return np.asarray(self.R @ self.complement.C)

    def particular(self, right: Array) -> Array:
        """Return x of the variables below with A x = right, from the leaves to this node.

        `right` has a row for each invariant of the system; of those that contradict each other
        the weighted sum of squares is least.
        """
        zero = np.zeros((len(self.part.own), right.shape[1]))
        E = np.vstack([zero, *(child.particular(right) for child in self.children)])
        return np.asarray(
            self.R @ self.complement.least_squares(right[list(self.rows)] - self.A @ E) + E
        )


def tied(part: Part, A: Array, rows: Collection[int], weights: Array) -> Tie:
    """Return a node after its children; A are all invariants by all speeds, `rows` those meant.

    `weights` says how much each invariant counts.
    """
    children = tuple(tied(child, A, rows, weights) for child in part.children)
    kept = tuple(k for k in part.rows if k in rows)
    block = A[np.ix_(kept, part.below)]
    R = joined(len(part.own), [child.S for child in children])
    labels = (*part.own, *(k for child in children for k in child.free))
    preferred = [labels.index(k) for k in part.hints if k in labels]
    B = cleaned(block @ R, ENTRY * np.abs(block) @ np.abs(R))  # what cancels is rounding
    complement = Complement.of(B, weights[list(kept)], preferred)
    free = tuple(labels[k] for k in complement.chosen)
    return Tie(part, kept, children, block, R, complement, free)


def joined(count: int, below: Sequence[Array]) -> Array:
    """Return R = (1 on the variables of the node, S of the children), (2.34)."""
    blocks = [np.eye(count), *below]
    R = np.zeros([sum(b.shape[k] for b in blocks) for k in (0, 1)])
    row = column = 0
    for block in blocks:
        R[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return R
