"""A published number is met as it is printed, and by no other in its last digit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

import mbx
from library.expected import CASES, Expected, expected_in, last_digit, number_of
from mbx.analyses.experiments.run_references import references
from mbx.language.document.experiments import ExpectEnergy, ExpectValue
from mbx.language.document.expressions import Negative, Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.linking.link import Linked

pytestmark = pytest.mark.papers

FORMS = ("kane", "newton_euler")
"""Enough for the numbers: all others are compared with these."""


@dataclass(frozen=True)
class Printed:
    """The published numbers of one experiment."""

    numbers: tuple[Expected, ...]

    @property
    def simulated(self) -> bool:
        return any(task.kind == "simulate" for task in self.numbers[0].experiment.body)

    def __str__(self) -> str:
        """Return a name for a test."""
        return f"{self.numbers[0].case.name}, {self.numbers[0].experiment.name}"


def published() -> list[Printed]:
    cases = [case for case in CASES if '"published:' in (case / "model.mb").read_text("utf-8")]
    found = (one for case in cases for one in expected_in(case) if one.kind == "published")
    groups = groupby(found, lambda one: (one.case, one.linked.model.name, one.experiment.name))
    return [Printed(tuple(some)) for _, some in groups]


PUBLISHED = published()


def marked(found: Sequence[Printed]) -> list[object]:
    """Return what tests are made of; those that are simulated are slow."""
    slow = pytest.mark.slow
    return [pytest.param(one, marks=slow if one.simulated else (), id=str(one)) for one in found]


@cache
def forms_of(linked: Linked) -> dict[str, mbx.Equations]:
    found = {}
    for name in FORMS:
        try:
            found[name] = mbx.convert(linked, name)
        except mbx.NotApplicableError:
            continue
    return found


def checked(printed: Printed, units: int) -> tuple[Reference, ...]:
    """Return what becomes of numbers, each changed by some units in its last digit."""
    linked, experiment = printed.numbers[0].linked, printed.numbers[0].experiment
    rest = [t for t in experiment.body if not isinstance(t, ExpectValue | ExpectEnergy)]
    changed = [shifted(one.statement, units) for one in printed.numbers]
    alone = experiment.model_copy(update={"body": (*rest, *changed)})
    document = linked.document.model_copy(update={"items": (linked.model, alone)})
    return references(mbx.link(document), forms_of(linked))


def shifted(statement: ExpectValue, units: int) -> ExpectValue:
    literal = number_of(statement.value)
    assert literal is not None
    sign = -1 if isinstance(statement.value, Negative) else 1
    value = sign * Decimal(literal.text) + units * last_digit(literal)
    number = Number(str(abs(value)), literal.unit)
    update = {"value": Negative(number) if value < 0 else number}
    return statement.model_copy(update=update)


def test_the_library_has_published_numbers_that_need_no_simulation() -> None:
    assert any(not one.simulated for one in PUBLISHED)


@pytest.mark.parametrize("printed", marked(PUBLISHED))
def test_a_published_number_fails_if_its_last_digit_is_changed(printed: Printed) -> None:
    found = checked(printed, 0)
    assert len(found) == len(printed.numbers)
    assert [str(one) for one in found if one.met is not True] == []
    for units in (-1, 1):
        wrong = checked(printed, units)
        for before, after in zip(found, wrong, strict=True):
            assert before.expected is not None
            assert after.expected is not None
            assert (after.expected > before.expected) == (units > 0)
        assert [str(one) for one in wrong if one.met is not False] == []
