"""The metamorphic checks of models: a tenth of the library always, all of it where time allows."""

from __future__ import annotations

from fractions import Fraction

import pytest

import mbx
from representative import marked
from self_test.metamorphic import run_relations as running
from self_test.metamorphic.check_relation import Check, checks
from self_test.metamorphic.question import question_of
from self_test.metamorphic.relation_report import Checked, MetamorphicTest
from self_test.metamorphic.relations import METAMORPHIC
from self_test.metamorphic.run_relations import check_model, document_of, every_model, run, tenth
from self_test.metamorphic.similar import similar

QUICK = {"differential_gear", "bennett_linkage"}
"""Models that are tried every time; the others take longer."""
NAMES = [one.name for one in METAMORPHIC]


def excluded(found: Checked) -> set[str]:
    """Return the checks that cannot be made of a model."""
    return {one.name for one in found.checks if one.status == "not applicable"}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("simple_pendulum", {"hints"}),
        pytest.param("rolling_disc", {"hints"}, marks=pytest.mark.slow),
        pytest.param("ring_and_disc", set(), marks=pytest.mark.slow),
        ("spherical_pendulum_quasivelocity", {"degrees", "hints", "time"}),
    ],
)
def test_what_can_be_checked_of_a_model_holds(model: str, expected: set[str]) -> None:
    assert model in tenth()
    found = check_model(model)
    assert [f"{c.name}: {c.reason}" for c in found.checks if c.status == "broken"] == []
    assert [one.name for one in found.checks] == NAMES
    assert excluded(found) == expected


@pytest.mark.full
@pytest.mark.parametrize(
    "model", marked(["differential_gear", "bennett_linkage", "planetary_gear_train"], quick=QUICK)
)
def test_redundant_rows_do_not_mind_the_size_of_masses(model: str) -> None:
    wanted = [one for one in METAMORPHIC if one.name in {"small", "large"}]
    found = checks(document_of(model), wanted=wanted)
    assert [(one.status, one.reason) for one in found] == [("holds", "")] * 2


@pytest.mark.full
@pytest.mark.parametrize(
    "model", marked(["bennett_linkage", "parallelogram", "scissor_lift"], quick=QUICK)
)
def test_a_mechanism_that_says_no_start_is_taken_for_one_that_moves(model: str) -> None:
    wanted = [one for one in METAMORPHIC if one.name in {"hints", "setup"}]
    found = checks(document_of(model), wanted=wanted)
    assert [one.reason for one in found if one.status == "broken"] == []


def test_an_iteration_that_does_not_converge_at_large_lengths_says_so() -> None:
    question = question_of(document_of("cycloidal_pendulum"), None, 3, 1)
    wrong = [
        one
        for one in similar(Fraction(1), Fraction(10**6))(question)
        if one.error > 1e-9 and one.form.startswith("semi_recursive")
    ]
    assert {one.what for one in wrong} <= {"status"}


@pytest.mark.slow
@pytest.mark.timeout(9000)
def test_what_can_be_checked_of_all_models_holds() -> None:
    heard: list[tuple[str, int]] = []
    found = run(every_model(), jobs=2, progress=lambda one, n: heard.append((one.model, n)))
    assert [f"{model}, {c.name}: {c.reason}" for model, c in found.broken] == []
    assert found.ok
    assert sorted(heard) == sorted((name, len(every_model())) for name in every_model())
    reasons = {c.reason for one in found.models for c in one.checks if c.status != "holds"}
    assert all(reasons)
    for name in NAMES:
        holds = [one for one in found.models if name not in excluded(one)]
        assert len(holds) >= 10, name


def test_a_model_that_was_linked_already_can_be_checked() -> None:
    linked = mbx.link(document_of("simple_pendulum"))
    wanted = [one for one in METAMORPHIC if one.name in {"json", "flatten"}]
    assert [one.status for one in checks(linked, wanted=wanted)] == ["holds", "holds"]


def test_a_check_that_crashes_is_broken_and_the_others_are_made() -> None:
    def crash(_: object) -> None:
        raise KeyError("x")

    wanted = [type(METAMORPHIC[0])("crash", "", crash), METAMORPHIC[0]]  # type: ignore[arg-type]
    first, second = checks(document_of("simple_pendulum"), wanted=wanted)
    assert (first.status, first.reason) == ("broken", "KeyError: 'x'")
    assert second.status == "holds"


def test_a_model_of_which_nothing_can_be_had_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_: str) -> None:
        raise OSError("gone\nfor good")

    monkeypatch.setattr(running, "document_of", crash)
    found = running.check_model("simple_pendulum")
    assert [(one.name, one.status, one.reason) for one in found.checks] == [
        ("null", "broken", "OSError: gone")
    ]


FOUND = MetamorphicTest(
    (
        Checked(
            "one",
            (
                Check("null", "holds", 1e-16),
                Check("hints", "broken", 0.5, "Fc differs", "random 2", "kane"),
            ),
            1.0,
        ),
        Checked(
            "two",
            (
                Check("null", "broken", float("inf"), "KeyError: 'x'"),
                Check("hints", "not applicable", reason="it has no hints"),
            ),
            2.0,
        ),
    )
)


def test_the_report_counts_and_says_what_is_broken_and_why_others_are_not_made() -> None:
    lines = list(FOUND.lines())
    assert lines[1].split()[:5] == ["null", "1", "0", "1", "1.0e-16"]
    assert "two, hints: not applicable: it has no hints" in lines
    assert "one, hints: broken: Fc differs (kane, random 2; 5.0e-01)" in lines
    assert lines[-1] == ("metamorphic checks: 1 of 3 hold on 2 models, 1 are not applicable")
    assert not FOUND.ok
    assert [one.status for one in FOUND.models] == ["broken", "broken"]


def test_the_data_have_null_for_what_is_no_number() -> None:
    data = FOUND.as_json()
    assert data["ok"] is False
    assert set(data["checks"]) == set(NAMES)
    first, second = data["models"]
    assert first["checks"][1] == {
        "name": "hints",
        "status": "broken",
        "error": 0.5,
        "reason": "Fc differs",
        "state": "random 2",
        "form": "kane",
    }
    assert second["checks"][0]["error"] is None


def test_no_check_at_all_is_no_success() -> None:
    assert not MetamorphicTest(()).ok
    assert MetamorphicTest((Checked("one", (Check("null", "holds"),), 1.0),)).ok
