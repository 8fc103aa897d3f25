"""Many states in parts: what is asked of each, and what they come to together."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from mbx.numerics.states.complete import StatePoint
from mbx.verify.agreement.state_parts import PART, merge, parts_of
from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, OracleComparison, Pair
from mbx.verify.run_verification import Options
from unit.verify.found import found


def test_few_states_are_one_part() -> None:
    options = Options(states=PART, seed=3)
    assert parts_of(options) == [options]


def test_many_states_are_parts_with_seeds_of_their_own() -> None:
    parts = parts_of(Options(states=2 * PART + 5, seed=3, oracle=2, forms=("kane",)))
    assert [(one.states, one.seed, one.oracle) for one in parts] == [
        (64, 3, 2),
        (64, 4, 1),
        (5, 5, 1),
    ]
    assert {one.forms for one in parts} == {("kane",)}


def test_the_oracle_is_asked_in_every_part_or_in_none() -> None:
    parts = parts_of(Options(states=200, oracle=100))
    assert [one.oracle for one in parts] == [64, 36, 1, 1]
    assert {one.oracle for one in parts_of(Options(states=200, oracle=0))} == {0}


def test_given_points_stay_together() -> None:
    options = Options(states=1_000, points=(StatePoint("a", 0.0, {}),))
    assert parts_of(options) == [options]


def test_one_part_is_the_whole() -> None:
    one = found()
    assert merge([one]) is one


def test_the_worst_error_counts_and_names_its_seed() -> None:
    whole = merge([found(Error(3e-16, "rest")), found(Error(5e-16, "rest"), seed=2)])
    (pair,) = whole.pairs
    assert pair.ud == Error(5e-16, "rest of seed 2")
    assert pair.states == 2
    assert whole.ok
    assert [row.name for row in whole.states] == ["random 1 of seed 1", "random 1 of seed 2"]
    assert [point.name for point in whole.points] == ["random 1 of seed 1", "random 1 of seed 2"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("bad", "verdict"),
    [
        (Error(1e-3), "disagree"),
        (Error(inf), "disagree"),
        (Error(nan), "undecided"),
        (Error(1e-9), "undecided"),
    ],
)
def test_a_part_that_does_not_agree_is_never_hidden(bad: Error, verdict: str, order: int) -> None:
    rounding = Error(1e-8, arbiter="rounding")  # larger than one of them, and still agreement
    parts = [found(rounding), found(bad, seed=2)][::order]
    whole = merge(parts)
    assert whole.verdict == verdict
    assert whole.pairs[0].verdict == verdict  # and it says where


@pytest.mark.parametrize("table", ["own", "invariants", "power", "levels"])
def test_every_table_keeps_its_worst(table: str) -> None:
    good: dict[str, Any] = {table: {"kane": Error(1e-16, "start")}}
    bad: dict[str, Any] = {table: {"kane": Error(1e-3, "start"), "lagrange": Error(2e-16)}}
    parts = [found(**good), found(seed=2, **bad)]
    merged = getattr(merge(parts), table)
    assert merged == {"kane": Error(1e-3, "start of seed 2"), "lagrange": Error(2e-16)}
    assert merge(parts).verdict == "disagree"


def test_a_form_that_failed_in_one_part_has_failed() -> None:
    failed = Excluded("maggi", "failed", "ZeroDivisionError")
    singular = Excluded("maggi", "singular", "at all 3 states")
    whole = merge([found(excluded=(singular,)), found(seed=2, excluded=(failed,))])
    assert whole.excluded == (failed,)
    assert whole.verdict == "disagree"


def test_a_form_that_is_out_of_one_part_only_leaves_a_doubt() -> None:
    three = found(
        seed=2,
        forms=("kane", "lagrange", "maggi"),
        pairs=tuple(
            Pair(pair, 1, Error(1e-16), None)
            for pair in (("kane", "lagrange"), ("kane", "maggi"), ("lagrange", "maggi"))
        ),
    )
    singular = Excluded("maggi", "singular", "at all 3 states")
    refused = Excluded("hamilton", "not applicable", "a reason")
    whole = merge([found(excluded=(singular, refused), doubts=("a doubt",)), three])
    assert whole.forms == ("kane", "lagrange", "maggi")
    assert whole.excluded == (refused,)
    assert whole.pair("kane", "maggi").states == 1
    assert whole.doubts == ("a doubt, seed 1",)
    assert whole.verdict == "undecided"


def test_forms_that_never_met_are_undecided() -> None:
    a = found(forms=("kane", "maggi"), pairs=(Pair(("kane", "maggi"), 1, Error(0.0), None),))
    b = found(seed=2)
    assert merge([a, b]).pair("lagrange", "maggi").verdict == "undecided"


def test_an_oracle_that_refuses_in_one_part_makes_the_whole_undecided() -> None:
    good = OracleComparison(("random 1",), ud={"kane": Error(0.0), "lagrange": Error(0.0)})
    parts = [found(oracle=good), found(seed=2, oracle=OracleComparison(refused="no"))]
    whole = merge(parts)
    assert merge([found(oracle=good), found(seed=2)]).verdict == "agree"
    assert whole.verdict == "undecided"
    assert "undecided at seed 2" in whole.doubts
    assert whole.oracle is not None
    assert whole.oracle.states == ("random 1 of seed 1",)


def test_everything_else_is_put_together() -> None:
    a = found(
        drawn={"m": 1.0}, rejected=2, void=1, conditions={"kane": 3.0}, branches={"up": 1},
        refused=("long: no",), broken=("expected",),
    )  # fmt: skip
    b = found(
        seed=2, drawn={"m": 2.0}, rejected=3, void=4, conditions={"kane": nan}, branches={"up": 2},
        refused=("long: no",), witnesses=("maggi",),
    )  # fmt: skip
    whole = merge([a, b])
    assert whole.drawn == {"m of seed 1": 1.0, "m of seed 2": 2.0}
    assert (whole.rejected, whole.void, whole.branches) == (5, 5, {"up": 3})
    assert str(whole.conditions["kane"]) == "nan"
    assert whole.refused == ("long: no",)
    assert whole.broken == ("expected",)
    assert whole.witnesses == ("maggi",)
