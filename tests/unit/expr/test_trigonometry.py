from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

from mbx.expr.algebra.polynomial import EMPTY, monomial_product, polynomial_product
from mbx.expr.algebra.trigonometry import gather
from mbx.expr.build import add, function, neg, sub
from mbx.expr.nodes import symbol

if TYPE_CHECKING:
    from mbx.expr.algebra.polynomial import Polynomial

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


CHAIN = [symbol(f"chain.{name}") for name in ("w", "a", "q", "c")]


def shuffled(polynomial: Polynomial, seed: int) -> Polynomial:
    terms = list(polynomial.items())
    Random(seed).shuffle(terms)  # noqa: S311
    return dict(terms)


@pytest.mark.parametrize("seed", range(20))
def test_products_of_squares_add_to_one_in_any_order(seed: int) -> None:
    ones: Polynomial = {EMPTY: 1}
    for x in CHAIN:
        ones = polynomial_product(
            ones, {((function("sin", x), 2),): 1, ((function("cos", x), 2),): 1}
        )
    assert len(ones) == 16
    assert gather(shuffled(ones, seed)) == {EMPTY: 1}


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_of_many_angles_is_gathered_in_any_order(seed: int) -> None:
    # source: cos(a + b + ...) is the real part of the product of cos + i sin, sin(...) the other
    opened: dict[str, Polynomial] = {"cos": {}, "sin": {}}
    for names in product(("cos", "sin"), repeat=len(CHAIN)):
        monomial = EMPTY
        for name, x in zip(names, CHAIN, strict=True):
            monomial = monomial_product(monomial, [(function(name, x), 1)])
        turns = names.count("sin")
        opened["sin" if turns % 2 else "cos"][monomial] = -1 if turns % 4 > 1 else 1
    for name, polynomial in opened.items():
        assert len(polynomial) == 8
        assert gather(shuffled(polynomial, seed)) == {((function(name, add(*CHAIN)), 1),): 1}
