from __future__ import annotations

from mbx.expr.build import add, choose, function, less, mul, neg, power, scale
from mbx.expr.cse import definitions
from mbx.expr.nodes import ONE, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
Z1, Z2 = symbol("z1"), symbol("z2")


def test_a_part_used_twice_gets_a_name() -> None:
    shared = mul(X, Y)
    names, new = definitions([add(shared, function("sin", shared))])
    assert names == [(Z1, shared)]
    assert new == [add(Z1, function("sin", Z1))]


def test_names_build_on_earlier_names() -> None:
    inner = add(X, Y)
    outer = power(inner, 2)
    names, new = definitions([outer, mul(function("sin", outer), inner)])
    assert names == [(Z1, inner), (Z2, power(Z1, 2))]
    assert new == [Z2, mul(function("sin", Z2), Z1)]


def test_symbols_numbers_and_their_multiples_get_no_name() -> None:
    names, new = definitions([add(scale(2, X), Y), add(scale(2, X), Z)])
    assert names == []
    assert new == [add(scale(2, X), Y), add(scale(2, X), Z)]


def test_what_stands_behind_a_shared_sign_is_named_without_it() -> None:
    shared = mul(X, Y)
    names, new = definitions([add(neg(shared), Z), add(neg(shared), ONE)])
    assert names == [(Z1, shared)]
    assert new == [add(neg(Z1), Z), add(neg(Z1), ONE)]


def test_a_condition_stays_where_it_is_and_its_parts_get_names() -> None:
    side = mul(X, Y)
    condition = choose(less(side, Z), less(X, Z), less(Y, Z))
    _, new = definitions([choose(condition, X, Y), choose(condition, Y, Z)])
    named = choose(less(Z1, Z), less(X, Z), less(Y, Z))
    assert new == [choose(named, X, Y), choose(named, Y, Z)]


def test_a_shared_choice_gets_a_name() -> None:
    choice = choose(less(X, Y), X, Y)
    assert definitions([power(choice, 2), function("sin", choice)])[0] == [(Z1, choice)]


def test_names_in_use_are_left_out() -> None:
    shared = mul(X, Z1)
    names, _ = definitions([add(shared, Y), function("sin", shared)])
    assert names == [(Z2, shared)]
    assert definitions([shared, shared], prefix="k")[0] == [(symbol("k1"), shared)]
