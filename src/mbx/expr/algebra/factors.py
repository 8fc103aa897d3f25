"""Linear equations written out: elimination on the graph, from the last unknown to the first.

Unknowns of a tree are numbered away from the root. Eliminated from the last to the first, a
pivot touches only its ancestors, and what was zero stays zero: the factors L^T D L of
Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5. From the first to the last,
the root would couple everything.

Pivots are chosen by where zeros stand, never by values: where a pivot vanishes at a state, the
quotient has no value there although the matrix may be regular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import mul, neg, power, sub, total
from mbx.expr.nodes import NUMBER, SCALE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NoPivotError", "is_symmetric", "solve_general", "solve_symmetric"]

Rows = list[list[Node]]
_FEW: Final = 2
"""Neighbours for whose few products it does not pay to change the order."""


class NoPivotError(ValueError):
    """Zeros stand such that nothing is left to divide by."""


def is_symmetric(A: Sequence[Sequence[Node]]) -> bool:
    """Return whether entries across the diagonal are the same expressions."""
    return all(A[i][j] is A[j][i] for i in range(len(A)) for j in range(i))


def solve_symmetric(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]]) -> Rows:
    """Return X with A X = B by L^T D L, no roots; of A the lower triangle is looked at.

    Of the unknowns that are left, the last whose diagonal entry is not zero goes first, so
    that constraints behind a mass matrix wait for it; or, where that entry is a number, another
    unknown with the same neighbours. A pivot costs one reciprocal.
    """
    n, width = len(A), range(len(B[0]) if B else 0)
    # the part of each row that is left, by column; entry (i, j) with j < i is in row i alone
    rows = [{j: A[i][j] for j in range(i + 1) if A[i][j] is not ZERO} for i in range(n)]
    touched: list[set[int]] = [set() for _ in range(n)]  # rows that may hold this column
    for i, row in enumerate(rows):
        for j in row:
            touched[j].add(i)
    X = [list(row) for row in B]
    done: list[tuple[int, list[tuple[int, Node]], Node]] = []
    left = list(range(n))
    while left:
        k = next((i for i in reversed(left) if i in rows[i]), None)
        if k is None:
            raise NoPivotError("every entry left on the diagonal is zero")
        k = _twin(rows, touched, k)
        left.remove(k)
        row, rows[k] = rows[k], {}
        inverse = power(row.pop(k), -1)
        below = [(i, rows[i].pop(k)) for i in touched[k] if k in rows[i]]
        neighbours = sorted([*row.items(), *below])
        factors = [(i, mul(a, inverse)) for i, a in neighbours]
        for position, (i, factor) in enumerate(factors):
            for j, a in neighbours[: position + 1]:
                touched[j].add(i)
                _subtract(rows[i], j, mul(factor, a))
            for c in width:
                if X[k][c] is not ZERO:
                    X[i][c] = sub(X[i][c], mul(factor, X[k][c]))
        done.append((k, factors, inverse))
    for k, factors, inverse in reversed(done):
        for c in width:
            parts = [mul(f, X[i][c]) for i, f in factors if X[i][c] is not ZERO]
            X[k][c] = total([mul(X[k][c], inverse), *map(neg, parts)])
    return X


def _twin(rows: Sequence[dict[int, Node]], touched: Sequence[set[int]], k: int) -> int:
    """Return the unknown to go first: instead of a numeric pivot, one with the same neighbours.

    A number is factored out of products. Next to entries without a factor that is a number, it
    would cost one more multiplication in each of them; and among unknowns with the same neighbours,
    any order leaves the same zeros.
    """
    near = _near(rows, touched, k)
    factored = any(a.op in {NUMBER, SCALE} for a in near.values())
    if rows[k][k].op is not NUMBER or len(near) <= _FEW or factored:
        return k
    for i in sorted(near, reverse=True):
        varies = i in rows[i] and rows[i][i].op is not NUMBER
        if varies and {*_near(rows, touched, i), i} == {*near, k}:
            return i
    return k


def _near(rows: Sequence[dict[int, Node]], touched: Sequence[set[int]], k: int) -> dict[int, Node]:
    """Return the entries that are left next to the diagonal in the row of an unknown."""
    above = {j: a for j, a in rows[k].items() if j != k}
    return above | {i: rows[i][k] for i in touched[k] if i != k and k in rows[i]}


def solve_general(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]]) -> Rows:
    """Return X with A X = B by elimination of rows, from the last column to the first.

    The row of a pivot is that of the diagonal, and where it has a zero there, the one with the
    fewest entries.
    """
    n, width = len(A), range(len(B[0]) if B else 0)
    rows = [{j: a for j, a in enumerate(row) if a is not ZERO} for row in A]
    right = [list(row) for row in B]
    left = set(range(n))
    done: list[tuple[int, int, Node]] = []
    for k in reversed(range(n)):
        able = [i for i in left if k in rows[i]]
        if not able:
            raise NoPivotError(f"column {k + 1} has nothing but zeros left")
        p = min(able, key=lambda i: (i != k, len(rows[i]), i))
        left.remove(p)
        inverse = power(rows[p].pop(k), -1)
        for i in able:
            if i == p:
                continue
            factor = mul(rows[i].pop(k), inverse)
            for j, a in rows[p].items():
                _subtract(rows[i], j, mul(factor, a))
            for c in width:
                if right[p][c] is not ZERO:
                    right[i][c] = sub(right[i][c], mul(factor, right[p][c]))
        done.append((k, p, inverse))
    X: Rows = [[] for _ in range(n)]
    for k, p, inverse in reversed(done):
        X[k] = [
            mul(total([right[p][c], *(neg(mul(a, X[j][c])) for j, a in rows[p].items())]), inverse)
            for c in width
        ]
    return X


def _subtract(row: dict[int, Node], j: int, part: Node) -> None:
    """Take something away from an entry of a row; what is zero is no entry."""
    new = sub(row.get(j, ZERO), part)
    if new is ZERO:
        row.pop(j, None)
    else:
        row[j] = new
