"""Small linear systems solved in symbols, with no more divisions than the system has itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.algebra.blocks import triangular_blocks
from mbx.expr.algebra.elimination import generic_rank, rank, sample
from mbx.expr.algebra.simplify import simplify
from mbx.expr.build import divide, mul, neg, power, scale, sub, total
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SingularError", "generic_rank", "solve_cramer"]

_LARGEST_CRAMER: Final = 6
_PIVOT: Final = 1e-3  # of the largest candidate, at a random point

Rows = list[list[Node]]


class SingularError(ValueError):
    """A matrix has no inverse, wherever it is evaluated."""


def solve_cramer(
    A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]]
) -> tuple[tuple[Node, ...], ...]:
    """Return X with A X = B, defined wherever A is regular; raise `SingularError` if nowhere."""
    n = len(A)
    if len(B) != n or any(len(row) != n for row in A):
        raise ValueError("the matrix is not square, or the right side has other rows")
    blocks = triangular_blocks([[j for j in range(n) if row[j] is not ZERO] for row in A])
    if n and not (blocks and _regular(A, blocks)):
        raise SingularError("the matrix is singular everywhere")
    X: list[list[Node]] = [[] for _ in range(n)]
    known: list[int] = []
    for rows, columns in blocks:
        right = [
            [
                total([b, *(neg(mul(A[i][j], X[j][k])) for j in known if A[i][j] is not ZERO)])
                for k, b in enumerate(B[i])
            ]
            for i in rows
        ]
        solved = _block([[A[i][j] for j in columns] for i in rows], right)
        for j, row in zip(columns, solved, strict=True):
            X[j] = row
        known += columns
    return tuple(map(tuple, X))


def _regular(A: Sequence[Sequence[Node]], blocks: list[tuple[list[int], list[int]]]) -> bool:
    """Whether each block has full rank at either of two random points."""
    points = [sample(A, seed) for seed in range(2)]
    return all(
        any(rank([[values[i][j] for j in columns] for i in rows]) == len(rows) for values in points)
        for rows, columns in blocks
    )


def _block(A: Rows, B: Rows) -> Rows:
    """Solve a block that falls apart no further."""
    if len(A) == 1:
        return [[divide(b, A[0][0]) for b in B[0]]]
    lengths = _row_lengths(A)
    if lengths is not None:  # A^-1 = A^T (A A^T)^-1
        scaled = [[divide(b, s) for b in row] for row, s in zip(B, lengths, strict=True)]
        return _product([list(column) for column in zip(*A, strict=True)], scaled)
    return _adjugate(A, B) if len(A) <= _LARGEST_CRAMER else _eliminate(A, B)


def _product(A: Rows, B: Rows) -> Rows:
    columns = list(zip(*B, strict=True))
    return [[total([mul(a, b) for a, b in zip(row, c, strict=True)]) for c in columns] for row in A]


def _row_lengths(A: Rows) -> list[Node] | None:
    """Return the squared lengths of the rows if they are seen to be orthogonal, else nothing."""
    square = _product(A, [list(column) for column in zip(*A, strict=True)])
    for i, row in enumerate(square):
        if any(entry is not ZERO for j, entry in enumerate(row) if j != i):
            return None
    return simplify([square[i][i] for i in range(len(A))], budget=200)


def _adjugate(A: Rows, B: Rows) -> Rows:
    """Solve by Cramer's rule: the adjugate over the determinant, each minor computed once."""
    everything = tuple(range(len(A)))

    @cache
    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> Node:
        if not rows:
            return ONE
        first, rest = A[rows[0]], rows[1:]
        return total(
            [
                scale((-1) ** k, mul(first[j], minor(rest, columns[:k] + columns[k + 1 :])))
                for k, j in enumerate(columns)
                if first[j] is not ZERO
            ]
        )

    def without(k: int) -> tuple[int, ...]:
        return everything[:k] + everything[k + 1 :]

    inverse = power(minor(everything, everything), -1)
    adjugate = [
        [scale((-1) ** (i + j), minor(without(i), without(j))) for i in everything]
        for j in everything
    ]
    return [[mul(entry, inverse) for entry in row] for row in _product(adjugate, B)]


def _eliminate(A: Rows, B: Rows) -> Rows:
    """Solve by elimination; a pivot is the shortest of the rows that are safe at a random point."""
    n = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    values: list[list[Any]] = [[float(x) for x in row] for row in sample(A)]
    for k in range(n):
        largest = max(abs(values[i][k]) for i in range(k, n))
        safe = [i for i in range(k, n) if abs(values[i][k]) > _PIVOT * largest]
        chosen = min(safe, key=lambda i: sum(x is not ZERO for x in rows[i][k:]))
        rows[k], rows[chosen] = rows[chosen], rows[k]
        values[k], values[chosen] = values[chosen], values[k]
        for i in range(k + 1, n):
            if rows[i][k] is not ZERO:
                ratio = divide(rows[i][k], rows[k][k])
                slope = values[i][k] / values[k][k]
                rows[i] = [sub(x, mul(ratio, y)) for x, y in zip(rows[i], rows[k], strict=True)]
                rows[i][k] = ZERO
                values[i] = [x - slope * y for x, y in zip(values[i], values[k], strict=True)]
    X: Rows = [[] for _ in range(n)]
    for k in reversed(range(n)):
        for m in range(n, len(rows[k])):
            known = [neg(mul(rows[k][j], X[j][m - n])) for j in range(k + 1, n)]
            X[k].append(divide(total([rows[k][m], *known]), rows[k][k]))
    return X
