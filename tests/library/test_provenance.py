"""Every expected value of the library says where it comes from, and keeps what that asks for."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from library.expected import CASES, Expected, expected_in, last_digit, number_of
from mbx.analyses.experiments.provenance import KINDS
from mbx.language.document.expressions import Number
from mbx.linking.library import read_case

ROOT = Path(__file__).parents[2]
TOOLS = re.compile(
    r"\b(Pinocchio|MuJoCo|SymPy|PyDy|CasADi|JAX|SciPy|mpmath|Drake|Chrono|Exudyn|MBDyn|RBDL"
    r"|Modelica|closed form)\b",
    re.IGNORECASE,
)
"""What numbers of the library can agree between."""
NOT_KEPT = {
    "five_bar_joints",
    "five_bar_motors",
    "five_node_tree",
    "quick_return",
    "ring_and_disc_coordinates",  # the program of `ring_and_disc` has some of its numbers
    "ring_and_disc_nodes",  # likewise
    "rrr_nodes",
    "rrr_platform",
    "slider_crank_3d_friction",
    "tricycle",
    "whipple_bicycle",  # a program of somebody else, which its source names
    "whitworth",
}
"""Cases whose computed values came from a program that is not in `benchmarks/agreed/computed`."""


def name(case: Path) -> str:
    return case.name


def of_kind(case: Path, kind: str) -> list[Expected]:
    return [one for one in expected_in(case) if one.kind == kind]


@pytest.mark.parametrize("case", CASES, ids=name)
def test_every_expected_value_says_its_kind_and_its_source(case: Path) -> None:
    wrong = [str(one) for one in expected_in(case) if one.kind is None or not one.text]
    assert wrong == [], f"a source begins with one of {KINDS}, a colon, and goes on"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_published_value_is_as_printed_and_within_half_of_its_last_digit(case: Path) -> None:
    for one in of_kind(case, "published"):
        value, within = number_of(one.statement.value), number_of(one.statement.within)
        assert "rounded" not in one.text, f"{one}: all digits that are printed count"
        assert value is not None, f"{one}: what is printed is a number"
        assert within is not None, f"{one}: a tolerance is a number"
        assert within.unit == value.unit, f"{one}: value and tolerance have one unit"
        assert Decimal(0) < Decimal(within.text) <= last_digit(value) / 2, str(one)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_an_agreed_value_names_two_tools_and_has_the_script_that_asks_them(case: Path) -> None:
    for one in of_kind(case, "agreed"):
        named = {tool.lower() for tool in TOOLS.findall(one.text)}
        assert len(named) >= 2, f"{one}: {one.text}"
        assert named != {"closed form"}
        assert (ROOT / "benchmarks" / "agreed" / f"{case.name}.py").is_file(), str(one)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_plotted_value_names_its_figure(case: Path) -> None:
    for one in of_kind(case, "plotted"):
        assert re.search(r"\bfig", one.text, re.IGNORECASE), f"{one}: {one.text}"


def test_a_case_with_a_script_that_asks_tools_has_values_on_which_they_agree() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks" / "agreed").glob("*.py")}
    asked = [case for case in CASES if case.name in scripts]
    assert [case.name for case in asked if not of_kind(case, "agreed")] == []


def test_computed_values_have_their_program_but_for_those_whose_program_was_not_kept() -> None:
    programs = {path.stem for path in (ROOT / "benchmarks" / "agreed" / "computed").glob("*.py")}
    computed = {case.name for case in CASES if of_kind(case, "computed")}
    assert programs - {"dense"} <= computed
    assert computed - programs == NOT_KEPT


def test_there_are_enough_mechanisms_each_counted_once() -> None:
    assert len({read_case(case).mechanism or case.name for case in CASES}) >= 70


def test_enough_mechanisms_have_an_analytic_or_published_reference() -> None:
    known = {
        read_case(case).mechanism or case.name
        for case in CASES
        if of_kind(case, "analytic") or of_kind(case, "published")
    }
    assert len(known) >= 30


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("3.50", "0.01"),
        ("12", "1"),
        ("2.5e-5", "1e-6"),
        ("1200", "1"),
        ("0.8353281706379", "1e-13"),
    ],
)
def test_the_last_digit_of_a_number_is_the_one_that_is_written_last(text: str, unit: str) -> None:
    assert last_digit(Number(text)) == Decimal(unit)
