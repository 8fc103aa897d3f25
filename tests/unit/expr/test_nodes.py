from __future__ import annotations

import copy
import gc
import math
from fractions import Fraction

import pytest

from mbx.expr import nodes
from mbx.expr.build import add, function
from mbx.expr.nodes import ONE, ZERO, number, plain, symbol


def test_equal_expressions_are_the_same_object() -> None:
    assert symbol("x") is symbol("x")
    assert number(Fraction(1, 3)) is number(Fraction(2, 6))


def test_whole_numbers_are_one_node_in_every_type() -> None:
    assert number(2.0) is number(2) is number(Fraction(4, 2))
    assert number(-0.0) is ZERO
    assert number(1.0) is ONE


def test_a_float_too_large_to_be_one_whole_number_stays_a_float() -> None:
    assert isinstance(number(2.0**60).value, float)
    assert isinstance(number(2.0**52).value, int)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        number(value)


def test_a_refusal_names_the_operation() -> None:
    with pytest.raises(ValueError, match="a sum is inf"):
        plain(math.inf, "a sum")


def test_a_node_nobody_holds_leaves_the_table() -> None:
    gc.collect()
    before = len(nodes._table)
    kept = add(symbol("held x"), symbol("held y"))
    assert len(nodes._table) == before + 3
    del kept
    gc.collect()
    assert len(nodes._table) == before


def test_a_very_deep_expression_can_be_dropped() -> None:
    gc.collect()
    before = len(nodes._table)
    deep = symbol("deep")
    for _ in range(50_000):
        deep = function("sin", deep)
    del deep
    gc.collect()
    assert len(nodes._table) == before


def test_a_late_notice_does_not_remove_the_node_that_took_the_place() -> None:
    kept = symbol("again")
    entry = nodes._table["symbol", (), "again", str]
    other = nodes._Entry(kept)
    other.key = entry.key
    nodes.forget(other)
    assert symbol("again") is kept
    assert nodes._table[entry.key] is entry


def test_a_dead_entry_that_is_still_listed_gives_way_to_a_new_node() -> None:
    key = ("symbol", (), "gone", str)
    lost = symbol("gone")
    entry = nodes._Entry(lost)
    entry.key = key
    del lost
    gc.collect()
    nodes._table[key] = entry
    new = symbol("gone")
    assert nodes._table[key]() is new


def test_a_node_cannot_be_copied() -> None:
    with pytest.raises(TypeError, match="stay in their process"):
        copy.deepcopy(symbol("x"))


def test_a_node_shows_itself_cut_to_a_line() -> None:
    assert repr(add(symbol("x"), ONE)) == "x + 1"
    assert len(repr(add(*(symbol(f"x{k}") for k in range(200))))) < 220
