"""The page of Jourdain's principle: virtual velocities, virtual power, sorted by them."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, states_of, text_of, value_at

pytestmark = pytest.mark.full

FORM = "jourdain"
MODELS = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "cart_pole")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, FORM)
    assert found.mistakes == []
    assert found.equalities >= 6
    assert found.states >= 6


@pytest.mark.parametrize("name", MODELS)
def test_virtual_velocities_and_virtual_power_are_on_the_page(name: str) -> None:
    text = text_of(name, FORM)
    assert "δv_" in text
    assert "Virtual power" in text
    assert "∂P/∂δ" in text


def test_virtual_velocities_are_any_numbers() -> None:
    states = [s for s in states_of("chaplygin_sleigh", FORM) if s.only is None]
    values = [state.values["δw"] for state in states]
    assert values
    assert all(abs(x) > 1e-3 for x in values)


def test_the_reaction_has_power_on_what_the_constraint_forbids() -> None:
    text = text_of("chaplygin_sleigh", FORM)
    assert "P + N δv = 0" in text
    assert "N = -∂P/∂δv = " in text
    assert "P + Fx δc_roll_x + Fy δc_roll_y = 0" in text_of("rolling_disc", FORM)


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "double_pendulum", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share(name, FORM, 40) >= 0.94


# Greenwood, Advanced Dynamics, section 2.3 has the sleigh; the disc: Neimark and Fufaev, chapter 3
@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("chaplygin_sleigh", "u'", "a w^2"),
        ("chaplygin_sleigh", "w'", "-m a u w/(J + m a^2)"),
        ("chaplygin_sleigh", "N", "J m u w/(J + m a^2)"),
        ("rolling_disc", "yaw''", "-2 lean' spin'/cos(lean)"),
    ],
)
def test_what_is_solved_is_what_the_books_have(name: str, left: str, right: str) -> None:
    assert value_at(name, FORM, left) == pytest.approx(value_at(name, FORM, right))
