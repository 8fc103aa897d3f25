"""Matrices turned from the axes of a frame to those of another, R A R^T, at least cost.

Where R turns about one axis of both frames, all of it that a product needs is one number

    u = c (A11 - A22) - s (A12 + A21)

because sums and differences of the entries in the plane turn by the double angle or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import UNIT, add, dot, mul, neg, sub
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix

__all__ = ["turned", "turned_symmetric"]

Rows = list[list[Node]]


def turned(R: Matrix, A: Sequence[Sequence[Node]]) -> Rows:
    """Return R A R^T for a rotation R."""
    if R is UNIT:
        return [list(row) for row in A]
    plane = _plane(R)
    if plane is None:
        half = _right(A, R)
        return [[dot(row, column) for column in _transposed(half)] for row in R]
    return _in_plane(R, A, *plane)


def turned_symmetric(R: Matrix, S: Sequence[Sequence[Node]]) -> Rows:
    """Return R S R^T for a rotation R and a symmetric S, of which one half is computed."""
    if R is UNIT:
        return [list(row) for row in S]
    plane = _plane(R)
    if plane is not None:
        return _in_plane(R, S, *plane)
    half = _transposed(_right(S, R))
    product = [[ZERO] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i + 1):
            product[i][j] = product[j][i] = dot(R[i], half[j])
    return product


def _transposed(A: Sequence[Sequence[Node]]) -> Rows:
    return [list(column) for column in zip(*A, strict=True)]


def _right(A: Sequence[Sequence[Node]], R: Matrix) -> Rows:
    """Return A R^T."""
    return [[dot(row, other) for other in R] for row in A]


def _plane(R: Matrix) -> tuple[int, int] | None:
    """Return row and column of the axis that R turns about, where its entries show it."""
    for i in range(3):
        for j in range(3):
            rest = [
                *(R[i][k] for k in range(3) if k != j),
                *(R[k][j] for k in range(3) if k != i),
            ]
            along = R[i][j]
            unit = along is ONE or along is neg(ONE)
            if unit and all(x is ZERO for x in rest) and _turns(R, i, j):
                return i, j
    return None


def _turns(R: Matrix, i: int, j: int) -> bool:
    """Whether the block without a row and a column is seen to turn, and holds no numbers."""
    (a, b), (e, f) = _block(R, i, j)
    if any(x.op is NUMBER for x in (a, b, e, f)):
        return False  # products with 0, 1 and -1 cost nothing
    return (a is f and b is neg(e)) or (a is neg(f) and b is e)


def _block(R: Sequence[Sequence[Node]], i: int, j: int) -> Rows:
    return [[R[k][n] for n in range(3) if n != j] for k in range(3) if k != i]


def _in_plane(R: Matrix, A: Sequence[Sequence[Node]], i: int, j: int) -> Rows:
    """Return R A R^T where R turns about the axis of row i and column j."""
    (c, _), (s, f) = _block(R, i, j)
    mirrored = c is not f
    (xx, xy), (yx, yy) = _block(A, j, j)
    if mirrored:  # R = turn diag(1, -1)
        xy, yx = neg(xy), neg(yx)
    u = sub(mul(c, sub(xx, yy)), mul(s, add(xy, yx)))
    cu, su = mul(c, u), mul(s, u)
    block = ((add(yy, cu), add(xy, su)), (add(yx, su), sub(xx, cu)))
    rows = [k for k in range(3) if k != i]
    product = [[ZERO] * 3 for _ in range(3)]
    for m, row in zip(rows, block, strict=True):
        for n, x in zip(rows, row, strict=True):
            product[m][n] = x
    along = R[i][j]
    column = [A[k][j] for k in range(3)]
    for m in rows:
        product[m][i] = mul(along, dot(R[m], column))
        product[i][m] = mul(along, dot(R[m], A[j]))
    product[i][i] = A[j][j]
    return product
