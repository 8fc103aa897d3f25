"""Matrices as values: which steps they become, what they are called, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mbx.base.errors import EquationsError
from mbx.expr.build import add, mul
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.builder import Program

if TYPE_CHECKING:
    from mbx.formalism.matrix_value import Matrix

X, Y = symbol("x"), symbol("y")


def _matrix(p: Program, name: str, rows: int, columns: int) -> Matrix:
    return p.define(name, [[X] * columns for _ in range(rows)], columns=["c"] * columns)


def _steps(p: Program) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(s.name, s.op, s.args) for s in p.steps if s.op != "define"]


def test_operands_of_a_named_value_are_steps_with_readable_names() -> None:
    p = Program()
    A, M, b = _matrix(p, "A", 2, 3), _matrix(p, "M", 3, 3), _matrix(p, "b", 2, 1)
    p.let("K", p.stack(A @ M, A))
    p.let("r", A.T @ -b)
    assert _steps(p) == [
        ("AM", "product", ("A", "M")),
        ("K", "block", ()),
        ("At", "transpose", ("A",)),
        ("bm", "sum", ("b",)),
        ("r", "product", ("At", "bm")),
    ]
    assert p.steps[4].grid == (("AM",), ("A",))


def test_a_number_at_the_end_of_a_name_stays_there() -> None:
    p = Program()
    S, M = _matrix(p, "S_1", 2, 2), _matrix(p, "M_1", 2, 2)
    p.let("B", p.stack(S.T @ M, S))
    assert [s.name for s in p.steps[2:]] == ["St_1", "StM_1", "B"]


def test_what_nothing_needs_is_no_step() -> None:
    p = Program()
    A = _matrix(p, "A", 2, 2)
    _ = A @ A
    assert _steps(p) == []


def test_chains_are_one_step_each() -> None:
    p = Program()
    A, b, c = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1), _matrix(p, "c", 2, 1)
    p.let("s", -b - c + A @ A @ b)
    assert _steps(p) == [
        ("AAb", "product", ("A", "A", "b")),
        ("s", "sum", ("b", "c", "AAb")),
    ]
    assert p.steps[-1].signs == (-1, -1, 1)


def test_equal_operations_are_one_step() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    assert A.T @ b is A.T @ b
    assert A.T.T is A
    p.let("x", A.T @ A @ b)
    p.let("y", A.T @ A @ A)
    assert [name for name, *_ in _steps(p)] == ["At", "AtA", "x", "y"]


def test_the_blocks_of_a_solution_are_called_K_and_k() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    p.solve("x", p.stack(A), p.stack(b))
    assert [name for name, *_ in _steps(p)] == ["K", "k", "x"]


def test_an_automatic_name_keeps_clear_of_given_names() -> None:
    p = Program()
    A = _matrix(p, "A", 2, 2)
    p.let("x", A.T @ A)
    _matrix(p, "At", 1, 1)
    assert _steps(p)[0] == ("At_2", "transpose", ("A",))


def test_a_second_name_is_a_second_step() -> None:
    p = Program()
    A = _matrix(p, "A", 2, 2)
    p.let("M", A)
    assert _steps(p) == [("M", "sum", ("A",))]


def test_sizes_are_checked_where_an_operation_is_written() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 3), _matrix(p, "b", 2, 1)
    with pytest.raises(EquationsError, match=r"product of 'A' \(2 by 3\), 'b' \(2 by 1\)"):
        _ = A @ b
    with pytest.raises(EquationsError, match=r"sum of 'A' .*, 'A\.T' \(3 by 2\)"):
        _ = A + A.T
    with pytest.raises(EquationsError, match="solve of 'A'"):
        p.solve("x", A, b)
    with pytest.raises(EquationsError, match="an index is outside of 2"):
        _ = A.rows([2])


def test_a_name_is_used_once() -> None:
    p = Program()
    A = _matrix(p, "A", 2, 2)
    with pytest.raises(EquationsError, match="two matrices are called 'A'"):
        p.let("A", A @ A)


def test_values_of_two_programs_do_not_mix() -> None:
    A, B = _matrix(Program(), "A", 2, 2), _matrix(Program(), "B", 2, 2)
    with pytest.raises(EquationsError, match="belongs to another program"):
        _ = A @ B


def test_what_does_not_depend_on_the_unknown_is_computed_outside() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    inner = Program(outer=p)
    y = inner.given("y", (symbol("y1"), symbol("y2")))
    p.implicit("y", inner, y, inner.let("open", A.T @ y - A.T @ b))
    assert _steps(p) == [
        ("At", "transpose", ("A",)),
        ("Atb", "product", ("At", "b")),
        ("y", "implicit", ()),
    ]
    steps = p.steps[-1].steps
    assert [(s.name, s.args) for s in steps] == [
        ("y", ()),
        ("Aty", ("At", "y")),
        ("open", ("Aty", "Atb")),
    ]


def test_a_residual_adds_no_step_to_the_program() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    p.let("x", A.T @ b)
    before = p.steps
    r = Program(outer=p, apart=True)
    ud = r.given("ud", size=2)
    value = r.let("r_value", A.T @ ud - abs(b))
    residual = r.residual("test", value, r.let("size", abs(ud)))
    assert p.steps == before
    assert [(s.name, s.args) for s in residual.steps] == [
        ("ud", ()),
        ("r_Atud", ("At", "ud")),
        ("s_b", ("b",)),
        ("r_value", ("r_Atud", "s_b")),
        ("size", ("ud",)),
    ]


def test_expressions_name_entries_of_values_without_a_name() -> None:
    p = Program()
    A = p.define("A", [[X, ONE], [ZERO, X]])
    ((first, *_), *_) = p.entries(A.T)
    p.derived("D", [[mul(first, X)]])
    assert p.steps[1].name == "At"
    assert p.steps[2].args == ("At",)


def test_symbols_are_replaced_from_a_place_on() -> None:
    p = Program()
    b = _matrix(p, "b", 2, 1)
    p.column("before", [X])
    (entry,), _ = p.entries(b)
    p.replaced[X] = entry
    p.column("after", [mul(X, Y)])
    before, after = p.steps[-2:]
    assert (before.args, before.entries) == ((), ((X,),))
    assert (after.args, after.entries) == (("b",), ((mul(entry, Y),),))
    assert after.symbols[0] is entry


def test_an_inner_program_replaces_what_the_outer_one_replaces() -> None:
    p = Program()
    b = _matrix(p, "b", 1, 1)
    ((entry,),) = p.entries(b)
    p.replaced[X] = entry
    inner = Program(outer=p)
    y = inner.given("y", [Y])
    inner.derived("h", [[mul(X, Y)]], of={y: [Y]})
    step = inner.steps[-1]
    assert step.args == ("y", "b")
    assert step.symbols == (Y, entry)
    assert step.entries == ((mul(entry, Y),),)


def test_a_third_name_is_a_third_step() -> None:
    p = Program()
    A = _matrix(p, "A", 2, 2)
    p.let("M", A)
    p.let("N", A)
    assert _steps(p) == [("M", "sum", ("A",)), ("N", "sum", ("M",))]


def test_a_product_of_several_factors_is_one_step() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    p.let("x", p.product(A, A, b))
    p.let("y", p.product(A, A, A))
    assert _steps(p) == [("x", "product", ("A", "A", "b")), ("y", "product", ("A", "A", "A"))]


def test_blocks_on_a_diagonal_have_zeros_around_them() -> None:
    p = Program()
    A, b = _matrix(p, "A", 2, 2), _matrix(p, "b", 2, 1)
    D = p.let("D", p.diagonal(A, b))
    assert D.shape == (4, 3)
    assert p.steps[-1].grid == (("A", None), (None, "b"))


def test_numbers_are_read_as_numbers_and_all_else_as_symbols() -> None:
    p = Program()
    a = p.define("a_1", [[ZERO, X], [ONE, mul(X, X)]])
    assert p.entries(a) == [[ZERO, symbol("a_1[1,2]")], [ONE, symbol("a_1[2,2]")]]


def test_expressions_name_the_matrices_whose_entries_they_read() -> None:
    p = Program()
    first, _ = p.elements(p.column("a_1", [X, ONE]))
    a = p.column("a_2", [add(first, X)])
    assert p.steps[-1].args == ("a_1",)
    assert p.steps[-1].symbols == (symbol("a_1[1,1]"), symbol("a_1[2,1]"))
    assert p.elements(a) == [symbol("a_2[1,1]")]


def test_numbers_are_seen_in_rows_too() -> None:
    p = Program()
    h = p.column("h", [X, ZERO, ONE])
    rows = p.let("L", h.rows([2, 1, 0]))
    assert p.elements(rows) == [ONE, ZERO, symbol("L[3,1]")]
    assert p.elements(rows.rows([0, 2])) == [ONE, symbol("Lr[2,1]")]
    assert p.elements(p.let("g", p.given("f", size=2).rows([0]))) == [symbol("g[1,1]")]


def test_an_inner_program_reads_numbers_of_the_outer_one() -> None:
    outer = Program()
    a = outer.column("a_1", [X, ZERO])
    inner = Program(outer=outer)
    first, second = inner.elements(a)
    assert (first, second) == (symbol("a_1[1,1]"), ZERO)
    inner.column("b_1", [mul(first, X)])
    assert inner.steps[-1].args == ("a_1",)
    assert [step.name for step in outer.steps] == ["a_1"]


def test_only_a_column_has_elements() -> None:
    p = Program()
    with pytest.raises(ValueError, match="too many values"):
        p.elements(_matrix(p, "A", 2, 2))


def test_a_named_value_has_labels_of_rows_and_columns() -> None:
    p = Program()
    P = _matrix(p, "P", 3, 2)
    p.let("M", P.T @ P, "inertia", rows=["a", "b"], columns=["c", "d"])
    assert p.steps[-1].row_labels == ("a", "b")
    assert p.steps[-1].column_labels == ("c", "d")
    assert p.steps[0].column_labels == ("c", "c")
