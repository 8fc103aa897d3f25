"""Studies that fail, in part or as a whole, and who does the work."""

from __future__ import annotations

import json
from typing import Any

import pytest

import mbx
from mbx.analyses.study import perform
from mbx.analyses.study.setting import RunResult, Setting
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.study_ground import Ground
from mbx.analyses.study.worker_bench import Bench
from mbx.analyses.study_verbs import perform_study
from mbx.base.workers.pool import LOST, Pool, answers
from unit.analyses.study.oscillators import oscillator


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"vary": {"kk": "1:2:2"}}, "no parameter, input or variable 'kk'; did you mean 'k'"),
        ({"vary": {"k": "1:2:2"}, "slopes": ["q"]}, "no parameter, input or variable 'q'"),
        ({"vary": {"k": "1:2:2"}, "results": ["y"]}, "'y' is no result: there is no 'y'"),
        ({"vary": {"k": "1:2:2"}, "results": ["x +"]}, r"'x \+' is no result"),
        ({"vary": {"k": "1:2:2"}, "results": ["ground.x"]}, "it is no scalar"),
        (
            {
                "vary": {"k": "1:2:2"},
                "results": ["unmet"],
                "experiment": "",
                "analysis": "simulate",
            },
            "'unmet' is one number of a run that has an experiment",
        ),
        ({"vary": {"k": "1:2:2"}, "results": ["x at 1.2.3"]}, "'1.2.3' is no time"),
        ({"vary": {"k": "1:2:2"}, "analysis": "simulat"}, "did you mean 'simulate'"),
        ({"vary": {"k": "1:2:2"}, "experiment": "swin"}, "no experiment 'swin'; did you mean"),
        ({"vary": {"k": [float("nan")]}}, "the values of 'k' are finite numbers"),
        ({}, "nothing is varied: say what"),
        ({"vary": {"k": "1:2:2"}, "experiment": ""}, "nothing says which analysis"),
        ({"analysis": "linearize", "vary": {"k": "1:2:2"}, "results": ["re(0)"]}, "no result"),
        ({"analysis": "linearize", "vary": {"k": "1:2:2"}, "results": ["A(y,x)"]}, "variable 'y'"),
        ({"analysis": "equilibrium", "vary": {"k": "1:2:2"}, "results": ["held(y)"]}, "'y'"),
        ({"vary": {"k": "1:10000:10000"}, "slopes": ["m", "c"]}, "these are 170000 runs"),
    ],
)
def test_what_is_not_there_is_said_before_the_work_begins(
    said: dict[str, Any], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bench, "run", None)
    with pytest.raises(StudyError, match=match):
        mbx.study(oscillator(), **{"experiment": "swing", **said})


@pytest.mark.parametrize("analysis", ["equilibrium", "linearize", "assemble"])
def test_what_has_no_time_has_no_series(analysis: str) -> None:
    setting = Setting(analysis=analysis, series=True)
    with pytest.raises(StudyError, match="no series"):
        perform_study(oscillator(), setting, vary={"k": [1.0]})


def test_unknown_states_and_methods_of_small_motions_are_refused() -> None:
    for setting, said in (
        (Setting(analysis="linearize", at="strt"), "no state 'strt'; did you mean 'start'"),
        (Setting(analysis="linearize", method="plan"), "no method 'plan'; did you mean 'plain'"),
    ):
        with pytest.raises(StudyError, match=said):
            perform_study(oscillator(), setting, vary={"k": [1.0]})


def test_a_time_outside_of_a_run_is_the_reason_of_its_row() -> None:
    found = mbx.study(oscillator(), "swing", vary={"k": [1.0]}, results=["x at 9"])
    assert found["reason"].tolist() == ["it runs from 0 s to 3 s, not at 9 s"]


def test_values_that_leave_a_start_without_a_number_are_a_reason() -> None:
    text = "mbx 1\nmodel P { param l: m = 1\n coordinate x: m = 1 [m^2]/l\n"
    text += "body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) } }"
    found = mbx.study(mbx.loads(text), analysis="assemble", vary={"l": [2.0, 0.0]}, results=["x"])
    assert found["x"][0] == 0.5
    assert found["reason"].tolist() == ["", "with l=0, division by zero"]


def test_a_bug_costs_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Ground.plan

    def wrong(self: Ground, values: Any) -> Any:
        if values.get("k") == 5.0:
            raise TypeError("of ours")
        return plan(self, values)

    monkeypatch.setattr(Ground, "plan", wrong)
    found = mbx.study(oscillator(), "swing", vary={"k": [4.0, 5.0, 6.0]}, results=["x"])
    assert found.bug
    assert found["reason"].tolist() == ["", "internal error, TypeError: of ours", ""]


def test_a_lost_worker_costs_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perform, "answers", lambda *rest: list(answers(*rest))[1:])
    found = mbx.study(oscillator(), "swing", vary={"k": [4.0, 5.0, 6.0]}, results=["x"])
    assert found["reason"].tolist() == [LOST, "", ""]


def test_a_worker_that_cannot_begin_says_why() -> None:
    bench = Bench(oscillator(), Setting(analysis="equilibrium"), ("k",))
    (text,) = _tasks(bench, [{"k": 1.0}])
    task = json.loads(text)
    task["setting"]["analysis"] = "unheard"
    answer = perform.Answer.model_validate_json(perform.perform(json.dumps(task)))
    assert answer.trouble.startswith("there is no analysis 'unheard', only assemble")
    assert answer.results == ()


def _tasks(bench: Bench, points: list[dict[str, float]]) -> list[str]:
    kept: list[str] = []

    def keep(_perform: Any, tasks: list[str], *_rest: Any) -> list[tuple[int, str]]:
        kept.extend(tasks)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perform, "answers", keep)
        perform.make_runs(bench, points, Pool(), lambda _: None)
    return kept


# -- who does the work ---------------------------------------------------------------------------


def test_a_task_gives_elsewhere_what_it_gives_here() -> None:
    bench = Bench(oscillator(), Setting(analysis="linearize"), ("k",))
    (first, *_) = _tasks(bench, [{"k": 0.1}, {"k": 0.3}])
    here = perform.perform(first)
    perform._ready.clear()  # as in a process that has not seen the model
    assert perform.perform(first) == here
    assert perform.Answer.model_validate_json(here).results[0].values["re(1)"] == 0.0


def test_numbers_and_words_come_back_to_the_last_bit() -> None:
    found = RunResult(
        {"x": 1 / 3, "y": float("inf"), "word": "=1", "t": [0.1, float("nan")]}, "why"
    )
    text = perform.Answer(results=(found,)).model_dump_json()
    assert repr(perform.Answer.model_validate_json(text).results[0]) == repr(found)


@pytest.mark.full
def test_processes_make_the_same_table_as_one_alone() -> None:
    said: dict[str, Any] = {
        "vary": {"k": "0:20:3"},
        "random": {"m": "lognormal(2, 0.1)"},
        "samples": 5,
        "results": ["x", "energy"],
    }
    heard: list[tuple[int, int]] = []
    alone = mbx.study(oscillator(), "swing", **said)
    together = mbx.study(
        oscillator(), "swing", **said, jobs=2, progress=lambda *more: heard.append(more)
    )
    for one, other in zip(alone.columns, together.columns, strict=True):
        assert one.values.tolist() == other.values.tolist()
    assert alone.statistics == together.statistics
    assert sum(more for more, _ in heard) == 15
    assert {count for _, count in heard} == {15}
