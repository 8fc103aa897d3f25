"""What a verification with a fault counts as."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from mbx.verify.findings import Error
from self_test.mutants import Mutant
from self_test.trial import Job, _baited, _by_references, _found_by, _judged

FORMS = ("kane", "lagrange", "maggi", "udwadia_kalaba:positive", "udwadia_kalaba:singular")


def _found(verdict: str = "disagree", outliers: tuple[str, ...] = (), **more: Any) -> Any:
    values: dict[str, Any] = {
        "against_oracle": False,
        "oracle": None,
        "excluded": (),
        "forms": FORMS,
        "results": {},
        "linear": {},
        "references": (),
    }
    return SimpleNamespace(verdict=verdict, outliers=outliers, **(values | more))


def _oracle(*wrong: str, refused: str = "") -> Any:
    verdicts = {form: "disagree" if form in wrong else "agree" for form in FORMS}
    return SimpleNamespace(refused=refused, verdict_on=verdicts.__getitem__)


def _job(*expected: str, mutant: bool = True) -> Job:
    fault = Mutant(
        id="x", module="m", find="", replace="", breaks="", model="m", expected=tuple(expected)
    )
    return Job("m", FORMS, oracle=False, mutant=fault if mutant else None)


@pytest.mark.parametrize(
    ("named", "status"),
    [
        (("kane", "maggi"), "killed"),
        (("maggi", "kane"), "killed"),
        (("kane",), "misnamed"),
        (("kane", "maggi", "lagrange"), "misnamed"),
        ((), "misnamed"),
    ],
)
def test_the_forms_that_are_named_are_the_right_ones_and_all_of_them(
    named: tuple[str, ...], status: str
) -> None:
    assert _judged(_found(outliers=named), _job("kane", "maggi"))[0] == status


def test_a_form_that_breaks_its_own_equations_is_named_though_the_oracle_agrees() -> None:
    found = _found(outliers=("kane",), oracle=_oracle())
    assert _judged(found, _job("kane")) == ("killed", ("kane",))


def test_one_variant_stands_for_its_formalism() -> None:
    found = _found(outliers=("udwadia_kalaba:positive", "udwadia_kalaba:singular"))
    assert _judged(found, _job("udwadia_kalaba")) == ("killed", ("udwadia_kalaba",))


def test_the_oracle_says_which_of_two_halves_is_wrong() -> None:
    found = _found(outliers=FORMS, oracle=_oracle("kane", "maggi"))
    assert _judged(found, _job("kane", "maggi"))[0] == "killed"
    assert _judged(found, _job(*FORMS))[0] == "misnamed"


def test_an_oracle_without_an_answer_names_nobody() -> None:
    found = _found(outliers=("kane",), oracle=_oracle("lagrange", refused="why"))
    assert _judged(found, _job("kane"))[0] == "killed"


def test_all_against_the_oracle_is_what_all_forms_share() -> None:
    found = _found(against_oracle=True, oracle=_oracle(*FORMS))
    assert _judged(found, _job("oracle")) == ("killed", ("oracle",))
    assert _judged(found, _job("kane"))[0] == "misnamed"


def test_a_wrong_linearisation_is_named_where_no_form_is_wrong() -> None:
    wrong = {"plain": Error(1e-6, arbiter="different", forward=True)}
    found = _found(linear=wrong)
    assert _judged(found, _job("linearisation")) == ("killed", ("linearisation",))
    assert _found_by(found, unanimous=True) == "linearisation"
    assert _judged(_found(outliers=("kane",), linear=wrong), _job("kane"))[0] == "killed"


def test_a_form_that_failed_is_no_finding() -> None:
    failed = (SimpleNamespace(status="not applicable"), SimpleNamespace(status="failed"))
    assert _judged(_found(outliers=("kane",), excluded=failed), _job("kane"))[0] == "failed"
    assert _judged(_found(outliers=("kane",), excluded=failed[:1]), _job("kane"))[0] == "killed"


@pytest.mark.parametrize(
    ("verdict", "with_fault", "without"),
    [
        ("agree", "survived", "sound"),
        ("undecided", "undecided", "undecided"),
        ("disagree", "killed", "failed"),
    ],
)
def test_verdicts_with_and_without_a_fault(verdict: str, with_fault: str, without: str) -> None:
    found = _found(verdict, outliers=("kane",))
    assert _judged(found, _job("kane"))[0] == with_fault
    assert _judged(found, _job("kane", mutant=False))[0] == without


def test_where_forms_and_oracle_agree_those_are_named_whose_declared_results_do_not_fit() -> None:
    results = {"kane": Error(1e-16), "maggi": Error(0.5)}
    found = _found(results=results, oracle=_oracle())
    assert _judged(found, _job("maggi")) == ("killed", ("maggi",))
    assert _judged(_found(results=results, oracle=_oracle("kane")), _job("kane"))[0] == "killed"
    assert _found_by(found, unanimous=True) == "results"
    assert _found_by(_found(oracle=_oracle("kane")), unanimous=True) == "oracle"
    assert _found_by(found, unanimous=False) == "forms"


@pytest.mark.parametrize(
    ("verdict", "outliers", "status"),
    [
        ("disagree", ("kane",), "survived"),
        ("disagree", ("maggi",), "killed"),
        ("undecided", ("kane",), "killed"),
        ("agree", (), "killed"),
    ],
)
def test_a_verifier_that_misses_the_bait_gives_its_own_fault_away(
    verdict: str, outliers: tuple[str, ...], status: str
) -> None:
    job = replace(_job("verifier"), bait=_job("kane").mutant)
    named = ("verifier",) if status == "killed" else ()
    assert _baited(_found(verdict, outliers=outliers), job) == (status, named)


def test_a_form_that_fails_beside_the_bait_shows_nothing() -> None:
    job = replace(_job("verifier"), bait=_job("kane").mutant)
    failed = (SimpleNamespace(status="failed"),)
    assert _baited(_found(excluded=failed), job)[0] == "failed"


@pytest.mark.parametrize(
    ("met", "verdict", "with_fault", "without"),
    [
        ((True, False), "disagree", "killed", "failed"),
        ((True, False), "agree", "survived", "failed"),
        ((True, True), "agree", "survived", "sound"),
        ((True, True), "disagree", "survived", "failed"),
        ((False, None), "disagree", "undecided", "undecided"),
        ((), "agree", "undecided", "undecided"),
    ],
)
def test_expectations_find_a_fault_if_one_is_not_met_and_all_were_run(
    met: tuple[bool | None, ...], verdict: str, with_fault: str, without: str
) -> None:
    found = _found(verdict, references=tuple(SimpleNamespace(met=one) for one in met))
    assert _by_references(found, _job("references"))[0] == with_fault
    assert _by_references(found, _job("references", mutant=False))[0] == without
