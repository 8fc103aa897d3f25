"""What is proved to be zero, and what is not although it is nearly so."""

from __future__ import annotations

import pytest

from mbx.expr.algebra.identity import is_zero
from mbx.expr.build import add, choose, less, mul, power, scale, total
from mbx.expr.nodes import Node, number, symbol

X, Y = (symbol(f"identity.{name}") for name in "xy")


def opened(value: float) -> Node:
    """Return x^2 + 2 x value + value^2, which `power` leaves as a square."""
    return add(power(X, 2), scale(2 * value, X), number(value * value))


@pytest.mark.parametrize(("factor", "zero"), [(-2, True), (-1, False), (-3, False)])
def test_the_terms_of_a_square_are_added_up(factor: int, *, zero: bool) -> None:
    square = power(add(X, Y), 2)
    rest = (scale(-1, power(X, 2)), scale(factor, mul(X, Y)), scale(-1, power(Y, 2)))
    assert is_zero(add(square, *rest)) is zero


@pytest.mark.parametrize("value", [1, 0.1, 1 / 3, 1e-9])
def test_a_number_in_a_square_is_one_in_its_terms_but_for_rounding(value: float) -> None:
    square = power(add(X, number(value)), 2)
    assert is_zero(add(square, scale(-1, opened(value))))
    assert not is_zero(add(square, scale(-1, opened(value)), number(1e-6 * value * value)))


@pytest.mark.parametrize(("count", "proved"), [(6, True), (7, False)])
def test_six_conditions_are_tried_both_ways(count: int, *, proved: bool) -> None:
    sides = [
        choose(less(X, number(k)), power(add(X, Y), 2), power(add(X, Y, number(k + 1)), 2))
        for k in range(count)
    ]
    whole = power(add(total(sides), Y), 2)
    rest = (scale(-1, power(total(sides), 2)), scale(-2, mul(total(sides), Y)))
    assert is_zero(add(whole, *rest, scale(-1, power(Y, 2)))) is proved
