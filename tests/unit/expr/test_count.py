from __future__ import annotations

from fractions import Fraction

from mbx.expr.build import add, choose, function, less, mul, neg, power, scale
from mbx.expr.count import operations
from mbx.expr.nodes import ONE, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


def counted(*nodes: object) -> tuple[int, ...]:
    return tuple(operations(nodes).values())  # type: ignore[arg-type]


def test_sums_count_their_signs_as_additions() -> None:
    assert counted(add(X, neg(Y), Z)) == (2, 0, 0, 0, 0)
    assert counted(add(X, scale(2, Y), ONE)) == (2, 1, 0, 0, 0)


def test_a_number_times_an_expression_is_a_product_also_outside_a_sum() -> None:
    assert counted(scale(2, X)) == (0, 1, 0, 0, 0)
    assert counted(neg(X)) == (0, 0, 0, 0, 0)


def test_a_shared_multiple_counts_once() -> None:
    assert counted(add(X, scale(2, Y)), add(Z, scale(2, Y))) == (2, 1, 0, 0, 0)


def test_whole_powers_count_as_repeated_squaring() -> None:
    assert counted(power(X, 2)) == (0, 1, 0, 0, 0)
    assert counted(power(X, 7)) == (0, 4, 0, 0, 0)
    assert counted(power(X, -1)) == (0, 0, 1, 0, 0)
    assert counted(power(X, -2)) == (0, 1, 1, 0, 0)
    assert counted(power(X, Fraction(1, 2))) == (0, 0, 0, 1, 0)


def test_functions_and_conditions_count_one_each() -> None:
    assert counted(choose(less(X, Y), function("sin", X), Z)) == (0, 0, 0, 0, 3)


def test_a_shared_part_counts_once() -> None:
    shared = mul(X, Y)
    assert counted(add(shared, Z), function("sin", shared)) == (1, 1, 0, 0, 1)
