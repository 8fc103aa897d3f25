"""The page of the Udwadia-Kalaba equations: a, A, b, the violation e, Fc and the correction."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

MODELS = ("chaplygin_sleigh", "double_pendulum", "cart_pole", "four_bar", "rolling_disc")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("variant", ["positive", "singular", "augmented"])
def test_every_equality_of_the_page_holds_as_printed(name: str, variant: str) -> None:
    found = checked(name, f"udwadia_kalaba:{variant}")
    assert found.mistakes == []
    assert found.equalities >= 4
    assert found.states >= 6


def test_the_motion_without_the_constraint_is_corrected() -> None:
    text = text_of("chaplygin_sleigh", "udwadia_kalaba")
    assert "M →" in text
    assert "Q →" in text
    assert "a_v = -u w" in text
    assert "e_blade = -a_v" in text
    assert "N = e_blade/W_blade" in text
    assert "v' = a_v + c_v" in text


# Udwadia and Kalaba, Analytical Dynamics, (3.7): Fc = A^T (A M^-1 A^T)^-1 (b - A a); of the sleigh
# A = [0, 1, 0], and M^-1 by hand
def test_the_force_of_the_blade_is_that_of_the_formula() -> None:
    name, form = "chaplygin_sleigh", "udwadia_kalaba"
    assert value_at(name, form, "N") == pytest.approx(value_at(name, form, "J m u w/(J + m a^2)"))
    assert value_at(name, form, "w'") == pytest.approx(value_at(name, form, "-m a u w/(J + m a^2)"))


def test_the_variant_stands_on_the_page() -> None:
    assert "M may be singular" in text_of("chaplygin_sleigh", "udwadia_kalaba:singular")
    assert "M + A^P A" in text_of("chaplygin_sleigh", "udwadia_kalaba:augmented")


def test_single_mistakes_in_the_text_are_found() -> None:
    # what is not found has v, a_w or c_u as a factor, which are zero in every motion
    assert found_share("chaplygin_sleigh", "udwadia_kalaba", 40) >= 0.8
