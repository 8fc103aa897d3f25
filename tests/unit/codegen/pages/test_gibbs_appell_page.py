"""The page of Gibbs-Appell equations: S by body, its derivatives, reactions by relaxation."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

FORM = "gibbs_appell"
MODELS = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "bead_with_friction")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, FORM)
    assert found.mistakes == []
    assert found.equalities >= 8
    assert found.states >= 6


@pytest.mark.parametrize("name", MODELS)
def test_the_gibbs_function_and_its_derivatives_are_on_the_page(name: str) -> None:
    text = text_of(name, FORM)
    assert "Gibbs function" in text
    assert "∂S/∂" in text
    assert "Q_" in text


def test_the_gibbs_function_knows_the_rate_of_the_constrained_speed() -> None:
    text = text_of("chaplygin_sleigh", FORM)
    [line] = [line for line in text.splitlines() if line.startswith("    a_sleigh = ")]
    assert "v'" in line
    assert "N = ∂S/∂v' - Q_v = " in text


def test_constraint_functions_are_quasi_velocities_of_their_own() -> None:
    text = text_of("rolling_disc", FORM)
    assert "c_roll_x = x' - r spin' cos(yaw) = 0" in text
    assert "Fx = ∂S/∂c_roll_x'" in text


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "double_pendulum", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share(name, FORM, 40) >= 0.9


# Greenwood, Advanced Dynamics, section 2.3 has the sleigh; the disc: Neimark and Fufaev, chapter 3;
# the reaction is m times the acceleration of the mass centre across the blade
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
    lines = [line.split("    # ")[0] for line in text_of(name, FORM).splitlines()]
    assert [line for line in lines if line.strip().startswith(f"{left} = ")]
    assert value_at(name, FORM, left) == pytest.approx(value_at(name, FORM, right))


def test_a_free_body_has_eulers_equations() -> None:
    assert "Ix wx' + (Iz - Iy) wy wz = 0" in text_of("free_body_quaternion", FORM)
