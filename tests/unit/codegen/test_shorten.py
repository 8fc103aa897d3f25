from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from mbx.expr.algebra.shorten import cost, intermediates, shortened, turned, written
from mbx.expr.build import add, function, mul, neg, power, sub, total
from mbx.expr.evaluate import evaluate_arrays, substitute
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

A, B, C, X, Y = (symbol(name) for name in "ABCXY")
POINT = {A: 0.3, B: 1.7, C: -0.4, X: 0.9, Y: 2.1}


def sin(x: Node) -> Node:
    return function("sin", x)


def cos(x: Node) -> Node:
    return function("cos", x)


def values(nodes: Sequence[Node]) -> list[float]:
    return [float(v) for v in evaluate_arrays(nodes, POINT)]


@pytest.mark.parametrize(
    ("node", "same"),
    [
        (sub(power(add(power(sin(X), 2), power(cos(X), 2)), 2), ONE), ZERO),
        (add(cos(mul(number(2), X)), mul(number(2), power(sin(X), 2))), ONE),
        (add(mul(A, power(sin(X), 2)), mul(A, power(cos(X), 2))), A),
    ],
)
def test_identities_of_squares_are_seen(node: Node, same: Node) -> None:
    assert shortened([node]) == [same]


def test_sums_of_angles_are_gathered() -> None:
    node = sub(mul(sin(X), cos(Y)), mul(cos(X), sin(Y)))
    [short] = shortened([node])
    assert cost([short]) == 2
    assert values([short])[0] == pytest.approx(math.sin(0.9 - 2.1))


def test_angles_have_one_sign() -> None:
    nodes = [sin(sub(X, Y)), sin(sub(Y, X)), cos(sub(X, Y)), cos(sub(Y, X))]
    new = turned(nodes)
    assert new[1] is neg(new[0])
    assert new[2] is new[3]
    assert values(new) == pytest.approx(values(nodes))


def test_what_is_large_is_left_alone() -> None:
    node = ZERO
    for k in range(400):
        node = sin(add(node, mul(number(k + 2), X)))
    assert shortened([node]) == [node]


def test_a_part_that_is_used_twice_gets_a_name_if_it_is_not_cheap() -> None:
    part = total([mul(A, sin(X)), mul(B, cos(Y)), mul(C, power(X, 2)), Y])
    nodes = [mul(part, A), sin(part), sin(X)]
    parts, new = intermediates(nodes)
    assert len(parts) == 1
    assert parts[0][0].value == "z1"
    assert substitute(new, dict(parts)) == nodes


def test_names_avoid_those_that_are_taken() -> None:
    part = total([mul(A, sin(X)), mul(B, cos(Y)), mul(C, power(X, 2)), Y])
    parts, _ = intermediates([mul(part, A), sin(part)], taken=["z7", "theta"])
    assert [name.value for name, _ in parts] == ["zz1"]


def test_a_named_part_is_written_with_a_plus() -> None:
    part = neg(total([mul(A, sin(X)), mul(B, cos(Y)), mul(C, power(X, 2)), Y]))
    nodes = [mul(part, A), sin(part)]
    parts, new = intermediates(nodes)
    assert values([parts[0][1]])[0] == pytest.approx(-values([part])[0])
    assert values(substitute(new, dict(parts))) == pytest.approx(values(nodes))


def test_no_text_is_long_when_a_deep_expression_has_parts() -> None:
    node = X
    for k in range(300):
        node = sin(add(mul(node, symbol(f"p{k}")), Y))
    parts, new = intermediates([node])
    assert len(parts) > 10
    assert max(written([value]) for value in [*new, *(v for _, v in parts)]) < 40
