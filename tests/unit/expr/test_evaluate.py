from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mbx.expr.build import FUNCTIONS, add, choose, divide, function, less, mul, power, scale
from mbx.expr.evaluate import evaluate, evaluate_arrays
from mbx.expr.nodes import ONE, ZERO, number, symbol

X, Y = symbol("x"), symbol("y")


def test_each_operation_has_its_value() -> None:
    nodes = [
        add(X, Y, number(3)),
        scale(Fraction(1, 4), X),
        mul(X, Y),
        power(X, 3),
        power(X, -1),
        power(X, -2),
        power(X, Fraction(1, 2)),
        function("atan2", Y, X),
        less(X, Y),
        choose(less(X, Y), X, Y),
        number(Fraction(1, 8)),
    ]
    expected = [9, 1, 8, 64, 0.25, 0.0625, 2, FUNCTIONS["atan2"](2, 4), 0, 2, 0.125]
    assert evaluate(nodes, {X: 4.0, Y: 2.0}) == expected


def test_exact_values_stay_exact_with_exact_constants() -> None:
    (value,) = evaluate([divide(add(X, ONE), number(3))], {X: Fraction(1, 2)}, constant=lambda v: v)
    assert value == Fraction(1, 2)
    assert isinstance(value, Fraction)


def test_a_symbol_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        evaluate([X], {})


def test_a_fault_is_raised_where_a_result_needs_it() -> None:
    with pytest.raises(ZeroDivisionError):
        evaluate([add(power(X, -1), Y)], {X: 0.0, Y: 1.0})
    with pytest.raises(ValueError, match="fractional power of a negative number"):
        evaluate([power(X, Fraction(1, 2))], {X: -1.0})
    with pytest.raises(ZeroDivisionError):
        evaluate([choose(less(power(X, -1), Y), X, Y)], {X: 0.0, Y: 1.0})


def test_a_fault_in_the_branch_not_taken_is_no_fault() -> None:
    safe = choose(less(ZERO, X), function("sin", power(X, -1)), ZERO)
    assert evaluate([safe], {X: 0.0}) == [0]
    with pytest.raises(ZeroDivisionError):
        evaluate([choose(less(X, ONE), power(X, -1), ZERO)], {X: 0.0})


def test_a_batch_is_evaluated_at_once() -> None:
    safe = choose(less(ZERO, X), power(X, -1), Y)
    both = add(less(X, Y), less(ZERO, Y))
    values = evaluate_arrays([safe, both], {X: np.array([0.0, 2.0]), Y: 7.0})
    assert values[0].tolist() == [7.0, 0.5]
    assert values[1].tolist() == [2.0, 2.0]


def test_a_state_without_a_value_does_not_spoil_a_batch() -> None:
    (values,) = evaluate_arrays([function("log", X)], {X: np.array([-1.0, 1.0])})
    assert np.isnan(values[0])
    assert values[1] == 0


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"atan2"}))
def test_every_function_is_known_to_arrays(name: str) -> None:
    (values,) = evaluate_arrays([function(name, X)], {X: np.array([0.25, 0.75])})
    expected = [evaluate([function(name, X)], {X: x})[0] for x in (0.25, 0.75)]
    assert np.allclose(values, expected, rtol=1e-14)
