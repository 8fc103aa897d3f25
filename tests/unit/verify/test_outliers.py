"""Who is called wrong: the oracle comes first, then the smallest set that explains the rest."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from mbx.verify.findings import Error, OracleComparison, Pair, StateRow
from mbx.verify.verification import Verification

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FINE = Error(1e-15, "start", "x'")
GREY = Error(1e-9, "random 1", "x'")
WRONG = Error(1e-3, "random 1", "x'")


def verification(
    *camps: Sequence[str], wrong: Collection[str] | None = None, **more: Any
) -> Verification:
    """Return forms in camps that agree within themselves and with no other camp.

    The oracle is asked where `wrong` is given, and disagrees with these forms.
    """
    camp = {name: k for k, names in enumerate(camps) for name in names}
    pairs = tuple(
        Pair((a, b), 1, FINE if camp[a] == camp[b] else WRONG, None)
        for a, b in combinations(camp, 2)
    )
    oracle = None
    if wrong is not None:
        oracle = OracleComparison(
            ("start",), ud={name: WRONG if name in wrong else FINE for name in camp}
        )
    fields: dict[str, Any] = {
        "model": "M",
        "hash": "0",
        "seed": 1,
        "forms": tuple(camp),
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
        "oracle": oracle,
    }
    return Verification(**{**fields, **more})


def test_a_majority_that_shares_a_fault_does_not_blame_the_minority_that_is_right() -> None:
    found = verification("ab", "cdefg", wrong="cdefg")
    assert found.outliers == tuple("cdefg")
    assert not found.against_oracle


def test_without_the_oracle_the_same_majority_wins_the_vote() -> None:
    assert verification("ab", "cdefg").outliers == ("a", "b")


def test_one_right_form_is_not_blamed_by_all_others() -> None:
    assert verification("a", "bcdef", wrong="bcdef").outliers == tuple("bcdef")


def test_the_vote_is_among_those_that_the_oracle_leaves() -> None:
    # d is alone among a, b, c, d; that e, f, g disagree with all of these says nothing
    assert verification("abc", "d", "efg", wrong="efg").outliers == tuple("defg")
    # of five, two disagree with three, and three with two
    assert verification("abc", "de", "fghijk", wrong="fghijk").outliers == tuple("defghijk")


def test_of_two_camps_of_the_same_size_neither_is_named() -> None:
    assert verification("ab", "cd").outliers == ()
    assert verification("ab", "cd", wrong="cd").outliers == ("c", "d")


def test_a_form_that_does_not_fit_itself_is_named() -> None:
    assert verification("abc", results={"b": WRONG}).outliers == ("b",)
    assert verification("ab", "c", own={"c": WRONG}).outliers == ("c",)


@pytest.mark.parametrize("forms", [("a",), ("a", "b")])
def test_of_two_that_the_oracle_leaves_neither_is_named_by_the_other(
    forms: tuple[str, ...],
) -> None:
    found = verification(*forms, "cde", wrong="cde")
    assert found.outliers == ("c", "d", "e")


def test_two_forms_have_no_outlier_unless_the_oracle_says_which() -> None:
    assert verification("a", "b").outliers == ()
    assert verification("a", "b", wrong="b").outliers == ("b",)


def test_where_all_are_against_the_oracle_the_vote_still_names_who_is_alone() -> None:
    found = verification("abcd", "e", wrong="abcde")
    assert found.against_oracle
    assert found.outliers == ("e",)


def test_an_oracle_that_was_asked_in_vain_leaves_the_vote() -> None:
    found = verification(
        "abcd", "e", oracle=OracleComparison(refused="a model that it cannot read")
    )
    assert found.outliers == ("e",)


def test_what_the_oracle_is_undecided_on_is_not_held_against_a_form() -> None:
    oracle = OracleComparison(("start",), ud={"a": FINE, "b": GREY, "c": FINE})
    assert verification("abc", oracle=oracle).outliers == ()


def test_the_remarks_name_the_forms_that_are_wrong() -> None:
    assert "wrong: c, d, e, f, g" in list(verification("ab", "cdefg", wrong="cdefg").remarks())
    assert "wrong: f, g" in list(verification("abcde", "fg", wrong="fg").remarks())
    lines = list(verification("a", "b", "c", "d").remarks())
    assert not any(line.startswith("wrong") for line in lines)


def test_the_data_marks_the_same_forms() -> None:
    data = verification("ab", "cdefg", wrong="cdefg").as_json()
    assert [one["name"] for one in data["forms"] if one["outlier"]] == list("cdefg")
