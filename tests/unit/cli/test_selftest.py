"""`mbx verify --self-test`: which faults are planted, what is printed, and the status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from self_test import run_trials as running
from self_test.fault_report import SelfTest
from self_test.metamorphic import run_relations as relations
from self_test.metamorphic.check_relation import Check
from self_test.metamorphic.relation_report import Checked, MetamorphicTest
from self_test.mutants import mutants
from self_test.trial import Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from self_test.mutants import Mutant


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let no process start; every fault comes to what `status` says."""
    seen: dict[str, Any] = {"status": "killed"}

    def instead(chosen: Sequence[Mutant], *, workers: int, progress: object) -> SelfTest:
        seen.update(chosen=chosen, workers=workers, progress=progress)
        found = [
            Found(m.id, m.model, seen["status"], (), unanimous=True, error=1.0, note="", seconds=0)
            for m in chosen
        ]
        return SelfTest(tuple(chosen), tuple(found))

    def held(names: Sequence[str], *, jobs: int, progress: object) -> MetamorphicTest:
        seen.update(models=names, jobs=jobs, bar=progress)
        status = seen.get("relation", "holds")
        return MetamorphicTest(
            tuple(Checked(name, (Check("null", status, 0.0, "why"),), 0.0) for name in names)
        )

    monkeypatch.setattr(running, "run", instead)
    monkeypatch.setattr(relations, "run", held)
    return seen


def test_all_faults_are_planted_unless_some_are_named(run: Any, planted: dict[str, Any]) -> None:
    result = run("verify", "--self-test", "--jobs", "3")
    assert result.status == 0
    assert planted["chosen"] == mutants()
    assert planted["workers"] == 3
    assert result.out.splitlines()[0].split() == ["faults", "found", "of"]
    assert f"self-test: {len(mutants())} of {len(mutants())}" in result.out
    assert planted["models"] == relations.every_model()
    assert planted["jobs"] == 3


def test_a_relation_that_is_broken_is_status_4(run: Any, planted: dict[str, Any]) -> None:
    planted["relation"] = "broken"
    result = run("verify", "--self-test", "--json", "tenth")
    assert result.status == 4
    assert planted["models"] == relations.tenth()
    assert set(json.loads(result.out)) == {"faults", "metamorphic"}


def test_faults_are_named_in_the_place_of_models(run: Any, planted: dict[str, Any]) -> None:
    result = run("verify", "--self-test", "--quiet", "kane-bias-sign", "modular-labels")
    assert result.status == 0
    assert [m.id for m in planted["chosen"]] == ["kane-bias-sign", "modular-labels"]
    assert result.out == "self-test: 2 of 2 faults found on 2 models\n"


def test_a_fault_that_is_not_found_is_status_4(run: Any, planted: dict[str, Any]) -> None:
    planted["status"] = "survived"
    result = run("verify", "--self-test", "--json", "kane-bias-sign")
    assert result.status == 4
    assert json.loads(result.out)["faults"]["survivors"] == ["kane-bias-sign"]
    assert "models" not in planted


def test_an_unknown_fault_is_a_fault_of_usage(run: Any, planted: dict[str, Any]) -> None:
    result = run("verify", "--self-test", "kane-nothing")
    assert result.status == 2
    assert result.err == "mbx: no fault is called 'kane-nothing'\n"
    assert "chosen" not in planted


def test_without_a_model_there_is_nothing_to_verify(run: Any) -> None:
    result = run("verify")
    assert result.status == 2
    assert result.err == "mbx: there is no model to verify\n"
