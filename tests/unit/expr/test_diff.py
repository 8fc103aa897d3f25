from __future__ import annotations

import time
from fractions import Fraction

import pytest

from kernel import assert_same_values
from mbx.expr import derivatives
from mbx.expr.build import add, choose, divide, function, less, mul, neg, power, scale, sub, total
from mbx.expr.conditions import both, largest
from mbx.expr.derivatives import along, gradient, jacobian, pullback
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


@pytest.mark.parametrize(
    ("node", "slope"),
    [
        (add(X, scale(3, X), Y), number(4)),
        (mul(X, Y), Y),
        (power(X, 3), scale(3, power(X, 2))),
        (power(X, Fraction(1, 2)), scale(Fraction(1, 2), power(X, Fraction(-1, 2)))),
        (function("sin", X), function("cos", X)),
        (function("cos", X), neg(function("sin", X))),
        (function("exp", X), function("exp", X)),
        (function("tan", X), add(ONE, power(function("tan", X), 2))),
        (function("tanh", X), sub(ONE, power(function("tanh", X), 2))),
        (function("asin", X), power(sub(ONE, power(X, 2)), Fraction(-1, 2))),
        (function("acos", X), neg(power(sub(ONE, power(X, 2)), Fraction(-1, 2)))),
        (function("log", X), power(X, -1)),
        (function("sinh", X), function("cosh", X)),
        (function("cosh", X), function("sinh", X)),
        (function("atan", X), power(add(ONE, power(X, 2)), -1)),
        (function("abs", X), function("sign", X)),
        (function("sign", X), ZERO),
        (function("atan2", X, Y), divide(Y, add(power(X, 2), power(Y, 2)))),
        (function("atan2", Y, X), neg(divide(Y, add(power(X, 2), power(Y, 2))))),
        (choose(less(X, Y), power(X, 2), Z), choose(less(X, Y), scale(2, X), ZERO)),
        (choose(less(Z, Y), Z, power(X, 2)), choose(less(Z, Y), ZERO, scale(2, X))),
        (less(X, Y), ZERO),
        (Y, ZERO),
        (X, ONE),
    ],
)
def test_the_derivative_of_each_operation(node: Node, slope: Node) -> None:
    assert along([node], {X: ONE}) == [slope]
    assert gradient(node, [X]) == [slope]
    assert jacobian([node], [X]) == [[slope]]
    assert jacobian([node, node, node], [X]) == [[slope]] * 3  # backwards would cost more


def test_a_direction_says_how_symbols_move() -> None:
    assert along([mul(X, Y)], {X: Z, Y: ZERO}) == [mul(Y, Z)]
    assert along([power(X, 2), Y], {X: X}) == [scale(2, power(X, 2)), ZERO]


def test_a_pullback_holds_the_weights_fixed() -> None:
    assert pullback([power(X, 2), mul(X, Y)], [X, Z], [X, Y, symbol("unused")]) == [
        add(scale(2, power(X, 2)), mul(Y, Z)),
        mul(X, Z),
        ZERO,
    ]


def test_weights_of_one_output_given_twice_add_up() -> None:
    assert pullback([X, X], [Y, Z], [X]) == [add(Y, Z)]
    assert pullback([X, X], [Y, neg(Y)], [X]) == [ZERO]


def test_a_pullback_wants_one_weight_for_each_output() -> None:
    with pytest.raises(ValueError, match="zip"):
        pullback([X, Y], [ONE], [X])


def test_a_jacobian_has_a_row_for_each_node_and_a_column_for_each_symbol() -> None:
    assert jacobian([], [X]) == []
    assert jacobian([X, Y], []) == [[], []]
    assert jacobian([X, mul(X, Y), X], [Y, X, X]) == [
        [ZERO, ONE, ONE],
        [X, Y, Y],
        [ZERO, ONE, ONE],
    ]


def test_the_cheaper_sweep_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    symbols = [symbol(f"s{k}") for k in range(6)]
    wide = function("sin", total(symbols))
    narrow = [function("sin", scale(k + 1, function("exp", X))) for k in range(6)]
    with monkeypatch.context() as patch:
        patch.delattr(derivatives, "_forwards")
        assert len(jacobian([wide], symbols)[0]) == 6
    with monkeypatch.context() as patch:
        patch.delattr(derivatives, "_backwards")
        assert len(jacobian(narrow, [X])) == 6


def test_what_a_condition_leaves_out_may_have_no_value() -> None:
    guarded = choose(less(ZERO, X), mul(Y, power(X, -1)), ZERO)
    both_guarded = choose(both(less(ZERO, X), less(ZERO, Y)), function("log", X), ZERO)
    slopes = [
        *gradient(guarded, [X, Y]),
        *along([guarded], {X: ONE}),
        *gradient(scale(2, guarded), [X]),
        *gradient(both_guarded, [X]),
        *(row[0] for row in jacobian([guarded] * 3, [X])),
    ]
    assert evaluate(slopes, {X: 0.0, Y: 1.0}) == [0] * len(slopes)


def test_the_slope_of_the_largest_is_that_of_the_one_taken() -> None:
    slopes = gradient(largest(scale(2, X), power(Y, 2)), [X, Y])
    assert evaluate(slopes, {X: 3.0, Y: 1.0}) == [2, 0]
    assert evaluate(slopes, {X: 0.0, Y: 1.5}) == [0, 3]


def test_the_jacobian_of_a_long_chain_costs_no_more_than_its_entries() -> None:
    n = 300
    q = [symbol(f"q{k}") for k in range(n)]
    links = [mul(function("sin", q[k]), q[k + 1]) for k in range(n - 1)]
    start = time.process_time()
    rows = jacobian(links, q)
    assert time.process_time() - start < 1
    assert rows[7][7] is mul(function("cos", q[7]), q[8])
    assert sum(entry is not ZERO for row in rows for entry in row) == 2 * (n - 1)


def test_one_half_of_a_symmetric_matrix_stands_for_both() -> None:
    x = [symbol(f"x{k}") for k in range(4)]
    y = [symbol(f"y{k}") for k in range(4)]
    # the gradient of a quadratic form, whose matrix is symmetric
    terms = [
        mul(function("cos", add(y[i], y[j])), x[i], x[j]) for i in range(4) for j in range(i + 1)
    ]
    rows = gradient(add(*terms), x)
    whole, half = jacobian(rows, x), jacobian(rows, x, symmetric=True)
    assert all(half[i][j] is half[j][i] for i in range(4) for j in range(4))
    for i in range(4):
        assert_same_values(half[i], whole[i])
        assert all(half[i][j] is whole[i][j] for j in range(i + 1))
