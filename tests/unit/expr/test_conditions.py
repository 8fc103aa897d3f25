from __future__ import annotations

import operator
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest

from mbx.expr.build import choose, less
from mbx.expr.conditions import at_most, both, either, equal, largest, negation, smallest
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import Node, number, symbol

if TYPE_CHECKING:
    from collections.abc import Callable

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
VALUES: Final = (-1.0, 0.0, 2.0)


@pytest.mark.parametrize(
    ("made", "meant"),
    [
        (less, operator.lt),
        (at_most, operator.le),
        (equal, operator.eq),
        (lambda a, b: negation(equal(a, b)), operator.ne),
        (lambda a, b: negation(negation(less(a, b))), operator.lt),
    ],
)
def test_comparisons_mean_what_python_means(
    made: Callable[[Node, Node], Node], meant: Callable[[float, float], bool]
) -> None:
    for a, b in product(VALUES, VALUES):
        assert evaluate([made(X, Y)], {X: a, Y: b}) == [meant(a, b)]
        assert made(number(a), number(b)).value == meant(a, b)


def test_and_or_not_are_those_of_logic() -> None:
    a, b, c = less(X, number(1)), less(Y, number(1)), less(Z, number(1))
    nodes = [both(a, b, c), either(a, b, c), negation(either(a, negation(b)))]
    for x, y, z in product((0, 2), repeat=3):
        p, q, r = x < 1, y < 1, z < 1
        expected = [p and q and r, p or q or r, not (p or not q)]
        assert evaluate(nodes, {X: x, Y: y, Z: z}) == expected


def test_the_smallest_and_the_largest_of_several() -> None:
    for x, y, z in product(VALUES, repeat=3):
        found = evaluate([smallest(X, Y, Z), largest(X, Y, Z)], {X: x, Y: y, Z: z})
        assert found == [min(x, y, z), max(x, y, z)]
    assert smallest(number(2), number(1)) is number(1)


def test_a_choice_by_a_negation_is_the_other_choice() -> None:
    assert choose(negation(less(X, Y)), X, Y) is choose(less(X, Y), Y, X)
    assert negation(negation(less(X, Y))) is less(X, Y)
