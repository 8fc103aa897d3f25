from __future__ import annotations

import pytest

from mbx.codegen.notation.symbol_table import break_sum, rows_of, table, unit


def test_sums_are_broken_where_brackets_are_fewest() -> None:
    lines = list(break_sum("x = ", "a*(b + c + d) + e*(f + g)", 20))
    assert lines == ["x = a*(b + c + d)", "    + e*(f + g)"]


def test_a_term_that_does_not_fit_stays_whole() -> None:
    assert list(break_sum("x = ", "a" * 30, 20)) == ["x = " + "a" * 30]


def test_nothing_is_lost_when_a_sum_is_broken() -> None:
    text = " + ".join(f"a{k}*(b{k} - c{k})" for k in range(40))
    joined = " ".join(line.strip() for line in break_sum("", text, 40))
    assert joined == text


@pytest.mark.parametrize(
    ("indices", "said"), [((0,), "1"), ((0, 1, 2), "1..3"), ((4, 0, 1), "5, 1..2"), ((), "")]
)
def test_rows_are_counted_from_one(indices: tuple[int, ...], said: str) -> None:
    assert rows_of(indices) == said


def test_a_long_last_column_goes_on_below() -> None:
    words = " ".join(["word"] * 8)
    found = list(table([("a", words), ("bc", "= 1")], 40))
    assert found == ["  a   " + words[:34], "      word", "  bc  = 1"]


def test_units_are_read_as_written() -> None:
    assert [unit(u) for u in ("1", "", "1/s^2", "kg*m^2")] == ["-", "-", "1/s^2", "kg*m^2"]
