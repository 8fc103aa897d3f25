from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbx.expr.algebra.elimination import NoPivotError, is_symmetric, solve_general, solve_symmetric
from mbx.expr.count import operations
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol

RANDOM = np.random.default_rng(5)
Rows = list[list[Node]]


def matrix(name: str, pattern: Any, *, symmetric: bool = False) -> Rows:
    """Return symbols where a pattern has ones."""
    A = np.asarray(pattern)
    return [
        [
            symbol(f"{name}{max(i, j)}{min(i, j)}" if symmetric else f"{name}{i}{j}")
            if A[i, j]
            else ZERO
            for j in range(A.shape[1])
        ]
        for i in range(A.shape[0])
    ]


def values(*matrices: Rows) -> dict[Node, float]:
    every = {x for A in matrices for row in A for x in row if x.op == "symbol"}
    return {x: float(RANDOM.normal()) for x in sorted(every, key=lambda x: x.order)}


def numbers(A: Rows, known: dict[Node, float]) -> Any:
    return np.array([evaluate(row, known) for row in A], dtype=float).reshape(len(A), -1)


TREE = [  # 0 - 1 - 2 and 0 - 3 - 4: two branches
    [1, 1, 1, 1, 1],
    [1, 1, 1, 0, 0],
    [1, 1, 1, 0, 0],
    [1, 0, 0, 1, 1],
    [1, 0, 0, 1, 1],
]
SADDLE = [[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 0]]


@pytest.mark.parametrize("pattern", [[[1]], np.ones((4, 4)), TREE, SADDLE, np.eye(3)])
def test_a_symmetric_system_is_solved(pattern: Any) -> None:
    A = matrix("a", pattern, symmetric=True)
    B = matrix("b", np.ones((len(A), 2)))
    at = values(A, B)
    X = numbers(solve_symmetric(A, B), at)
    assert numbers(A, at) @ X == pytest.approx(numbers(B, at), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    "pattern", [[[1]], np.ones((4, 4)), SADDLE, [[0, 1, 0], [0, 0, 1], [1, 1, 1]]]
)
def test_a_general_system_is_solved(pattern: Any) -> None:
    A, B = matrix("a", pattern), matrix("b", np.ones((len(pattern), 2)))
    at = values(A, B)
    X = numbers(solve_general(A, B), at)
    assert numbers(A, at) @ X == pytest.approx(numbers(B, at), rel=1e-10, abs=1e-10)


def test_only_the_lower_triangle_of_a_symmetric_matrix_is_looked_at() -> None:
    A = matrix("a", np.ones((3, 3)), symmetric=True)
    lower = [
        [x if j <= i else symbol("other") for j, x in enumerate(row)] for i, row in enumerate(A)
    ]
    B = matrix("b", np.ones((3, 1)))
    assert solve_symmetric(lower, B) == solve_symmetric(A, B)


def total(nodes: Rows) -> dict[str, int]:
    return operations(x for row in nodes for x in row)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_a_full_symmetric_system_costs_what_is_known(n: int) -> None:
    # pivot k of m = n-1 ... 0 others: m factors, m (m + 1)/2 changes of the matrix, m of the
    # right side forth and m back, one product with the reciprocal
    A, B = matrix("a", np.ones((n, n)), symmetric=True), matrix("b", np.ones((n, 1)))
    found = total(solve_symmetric(A, B))
    assert found["div"] == n
    assert found["mul"] == sum(m + m * (m + 1) // 2 + 2 * m + 1 for m in range(n))
    assert found["add"] == sum(m * (m + 1) // 2 + 2 * m for m in range(n))


@pytest.mark.parametrize("n", [4, 7])
def test_a_number_on_the_diagonal_waits_for_one_with_the_same_neighbours(n: int) -> None:
    # as a pivot, it would be a further factor of every product
    A, B = matrix("a", np.ones((n, n)), symmetric=True), matrix("b", np.ones((n, 1)))
    plain = total(solve_symmetric(A, B))
    A[-1][-1] = number(3)
    X = solve_symmetric(A, B)
    assert total(X) == plain
    at = values(A, B)
    assert numbers(A, at) @ numbers(X, at) == pytest.approx(numbers(B, at), rel=1e-10, abs=1e-10)


def test_a_number_does_not_wait_where_that_would_fill_zeros() -> None:
    # 0 - 1 - 2, which carries 3 and 4: eliminated before 4, unknown 2 would couple 3 and 4
    fork = np.ones((5, 5))
    fork[3, 4] = fork[4, 3] = 0
    A, B = matrix("a", fork, symmetric=True), matrix("b", np.ones((5, 1)))
    A[4][4] = number(3)
    assert total(solve_symmetric(A, B))["div"] == 4


def test_a_tree_has_no_fill_in() -> None:
    # pivots 4, 3, 2, 1, 0 have 2, 1, 2, 1, 0 ancestors: Featherstone (2008), (6.29) ff.
    A, B = matrix("a", TREE, symmetric=True), matrix("b", np.ones((5, 1)))
    found = total(solve_symmetric(A, B))
    ancestors = [2, 1, 2, 1, 0]
    assert found["div"] == 5
    assert found["mul"] == sum(m + m * (m + 1) // 2 + 2 * m + 1 for m in ancestors)
    assert found["add"] == sum(m * (m + 1) // 2 + 2 * m for m in ancestors)


def test_a_full_general_system_costs_what_is_known() -> None:
    # pivot with m others: m factors, m^2 changes, m of the right side forth and m back, 1
    A, B = matrix("a", np.ones((4, 4))), matrix("b", np.ones((4, 1)))
    found = total(solve_general(A, B))
    assert found["div"] == 4
    assert found["mul"] == sum(m + m * m + 2 * m + 1 for m in range(4))
    assert found["add"] == sum(m * m + 2 * m for m in range(4))


def test_a_unit_matrix_costs_nothing() -> None:
    B = matrix("b", np.ones((2, 1)))
    unit = [[ONE, ZERO], [ZERO, ONE]]
    assert solve_symmetric(unit, B) == solve_general(unit, B) == B
    assert solve_symmetric([], []) == solve_general([], []) == []


def test_zeros_on_the_right_stay_zeros() -> None:
    A = matrix("a", np.ones((3, 3)), symmetric=True)
    zero = [[ZERO], [ZERO], [ZERO]]
    assert solve_symmetric(A, zero) == solve_general(A, zero) == zero


def test_without_pivots_nothing_is_solved() -> None:
    a, b = symbol("a"), symbol("b")
    with pytest.raises(NoPivotError, match="on the diagonal is zero"):
        solve_symmetric([[ZERO, a], [a, ZERO]], [[b], [b]])
    with pytest.raises(NoPivotError, match="column 1 has nothing but zeros"):
        solve_general([[ZERO, a], [ZERO, b]], [[b], [b]])


def test_a_change_that_cancels_is_no_entry() -> None:
    # after pivot 1, entry (0, 0) is a - a: nothing is left to divide by
    a, b = symbol("a"), symbol("b")
    with pytest.raises(NoPivotError, match="on the diagonal is zero"):
        solve_symmetric([[a, a], [a, a]], [[b], [b]])


def test_symmetry_is_seen_in_the_expressions() -> None:
    assert is_symmetric(matrix("a", TREE, symmetric=True))
    assert not is_symmetric(matrix("a", np.ones((2, 2))))
