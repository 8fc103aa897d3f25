"""Signs, absolute values and conditions on both sides of their surfaces."""

from __future__ import annotations

import pytest

from mbx.expr.build import function, less, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.expr.switches import is_jump, is_switch, on_side, surface_of

X, Y = symbol("x"), symbol("y")


@pytest.mark.parametrize(
    ("node", "surface", "below", "above"),
    [
        (function("sign", X), X, number(-1), ONE),
        (function("abs", X), X, neg(X), X),
        (less(X, Y), sub(Y, X), ZERO, ONE),
    ],
    ids=["sign", "abs", "less"],
)
def test_a_switch_has_an_expression_on_each_side_of_its_surface(
    node: Node, surface: Node, below: Node, above: Node
) -> None:
    assert is_switch(node)
    assert surface_of(node) is surface
    assert (on_side(node, -1), on_side(node, 1)) == (below, above)


def test_smooth_functions_are_no_switches() -> None:
    assert not any(is_switch(node) for node in (X, function("sin", X), sub(X, Y)))


def test_an_absolute_value_has_a_kink_and_does_not_jump() -> None:
    assert is_jump(function("sign", X))
    assert is_jump(less(X, Y))
    assert not is_jump(function("abs", X))
