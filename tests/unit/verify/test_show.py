"""The tables of a verification: pair by pair, or of many forms the worst of each."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from mbx.verify.findings import Error, OracleComparison, Pair
from unit.verify.found import found

if TYPE_CHECKING:
    from mbx.verify.verification import Verification

FINE = Error(1e-15, "start", "x'")
TINY = Error(2e-16, "start", "x'")
WRONG = Error(1e-3, "random 1", "x'")
DIAGONAL = "accelerations below the diagonal, constraint forces above, each form in itself on it"
WORST = "ud and Fc: the worst against any other form; --json has every pair"


def of(count: int, **errors: Error) -> Verification:
    """Return a verification of so many forms, f1 and so on; `f1_f2` names the error of a pair."""
    names = tuple(f"f{k}" for k in range(1, count + 1))
    pairs = tuple(
        Pair((a, b), 1, errors.get(f"{a}_{b}", TINY), errors.get(f"Fc_{a}_{b}"))
        for a, b in combinations(names, 2)
    )
    return found(forms=names, pairs=pairs, own=dict.fromkeys(names, TINY))


def test_twelve_forms_are_shown_pair_by_pair() -> None:
    lines = list(of(12, f2_f12=WRONG).tables())
    assert lines[0].split() == [str(k) for k in range(1, 13)]
    assert lines[12].split()[:4] == ["12", "f12", "2e-16", "1e-03!"]
    assert lines[13] == DIAGONAL
    assert WORST not in lines


def test_of_more_forms_the_worst_of_each_is_shown() -> None:
    lines = list(of(13, f2_f12=WRONG, Fc_f1_f3=FINE).tables())
    assert lines[0].split() == ["itself", "ud", "Fc"]
    assert lines[1].split() == ["1", "f1", "2e-16", "2e-16", "1e-15"]
    assert lines[2].split() == ["2", "f2", "2e-16", "1e-03!", "-"]
    assert lines[3].split() == ["3", "f3", "2e-16", "2e-16", "1e-15"]
    assert lines[12].split() == ["12", "f12", "2e-16", "1e-03!", "-"]
    assert lines[13].split() == ["13", "f13", "2e-16", "2e-16", "-"]
    assert lines[14] == WORST
    assert DIAGONAL not in lines
    assert len(lines) == 15


def test_what_is_no_number_is_worse_than_any() -> None:
    lines = list(of(13, f1_f2=Error(math.nan), f1_f3=WRONG).tables())
    assert lines[1].split()[3] == "nan?"
    assert lines[3].split()[3] == "1e-03!"


def test_the_columns_of_single_forms_follow_those_of_the_worst() -> None:
    many = of(13)
    oracle = OracleComparison(("start",), ud=dict.fromkeys(many.forms, FINE))
    head, first = list(replace(many, oracle=oracle, power={"f1": WRONG}).tables())[:2]
    assert head.split() == ["itself", "ud", "oracle", "power"]
    assert first.split() == ["1", "f1", "2e-16", "2e-16", "1e-15", "1e-03!"]


def test_a_column_that_nobody_fills_is_left_out() -> None:
    head = next(iter(replace(of(13), own={}).tables()))
    assert head.split() == ["ud"]


@pytest.mark.parametrize("count", [12, 13])
def test_rounding_that_the_arbiter_showed_is_explained_in_both_layouts(count: int) -> None:
    shown = Error(1e-9, arbiter="rounding")
    lines = list(of(count, f1_f2=shown).tables())
    assert any("1e-09~" in line for line in lines)
    assert lines[-1] == "~ rounding, as the arbiter shows in more digits"


def test_rows_of_many_forms_are_in_one_line_with_their_head() -> None:
    lines = list(of(13, Fc_f1_f2=FINE).tables())
    ends = [lines[0].index(word) + len(word) for word in ("itself", "ud", "Fc")]
    assert [lines[1][end - 5 : end] for end in ends] == ["2e-16", "2e-16", "1e-15"]


def test_every_pair_is_in_the_data_of_many_forms() -> None:
    data = of(13).as_json()
    assert len(data["pairs"]) == 13 * 12 // 2


# -- a line for each form ----------------------------------------------------------------------


def variants(**errors: Error) -> Verification:
    """Return a verification of kane and of two variants of rfda."""
    names = ("kane", "rfda:projection", "rfda:constraints")
    pairs = tuple(
        Pair((a, b), 1, errors.get(f"{a}-{b}".replace(":", "_"), TINY), None)
        for a, b in combinations(names, 2)
    )
    return found(forms=names, pairs=pairs)


def test_the_verdict_is_the_first_line() -> None:
    lines = list(of(3).lines())
    assert ": agree (3 forms at " in lines[0]
    assert [line.split()[0] for line in lines[1:4]] == ["f1", "f2", "f3"]


def test_a_form_has_its_largest_error_and_what_it_is_of() -> None:
    lines = list(of(3, Fc_f1_f3=FINE).lines())
    assert lines[1].split() == ["f1", "1e-15", "constraint", "forces"]
    assert lines[2].split() == ["f2", "2e-16", "its", "own", "equations"]


def test_variants_that_agree_share_a_line() -> None:
    lines = list(variants().lines())
    assert lines[1].startswith("  kane ")
    assert lines[2].startswith("  rfda, 2 variants ")
    assert not any("rfda:" in line for line in lines)


def test_variants_of_which_one_is_wrong_have_lines_of_their_own() -> None:
    lines = list(replace(variants(), own={"rfda:projection": WRONG}).lines())
    assert lines[2].startswith("  rfda:projection ")
    assert "1e-03! its own equations" in lines[2]
    assert lines[3].startswith("  rfda:constraints ")


def test_lines_and_tables_fit_their_width() -> None:
    wide = replace(of(13), drawn={f"p{k}": 0.123456 for k in range(40)})
    for table in (False, True):
        for width in (60, 80, 120):
            assert all(len(line) <= width for line in wide.lines(table=table, width=width))


def test_columns_that_do_not_fit_follow_below() -> None:
    lines = list(of(12, f2_f12=WRONG).lines(table=True, width=60))
    heads = [
        line.split() for line in lines if line.strip().startswith(("1 ", "7 ")) and "f" not in line
    ]
    assert heads == [[str(k) for k in range(1, 7)], [str(k) for k in range(7, 13)]]
