from __future__ import annotations

from fractions import Fraction

from kernel import assert_same_values
from mbx.expr.algebra.polynomial import (
    Polynomial,
    flat,
    flat_total,
    from_polynomial,
    monomial_product,
    polynomial_product,
    polynomial_sum,
)
from mbx.expr.build import add, divide, function, mul, neg, power, scale, sub, total
from mbx.expr.nodes import ONE, ZERO, number, symbol

A, B, X, Y = (symbol(f"polynomial.{name}") for name in "abxy")


def test_a_product_is_one_monomial() -> None:
    assert flat(scale(3, divide(mul(A, X), power(B, 2)))) == {((A, 1), (B, -2), (X, 1)): 3}
    assert flat(power(mul(A, B), -1)) == {((A, -1), (B, -1)): 1}
    assert flat(ZERO) == {}
    assert flat(number(7)) == {(): 7}


def test_sums_and_roots_of_products_are_atoms() -> None:
    root = mul(A, B)
    assert flat(mul(A, add(X, Y))) == {((A, 1), (add(X, Y), 1)): 1}
    assert flat(power(root, Fraction(1, 2))) == {((root, Fraction(1, 2)),): 1}
    square = power(X, 2)
    assert flat(power(square, Fraction(1, 2))) == {((square, Fraction(1, 2)),): 1}
    assert flat(power(scale(2, X), Fraction(1, 2))) == {((scale(2, X), Fraction(1, 2)),): 1}


def test_polynomials_add_and_multiply() -> None:
    x: Polynomial = {((X, 1),): 1}
    one: Polynomial = {(): 1}
    plus, minus = polynomial_sum([(1, x), (1, one)]), polynomial_sum([(1, x), (-1, one)])
    assert polynomial_product(plus, minus) == {((X, 2),): 1, (): -1}
    assert polynomial_sum([(2, x), (-2, x)]) == {}
    assert monomial_product([(X, 1)], [(X, -1)]) == ()


def test_common_factors_are_taken_out() -> None:
    terms = [mul(A, X), mul(A, Y)]
    assert from_polynomial(polynomial_sum((1, flat(t)) for t in terms)) is mul(A, add(X, Y))
    terms = [mul(A, X), mul(A, Y), mul(B, X), mul(B, Y)]
    made = from_polynomial(polynomial_sum((1, flat(t)) for t in terms))
    assert made is mul(add(A, B), add(X, Y))
    assert from_polynomial({((X, 1),): 3, ((Y, 1),): -3}) is scale(3, sub(X, Y))
    assert from_polynomial({((X, -2),): 1, ((X, -1),): 1}) is divide(add(X, ONE), power(X, 2))
    assert from_polynomial({}) is ZERO


def test_a_sum_left_over_cancels_below_the_line() -> None:
    below = power(add(X, Y), -1)
    terms = [mul(X, below), mul(Y, below)]
    assert from_polynomial(polynomial_sum((1, flat(t)) for t in terms)) is ONE


def test_a_factor_above_and_below_is_no_common_factor() -> None:
    made = from_polynomial({((X, 1),): 1, ((X, -1),): 1})
    assert made is add(X, power(X, -1))


def test_a_very_deep_nest_stops() -> None:
    atoms = [symbol(f"n{k}") for k in range(120)]
    chain: Polynomial = {tuple((a, 1) for a in atoms[:k]): 1 for k in range(1, 120)}
    made = from_polynomial(chain)
    expected = total([mul(*atoms[:k]) for k in range(1, 120)])
    assert_same_values([made], [expected])


def test_a_flat_sum_has_no_sums_inside() -> None:
    nested = sub(A, scale(2, add(X, add(B, neg(Y)), ONE)))
    assert flat_total([nested, Y]) is add(A, scale(-2, X), scale(-2, B), scale(3, Y), number(-2))
    assert flat_total([function("sin", add(X, Y))]).op == "function"
