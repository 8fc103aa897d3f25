"""The page of the modular method: the tree, C and fbar level by level, and the equations."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

MODELS = ("geared_motor_drive", "ring_and_disc", "four_bar", "double_pendulum", "chaplygin_sleigh")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, "modular")
    assert found.mistakes == []
    assert found.equalities >= 5
    assert found.states >= 6


def test_the_tree_and_the_levels_of_a_drive_are_on_the_page() -> None:
    text = text_of("geared_motor_drive", "modular")
    assert "├─ drive" in text
    assert "│  └─ gear   drive.gear.a1', drive.gear.a2'; invariant mesh" in text
    assert "Level 3, the leaves" in text
    assert "drive.gear.a1' = n drive.gear.a2'    # mesh" in text
    assert "C →" in text
    assert "S →" in text
    assert "fbar_drive.gear.a2' = n f_drive.motor.w" in text


# Orsino's thesis, example 4.3: the armature, and the rotor's torque brought to the drum
def test_a_drive_has_the_equations_of_its_armature_and_of_its_drum() -> None:
    name, form = "geared_motor_drive", "modular"
    current = "(v - n k drum.a' - R drive.motor.i)/L"
    turning = "(n k drive.motor.i - n^2 b drum.a' - m g r)/(n^2 J + Jd + m r^2)"
    assert value_at(name, form, "drive.motor.i'") == pytest.approx(value_at(name, form, current))
    assert value_at(name, form, "drum.a''") == pytest.approx(value_at(name, form, turning))
    text = text_of(name, form)
    solved = [line.strip() for line in text.splitlines() if "drive.motor.i' = (v - " in line]
    assert solved


def test_what_a_node_proposes_is_free_at_that_node() -> None:
    text = text_of("ring_and_disc", "modular")
    assert "RingAndDisc: free theta', D.w" in text


def test_a_model_without_subsystems_is_taken_apart_into_bodies_and_joints() -> None:
    text = text_of("four_bar", "modular")
    assert "taken apart into bodies and joints" in text
    assert "│  └─ coupler   v, w; coupler.joint: th2'" in text
    assert "Level 3" in text
    assert "F_crank = F_coupler - m1 a_crank + [0, -m1 g]" in text
    assert "fbar_th2' = M_coupler" in text
    assert "fbar_th1' + fbar_th2' k_th2 + fbar_th3' k_th3 = 0" in text


@pytest.mark.parametrize("name", ["geared_motor_drive", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    assert found_share(name, "modular", 40) >= 0.9
