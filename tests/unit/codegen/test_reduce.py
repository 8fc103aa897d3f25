from __future__ import annotations

from mbx.codegen.reduce import IDENTITY, ZEROS, reduce
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.named_program import NamedProgram

X, Y = symbol("x"), symbol("y")


def unconstrained() -> NamedProgram:
    program = NamedProgram()
    program.define("M", [[X, ZERO], [ZERO, Y]])
    program.define("A", [], columns=["x", "y"])
    program.column("b", [])
    program.nullspace("C", "A")
    program.transpose("Ct", "C")
    program.product("Mr", "Ct", "M")
    program.block("K", [["Mr"], ["A"]])
    program.column("h", [Y, X])
    program.sum("bm", "b", signs=(-1,))
    program.product("hr", "Ct", "h")
    program.block("k", [["hr"], ["bm"]])
    program.solve("ud", "K", "k", "least_squares", unique=2)
    program.transpose("At", "A")
    program.pinv("Atp", "At")
    program.product("Mud", "M", "ud")
    program.product("lam", "Atp", "Mud")
    program.product("Fc", "At", "lam")
    return program


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
    held = NamedProgram()
    held.define("A", [[X, Y]])
    held.column("b", [X])
    found = reduce([*held.steps, *steps], ["ud", "Fc"])
    assert {"A", "b", "C", "K", "k", "Fc"} <= {step.name for step in found.steps}
    assert found.steps[-1].name == "Fc"


def test_rows_of_a_product_may_depend_on_each_other() -> None:
    program = NamedProgram()
    program.define("A", [[X, Y], [Y, X]])
    program.transpose("At", "A")
    program.product("AAt", "A", "At")
    program.column("b", [X, Y])
    program.solve("lam", "AAt", "b", "least_squares")
    found = reduce(program.steps, ["lam"])
    assert found.steps[-1].kind == "least_squares"


def test_rows_of_a_matrix_of_expressions_are_written_there() -> None:
    program = NamedProgram()
    program.column("h", [X, Y, ZERO], rows=["a", "b", "c"])
    program.rows("Q", "h", [0, 1], "forces")
    program.rows("S", "h", [2])
    program.sum("F", "Q", "Q")
    program.sum("G", "F", "F")
    found = reduce(program.steps, ["G", "S"])
    assert [step.name for step in found.steps] == ["Q", "F", "G"]
    assert found.steps[0].entries == ((X,), (Y,))
    assert found.steps[0].row_labels == ("a", "b")
    assert found.names["S"] == ZEROS


def test_zeros_and_units_leave_sums_products_and_blocks() -> None:
    program = NamedProgram()
    program.define("E", [[ONE, ZERO], [ZERO, ONE]])
    program.define("O", [[ZERO, ZERO], [ZERO, ZERO]])
    program.define("M", [[X, Y], [Y, X]])
    program.product("EM", "E", "M")
    program.sum("S", "EM", "O")
    program.product("P", "M", "O")
    program.block("B", [["S", "O"], ["P", "E"]])
    found = reduce(program.steps, ["B", "S"])
    assert found.names["S"] == "M"
    assert found.names["P"] == ZEROS
    assert found.steps[-1].grid == (("M", None), (None, f"{IDENTITY}_2"))


def test_a_unit_block_says_its_size_only_where_nothing_beside_it_does() -> None:
    program = NamedProgram()
    program.define("E", [[ONE, ZERO], [ZERO, ONE]])
    program.define("M", [[X, Y], [Y, X]])
    program.block("B", [["M", "E"], [None, "E"]])
    program.block("D", [["M", None], [None, "E"]])
    one, other = (step.grid for step in reduce(program.steps, ["B", "D"]).steps[1:])
    assert one == (("M", IDENTITY), (None, f"{IDENTITY}_2"))
    assert other == (("M", None), (None, f"{IDENTITY}_2"))


def test_an_unused_step_is_dropped() -> None:
    program = NamedProgram()
    program.define("M", [[X]])
    program.define("N", [[Y]])
    assert [step.name for step in reduce(program.steps, ["N"]).steps] == ["N"]
