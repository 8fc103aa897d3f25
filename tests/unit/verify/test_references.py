"""References in a verification: what they make of the verdict, and how they are said."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import mbx
from mbx.analyses.experiments.expectation import Reference
from mbx.base.workers.pool import Pool
from mbx.verify import many
from mbx.verify.agreement.state_parts import PART, merge, parts_of
from mbx.verify.junit import Suite, junit
from mbx.verify.many import verify_models
from mbx.verify.run_verification import Options
from mbx.verify.verification_data import Answer
from unit.verify.found import found

MET = Reference(
    experiment="swing",
    quantity="x",
    at="at 1 s",
    kind="analytic",
    source="analytic: x",
    expected=1.0,
    within=1e-8,
    found=1.0,
    by="kane",
    met=True,
    line="a.mb:7",
)
UNMET = replace(MET, found=1.5, met=False, kind="published", line="a.mb:8")
NOT_RUN = replace(MET, found=None, met=None, by="", reason="ran out of time", line="a.mb:9")

MODEL = """mbx 1
model Fall {
  coordinate z: m = 0
  particle p { mass 2 kg  at [0, 0, z] }
  gravity [0, 0, -9.81 [m/s^2]]
}
experiment drop of Fall {
  expect z'' = -9.81 [m/s^2] within 1e-12 [m/s^2] source "analytic: free fall"
  expect z'' = -9.80 [m/s^2] within 5e-3 [m/s^2] source "published: nowhere"
}
"""


@pytest.mark.parametrize(
    ("references", "verdict"),
    [
        ((MET,), "agree"),
        ((MET, NOT_RUN), "undecided"),
        ((MET, UNMET), "disagree"),
        ((NOT_RUN, UNMET), "disagree"),
    ],
)
def test_a_reference_that_is_not_met_disagrees_and_one_that_was_not_run_is_undecided(
    references: tuple[Reference, ...], verdict: str
) -> None:
    assert found(references=references).verdict == verdict


def test_what_is_not_met_has_a_line_of_its_own() -> None:
    lines = list(found(references=(MET, UNMET, NOT_RUN)).remarks())
    assert lines[-3:] == [
        "references: 1 of 3 met (2 analytic, 1 published)",
        "a.mb:8: swing: x at 1 s: not met: expected 1 within 1e-08, found 1.5 by kane",
        "a.mb:9: swing: x at 1 s: not run: ran out of time",
    ]


def test_references_are_cases_of_a_junit_report() -> None:
    text = junit([Suite("a.mb", "M", 0.0, found(references=(MET, UNMET)))])
    cases = ET.fromstring(text).findall("testsuite/testcase")  # noqa: S314  our own
    named = [case for case in cases if case.get("name") == "swing: x at 1 s"]
    assert [len(case) for case in named] == [0, 1]
    assert "found 1.5 by kane" in (named[1].findtext("failure") or "")


def test_a_model_is_verified_with_its_references() -> None:
    whole = mbx.verify(mbx.loads(MODEL, name="a.mb"), forms=["kane", "lagrange"], states=2)
    assert [(one.met, one.line) for one in whole.references] == [
        (True, "a.mb:8"),
        (False, "a.mb:9"),
    ]
    assert whole.verdict == "disagree"
    assert whole.as_json()["references"][1]["found"] == pytest.approx(-9.81)


def test_a_worker_sends_references_that_get_their_lines_back() -> None:
    linked = mbx.link(mbx.loads(MODEL, name="a.mb"))
    options = Options(forms=("kane", "lagrange"), states=2, oracle=0)
    answer = Answer.model_validate_json(many.perform(many._task(linked, options)))
    assert answer.verification is not None
    assert [one.met for one in answer.verification.references] == [True, False]
    (done,) = verify_models([linked], [options], Pool(1))
    assert [one.line for one in done.whole.references] == ["a.mb:8", "a.mb:9"]


def test_experiments_are_run_in_the_first_part_alone() -> None:
    asked = parts_of(Options(states=2 * PART + 1))
    assert [one.references for one in asked] == [True, False, False]
    assert merge([found(references=(MET,)), found(seed=2)]).references == (MET,)


def test_experiments_that_are_not_asked_for_are_not_run() -> None:
    linked = mbx.link(mbx.loads(MODEL, name="a.mb"))
    options = Options(forms=("kane", "lagrange"), states=2, oracle=0, references=False)
    task = json.loads(many._task(linked, options))
    answer = Answer.model_validate_json(many.perform(json.dumps(task)))
    assert answer.verification is not None
    assert answer.verification.references == ()
