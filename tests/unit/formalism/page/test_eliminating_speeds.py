"""Dependent speeds by proved pivots, and equations of motion written out and solved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mbx.expr.algebra.identity import is_zero
from mbx.expr.build import add, divide, function, mul, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.formalism.page.algebra.eliminate import eliminate
from mbx.formalism.page.algebra.reduced_equations import reduce_equations
from mbx.formalism.page.algebra.trigonometric_ring import Fractions, shorten_units

if TYPE_CHECKING:
    from collections.abc import Sequence

a, b, c, m, x, y, p, q, r = map(symbol, "abcmxypqr")


def sin(node: Node) -> Node:
    return function("sin", node)


def cos(node: Node) -> Node:
    return function("cos", node)


def same(left: Sequence[Node], right: Sequence[Node]) -> bool:
    return all(is_zero(sub(u, v)) for u, v in zip(left, right, strict=True))


def test_a_pivot_that_is_a_number_is_preferred() -> None:
    # x1' = a sin(y) x3', x2' = b x3': the rows of a rolling disc are like these
    A = [[ONE, ZERO, neg(mul(a, sin(y)))], [ZERO, ONE, neg(b)]]
    found = eliminate(A, [ZERO, ZERO], [ZERO, ZERO], positive={a, b})
    assert found is not None
    assert found.free == (2,)
    assert found.conditions == ()
    assert same([row[0] for row in found.C], [mul(a, sin(y)), b, ONE])


def test_a_pivot_that_may_vanish_is_a_condition() -> None:
    found = eliminate([[cos(x), a]], [ZERO], [ZERO], positive=set(), kept={1})
    assert found is not None
    assert found.conditions == (cos(x),)
    assert same(found.C[0], [neg(divide(a, cos(x)))])


def test_the_velocity_ratio_of_a_triangle_is_the_law_of_sines() -> None:
    # a e^(ix) + b e^(i(x + y)) = c: x' and y' keep both components
    z = add(x, y)
    A = [
        [neg(add(mul(a, sin(x)), mul(b, sin(z)))), neg(mul(b, sin(z)))],
        [add(mul(a, cos(x)), mul(b, cos(z))), mul(b, cos(z))],
    ]
    found = eliminate(A, [ZERO, ZERO], [ZERO, ZERO], positive={a, b})
    assert found is not None
    assert found.free == ()  # it cannot move
    assert any(same([condition], [sin(y)]) for condition in found.conditions)


def test_a_row_that_follows_from_others_is_named() -> None:
    A = [[ONE, neg(a)], [b, neg(mul(a, b))]]
    found = eliminate(A, [ZERO, ZERO], [ZERO, ZERO], positive={a, b})
    assert found is not None
    assert found.redundant == (1,)


def test_a_row_that_vanishes_at_all_states_is_no_pivot() -> None:
    # x and y are tied so that sin(x - y) is zero: generic rank says 2, the states say 1
    A = [[ONE, ONE], [ONE, add(ONE, sin(sub(x, y)))]]
    states = [{x: 0.3, y: 0.3}, {x: 1.1, y: 1.1}]
    found = eliminate(A, [ZERO, ZERO], [ZERO, ZERO], positive=set(), states=states)
    assert found is not None
    assert found.redundant == (1,)


def test_what_is_left_of_speeds_and_rates_is_kept() -> None:
    found = eliminate([[ONE, a]], [mul(m, x)], [neg(c)], positive=set())
    assert found is not None
    k = found.dependent[0]
    j = found.free[0]
    lead = [ONE, a][k]
    assert same([found.d[k]], [divide(c, lead)])
    assert same([found.g[k]], [neg(divide(mul(m, x), lead))])
    assert same([found.C[k][0]], [neg(divide([ONE, a][j], lead))])


def test_equations_are_solved_with_what_cancels() -> None:
    # (m + a sin^2 x) x'' + a cos x y'' = p,  cos x x'' + y'' = q
    xdd, ydd = symbol("x''"), symbol("y''")
    s, co = sin(x), cos(x)
    rows = [
        sub(add(mul(add(m, mul(a, s, s)), xdd), mul(a, co, ydd)), p),
        sub(add(mul(co, xdd), ydd), q),
    ]
    found = reduce_equations(rows, [x, y], [xdd, ydd], None, {m, a}, {m, a, p, q})
    assert found is not None
    assert found.solved is not None
    below = add(m, mul(a, s, s), neg(mul(a, co, co)))
    assert same([found.solved.values[0]], [divide(sub(p, mul(a, co, q)), below)])


def test_the_squares_of_a_unit_vector_add_up_to_one() -> None:
    value = add(mul(p, p), mul(q, q), mul(r, r), mul(a, a))
    assert shorten_units(mul(m, value), ((p, q, r, a),)) is m


def test_angles_that_stand_together_stay_together() -> None:
    value = add(mul(sin(x), sin(x), cos(sub(x, y))), mul(cos(x), cos(x), cos(sub(x, y))))
    fractions = Fractions([value])
    assert fractions.node(fractions(value)) is cos(sub(x, y))


def test_a_number_of_full_precision_is_no_factor_of_an_angle() -> None:
    value = mul(a, sin(mul(number(6.283185307179586), x)))
    fractions = Fractions([value])
    assert fractions.node(fractions(value)) is value


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_of_squares_and_masses_is_no_condition(sign: int) -> None:
    value = mul(number(sign), add(m, mul(a, sin(x), sin(x))))
    found = eliminate([[value, ONE]], [ZERO], [ZERO], positive={m, a}, kept={1})
    assert found is not None
    assert found.conditions == ()
