"""Running bounds of rounding errors, against many digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from mbx.expr.build import add, choose, divide, function, less, mul, power, scale, sub
from mbx.expr.evaluate import evaluate, evaluate_arrays
from mbx.expr.nodes import Node, number, symbol
from mbx.numerics.bounds import Bounds, bounds_of, literal_error
from mbx.numerics.ranks import EPS
from mbx.numerics.tolerances import ENTRY

X, Y = symbol("x"), symbol("y")
GRAPH = [
    sub(add(power(function("sin", X), 2), power(function("cos", X), 2)), number(1)),
    mul(add(X, number(Fraction(1, 10))), sub(Y, scale(Fraction(3, 10), X))),
    divide(function("atan2", X, Y), power(add(mul(X, X), mul(Y, Y)), Fraction(1, 2))),
    choose(less(X, Y), function("exp", Y), function("tan", X)),
    function("abs", sub(X, Y)),
]


def sampled(count: int) -> dict[Node, np.ndarray]:
    """Return values of the symbols."""
    rng = np.random.default_rng(11)
    return {X: rng.uniform(-2, 2, count), Y: rng.uniform(-2, 2, count)}


def test_values_are_those_of_the_expressions() -> None:
    at = sampled(40)
    found, _ = Bounds(GRAPH).run(at, {}, 40)
    assert found == pytest.approx(np.array(evaluate_arrays(GRAPH, at)), rel=1e-15, abs=1e-15)


def test_errors_stay_within_a_few_bounds_and_bounds_are_not_far_above_them() -> None:
    at = sampled(200)
    exact = {X: np.zeros(200), Y: np.zeros(200)}
    found, bound = Bounds(GRAPH[:3]).run(at, exact, 200)
    functions = {"sin": mpmath.sin, "cos": mpmath.cos, "atan2": mpmath.atan2}
    functions["power"] = lambda base, n, _: (
        base ** mpmath.mpf(Fraction(n).numerator / Fraction(n).denominator)
    )
    errors = np.empty(found.shape)
    with mpmath.mp.workdps(40):
        for k in range(200):
            here = {node: mpmath.mpf(float(value[k])) for node, value in at.items()}
            true = evaluate(
                GRAPH[:3],
                here,
                functions,
                lambda c: mpmath.mpf(Fraction(c).numerator) / Fraction(c).denominator,
            )
            errors[:, k] = [
                abs(float(a - float(b))) for a, b in zip(true, found[:, k], strict=True)
            ]
    assert (errors <= 3 * bound).all()
    assert (errors.max(axis=1) > 0.02 * bound.max(axis=1)).all()


def test_what_cancels_has_the_error_of_its_terms() -> None:
    found, bound = Bounds([sub(mul(X, Y), mul(Y, add(X, number(Fraction(1, 10**18)))))]).run(
        {X: 3.0, Y: 1e6}, {}, 1
    )
    assert abs(found[0, 0]) <= 1e-9
    assert bound[0, 0] > 3e6 * EPS


def test_many_states_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    at = sampled(50)
    errors = {X: 1e-10 * np.ones(50)}
    whole = Bounds(GRAPH).run(at, errors, 50)
    monkeypatch.setattr("mbx.numerics.bounds._ROOM", 200)
    parts = Bounds(GRAPH).run(at, errors, 50)
    assert all((a == b).all() for a, b in zip(whole, parts, strict=True))


def test_a_symbol_without_an_error_is_known_to_sixteen_digits() -> None:
    _, bound = Bounds([X]).run({X: np.array([2.0, -3.0])}, {}, 2)
    assert bound.tolist() == [[2 * ENTRY, 3 * ENTRY]]


def test_short_binary_fractions_are_exact_and_decimals_are_not() -> None:
    assert literal_error(Fraction(3, 4)) == 0
    assert literal_error(0.5) == 0
    assert literal_error(7) == 0
    assert literal_error(Fraction(1, 10)) == EPS / 10
    assert literal_error(0.7071067811865476) == EPS * 0.7071067811865476


def test_a_constant_beyond_the_floats_has_no_value() -> None:
    found, _ = Bounds([mul(X, number(Fraction(10**400)))]).run({X: 1.0}, {}, 1)
    assert np.isnan(found[0, 0])


def test_orders_of_evaluation_are_kept() -> None:
    assert bounds_of(GRAPH) is bounds_of(list(GRAPH))
