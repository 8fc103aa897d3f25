from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest

from mbx.expr.build import (
    FUNCTIONS,
    add,
    choose,
    divide,
    function,
    less,
    mul,
    neg,
    power,
    scale,
    sub,
    total,
)
from mbx.expr.nodes import ONE, ZERO, number, symbol

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
HALF = Fraction(1, 2)


def test_zero_and_one_are_dropped() -> None:
    assert add(X, ZERO) is X
    assert add(ZERO, X) is X
    assert mul(X, ONE) is X
    assert mul(ONE, X) is X
    assert mul(X, ZERO) is ZERO
    assert mul(X, Y, ZERO) is ZERO
    assert scale(0, X) is ZERO
    assert total([]) is ZERO
    assert total([X]) is X
    assert mul() is ONE
    assert mul(X) is X


def test_like_terms_merge() -> None:
    assert add(X, X) is scale(2, X)
    assert add(scale(2, X), scale(-2, X)) is ZERO
    assert add(X, Y, X) is add(scale(2, X), Y)
    assert sub(X, X) is ZERO
    assert add(number(1), number(2)) is number(3)
    assert add(X, number(1), number(-1)) is X


def test_a_sum_does_not_depend_on_the_order_of_its_terms() -> None:
    terms = [X, scale(2, Y), add(Y, Z), number(3), add(add(X, Z), ONE)]
    assert len({total(order) for order in permutations(terms)}) == 1


def test_a_sum_in_a_sum_is_opened_where_that_merges_a_term() -> None:
    inner = add(X, Y)
    assert sub(inner, Y) is X
    assert sub(Y, inner) is neg(X)
    assert add(inner, Z).args == tuple(sorted((inner, Z), key=lambda n: n.order))


def test_a_sum_in_a_sum_of_which_it_is_a_term_is_found_in_any_order() -> None:
    inner = add(X, Y)
    outer = add(inner, Z)
    assert sub(outer, inner) is Z
    assert add(neg(inner), outer) is Z


def test_a_sum_opened_may_open_another() -> None:
    assert add(X, sub(Y, X), sub(Z, Y)) is Z
    assert add(sub(Z, Y), sub(Y, X), X) is Z
    assert add(X, add(neg(X), Y, ONE), add(Z, number(2))) is add(Y, Z, number(3))
    outer = add(add(X, Y), Z)
    assert total([outer, neg(Z), neg(Y)]) is X


def test_the_constants_of_sums_merge() -> None:
    assert add(add(X, ONE), number(-1)) is X
    assert add(add(X, ONE), number(2)) is add(X, number(3))


def test_equal_sums_merge_as_terms() -> None:
    inner = add(X, Y)
    assert add(inner, inner) is scale(2, inner)
    assert add(inner, scale(-1, inner), Z) is Z


def test_the_negative_of_a_sum_is_the_sum_with_more_plus_signs() -> None:
    assert neg(add(X, Y)).op == "scale"
    assert neg(add(neg(X), neg(Y))) is add(X, Y)
    assert neg(sub(neg(X), add(Y, ONE))) is add(X, add(Y, ONE))


def test_numbers_move_out_of_products() -> None:
    assert mul(scale(2, X), scale(3, Y)) is scale(6, mul(X, Y))
    assert mul(number(2), X) is scale(2, X)
    assert mul(X, number(2)) is scale(2, X)
    assert mul(number(2), number(3)) is number(6)
    assert scale(HALF, scale(2, X)) is X
    assert scale(2.0, X) is scale(2, X)
    assert scale(3, number(HALF)) is number(Fraction(3, 2))


def test_powers_of_one_base_merge() -> None:
    assert mul(X, X) is power(X, 2)
    assert mul(X, Y, power(X, 2)) is mul(power(X, 3), Y)
    assert mul(Y, X, Y) is mul(X, power(Y, 2))
    assert mul(X, power(X, -1)) is ONE
    assert divide(X, X) is ONE
    assert mul(X, power(X, -1), Y) is Y
    assert power(power(X, 2), 3) is power(X, 6)
    assert power(scale(2, X), 3) is scale(8, power(X, 3))
    assert power(scale(2, X), -1) is scale(HALF, power(X, -1))


def test_a_root_of_a_product_with_a_number_times_itself_is_the_product() -> None:
    root = power(scale(2, X), HALF)
    assert mul(root, root) is scale(2, X)
    assert mul(root, Y, root) is scale(2, mul(X, Y))


def test_the_root_of_a_square_is_kept() -> None:
    assert power(power(X, 2), HALF) is not X
    assert power(power(X, HALF), 2) is X
    assert power(power(X, HALF), HALF) is power(X, Fraction(1, 4))


def test_powers_zero_and_one_are_no_powers() -> None:
    assert power(X, 0) is ONE
    assert power(X, 1) is X
    assert power(X, Fraction(2, 2)) is X


def test_a_product_is_opened_nowhere() -> None:
    assert mul(mul(X, Y), Z).args != (X, Y, Z)
    assert mul(X, add(Y, Z)).op == "product"


def test_a_division_by_zero_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        divide(X, ZERO)


def test_an_overflow_names_its_operation() -> None:
    with pytest.raises(ValueError, match="a product is inf"):
        scale(1e200, scale(1e200, X))
    with pytest.raises(ValueError, match="a product is inf"):
        mul(scale(1e200, X), scale(1e200, Y))
    with pytest.raises(ValueError, match="a product is inf"):
        scale(1e200, number(1.5e200))
    with pytest.raises(ValueError, match="a sum is inf"):
        add(scale(1.5e308, X), scale(1.5e308, X), Y)
    with pytest.raises(ValueError, match="a sum is inf"):
        add(number(1.5e308), number(1.5e308))
    with pytest.raises(ValueError, match="a sum is inf"):
        add(X, number(1.5e308), number(1.5e308))


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh", "sign"])
def test_odd_functions_give_the_sign_away(name: str) -> None:
    assert function(name, neg(X)) is neg(function(name, X))
    assert function(name, ZERO) is ZERO


@pytest.mark.parametrize("name", ["cos", "cosh", "abs"])
def test_even_functions_ignore_the_sign(name: str) -> None:
    assert function(name, scale(-2, X)) is function(name, scale(2, X))


def test_functions_of_numbers_are_numbers() -> None:
    assert function("cos", ZERO) is ONE
    assert function("exp", ZERO) is ONE
    assert function("sin", number(-1)).value == -FUNCTIONS["sin"](1.0)
    assert function("abs", number(Fraction(-1, 3))) is number(Fraction(1, 3))
    assert function("sign", number(-7)) is number(-1)
    assert function("atan2", ONE, ONE).value == pytest.approx(0.7853981633974483)
    assert function("sqrt", number(Fraction(4, 9))) is number(Fraction(2, 3))
    assert function("sqrt", X) is power(X, HALF)


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(ValueError, match="no function is called gamma"):
        function("gamma", X)


def test_conditions_on_numbers_are_decided() -> None:
    assert less(number(1), number(2)) is ONE
    assert less(number(2), number(1)) is ZERO
    assert less(X, X) is ZERO
    assert choose(ONE, X, Y) is X
    assert choose(ZERO, X, Y) is Y
    assert choose(less(X, Y), Z, Z) is Z


def test_a_choice_between_one_and_zero_is_its_condition_but_not_a_number() -> None:
    assert choose(less(X, Y), ONE, ZERO) is less(X, Y)
    assert choose(X, ONE, ZERO).op == "choose"
    assert choose(choose(Z, less(X, Y), less(Y, X)), ONE, ZERO).op == "choose"
    assert choose(choose(Z, X, ZERO), ONE, ZERO).op == "choose"


def test_floats_that_cancel_leave_nothing_of_their_rounding() -> None:
    x, y = symbol("x"), symbol("y")
    tenths = add(scale(0.1, x), scale(0.2, x), scale(-0.3, x), y)
    assert tenths is y
    inner = add(scale(0.1, x), scale(0.7, y))
    assert add(inner, scale(0.2, x), scale(-0.3, x), scale(-0.7, y)) is ZERO
    assert add(number(0.1), number(0.2), number(-0.3), x) is x
    # what is small, and no rounding, stays
    kept = add(scale(0.1, x), scale(-0.1 + 1e-13, x))
    assert kept.value == pytest.approx(1e-13, rel=1e-3)


def test_quarter_and_half_turns_are_exact() -> None:
    quarter = number(math.pi / 2)
    assert function("cos", quarter) is ZERO
    assert function("sin", quarter) is ONE
    assert function("sin", number(-math.pi)) is ZERO
    # what is small, and no rounding of the angle, stays
    assert function("sin", number(1e-17)).value == 1e-17
    assert function("cos", number(math.pi / 2 - 1e-12)).value == pytest.approx(1e-12, rel=1e-3)
