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

from itertools import combinations
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.named_program import NamedProgram

__all__ = ["Neighbours", "factor", "filled", "solve"]

Neighbours = dict[int, tuple[int, ...]]
"""For each block, in order, the blocks before it that it shares a block of the matrix with."""


def filled(neighbours: Neighbours) -> list[tuple[int, int]]:
    """Return the blocks (j, k), j > k, that elimination fills though they are no neighbours."""
    known = {i: set(near) for i, near in neighbours.items()}
    found = []
    for i in sorted(neighbours, reverse=True):
        for k, j in combinations(sorted(known[i]), 2):
            if k not in known[j]:
                known[j].add(k)
                found.append((j, k))
    return found


def factor(p: NamedProgram, mat: str, neighbours: Neighbours) -> None:
    """Add the factors of a matrix whose blocks `mat_i_j`, j in nb(i) or i, are steps before."""
    if fill := filled(neighbours):
        raise EquationsError(f"elimination of {mat} fills blocks: {fill}")
    taken: dict[tuple[int, int], list[str]] = {}
    p.begin("backward sweep, leaves to root: elimination, block by block")
    for i in sorted(neighbours, reverse=True):
        near = sorted(neighbours[i])
        for j in (*near, i):
            if less := taken.get((i, j)):
                signs = (1, *(-1 for _ in less))
                whole = f"{mat}_{i}_{j}"
                p.sum(f"{mat}l_{i}_{j}", whole, *less, signs=signs, meaning=f"left of {whole}")
        for j in near:
            diagonal, beside = _left(mat, neighbours, i, i), _left(mat, neighbours, i, j)
            p.solve(
                f"{mat}X_{i}_{j}", diagonal, beside, "positive", meaning=f"{diagonal}^-1 {beside}"
            )
            p.transpose(f"{mat}Xt_{i}_{j}", f"{mat}X_{i}_{j}")
            for k in near:
                if k <= j:
                    name, behind = f"{mat}u_{i}_{j}_{k}", _left(mat, neighbours, i, k)
                    taken.setdefault((j, k), []).append(p.product(name, f"{mat}Xt_{i}_{j}", behind))


def _left(mat: str, neighbours: Neighbours, i: int, j: int) -> str:
    """Return the name of what is left of a block after all elimination behind it."""
    changed = any(i in near and j in near for near in neighbours.values())
    return f"{mat}l_{i}_{j}" if changed else f"{mat}_{i}_{j}"


def solve(
    p: NamedProgram,
    mat: str,
    neighbours: Neighbours,
    right: Mapping[int, str],
    name: str,
    meanings: Mapping[int, str] | None = None,
) -> dict[int, str]:
    """Add the solution; return its blocks, called `name_i`.

    A block without a right side has zeros there; what is zero then is left out.
    """
    last: dict[int, str] = {}
    taken: dict[int, list[str]] = {}
    p.begin("backward sweep, leaves to root: right-hand sides, block by block")
    for i in sorted(neighbours, reverse=True):
        whole, less = [right[i]] if i in right else [], taken.get(i, [])
        if not whole and not less:
            continue
        last[i] = _sum(p, f"{name}q_{i}", whole, less)
        for j in sorted(neighbours[i]):
            less_j = p.product(f"{name}u_{i}_{j}", f"{mat}Xt_{i}_{j}", last[i])
            taken.setdefault(j, []).append(less_j)
    found: dict[int, str] = {}
    p.begin("forward sweep, root to leaves: solution, block by block")
    for i in sorted(neighbours):
        meaning = (meanings or {}).get(i, "")
        near = [j for j in sorted(neighbours[i]) if j in found]
        whole = []
        if i in last:
            diagonal = _left(mat, neighbours, i, i)
            if not near:
                found[i] = p.solve(f"{name}_{i}", diagonal, last[i], "positive", meaning=meaning)
                continue
            whole.append(p.solve(f"{name}h_{i}", diagonal, last[i], "positive"))
        less = [p.product(f"{name}b_{i}_{j}", f"{mat}X_{i}_{j}", f"{name}_{j}") for j in near]
        if less:
            found[i] = _sum(p, f"{name}_{i}", whole, less, meaning)
    return found


def _sum(p: NamedProgram, name: str, plus: list[str], minus: list[str], meaning: str = "") -> str:
    """Add a sum; one matrix alone is itself."""
    if len(plus) == 1 and not minus:
        return plus[0]
    signs = (*(1 for _ in plus), *(-1 for _ in minus))
    return p.sum(name, *plus, *minus, signs=signs, meaning=meaning)
