"""The page of Boltzmann-Hamel equations: T* in all quasi-velocities, Hamel coefficients, rows."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

FORM = "boltzmann_hamel"
MODELS = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "free_body_quaternion")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, FORM)
    assert found.mistakes == []
    assert found.equalities >= 9
    assert found.states >= 6


@pytest.mark.parametrize("name", MODELS)
def test_the_energy_momenta_and_rows_are_on_the_page(name: str) -> None:
    text = text_of(name, FORM)
    assert "    T* = " in text
    assert "d/dt ∂T*/∂" in text
    assert "    E_" in text


def test_the_sleigh_has_the_hamel_coefficients_of_its_blade() -> None:
    # v' gains -u w and u' gains v w where the axes turn: Neimark and Fufaev, chapter 3
    text = text_of("chaplygin_sleigh", FORM)
    assert "γ_v_uw = -1;  γ_u_vw = 1" in text
    assert "E_u = d/dt ∂T*/∂u + γ_v_uw w ∂T*/∂v = " in text
    assert "N = E_v - Q_v = " in text


def test_constraint_functions_have_hamel_coefficients() -> None:
    # d/dyaw of r spin' cos(yaw) and of r spin' sin(yaw)
    text = text_of("rolling_disc", FORM)
    assert "γ_c_roll_x_yaw_spin = -r sin(yaw)" in text
    assert "γ_c_roll_y_yaw_spin = r cos(yaw)" in text


def test_rates_of_coordinates_have_none() -> None:
    assert "all are zero" in text_of("double_pendulum", FORM)


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "double_pendulum", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share(name, FORM, 40) >= 0.92


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
