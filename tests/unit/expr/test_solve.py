from __future__ import annotations

from random import Random

import pytest

from kernel import assert_same_values
from mbx.expr.algebra.small_systems import SingularError, solve_cramer
from mbx.expr.build import UNIT, add, divide, dot, function, mul, neg, power, sub
from mbx.expr.count import operations
from mbx.expr.evaluate import evaluate, ordered
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
SIN, COS = function("sin", X), function("cos", X)

Rows = tuple[tuple[Node, ...], ...]


def assert_solves(A: Rows, B: Rows) -> Rows:
    solution = solve_cramer(A, B)
    columns = list(zip(*solution, strict=True))
    product = [[dot(row, column) for column in columns] for row in A]
    assert_same_values([x for row in product for x in row], [x for row in B for x in row])
    return solution


def random_matrix(n: int, entries: int, seed: int) -> Rows:
    draw = Random(seed)  # noqa: S311
    rows = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        rows[i][(i + 1) % n] = symbol(f"d{i}")
    for k in range(entries):
        rows[draw.randrange(n)][draw.randrange(n)] = symbol(f"e{k}")
    return tuple(map(tuple, rows))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "entries"), [(1, 0), (2, 3), (4, 6), (6, 14), (8, 12), (9, 40)])
def test_a_times_x_is_b(n: int, entries: int, seed: int) -> None:
    right = tuple((symbol(f"b{i}"), number(i)) for i in range(n))
    assert_solves(random_matrix(n, entries, seed), right)


def test_nothing_is_solved_by_nothing() -> None:
    assert solve_cramer((), ()) == ()


def test_a_triangular_system_is_solved_entry_by_entry() -> None:
    solution = solve_cramer(((X, ZERO), (Y, Z)), ((ONE,), (ONE,)))
    assert solution[0][0] is power(X, -1)
    assert solution[1][0] is divide(sub(ONE, mul(Y, power(X, -1))), Z)


def test_an_orthogonal_matrix_is_inverted_by_its_transpose() -> None:
    rotation = ((COS, neg(SIN), ZERO), (SIN, COS, ZERO), (ZERO, ZERO, ONE))
    assert solve_cramer(rotation, UNIT) == tuple(zip(*rotation, strict=True))


def test_the_orthogonal_rows_may_have_any_length() -> None:
    A = ((X, Y), (neg(Y), X))
    solution = assert_solves(A, ((ONE,), (Z,)))
    divisors = {n for n in ordered(solution[0]) if n.op == "power" and n.value < 0}
    assert divisors == {power(add(power(X, 2), power(Y, 2)), -1)}


def test_no_division_but_by_the_determinant() -> None:
    A = ((X, ONE), (ONE, Y))  # elimination without pivoting would divide by x
    solution = solve_cramer(A, ((ONE,), (ZERO,)))
    assert evaluate([row[0] for row in solution], {X: 0.0, Y: 3.0}) == [-3, 1]


def test_a_pivot_that_is_zero_in_disguise_is_not_taken() -> None:
    rows = [[symbol(f"p{i}{j}") for j in range(7)] for i in range(7)]
    rows[0] = [sub(add(power(SIN, 2), power(COS, 2)), ONE), Y, *[ZERO] * 5]
    assert_solves(tuple(map(tuple, rows)), tuple((number(i),) for i in range(7)))


def test_minors_are_computed_once() -> None:
    A = tuple(tuple(symbol(f"a{i}{j}") for j in range(5)) for i in range(5))
    entries = [x for row in solve_cramer(A, ((ONE,), *[(ZERO,)] * 4)) for x in row]
    assert operations(entries)["mul"] < 120


@pytest.mark.parametrize(
    "A",
    [
        ((X, ZERO), (Y, ZERO)),
        ((ZERO,),),
        ((X, Y), (mul(X, Z), mul(Y, Z))),
        ((sub(add(power(SIN, 2), power(COS, 2)), ONE),),),
    ],
)
def test_a_singular_matrix_is_refused(A: Rows) -> None:
    with pytest.raises(SingularError, match="singular everywhere"):
        solve_cramer(A, tuple((ONE,) for _ in A))


@pytest.mark.parametrize(("A", "B"), [([[X, Y]], [[ONE]]), ([[X]], [[ONE], [ONE]])])
def test_shapes_must_agree(A: list[list[Node]], B: list[list[Node]]) -> None:
    with pytest.raises(ValueError, match="not square"):
        solve_cramer(A, B)
