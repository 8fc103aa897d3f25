"""What counts as found, and how it is said."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from self_test.fault_report import SelfTest
from self_test.mutants import Mutant
from self_test.trial import Found

KANE = Mutant(
    id="k",
    module="mbx_converters.kane",
    find="",
    replace="",
    breaks="flips a sign",
    model="a",
    expected=("kane",),
    tags=frozenset({"small"}),
)
CORE = replace(
    KANE, id="c", module="mbx.mechanics.motion", model="b", expected=("oracle",), tags=frozenset()
)


def _found(mutant: str, model: str, status: str) -> Found:
    alike = mutant == "c"
    return Found(mutant, model, status, (), unanimous=alike, error=0.5, note="seen", seconds=1.0)  # type: ignore[arg-type]


def _outcome(k: str = "killed", c: str = "killed", a: str = "sound") -> SelfTest:
    found = (_found("", "a", a), _found("", "b", "sound"), _found("k", "a", k), _found("c", "b", c))
    return SelfTest((KANE, CORE), found)


def test_all_that_is_killed_is_well() -> None:
    outcome = _outcome()
    assert outcome.ok
    assert outcome.survivors == ()
    assert outcome.summary() == "self-test: 2 of 2 faults found on 2 models"


@pytest.mark.parametrize("status", ["survived", "misnamed", "undecided", "failed", "crashed"])
def test_only_a_kill_is_a_kill(status: str) -> None:
    outcome = _outcome(k=status)
    assert not outcome.ok
    assert outcome.survivors == (KANE,)
    lines = list(outcome.lines())
    assert f"k on a: {status}" in lines
    assert "  flips a sign; expected: kane" in lines
    assert "  seen" in lines


def test_a_model_that_is_not_sound_shows_nothing() -> None:
    outcome = _outcome(a="undecided")
    assert outcome.survivors == (KANE,)
    assert "a without a fault: undecided: seen" in list(outcome.lines())


def test_a_fault_that_is_proved_to_change_nothing_is_neither_found_nor_missed() -> None:
    outcome = _outcome(c="equivalent")
    assert outcome.ok
    assert outcome.equivalents == (CORE,)
    assert outcome.groups()["all"] == (1, 1)
    assert outcome.groups()["core"] == (0, 0)


def test_faults_are_counted_by_group() -> None:
    groups = _outcome(k="survived").groups()
    assert groups["all"] == (1, 2)
    assert groups["kane"] == (0, 1)
    assert groups["core"] == (1, 1)
    assert groups["shared by all forms"] == (1, 1)
    assert groups["of size 1e-6"] == (0, 1)
    assert groups["at some states or elements"] == (0, 0)


def test_the_data_say_what_the_lines_say() -> None:
    data = json.loads(json.dumps(_outcome(k="misnamed").as_json()))
    assert data["ok"] is False
    assert data["survivors"] == ["k"]
    assert data["groups"]["all"] == {"found": 1, "of": 2}
    by_id = {fault["id"]: fault for fault in data["faults"]}
    assert by_id["k"]["killed"] is False
    assert by_id["c"]["killed"] is True
    assert by_id["c"]["model"] == "b"
    assert data["by_oracle_alone"] == ["c"]
    assert [one["model"] for one in data["models"]] == ["a", "b"]
