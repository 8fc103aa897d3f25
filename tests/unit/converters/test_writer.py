"""Matrices that a sweep writes and reads."""

from __future__ import annotations

import pytest

from mbx.expr.build import add, mul
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.named_program import NamedProgram
from mbx_converters.recursive.sweep_writer import Writer

X = symbol("x")


def test_numbers_are_read_as_numbers_and_all_else_as_symbols() -> None:
    to = Writer(NamedProgram())
    to.put("a_1", [[ZERO, X], [ONE, mul(X, X)]])
    assert to.get("a_1") == [[ZERO, symbol("a_1[1,2]")], [ONE, symbol("a_1[2,2]")]]


def test_a_step_names_the_matrices_that_it_reads() -> None:
    to = Writer(NamedProgram())
    a = to.column("a_1", [X, ONE])
    to.column("a_2", [add(a[0], X)])
    step = to.program.steps[-1]
    assert step.args == ("a_1",)
    assert step.symbols == (symbol("a_1[1,1]"), symbol("a_1[2,1]"))
    assert to.vector("a_2") == [symbol("a_2[1,1]")]


def test_rows_of_loads_are_zero_where_no_load_is() -> None:
    to = Writer(NamedProgram())
    to.program.column("h", [X, ZERO, ONE])
    assert to.rows("L_1", "h", range(1, 3), [ZERO, X]) == [ZERO, symbol("L_1[2,1]")]
    assert to.program.steps[-1].indices == (1, 2)


def test_another_program_reads_what_the_first_has_written() -> None:
    to = Writer(NamedProgram())
    to.column("a_1", [X, ZERO])
    inner = to.on(NamedProgram())
    a = inner.vector("a_1")
    assert a == [symbol("a_1[1,1]"), ZERO]
    inner.column("b_1", [mul(a[0], X)])
    assert inner.program.steps[-1].args == ("a_1",)
    assert [step.name for step in to.program.steps] == ["a_1"]


def test_what_was_not_written_cannot_be_read() -> None:
    with pytest.raises(KeyError):
        Writer(NamedProgram()).get("a_1")
