"""Verdicts, and how they are told."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, OracleComparison, Pair, StateRow, judge
from mbx.verify.verification import Verification

FINE = Error(1e-15, "start", "x'")
GREY = Error(1e-9, "random 1", "x'")
WRONG = Error(1e-3, "random 1", "x'")


def verification(*pairs: Pair, **more: Any) -> Verification:
    fields: dict[str, Any] = {
        "model": "M",
        "hash": "0",
        "seed": 1,
        "forms": ("a", "b", "c"),
        "excluded": (),
        "pairs": pairs,
        "own": {},
        "invariants": {},
        "information": {},
        "states": (StateRow("start", "compared"),),
        "rejected": 0,
        "refused": (),
        "drawn": {},
        "void": 0,
    }
    return Verification(**{**fields, **more})


def three(error: Error, force: Error | None = None) -> tuple[Pair, ...]:
    """Return pairs in which c is the one that differs."""
    return (
        Pair(("a", "b"), 1, FINE, FINE),
        Pair(("a", "c"), 1, error, force),
        Pair(("b", "c"), 1, error, force),
    )


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.0, "agree"),
        (1e-12, "agree"),
        (1.1e-12, "undecided"),
        (1e-6, "undecided"),
        (1.1e-6, "disagree"),
        (math.inf, "disagree"),
        (math.nan, "undecided"),
    ],
)
def test_an_error_has_a_verdict(value: float, verdict: str) -> None:
    assert judge(Error(value)) == verdict


def test_nothing_is_no_agreement() -> None:
    assert judge(None) == "undecided"
    assert Pair(("a", "b"), 0, FINE, None).verdict == "undecided"
    assert Pair(("a", "b"), 3, None, None).verdict == "undecided"
    assert verification().verdict == "undecided"


def test_all_agree_where_every_pair_does() -> None:
    assert verification(*three(FINE)).ok


@pytest.mark.parametrize(("error", "verdict"), [(GREY, "undecided"), (WRONG, "disagree")])
def test_one_pair_decides(error: Error, verdict: str) -> None:
    assert verification(*three(error)).verdict == verdict
    assert verification(*three(FINE, error)).verdict == verdict
    assert verification(*three(FINE), own={"a": error}).verdict == verdict
    assert verification(*three(FINE), invariants={"a": error}).verdict == verdict


def test_a_form_that_failed_is_a_disagreement_and_one_that_does_not_apply_is_not() -> None:
    failed = Excluded("d", "failed", "ValueError")
    refused = Excluded("e", "not applicable", "an invariant of order 3 or more (p)")
    assert verification(*three(FINE), excluded=(failed,)).verdict == "disagree"
    assert verification(*three(FINE), excluded=(refused,)).verdict == "agree"


def test_a_doubt_keeps_the_whole_undecided() -> None:
    assert verification(*three(FINE), doubts=("too few",)).verdict == "undecided"


def test_the_form_that_differs_from_most_is_named() -> None:
    found = verification(*three(WRONG))
    assert found.outliers == ("c",)
    assert "wrong: c" in list(found.lines())


def test_the_table_marks_what_is_not_agreement() -> None:
    lines = list(verification(*three(GREY, WRONG)).lines(table=True))
    assert lines[0] == "M: disagree (3 forms at 1 state)"
    assert lines[2].split() == ["1", "2", "3"]
    assert lines[3].split() == ["1", "a", "-", "1e-15", "1e-03!"]
    assert lines[5].split() == ["3", "c", "1e-09?", "1e-09?", "-"]
    assert "disagree: a and c, constraint forces: 1.0e-03 at random 1, x'" in lines


def test_pairs_that_were_judged_by_others_are_marked() -> None:
    pairs = (*three(FINE)[:2], Pair(("b", "c"), 1, FINE, None, via=True))
    text = "\n".join(verification(*pairs).lines(table=True))
    assert "1e-15*" in text
    assert "* judged in the equations of the other forms" in text


def test_everything_that_was_left_out_is_said() -> None:
    found = verification(
        *three(FINE),
        excluded=(Excluded("d", "failed", "ValueError: no"),),
        states=(StateRow("start", "singular"), StateRow("state s", "compared", "speeds moved")),
        rejected=2,
        refused=("state t: no consistent state is near it",),
        drawn={"m": 0.75},
    )
    assert list(found.remarks()) == [
        "d: failed: ValueError: no",
        "start: singular",
        "state s: compared: speeds moved",
        "state t: no consistent state is near it",
        "2 random states rejected: no consistent one was near",
        "no value given, drawn at random: m = 0.75",
    ]


def test_states_are_not_listed_where_no_form_is_left() -> None:
    found = verification(forms=(), states=(StateRow("start", "not compared"),))
    assert list(found.lines()) == ["M: undecided (0 forms at 0 states)"]


def test_what_the_arbiter_said_decides() -> None:
    assert verification(*three(Error(1e-9, arbiter="rounding"))).ok
    assert verification(*three(Error(1e-9, arbiter="different"))).outliers == ("c",)
    assert judge(Error(1e-3, arbiter="rounding")) == "disagree"


def test_the_data_is_json_whatever_the_errors_are() -> None:
    found = verification(*three(Error(math.inf), Error(math.nan))).as_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["pairs"][1]["ud"]["value"] is None
    assert found["verdict"] == "disagree"


FAR = Error(1e-3, "random 1", "p.a.x", forward=True)


def beside(*errors: Error, **more: Any) -> OracleComparison:
    names = ("a", "b", "c")
    return OracleComparison(("random 1",), ud=dict(zip(names, errors, strict=False)), **more)


def test_a_forward_error_is_never_a_disagreement_by_its_size_alone() -> None:
    assert judge(FAR) == "undecided"
    assert judge(replace(FAR, value=math.inf)) == "disagree"
    assert judge(replace(FAR, arbiter="rounding")) == "agree"
    assert judge(replace(FAR, arbiter="different")) == "disagree"


@pytest.mark.parametrize("what", ["bodies", "reactions"])
def test_bodies_and_reactions_take_part_in_the_verdict_on_a_pair(what: str) -> None:
    bad = replace(FAR, arbiter="different")
    pair = three(FINE)[0]
    pair = replace(pair, bodies=bad) if what == "bodies" else replace(pair, reactions=bad)
    assert pair.verdict == "disagree"
    found = verification(pair, *three(FINE)[1:])
    assert found.verdict == "disagree"
    assert any(line.startswith("disagree: a and b, ") for line in found.remarks())


def test_power_and_the_levels_of_invariants_take_part_in_the_verdict() -> None:
    assert verification(*three(FINE), power={"a": WRONG}).verdict == "disagree"
    assert verification(*three(FINE), levels={"positions": WRONG}).verdict == "disagree"
    assert verification(*three(FINE), power={"a": FINE}, levels={"positions": FINE}).ok


def test_the_oracle_agrees_with_all_forms_or_the_whole_does_not_agree() -> None:
    assert verification(*three(FINE), oracle=beside(FINE, FINE, FINE)).ok
    assert verification(*three(FINE), oracle=beside(FINE, FINE, GREY)).verdict == "undecided"
    assert verification(*three(FINE), oracle=beside(FINE, FINE)).verdict == "undecided"


def test_a_form_that_alone_disagrees_with_the_oracle_is_named() -> None:
    found = verification(*three(FINE), oracle=beside(FINE, WRONG, FINE))
    assert found.verdict == "disagree"
    assert found.outliers == ("b",)
    assert not found.against_oracle


def test_all_forms_against_the_oracle_are_no_outliers_but_wrong_together() -> None:
    found = verification(*three(FINE), oracle=beside(WRONG, WRONG, WRONG))
    assert found.against_oracle
    assert found.outliers == ()
    assert "all against oracle: what all forms share is wrong, or the oracle is" in list(
        found.lines()
    )


def test_states_that_the_oracle_finds_inconsistent_are_against_all_forms() -> None:
    found = verification(*three(FINE), oracle=beside(FINE, FINE, FINE, invariants=WRONG))
    assert found.verdict == "disagree"
    assert found.against_oracle


def test_one_form_and_the_oracle_are_two_results() -> None:
    one = verification(forms=("a",), oracle=beside(FINE))
    assert one.ok
    assert verification(forms=("a",), oracle=OracleComparison(refused="no")).verdict == "undecided"
    assert verification(forms=("a",)).verdict == "undecided"


def test_the_oracle_has_a_column_beside_each_form() -> None:
    lines = list(verification(*three(FINE), oracle=beside(FINE, WRONG, FINE)).tables())
    head = next(k for k, line in enumerate(lines) if line.split() == ["oracle"])
    assert [line.split()[2] for line in lines[head + 1 : head + 4]] == ["1e-15", "1e-03!", "1e-15"]


def test_an_expectation_that_is_not_met_is_a_disagreement() -> None:
    found = verification(*three(FINE), broken=("state s: expected rank 2, but it is 3",))
    assert found.verdict == "disagree"
    assert "state s: expected rank 2, but it is 3" in list(found.lines())
