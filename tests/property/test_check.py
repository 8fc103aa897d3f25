"""What holds of checking, whatever is checked: it ends in a report, and the form is no matter."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import mbx
from mbx.language.document.document import Document, Model
from mbx.language.document.experiments import Experiment
from strategies import STATEMENTS, TASKS, experiments_of, models_of

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report

SOUND: Final = """
mbx 1
model M {
  param a: kg = 1, b: m = 2, link: 1 = 3
  param set: integer = 2
  coordinate theta: rad = 1, x: m = 0 in [0, 1], q_1: m
  speed com: m/s
  frame frame = ground rotated z by theta
  point point = ground.origin + x*frame.x
  body mass { mass a  inertia a*b^2 about z  joint revolute(ground, axis = z, angle = theta) }
  particle order { mass a  velocity [com, 0, 0] }
  invariant rest: x = q_1 reaction latex
  state cut { theta = 1 }
}
"""
"""A model with the names that random statements are likely to name."""

few = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=2,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@cache
def sound() -> tuple[Any, ...]:
    return mbx.loads(SOUND, "mb").models[0].body


def codes(report: Report) -> set[tuple[str, str]]:
    return {(one.code, one.severity) for one in report}


def assert_reports(document: Document) -> None:
    report = mbx.check(document)
    assert report.render() or report.ok
    relaxed = mbx.check(document, relaxed=True)
    assert {one.code for one in relaxed} == {one.code for one in report}
    assert len(relaxed.errors) <= len(report.errors)
    again = mbx.check(mbx.loads(mbx.dumps(document, "json", math="tree"), "json"))
    assert codes(again) == codes(report)
    if report.ok:
        linked = mbx.link(document)
        assert len(linked.hash) == len(linked.experiment_hash) == 64


def test_the_model_that_random_statements_join_is_sound() -> None:
    assert list(mbx.check(mbx.loads(SOUND, "mb"))) == []


@pytest.mark.parametrize("kind", STATEMENTS)
def test_a_statement_without_sense_ends_in_a_report(kind: str) -> None:
    @few
    @given(models_of(STATEMENTS[kind]))
    def holds(random: Document) -> None:
        body = sound() + random.models[0].body
        assert_reports(Document(mbx=1, items=(Model(kind="model", name="M", body=body),)))

    holds()


@pytest.mark.parametrize("kind", TASKS)
def test_a_task_without_sense_ends_in_a_report(kind: str) -> None:
    @few
    @given(experiments_of(TASKS[kind]))
    def holds(random: Document) -> None:
        made = Experiment(kind="experiment", name="e", model="M", body=random.experiments[0].body)
        model = Model(kind="model", name="M", body=sound())
        assert_reports(Document(mbx=1, items=(model, made)))

    holds()
