"""What the cases of the library expect, as written: for tests of provenance."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import mbx
from mbx.analyses.experiments.provenance import kind_of
from mbx.analyses.experiments.stated_expectations import stated
from mbx.language.document.experiments import ExpectValue
from mbx.language.document.expressions import Negative, Number
from mbx.language.text.expression_text import show
from mbx.linking.library import cases
from mbx.verify.find_models import main_models

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.language.document.experiments import Experiment
    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["CASES", "Expected", "expected_in", "last_digit", "models_of", "number_of"]

CASES = cases()


@dataclass(frozen=True)
class Expected:
    """An expected value, the experiment that expects it, and its number among what that expects."""

    case: Path
    linked: Linked
    experiment: Experiment
    number: int
    statement: ExpectValue

    @property
    def kind(self) -> str | None:
        return kind_of(self.statement.source)

    @property
    def text(self) -> str:
        """What the source says behind its kind."""
        return (self.statement.source or "").partition(":")[2].strip()

    def __str__(self) -> str:
        """Return a name for a test."""
        said = self.statement
        return f"{self.case.name}, {self.experiment.name}: {show(said.quantity)} #{self.number}"


@cache
def models_of(case: Path) -> tuple[Linked, ...]:
    """Return the models of a case that no other one is made from."""
    document = mbx.read(case / "model.mb")
    return tuple(mbx.link(document, name) for name in main_models(document))


@cache
def expected_in(case: Path) -> tuple[Expected, ...]:
    """Return the values that a case expects, in the order in which they are checked."""
    return tuple(
        Expected(case, linked, experiment, number, task)
        for linked in models_of(case)
        for experiment, tasks in stated(linked)
        for number, task in enumerate(tasks)
        if isinstance(task, ExpectValue)
    )


def number_of(expression: Expression) -> Number | None:
    """Return the number that an expression is, whatever its sign; None if it is no number."""
    inside = expression.operand if isinstance(expression, Negative) else expression
    return inside if isinstance(inside, Number) else None


def last_digit(number: Number) -> Decimal:
    """Return one unit in the last digit of a number as written: 0.01 of 3.50, 1e-6 of 2.5e-5."""
    exponent = Decimal(number.text.replace("_", "")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(1).scaleb(exponent)
