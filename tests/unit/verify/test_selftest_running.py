"""Runs of the self-test: right without a fault, and wrong with one in what they are made of."""

from __future__ import annotations

import pytest

from mbx.analyses.simulate.results import works
from self_test.fault_models import linked_model
from self_test.run_checks import wrong_runs
from self_test.trial import Job, attempted


@pytest.mark.parametrize("model", ["works", "four_bars"])
def test_sound_runs_are_as_expected_by_both_methods(model: str) -> None:
    assert list(wrong_runs(linked_model(model))) == []
    found = attempted(Job(model, ("kane",), oracle=False, check="runs"), 0.0)
    assert (found.status, found.named, found.by) == ("sound", (), "runs")


def test_work_that_is_wrong_is_seen_by_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "_WEIGHTS", (1 + 1e-6) * works._WEIGHTS)
    wrong = list(wrong_runs(linked_model("works")))
    assert [one.partition(":")[0] for one in wrong] == ["run by projection", "run by stiff"]
    assert all("the energy is not balanced: off by " in one for one in wrong)


def test_a_run_that_ends_early_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "_WEIGHTS", 2 * works._WEIGHTS)
    found = attempted(Job("works", ("kane",), oracle=False, check="runs"), 0.0)
    assert found.status == "failed"  # nothing was planted
    assert found.named == ("runs",)
    assert "the energy changes by" in found.note
