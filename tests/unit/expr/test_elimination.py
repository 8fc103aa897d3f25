from __future__ import annotations

from fractions import Fraction

import pytest

from mbx.expr.algebra.elimination import generic_rank, rank, sample
from mbx.expr.build import add, choose, divide, function, less, mul, neg, power, sub
from mbx.expr.nodes import ONE, ZERO, number, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


def test_the_rank_of_numbers_is_exact() -> None:
    tiny = number(Fraction(1, 10**30))
    assert generic_rank([[ONE, ONE], [ONE, add(ONE, tiny)]]) == 2
    assert generic_rank([[number(2), number(4)], [number(3), number(6)]]) == 1


def test_the_rank_of_symbols_holds_almost_everywhere() -> None:
    assert generic_rank([[X, Y], [Y, X]]) == 2
    assert generic_rank([[X, Y], [mul(X, Z), mul(Y, Z)]]) == 1
    assert generic_rank([[X, Y, Z]]) == 1
    assert generic_rank([[X], [Y], [Z]]) == 1
    assert generic_rank([[ZERO, ZERO], [ZERO, ZERO]]) == 0
    assert generic_rank([]) == 0


def test_an_identity_that_nobody_simplified_is_seen() -> None:
    sine, cosine = function("sin", X), function("cos", X)
    one = add(power(sine, 2), power(cosine, 2))
    assert generic_rank([[one, Y], [ONE, Y]]) == 1


def test_entries_of_very_different_size_are_no_matter() -> None:
    big, small = number(1e12 + 0.5), number(1.5e-12)
    assert generic_rank([[mul(big, X), Y], [ZERO, mul(small, Z)]]) == 2


def test_roots_and_logarithms_find_a_point_where_they_have_values() -> None:
    root = power(sub(X, Y), Fraction(1, 2))
    assert generic_rank([[root, ONE], [ONE, root]]) == 2


def test_conditions_and_quotients_take_part() -> None:
    chosen = choose(less(X, number(2)), divide(Y, add(X, Y)), ZERO)
    assert generic_rank([[chosen, ONE], [ONE, chosen]]) == 2
    left_out = choose(less(number(2), X), Y, ZERO)
    assert generic_rank([[left_out, ONE], [ZERO, left_out]]) == 1


def test_a_quotient_by_what_is_zero_has_no_value() -> None:
    sine, cosine = function("sin", X), function("cos", X)
    zero = add(power(sine, 2), power(cosine, 2), number(-1))
    with pytest.raises(ValueError, match="no value at any random point"):
        sample([[divide(Y, zero)]])


def test_an_entry_without_a_value_anywhere_is_an_error() -> None:
    with pytest.raises(ValueError, match="no value at any random point"):
        sample([[function("log", neg(X))]])


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    assert sample([[X, Y]], 5) == sample([[X, Y]], 5) != sample([[X, Y]], 6)


def test_a_rank_uses_rows_and_columns_in_any_order() -> None:
    assert rank([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [3.0, 0.0, 0.0]]) == 2
    assert rank([[0, 2], [3, 0], [1, 1]]) == 2
