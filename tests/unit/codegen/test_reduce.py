from __future__ import annotations

from mbx.codegen.reduce import IDENTITY, ZEROS, reduce
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.builder import Program

X, Y = symbol("x"), symbol("y")


def unconstrained() -> Program:
    p = Program()
    M = p.define("M", [[X, ZERO], [ZERO, Y]])
    A = p.define("A", [], columns=["x", "y"])
    b = p.column("b", [])
    C = p.null("C", A)
    K = p.stack(C.T @ M, A)
    h = p.column("h", [Y, X])
    ud = p.solve("ud", K, p.stack(C.T @ h, -b), unique=2)
    lam = p.let("lam", p.pinv(A.T) @ (M @ ud))
    p.let("Fc", A.T @ lam)
    return p


def test_without_constraints_only_the_balance_is_left() -> None:
    found = reduce(unconstrained().steps, ["ud", "Fc", "lam"])
    assert [step.name for step in found.steps] == ["M", "h", "ud"]
    assert found.steps[-1].args == ("M", "h")
    assert found.steps[-1].kind == "general"
    assert found.names["Fc"] == ZEROS
    assert found.names["C"] == IDENTITY


def test_with_constraints_every_step_that_is_used_stays() -> None:
    program = unconstrained()
    steps = [step for step in program.steps if step.name not in {"A", "b"}]
    held = Program()
    held.define("A", [[X, Y]])
    held.column("b", [X])
    found = reduce([*held.steps, *steps], ["ud", "Fc"])
    assert {"A", "b", "C", "K", "k", "Fc"} <= {step.name for step in found.steps}
    assert found.steps[-1].name == "Fc"


def test_rows_of_a_product_may_depend_on_each_other() -> None:
    p = Program()
    A = p.define("A", [[X, Y], [Y, X]])
    p.solve("lam", A @ A.T, p.column("b", [X, Y]), "least_squares")
    found = reduce(p.steps, ["lam"])
    assert found.steps[-1].kind == "least_squares"


def test_rows_of_a_matrix_of_expressions_are_written_there() -> None:
    p = Program()
    h = p.column("h", [X, Y, ZERO], rows=["a", "b", "c"])
    Q = p.let("Q", h.rows([0, 1]), "forces")
    p.let("S", h.rows([2]))
    F = p.let("F", Q + Q)
    p.let("G", F + F)
    found = reduce(p.steps, ["G", "S"])
    assert [step.name for step in found.steps] == ["Q", "F", "G"]
    assert found.steps[0].entries == ((X,), (Y,))
    assert found.steps[0].row_labels == ("a", "b")
    assert found.names["S"] == ZEROS


def test_zeros_and_units_leave_sums_products_and_blocks() -> None:
    p = Program()
    E = p.define("E", [[ONE, ZERO], [ZERO, ONE]])
    zero = p.define("O", [[ZERO, ZERO], [ZERO, ZERO]])
    M = p.define("M", [[X, Y], [Y, X]])
    S, P = p.let("S", E @ M + zero), p.let("P", M @ zero)
    p.let("B", p.block([[S, zero], [P, E]]))
    found = reduce(p.steps, ["B", "S"])
    assert found.names["S"] == "M"
    assert found.names["P"] == ZEROS
    assert found.steps[-1].grid == (("M", None), (None, f"{IDENTITY}_2"))


def test_a_unit_block_says_its_size_only_where_nothing_beside_it_does() -> None:
    p = Program()
    E = p.define("E", [[ONE, ZERO], [ZERO, ONE]])
    M = p.define("M", [[X, Y], [Y, X]])
    p.let("B", p.block([[M, E], [None, E]]))
    p.let("D", p.diagonal(M, E))
    one, other = (step.grid for step in reduce(p.steps, ["B", "D"]).steps[1:])
    assert one == (("M", IDENTITY), (None, f"{IDENTITY}_2"))
    assert other == (("M", None), (None, f"{IDENTITY}_2"))


def test_an_unused_step_is_dropped() -> None:
    p = Program()
    p.define("M", [[X]])
    p.define("N", [[Y]])
    assert [step.name for step in reduce(p.steps, ["N"]).steps] == ["N"]
