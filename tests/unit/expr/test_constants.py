from __future__ import annotations

from fractions import Fraction

import pytest

from mbx.expr.nodes import number_function, number_power


def test_powers_of_rationals_are_exact_where_they_can_be() -> None:
    assert number_power(Fraction(2, 3), -2).value == Fraction(9, 4)
    assert number_power(Fraction(4, 9), Fraction(3, 2)).value == Fraction(8, 27)
    assert number_power(4, Fraction(-1, 2)).value == Fraction(1, 2)
    assert number_power(-2, 3).value == -8
    assert number_power(0, 2).value == 0


def test_other_roots_are_floats() -> None:
    assert number_power(2, Fraction(1, 2)).value == pytest.approx(1.4142135623730951)
    assert number_power(8, Fraction(1, 3)).value == 2
    assert number_power(2.25, Fraction(1, 2)).value == 1.5


def test_an_exact_power_that_would_be_too_long_is_a_float() -> None:
    assert isinstance(number_power(Fraction(10001, 10000), 1000).value, float)


@pytest.mark.parametrize(
    ("value", "exponent"), [(10, 10**9), (-1, Fraction(1, 2)), (1.5e200, 2), (-2.5, 0.5)]
)
def test_a_power_that_is_no_number_names_itself(value: float, exponent: float) -> None:
    with pytest.raises(ValueError, match=r"\(.*\)\^\(.*\)"):
        number_power(value, exponent)


def test_zero_has_no_negative_power() -> None:
    with pytest.raises(ZeroDivisionError):
        number_power(0, -1)


@pytest.mark.parametrize(("name", "value"), [("log", -1), ("asin", 2), ("exp", 1000), ("log", 0)])
def test_a_function_outside_its_domain_names_itself(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"{name}\({value}\) is no number"):
        number_function(name, [value])
