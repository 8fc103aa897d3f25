from __future__ import annotations

import pytest

from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.build import add, choose, function, less, mul, neg, power, scale, sub
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol

U, V, X = symbol("u"), symbol("v"), symbol("x")


def test_coefficients_and_rest_are_told_apart() -> None:
    sine = function("sin", X)
    A, b = split([add(mul(sine, U), scale(2, V), X), mul(X, sub(V, U)), X], [U, V])
    assert (A, b) == ([[sine, number(2)], [neg(X), X], [ZERO, ZERO]], [X, ZERO, X])


def test_what_cancels_does_not_spoil_a_row() -> None:
    square = sub(power(add(U, ONE), 2), power(U, 2))
    assert split([square], [U]) == ([[number(2)]], [ONE])


@pytest.mark.parametrize(
    "node",
    [
        power(U, 2),
        mul(U, V),
        function("sin", U),
        function("abs", U),
        function("sign", U),
        less(U, X),
        choose(less(U, X), ONE, number(2)),
        mul(X, add(ONE, function("sign", U))),
        mul(U, choose(less(X, V), ONE, number(2))),
    ],
)
def test_a_row_that_is_not_affine_is_named(node: Node) -> None:
    with pytest.raises(NotAffineError, match="expression 1") as caught:
        split([U, node], [U, V])
    assert caught.value.row == 1


def test_steps_of_other_symbols_are_no_matter() -> None:
    step = choose(less(X, ONE), ONE, function("sign", X))
    assert split([mul(step, U)], [U]) == ([[step]], [ZERO])
