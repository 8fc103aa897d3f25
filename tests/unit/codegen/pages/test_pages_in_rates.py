"""The pages of Lagrange's, Maggi's and Hamilton's equations: objects, equations, evaluation."""

from __future__ import annotations

import pytest

from mbx.expr.build import add, mul, power
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.page.page_momenta import complete_squares
from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

FORMS = ("lagrange", "maggi", "hamilton")
MODELS = ("chaplygin_sleigh", "double_pendulum", "rolling_disc")


def lines_of(name: str, form: str, left: str) -> list[str]:
    """Return the lines of a page that begin with something."""
    lines = [line.split("    # ")[0].strip() for line in text_of(name, form).splitlines()]
    return [line for line in lines if line.startswith(left)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", FORMS)
def test_every_equality_of_the_page_holds_as_printed(name: str, form: str) -> None:
    found = checked(name, form)
    assert found.mistakes == []
    assert found.equalities >= 8
    assert found.states >= 6


@pytest.mark.parametrize("form", FORMS)
def test_quaternions_and_rheonomic_constraints_hold_as_printed(form: str) -> None:
    names = ["nonideal_particle", "bead_on_rotating_rod"]
    names += [] if form == "hamilton" else ["free_body_quaternion"]
    for name in names:
        assert checked(name, form).mistakes == []


@pytest.mark.parametrize(
    ("form", "objects"),
    [
        ("lagrange", ("T_bob1", "L = T - V", "∂L/∂phi1'", "d/dt ∂L/∂q' - ∂L/∂q = 0")),
        ("maggi", ("E_phi1 = d/dt ∂T/∂phi1'", "E_phi2 = d/dt ∂T/∂phi2'")),
        ("hamilton", ("p_phi1 = ", "P_phi1 = ", "H = ", "∂H/∂p_phi1 = phi1'", "d/dt H = 0")),
    ],
)
def test_the_objects_of_the_form_are_on_the_page(form: str, objects: tuple[str, ...]) -> None:
    text = text_of("double_pendulum", form)
    for each in objects:
        assert each in text


@pytest.mark.parametrize("form", FORMS)
def test_single_mistakes_in_the_text_are_found(form: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share("chaplygin_sleigh", form, 30) >= 0.9
    assert found_share("double_pendulum", form, 30) >= 0.94


# Greenwood, Advanced Dynamics, section 2.3, has the sleigh; the disc: Neimark and Fufaev, chapter 3
@pytest.mark.parametrize(
    ("name", "form", "left", "right"),
    [
        ("chaplygin_sleigh", "maggi", "u'", "a w^2"),
        ("chaplygin_sleigh", "maggi", "w'", "-m a u w/(J + m a^2)"),
        (
            "chaplygin_sleigh",
            "lagrange",
            "phi''",
            "-m a phi' (x' cos(phi) + y' sin(phi))/(J + m a^2)",
        ),
        (
            "chaplygin_sleigh",
            "hamilton",
            "N",
            "J m phi' (x' cos(phi) + y' sin(phi))/(J + m a^2)",
        ),
        ("rolling_disc", "maggi", "yaw''", "-2 lean' spin'/cos(lean)"),
    ],
)
def test_what_is_solved_is_what_the_books_have(name: str, form: str, left: str, right: str) -> None:
    assert lines_of(name, form, f"{left} = ")
    assert value_at(name, form, left) == pytest.approx(value_at(name, form, right))


def test_the_matrix_of_maggi_is_written_in_the_declared_speeds() -> None:
    lines = [line.strip() for line in text_of("chaplygin_sleigh", "maggi").splitlines()]
    start = next(k for k, line in enumerate(lines) if line.startswith("C →"))
    assert "s = sin(phi);  c = cos(phi)" in text_of("chaplygin_sleigh", "maggi")
    assert [line.split() for line in lines[start : start + 4]] == [
        ["C", "→", "u", "w"],
        ["x'", "[", "c", "0", "]"],
        ["y'", "[", "s", "0", "]"],
        ["phi'", "[", "0", "1", "]"],
    ]


def test_the_torque_of_a_motor_is_the_force_on_its_joint() -> None:
    # that of a torque between two bodies on the angle between them: virtual work
    [line] = lines_of("four_bar", "hamilton", "p_th1' = ")
    assert line.startswith("p_th1' = -∂H/∂th1 + u1 ")


def test_squares_are_completed_with_the_pivots_that_do_not_vanish() -> None:
    # [[a + b^2, b], [b, 1]]: the second pivot is 1, and a is left of the first one
    a, b = symbol("a"), symbol("b")
    squares = complete_squares([[add(a, power(b, 2)), b], [b, ONE]], {a}, {a})
    assert squares is not None
    assert squares.order == (1, 0)
    assert {1: ONE, 0: a} == squares.D
    assert squares.factors == {0: {1: b}, 1: {}}
    assert complete_squares([[ZERO, b], [b, ZERO]], {a}, {a}) is None
    assert complete_squares([[mul(a, b)]], {a}, {a}) is None
