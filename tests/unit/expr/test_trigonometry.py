from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, function, neg, sub
from mbx.expr.nodes import symbol
from mbx.expr.trigonometry import gather

if TYPE_CHECKING:
    from mbx.expr.polynomial import Polynomial

A, X, Y = (symbol(f"angles.{name}") for name in "axy")
SX, CX = function("sin", X), function("cos", X)
SY, CY = function("sin", Y), function("cos", Y)


def test_squares_add_to_one_with_whatever_factor_they_share() -> None:
    assert gather({((A, 1), (SX, 2)): 5, ((A, 1), (CX, 2)): 5}) == {((A, 1),): 5}
    assert gather({((SX, 3),): 1, ((SX, 1), (CX, 2)): 1}) == {((SX, 1),): 1}


def test_a_result_may_cancel_a_term_that_is_there() -> None:
    assert gather({((SX, 2),): 1, ((CX, 2),): 1, (): -1}) == {}


def test_one_less_a_square_is_the_other_square() -> None:
    assert gather({(): 2, ((SX, 2),): -2}) == {((CX, 2),): 2}
    assert gather({((A, 1),): -2, ((A, 1), (CX, 2)): 2}) == {((A, 1), (SX, 2)): -2}


def test_one_and_a_square_stay() -> None:
    kept: Polynomial = {(): 2, ((SX, 2),): 2}
    assert gather(kept) == kept


def test_other_factors_stay() -> None:
    kept: Polynomial = {((SX, 2),): 2, ((CX, 2),): 1}
    assert gather(kept) == kept


def test_products_join_to_functions_of_sums_and_differences() -> None:
    cosines, sines = ((CX, 1), (CY, 1)), ((SX, 1), (SY, 1))
    assert gather({cosines: 1, sines: -1}) == {((function("cos", add(X, Y)), 1),): 1}
    assert gather({cosines: 1, sines: 1}) == {((function("cos", sub(X, Y)), 1),): 1}
    one, other = ((SX, 1), (CY, 1)), ((CX, 1), (SY, 1))
    assert gather({one: 4, other: 4}) == {((function("sin", add(X, Y)), 1),): 4}
    assert gather({one: 4, other: -4}) == {((function("sin", sub(X, Y)), 1),): 4}


def test_angles_that_cancel_leave_the_number() -> None:
    back = function("sin", add(Y, neg(X)))
    front = function("cos", add(Y, neg(X)))
    joined = gather({((SX, 1), (front, 1)): 1, ((CX, 1), (back, 1)): 1})
    assert joined == {((SY, 1),): 1}


def test_functions_below_the_line_stay() -> None:
    kept: Polynomial = {((SX, -2),): 1, ((CX, -2),): 1, ((SX, -1), (CY, 1)): 1}
    assert gather(kept) == kept
