"""The page of the Newton-Euler equations: balances by body, with named reactions."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

MODELS = ("four_bar", "double_pendulum", "cart_pole", "furuta_pendulum", "chaplygin_sleigh")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, "newton_euler")
    assert found.mistakes == []
    assert found.equalities >= 10
    assert found.states >= 6


def test_a_body_in_a_plane_has_two_balances_of_force_and_one_of_moment() -> None:
    text = text_of("four_bar", "newton_euler")
    assert "m2 a_coupler = R_coupler - R_tip + [0, -m2 g]" in text
    # about the mass centre, with the inertia of a thin bar and the reactions of both pins
    assert "= -b/2 ey_coupler · R_coupler - b/2 ey_coupler · R_tip" in text
    assert "Rz_" not in text
    assert "M_crank" not in text  # a pin transmits no torque about its axis


def test_reactions_follow_from_the_outermost_body_inwards() -> None:
    lines = text_of("four_bar", "newton_euler").splitlines()
    order = [
        next(k for k, line in enumerate(lines) if line.strip().startswith(f"R_{name} = m"))
        for name in ("rocker", "coupler", "crank")
    ]
    assert order == sorted(order)


# moments about the pin of the rocker, the mass centre half-way: m c^2/3 is the inertia of a thin
# bar about its end, any text on statics and dynamics
def test_the_moments_about_the_pin_of_the_rocker_leave_out_its_reaction() -> None:
    name, form = "four_bar", "newton_euler"
    left = "m3 c^2/3 th3'' + m3 g c/2 cos(th3)"
    right = "c cos(th3) Ry_tip - c sin(th3) Rx_tip"
    assert value_at(name, form, left) == pytest.approx(value_at(name, form, right))
    assert "= c ey_rocker · R_tip" in text_of(name, form)


# the tension of the lower rod: its bob's weight along the rod and what turns it
def test_a_light_rod_pulls_along_itself() -> None:
    name, form = "double_pendulum", "newton_euler"
    across = "cos(phi2) Rx_bob2 + sin(phi2) Ry_bob2"
    assert value_at(name, form, across) == pytest.approx([0.0] * 3, abs=1e-9)


@pytest.mark.parametrize("name", ["four_bar", "double_pendulum"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    assert found_share(name, "newton_euler", 40) >= 0.9
