"""Symmetric equations Mat u = Q in blocks of a tree, algorithm 3 of Ivanov and Shimanovskiy.

    i = N..1:  Mat_jk -= Mat_ij^T X_ik,  X_ij = Mat_ii^-1 Mat_ij,  Q_j -= X_ij^T Q_i   j, k in nb(i)
    i = 1..N:  u_i = Mat_ii^-1 Q_i - sum X_ij u_j                                      j in nb(i)

The text takes roots, L_ii^T L_ii = Mat_ii and L_ij = L_ii^-T Mat_ij; here they are not taken, and
X_ij = L_ii^-1 L_ij: the same elimination, with each diagonal block solved where the text solves
with L_ii^T and L_ii one after the other. The second loop runs from the first block to the last;
printed is the opposite.

Only blocks between a block and its neighbours nb(i), which all come before it, are written. The
neighbours are such that no other block arises.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import sub
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink

__all__ = ["Factors", "Neighbours", "factorize", "fill_in"]

Neighbours = dict[int, tuple[int, ...]]
"""For each block, in order, the blocks before it that it shares a block of the matrix with."""


@dataclass(frozen=True, slots=True)
class Factors:
    """A factorized matrix.

    Attributes:
        neighbours: The blocks of each row.
        left: Diagonal blocks after the elimination of all later rows.
        X: Mat_ii^-1 Mat_ij, of the blocks that are left.
    """

    neighbours: Neighbours
    left: dict[int, Matrix] = field(default_factory=dict)
    X: dict[tuple[int, int], Matrix] = field(default_factory=dict)

    def solve(
        self,
        p: Program,
        right: ByLink,
        name: str,
        meanings: Mapping[int, str] | None = None,
    ) -> dict[int, Matrix]:
        """Add the solution; return its blocks, called `name_i`.

        A block without a right side has zeros there; what is zero then is left out.
        """
        Q: dict[int, Matrix] = {}
        taken: dict[int, list[Matrix]] = {}
        p.begin("backward sweep, leaves to root: right-hand sides, block by block")
        for i in sorted(self.neighbours, reverse=True):
            whole, less = [right[i]] if i in right else [], taken.get(i, [])
            if less:
                Q[i] = p.let(f"{name}q_{i}", _subtract(whole, less))
            elif whole:
                Q[i] = right[i]
            else:
                continue
            for j in sorted(self.neighbours[i]):
                taken.setdefault(j, []).append(self.X[i, j].T @ Q[i])
        u: dict[int, Matrix] = {}
        p.begin("forward sweep, root to leaves: solution, block by block")
        for i in sorted(self.neighbours):
            meaning = (meanings or {}).get(i, "")
            near = [j for j in sorted(self.neighbours[i]) if j in u]
            if i in Q and not near:
                u[i] = p.solve(f"{name}_{i}", self.left[i], Q[i], "positive", meaning=meaning)
            elif near:
                whole = []
                if i in Q:
                    whole.append(p.solve(f"{name}h_{i}", self.left[i], Q[i], "positive"))
                less = [self.X[i, j] @ u[j] for j in near]
                u[i] = p.let(f"{name}_{i}", _subtract(whole, less), meaning)
        return u


def _subtract(whole: Sequence[Matrix], less: Sequence[Matrix]) -> Matrix:
    """Return a matrix less others; without it, minus these."""
    return reduce(sub, [*whole, *less]) if whole else reduce(sub, less[1:], -less[0])


def fill_in(neighbours: Neighbours) -> list[tuple[int, int]]:
    """Return the blocks (j, k), j > k, that elimination fills though they are no neighbours."""
    known = {i: set(near) for i, near in neighbours.items()}
    filled = []
    for i in sorted(neighbours, reverse=True):
        for k, j in combinations(sorted(known[i]), 2):
            if k not in known[j]:
                known[j].add(k)
                filled.append((j, k))
    return filled


def factorize(
    p: Program, name: str, neighbours: Neighbours, blocks: Mapping[tuple[int, int], Matrix]
) -> Factors:
    """Add the factors of a matrix with blocks (i, j), j in nb(i) or i."""
    if fill := fill_in(neighbours):
        raise EquationsError(f"elimination of {name} fills blocks: {fill}")
    made = Factors(neighbours)
    taken: dict[tuple[int, int], list[Matrix]] = {}
    p.begin("backward sweep, leaves to root: elimination, block by block")
    for i in sorted(neighbours, reverse=True):
        near = sorted(neighbours[i])
        left = {j: blocks[i, j] for j in (*near, i)}
        for j in left:
            if less := taken.get((i, j)):
                meaning = f"left of {name}_{i}_{j}"
                left[j] = p.let(f"{name}l_{i}_{j}", _subtract([blocks[i, j]], less), meaning)
        made.left[i] = left[i]
        for j in near:
            meaning = f"{left[i]}^-1 {left[j]}"
            X = p.solve(f"{name}X_{i}_{j}", left[i], left[j], "positive", meaning=meaning)
            made.X[i, j] = X
            for k in near:
                if k <= j:
                    product = p.let(f"{name}u_{i}_{j}_{k}", X.T @ left[k])
                    taken.setdefault((j, k), []).append(product)
    return made
