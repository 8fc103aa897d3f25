from __future__ import annotations

import pytest

from kernel import assert_same_values
from mbx.expr.build import (
    NULL,
    UNIT,
    Vector,
    add,
    cross,
    dot,
    matmul,
    matvec,
    minus,
    mul,
    neg,
    plus,
    scale,
    settled,
    skew,
    sub,
    times,
    transposed,
)
from mbx.expr.nodes import ONE, ZERO, number, symbol


def vector(letter: str) -> Vector:
    return symbol(f"{letter}0"), symbol(f"{letter}1"), symbol(f"{letter}2")


A, B, C = map(vector, "abc")


def test_vectors_add_and_scale_by_component() -> None:
    assert plus(A, A) == times(number(2), A)
    assert minus(A, A) == (ZERO, ZERO, ZERO)
    assert minus(A, B)[1] is sub(A[1], B[1])
    assert plus(A, B, C)[2] is add(A[2], B[2], C[2])
    assert times(A[0], (ONE, A[1], ZERO)) == (A[0], mul(A[0], A[1]), ZERO)


def test_nothing_is_done_where_nothing_moves() -> None:
    assert plus() is NULL
    assert plus(NULL, A) is A
    assert minus(A, NULL) is A
    assert cross(NULL, A) is NULL
    assert matvec((A, B, C), NULL) is NULL
    assert matvec(UNIT, A) is A
    assert matmul(UNIT, (A, B, C)) == (A, B, C)
    assert matmul((A, B, C), UNIT) == (A, B, C)
    assert transposed(UNIT) is UNIT
    assert settled((ZERO, ZERO, ZERO)) is NULL
    assert settled(A) is A


def test_products_of_vectors() -> None:
    assert dot((ONE, ZERO, ONE), A) is add(A[0], A[2])
    assert dot(NULL, A) is ZERO
    assert cross(UNIT[0], UNIT[1]) == UNIT[2]
    assert cross(A, A) == (ZERO, ZERO, ZERO)
    assert_same_values(cross(A, B), [neg(x) for x in cross(B, A)])
    assert_same_values([dot(A, cross(B, C))], [dot(B, cross(C, A))])


def test_the_skew_matrix_is_the_vector_product() -> None:
    assert_same_values(matvec(skew(A), B), cross(A, B))
    assert transposed(skew(A)) == tuple(tuple(map(neg, row)) for row in skew(A))


def test_products_of_matrices() -> None:
    rows = (A, B, C)
    assert matmul(rows, transposed(rows))[0][1] is dot(A, B)
    assert matvec(rows, (ONE, ZERO, scale(2, ONE)))[1] is add(B[0], scale(2, B[2]))
    assert transposed(rows) == tuple(zip(A, B, C, strict=True))


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="zip"):
        dot(A, B[:2])
