"""A form that misses a value by its own rounding, beside one that meets it."""

from __future__ import annotations

import pytest

from mbx.analyses.experiments.expectation import Reference
from mbx.analyses.experiments.experiment_plan import Expectation
from mbx.analyses.experiments.judge_expectations import judge
from mbx.analyses.experiments.observe import Seen
from mbx.expr.nodes import symbol
from mbx.mechanics import motion
from unit.verify.models import PENDULUM, system

X = symbol("x value")
BLANK = Reference(experiment="e", quantity="x", at="at the start")
WANTED = Expectation(
    number=0, quantity="x", node=X, at="", time=0.0, state=None, value=1.0, within=1e-10
)


def seen(value: float, status: str = "regular") -> Seen:
    return Seen(status, None, {X: value}, motion.in_speeds(system(PENDULUM)))


def found(near: list[float], **forms: Seen) -> Reference:
    return judge(BLANK, WANTED, forms, again=lambda _: [seen(value) for value in near])


def test_a_form_whose_values_scatter_as_far_as_it_misses_is_excused() -> None:
    assert found([1 + 2e-8, 1 - 1e-8], good=seen(1.0), rough=seen(1 + 3e-8)).met


def test_a_form_whose_values_stay_is_wrong() -> None:
    reference = found([1 + 3e-8, 1 + 3e-8], good=seen(1.0), wrong=seen(1 + 3e-8))
    assert (reference.met, reference.by) == (False, "wrong")


def test_nobody_is_excused_where_no_form_meets_the_value() -> None:
    assert found([1 + 5e-8, 1 - 5e-8], rough=seen(1 + 3e-8)).met is False


def test_a_value_that_is_no_number_is_not_met() -> None:
    assert found([1.0], good=seen(1.0), none=seen(float("nan"))).met is False


@pytest.mark.parametrize(
    ("forms", "met", "reason"),
    [
        ({"a": seen(2.0, "singular"), "b": seen(1.0)}, True, ""),
        ({"a": seen(2.0, "jamming")}, None, "jamming there"),
        ({"a": seen(2.0, "inconsistent"), "b": seen(1.0)}, None, "a: inconsistent"),
    ],
)
def test_a_form_that_is_blocked_says_nothing(
    forms: dict[str, Seen],
    met: bool | None,  # noqa: FBT001  a value that is compared
    reason: str,
) -> None:
    reference = found([], **forms)
    assert (reference.met, reference.reason) == (met, reason)


def test_a_form_that_does_not_know_the_quantity_is_left_out() -> None:
    other = Seen("regular", None, {}, motion.in_speeds(system(PENDULUM)))
    assert found([], a=other, b=seen(1.0)).met
    assert found([], a=other).reason == "no form gives it"
