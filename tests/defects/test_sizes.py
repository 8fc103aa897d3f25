"""A difference is measured by the terms of its own row: nothing elsewhere in the model hides it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.system.elaborate import elaborate
from mbx.verify.agreement.mutual_residuals import worst_rows
from mbx.verify.arbitration.accused import accused_forms, smallest_covers
from mbx.verify.findings import Error, judge, weight
from mbx.verify.run_verification import Options, verify_system

if TYPE_CHECKING:
    from mbx.verify.verification import Verification

HERE = Path(__file__).parent
FORMS = ("kane", "lagrange", "composite_body")

PENDULUM = """
mbx 1
model M {{
  param m: kg = 1, l: m = 1, g: m/s^2 = {g}
  coordinate th: rad = 0.5{coordinates}
  body rod {{ mass m  com [l/2, 0, 0]  inertia m*l^2/12 about z
             joint revolute(ground, axis = z, angle = th) }}
  {more}
  gravity [g, 0, 0]
}}
"""

DECOYS = {
    "nothing": ("", ""),
    "a fast particle": (
        ", s: m = 0",
        "particle tip { mass 1e-12 kg  at [0, 0, s] }  input F: N = 1000  force F*ground.z on tip",
    ),
    "a stiff spring": (
        ", s: m = 0.1",
        "particle tip { mass 0.1 kg  at [0, 0, s] }  spring on s stiffness 1e9 [N/m]",
    ),
    "a heavy planet": (
        ", s: m = 0.1",
        "particle tip { mass 1e24 kg  at [0, 0, s] }  spring on s stiffness 1e24 [N/m]",
    ),
    "a speck of dust": (
        ", s: m = 0.1",
        "particle tip { mass 1e-20 kg  at [0, 0, s] }  spring on s stiffness 1e-20 [N/m]",
    ),
}
DECOYS |= {
    "hardly any mass on a stiff spring": (
        ", s: m = 0.1",
        "particle tip { mass 1e-25 kg  at [0, 0, s] }  spring on s stiffness 1e9 [N/m]",
    ),
    "a place that shakes fast": (
        ", s: m = 0",
        "param w: 1/s = 1e6  particle tip { mass 1 kg  at [0, (1 m)*sin(w*t), s] }",
    ),
    "something far away": (
        ", s: m = 1e12 in [1e12, 1.1e12]",
        "particle tip { mass 1 kg  at [0, 0, s] }  spring on s stiffness 1e6 [N/m]",
    ),
}
FIELDS = ("9.81", "1e-13", "1e13")
CASES = [
    pytest.param(decoy, g, marks=() if g == "9.81" or decoy == "nothing" else pytest.mark.slow)
    for decoy in DECOYS
    for g in FIELDS
]


def verified(decoy: str, g: str, faulted: str | None = None) -> Verification:
    """Verify a pendulum next to something, with another field for the forms than for the oracle."""
    coordinates, more = DECOYS[decoy]
    right, wrong = (
        mbx.link(mbx.loads(PENDULUM.format(g=x, coordinates=coordinates, more=more)))
        for x in (g, faulted or g)
    )
    options = Options(forms=FORMS, states=4, references=False)
    return verify_system(elaborate(wrong), options, right)


@pytest.mark.parametrize(("decoy", "g"), CASES)
def test_gravity_with_the_wrong_sign_in_all_forms_is_found(decoy: str, g: str) -> None:
    found = verified(decoy, g, f"-{g}")
    assert found.verdict == "disagree"
    assert found.against_oracle


@pytest.mark.parametrize(("decoy", "g"), CASES)
def test_right_forms_agree_whatever_stands_next_to_them(decoy: str, g: str) -> None:
    assert verified(decoy, g).verdict == "agree"


@pytest.mark.parametrize("decoy", [name for name in DECOYS if name != "nothing"])
def test_a_fault_of_a_millionth_is_found(decoy: str) -> None:
    assert verified(decoy, "9.81", "9.81000981").verdict == "disagree"


@pytest.mark.parametrize("g", ["9.81", pytest.param("1e-13", marks=pytest.mark.slow)])
def test_a_fault_of_a_millionth_is_found_where_an_angle_stays_small(g: str) -> None:
    """The moment of the weight is a part of 1e-9 of what the joint carries."""
    text = PENDULUM.replace("th: rad = 0.5", "th: rad = 0 in [0, 1e-9]")
    right, wrong = (
        mbx.link(mbx.loads(text.format(g=x, coordinates="", more="")))
        for x in (g, repr(float(g) * (1 + 1e-6)))
    )
    options = Options(forms=FORMS, states=6, references=False)
    assert verify_system(elaborate(right), options, right).verdict == "agree"
    assert verify_system(elaborate(wrong), options, right).verdict == "disagree"


BEARING = """
mbx 1
model M {{
  param m: kg = 1, l: m = 1, g: m/s^2 = {g}
  coordinate x: m = 0, y: m = 0, th: rad = 0.5
  body rod {{ mass m  com [l/2, 0, 0]  inertia m*l^2/12 about z
             joint planar(ground, axis = z, x = x, y = y, angle = th) }}
  spring on x stiffness {k} [N/m]
  spring on y stiffness {k} [N/m]
  gravity [g, 0, 0]
}}
"""


@pytest.mark.parametrize("k", ["1e9", "1e12", "1e15"])
def test_a_stiff_bearing_hides_no_wrong_sign(k: str) -> None:
    """The pendulum hangs on the bearing: forces of it are far above the weight."""
    right, wrong = (mbx.link(mbx.loads(BEARING.format(g=g, k=k))) for g in ("9.81", "-9.81"))
    options = Options(forms=FORMS, states=4, references=False)
    assert verify_system(elaborate(right), options, right).verdict == "agree"
    found = verify_system(elaborate(wrong), options, right)
    assert found.verdict == "disagree"
    assert found.against_oracle


def test_the_published_decoy_hides_nothing() -> None:
    text = (HERE / "decoy.mb").read_text("utf-8")
    flipped = text.replace("gravity [g, 0, 0]", "gravity [-g, 0, 0]")
    assert flipped != text
    right, wrong = (mbx.link(mbx.loads(one)) for one in (text, flipped))
    options = Options(forms=FORMS, states=4, references=False)
    assert verify_system(elaborate(right), options, right).verdict == "agree"
    assert verify_system(elaborate(wrong), options, right).against_oracle


def test_constraint_forces_that_are_rounding_do_not_disagree() -> None:
    forms = ("gauss", "jourdain", "newton_euler", "tree_newton_euler:lu")
    found = mbx.verify(mbx.read(HERE / "noise_disagrees.mb"), forms=forms, states=6)
    assert found.verdict == "agree"


def test_the_report_counts_what_the_arbiter_decided_for_its_size() -> None:
    found = verified("a fast particle", "9.81", "-9.81")
    assert found.arbitrated["different"] >= len(FORMS)
    assert found.as_json()["arbitrated"] == found.arbitrated


# -- rows --------------------------------------------------------------------------------------


def errors(r: list[float], size: list[float], full: float, bound: float) -> tuple[float, bool]:
    """Return the error of one form at one state, and whether it is excusable."""
    rows = np.array(r)[None, None], np.array(size)[None, None]
    each = np.full((1, len(r)), full), np.full((1, len(r)), bound)
    found = worst_rows(*rows, *each, np.ones((1, 1), dtype=bool), ("a", "b"))
    return float(found.value[0, 0]), bool(found.excusable[0, 0])


def test_a_small_difference_next_to_large_terms_is_excusable_and_keeps_its_size() -> None:
    assert errors([10.0], [20.0], full=1e15, bound=0.0) == (0.5, True)


def test_a_row_of_rounding_has_nothing_to_compare() -> None:
    assert errors([1e-16], [1e-15], full=0.0, bound=1e-15)[0] == 0.0


def test_a_row_with_terms_well_above_their_rounding_is_compared() -> None:
    value, excusable = errors([1e-16], [1e-12], full=0.0, bound=1e-15)
    assert excusable
    assert value == pytest.approx(1e-4)


def test_a_certain_error_is_not_hidden_by_a_larger_one_that_is_excusable() -> None:
    assert errors([1e-3, 1e-13], [1.0, 1e-13], full=1.0, bound=0.0) == (1e-3, False)


def test_the_verdict_on_an_excusable_error_is_the_arbiters() -> None:
    error = Error(1.0, excusable=True)
    assert judge(error) == "undecided"
    assert judge(Error(1.0, excusable=True, arbiter="different")) == "disagree"
    assert judge(Error(1.0, excusable=True, arbiter="rounding")) == "agree"
    assert judge(Error(float("inf"), excusable=True)) == "undecided"
    assert weight(Error(1e-5)) > weight(error)


# -- accusations -------------------------------------------------------------------------------


def test_the_smallest_set_that_explains_all_disagreements_is_accused() -> None:
    pairs = [("a", "x"), ("b", "x"), ("c", "x"), ("a", "y"), ("b", "y"), ("c", "y")]
    assert accused_forms(pairs, ()) == {"x", "y"}


def test_nobody_is_accused_where_two_sets_explain_the_same() -> None:
    assert accused_forms([("a", "b")], ()) == set()
    assert accused_forms([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")], ()) == set()


def test_what_known_faults_explain_accuses_nobody_else() -> None:
    assert accused_forms([("a", "x"), ("b", "x"), ("c", "x")], {"x"}) == {"x"}
    assert accused_forms([("a", "x"), ("b", "y"), ("c", "y")], {"x"}) == {"x", "y"}


def test_many_camps_are_covered_quickly() -> None:
    camps = [[f"{c}{k}" for k in range(12)] for c in "abc"]
    pairs = [
        (x, y) for i, one in enumerate(camps) for two in camps[i + 1 :] for x in one for y in two
    ]
    assert len(smallest_covers(pairs)[0]) == 24
