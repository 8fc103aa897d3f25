"""Mechanisms that cannot move, or that only a point of their configurations allows."""

from __future__ import annotations

import pytest

import mbx
from mbx.verify.verification_text import remarks

FORMS = (
    "kane",
    "lagrange",
    "modular",
    "udwadia_kalaba:singular",
    "semi_recursive_1:partitioned",
    "semi_recursive_1:baumgarte",
    "semi_recursive_2:baumgarte",
)

TWO_BARS = """\
mbx 1
model M {{
  param l: m = 1
  coordinate a: rad = {a}, b: rad = {b}
  body A {{ mass 1 kg  com [l/2, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }}
  body B {{ mass 1 kg  com [l/2, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(A at [l, 0, 0], axis = z, angle = b) }}
  joint c: {joint}
  gravity [0, -9.81 [m/s^2], 0]
}}
"""
THIRD = 1.0471975511965976  # pi/3


def bars(joint: str, a: float = 0.0, b: float = 0.0) -> str:
    return TWO_BARS.format(joint=joint, a=a, b=b)


def test_a_triangle_that_is_fixed_once_too_often_agrees() -> None:
    """Speeds that are zero but for rounding leave rounding in b, which belongs to nothing.

    Of three invariants one holds as far as the numbers of the model do: in however many digits,
    Baumgarte's feedback of that is rounding.
    """
    fixed = f"fixed(B at [l, 0, 0], ground at [1 m, 0, 0] rotated z by {-THIRD})"
    found = mbx.verify(mbx.loads(bars(fixed, THIRD, -2 * THIRD)), forms=FORMS, states=6)
    assert found.verdict == "agree"
    assert set(found.forms) == set(FORMS)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "joint",
    [
        "revolute(B at [l, 0, 0], ground at [2 m, 0, 0], axis = z)",
        "spherical(B at [l, 0, 0], ground at [2 m, 0, 0])",
        "fixed(B at [l, 0, 0], ground at [2 m, 0, 0])",
    ],
)
def test_bars_that_just_reach_are_undecided_and_accuse_nobody(joint: str) -> None:
    """Where they are stretched, rounding of the position is 1e-8 in the angles."""
    found = mbx.verify(mbx.loads(bars(joint)), forms=FORMS, states=6)
    assert found.verdict == "undecided"
    assert found.outliers == ()
    assert not [one for one in found.excluded if one.status == "failed"]
    assert [x for x in found.doubts if "random states could be compared" in x]


def test_bars_that_do_not_reach_have_no_state_and_no_other_complaint() -> None:
    joint = "revolute(B at [l, 0, 0], ground at [2.5 m, 0, 0], axis = z)"
    found = mbx.verify(mbx.loads(bars(joint, 0.1, 0.1)), forms=FORMS, states=4)
    assert found.verdict == "undecided"
    assert "there is no state to compare at" in found.doubts
    assert not [x for x in found.doubts if "is not checked" in x]
    said = list(remarks(found))
    assert not [x for x in said if "compared at 0 of 0" in x]


# -- variables without inertia ---------------------------------------------------------------------

FOLLOWER = """\
mbx 1
model M {
  coordinate x: m = 0.1, y: m = 0.1
  particle P { mass 1 kg  at [x, 0, 0] }
  %s
}
"""


def test_a_variable_that_only_an_invariant_names_follows_without_a_force() -> None:
    """Nothing acts: a multiplier of 1e-31 is rounding of what stabilises the invariant."""
    forms = ("kane", "semi_recursive_1:baumgarte", "semi_recursive_2:baumgarte")
    text = FOLLOWER % "invariant i: x = y"
    found = mbx.verify(mbx.loads(text), forms=forms, states=6)
    assert found.verdict == "agree"


def test_many_states_that_are_alike_are_told_once() -> None:
    text = FOLLOWER % "spring on y stiffness 1 [N/m]"
    found = mbx.verify(mbx.loads(text), forms=("kane", "lagrange"), states=16)
    assert found.verdict == "undecided"
    said = list(remarks(found))
    assert "random 1 to random 64: singular, 64 states" in said
    assert "random 1: singular" not in said
