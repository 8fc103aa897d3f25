from __future__ import annotations

from fractions import Fraction

from mbx.expr.build import add, choose, function, less, mul, power, scale
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ONE, ZERO, number, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


def test_all_places_change_at_once() -> None:
    assert substitute([add(X, scale(2, Y))], {X: Y, Y: X}) == [add(Y, scale(2, X))]


def test_what_has_no_place_stays_the_same_node() -> None:
    node = mul(X, function("sin", Y))
    assert substitute([node], {Z: ONE}) == [node]


def test_every_operation_is_rebuilt_in_canonical_form() -> None:
    nodes = [
        add(X, Y, ONE),
        scale(3, X),
        mul(X, Y),
        power(X, Fraction(1, 2)),
        function("cos", X),
        less(X, Y),
        choose(less(X, Y), X, Z),
    ]
    expected = [add(Y, ONE), ZERO, ZERO, ZERO, ONE, less(ZERO, Y), choose(less(ZERO, Y), ZERO, Z)]
    assert substitute(nodes, {X: ZERO}) == expected


def test_whole_parts_can_be_replaced() -> None:
    inner = add(X, Y)
    assert substitute([power(inner, 2)], {inner: number(3)}) == [number(9)]
