"""The page of Kane's equations: its objects, its last equations, and what its evaluation finds."""

from __future__ import annotations

import json
import math

import pytest

import mbx
from mbx.codegen.pages.text_page import write_text_page
from mbx.formalism.json.serial import from_json, to_json
from page_evaluation import checked, equations_of, found_share, text_of, value_at

MODELS = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "cart_pole")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, "kane")
    assert found.mistakes == []
    assert found.equalities >= 10
    assert found.states >= 6


@pytest.mark.parametrize("name", MODELS)
def test_partial_velocities_and_both_kinds_of_forces_are_on_the_page(name: str) -> None:
    text = text_of(name, "kane")
    assert "∂v_" in text
    assert "F*_" in text
    assert "F_r + F*_r = 0" in text


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "double_pendulum", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share(name, "kane", 40) >= 0.94


# Greenwood, Advanced Dynamics, section 2.3 has the sleigh; the disc: Neimark and Fufaev, chapter 3
@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("chaplygin_sleigh", "u'", "a w^2"),
        ("chaplygin_sleigh", "w'", "-m a u w/(J + m a^2)"),
        ("rolling_disc", "yaw''", "-2 lean' spin'/cos(lean)"),
    ],
)
def test_what_is_solved_is_what_the_books_have(name: str, left: str, right: str) -> None:
    lines = [line.split("    # ")[0] for line in text_of(name, "kane").splitlines()]
    solved = [line.strip() for line in lines if line.strip().startswith(f"{left} = ")]
    assert solved
    assert value_at(name, "kane", left) == pytest.approx(value_at(name, "kane", right))


def test_the_coupler_of_a_four_bar_has_the_ratio_of_the_velocity_triangle() -> None:
    # of the vector loop a + b = d + c, crossed with b: any text on mechanisms
    text = text_of("four_bar", "kane")
    assert "k_th3 = a sin(th2)/(c sin(th1 + th2 - th3))" in text
    ratio = "a sin(th2)/(c sin(th1 + th2 - th3)) th1'"
    assert value_at("four_bar", "kane", ratio) == pytest.approx(
        value_at("four_bar", "kane", "th3'")
    )


def test_a_free_body_has_eulers_equations() -> None:
    text = text_of("free_body_quaternion", "kane")
    assert "Ix wx' + (Iz - Iy) wy wz = 0" in text


def test_a_page_comes_back_from_json() -> None:
    equations = equations_of("rolling_disc", "kane")
    again = from_json(json.loads(json.dumps(to_json(equations))))
    assert again.page is not None
    assert equations.page is not None
    lines = write_text_page(equations.signature, equations.page)
    assert write_text_page(again.signature, again.page) == lines


def test_the_page_does_not_depend_on_what_was_written_before() -> None:
    first = text_of("four_bar", "kane")
    kept = [
        mbx.convert(f"lib:{name}", "kane", page=True)
        for name in ("double_pendulum", "slider_crank")
    ]
    again = mbx.convert("lib:four_bar", "kane", page=True)
    assert again.page is not None
    assert "\n".join(write_text_page(again.signature, again.page)) == first
    assert kept


@pytest.mark.parametrize("width", [60, 80, 98])
def test_lines_fit_the_width(width: int) -> None:
    equations = equations_of("rolling_disc", "kane")
    assert equations.page is not None
    lines = write_text_page(equations.signature, equations.page, width=width)
    assert max(map(len, lines)) <= max(width, 60) + 12
    assert math.isclose(sum(len(x) <= width for x in lines) / len(lines), 1, abs_tol=0.1)
