"""What experiments of the library expect at the start or at a named state, in every form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest

import mbx
from formalisms.cases import Point, at, completed, forms, linked, system
from mbx.check.run import examine
from mbx.check.values import Evaluator, fill_values
from mbx.diagnostics import Report
from mbx.library import cases
from mbx.model.experiments import (
    ExpectValue,
    Experiment,
    Hold,
    Initial,
    InitialState,
    Prescribe,
    SetValues,
)
from mbx.syntax.show import show
from mbx.system.build_world import build_world
from mbx.system.lower import Lowering
from mbx.system.starts import _assigned

if TYPE_CHECKING:
    from mbx.check.context import Context

_HIGHEST = 6
"""Order of the highest rate that an expectation may name."""


@dataclass(frozen=True)
class Expected:
    """An expectation of an experiment, and where it stands."""

    case: str
    experiment: Experiment
    statement: ExpectValue

    def __str__(self) -> str:
        """Return a name for the test."""
        said = self.statement
        where = f"state {show(said.state)}" if said.state is not None else "the start"
        return f"{self.case}, {self.experiment.name}: {show(said.quantity)} at {where}"


@cache
def _lowering(case: str, model: str) -> tuple[Context, Lowering]:
    """Return what expressions of an experiment are read with."""
    report = Report()
    context, parents = examine(linked(case, model), report)
    assert context is not None
    fill_values(context)
    return context, Lowering(build_world(context, parents, _HIGHEST), context.root)


def _expectations() -> list[Expected]:
    """Return the expectations that need neither a simulation nor inverse dynamics."""
    found = []
    for folder in cases():
        for model in dict.fromkeys(e.model for e in mbx.read(folder / "model.mb").experiments):
            context, _ = _lowering(folder.name, model)
            values = Evaluator(context, context.root)
            for experiment in linked(folder.name, model).document.experiments:
                if any(isinstance(task, Prescribe) for task in experiment.body):
                    continue
                found += [
                    Expected(folder.name, experiment, task)
                    for task in experiment.body
                    if isinstance(task, ExpectValue)
                    and (task.time is None or values.value(task.time) == 0)
                ]
    return found


EXPECTED = _expectations()


def _point(expected: Expected) -> Point:
    """Return where an expectation holds."""
    experiment, one = expected.experiment, system(expected.case, expected.experiment.model)
    context, _ = _lowering(expected.case, experiment.model)
    said: dict[str, float] = {}
    other: dict[str, float] = {}
    held: list[str] | None = None
    for task in experiment.body:
        if isinstance(task, SetValues):
            other |= _assigned(task.items, context, context.root)
        elif isinstance(task, Initial):
            said |= _assigned(task.items, context, context.root)
        elif isinstance(task, InitialState):
            said |= one.states[show(task.state)]
        elif isinstance(task, Hold):
            held = [show(item.target) for item in task.items]
    if expected.statement.state is not None:
        said, held = dict(one.states[show(expected.statement.state)]), None
    parameters = {p.path: other[p.path] for p in one.parameters if p.path in other}
    inputs = {p.path: other[p.path] for p in one.inputs if p.path in other}
    assert len(parameters) + len(inputs) == len(other)
    return Point(completed(one, said, parameters, inputs, held), parameters, inputs)


def test_there_are_many_expectations() -> None:
    assert len(EXPECTED) > 100


@pytest.mark.parametrize("expected", EXPECTED, ids=str)
def test_every_form_gives_what_an_experiment_expects(expected: Expected) -> None:
    one = system(expected.case, expected.experiment.model)
    context, lowering = _lowering(expected.case, expected.experiment.model)
    node = lowering.scalar(expected.statement.quantity)
    values = Evaluator(context, context.root)
    value = values.value(expected.statement.value)
    within = values.value(expected.statement.within)
    assert value is not None
    assert within is not None
    point = _point(expected)
    compared = []
    for name, equations in forms(one).items():
        found = at(one, equations, point)
        if found.knows(node):  # reactions of joints that place bodies: in Newton-Euler only
            compared.append(name)
            assert found.of(node) == pytest.approx(value, rel=0, abs=within), name
    assert compared
