"""Vectors and matrices of three-dimensional space, as tuples of nodes.

NULL and UNIT are known by identity, so that what does not move or turn costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, mul, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "NULL",
    "UNIT",
    "Matrix",
    "Vector",
    "cross",
    "dot",
    "matmul",
    "matvec",
    "minus",
    "plus",
    "settled",
    "skew",
    "times",
    "transposed",
]

Vector = tuple[Node, Node, Node]
Matrix = tuple[Vector, Vector, Vector]

NULL: Vector = (ZERO, ZERO, ZERO)
UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return the scalar product."""
    parts = [mul(x, y) for x, y in zip(a, b, strict=True) if x is not ZERO and y is not ZERO]
    return add(*parts) if parts else ZERO


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    if a is NULL or b is NULL:
        return NULL
    return (
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    )


def plus(*vectors: Vector) -> Vector:
    """Return a sum of vectors."""
    nonzero = [v for v in vectors if v is not NULL]
    if not nonzero:
        return NULL
    if len(nonzero) == 1:
        return nonzero[0]
    return (
        add(*(v[0] for v in nonzero)),
        add(*(v[1] for v in nonzero)),
        add(*(v[2] for v in nonzero)),
    )


def minus(a: Vector, b: Vector) -> Vector:
    """Return a difference of vectors."""
    return a if b is NULL else (sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]))


def times(factor: Node, a: Vector) -> Vector:
    """Return a scalar times a vector."""
    return (mul(factor, a[0]), mul(factor, a[1]), mul(factor, a[2]))


def matvec(m: Matrix, a: Vector) -> Vector:
    """Return a matrix times a vector."""
    if a is NULL:
        return NULL
    return a if m is UNIT else (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def transposed(m: Matrix) -> Matrix:
    """Return the transpose."""
    if m is UNIT:
        return UNIT
    a, b, c = zip(*m, strict=True)
    return (a, b, c)


def matmul(m: Matrix, n: Matrix) -> Matrix:
    """Return a product of matrices."""
    if m is UNIT:
        return n
    if n is UNIT:
        return m
    columns = transposed(n)
    a, b, c = (tuple(dot(row, column) for column in columns) for row in m)
    return (a, b, c)  # type: ignore[return-value]


def skew(a: Vector) -> Matrix:
    """Return the matrix that takes b to the vector product a x b."""
    x, y, z = a
    return ((ZERO, neg(z), y), (z, ZERO, neg(x)), (neg(y), x, ZERO))


def settled(a: Vector) -> Vector:
    """Return the vector, as NULL itself if all its components are zero."""
    return NULL if a[0] is ZERO and a[1] is ZERO and a[2] is ZERO else a
