"""Matrix programs in fifty digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mbx.errors import EquationsError
from mbx.expr.build import add, function, power, scale, sub
from mbx.expr.nodes import number, symbol
from mbx.formalism.builder import Program
from mbx.formalism.program import Step
from mbx.verify.precise import evaluate_nodes, execute, largest, pinv, precisely, solve

X = symbol("x")


def exact(*rows: tuple[Any, ...]) -> Any:
    return np.array([[Decimal(x) for x in row] for row in rows], dtype=object)


def close(found: Any, expected: Any) -> bool:
    return largest(found - expected) < Decimal("1e-40")


def test_expressions_have_fifty_digits() -> None:
    with precisely():
        values, _half = {X: Decimal(2)}, Fraction(1, 2)
        root, third, pi = evaluate_nodes(
            [
                power(X, Fraction(1, 2)),
                scale(Fraction(1, 3), X),
                function("atan2", number(0), scale(-1, X)),
            ],
            values,
        )
    # decimal expansions of sqrt(2), 2/3 and pi
    assert str(root).startswith("1.414213562373095048801688724209698078569671875376")
    assert str(third).startswith("0.66666666666666666666666666666666666666666666666")
    assert str(pi).startswith("3.141592653589793238462643383279502884197169399375")


def test_a_function_without_a_value_raises_an_error() -> None:
    with precisely(), pytest.raises(ValueError, match="log has no value"):
        evaluate_nodes([function("log", X)], {X: Decimal(-1)})


def test_the_inverse_of_moore_and_penrose_has_its_four_properties() -> None:
    A = exact((1, 2, 3), (2, 4, 6), (0, 1, 1), (1, 3, 4))
    with precisely():
        P = pinv(A)
        assert close(A @ P @ A, A)
        assert close(P @ A @ P, P)
        assert close((A @ P).T, A @ P)
        assert close((P @ A).T, P @ A)


def test_a_matrix_of_zeros_has_an_inverse_of_zeros() -> None:
    with precisely():
        assert (pinv(exact((0, 0), (0, 0))) == exact((0, 0), (0, 0))).all()


def test_linear_equations_with_dependent_rows_are_solved() -> None:
    with precisely():
        x = solve(exact((2, 1), (4, 2), (1, -1)), exact((5,), (10,), (1,)))
        assert close(x, exact((2,), (1,)))


def test_the_steps_of_a_program_are_executed() -> None:
    program = Program()
    program.define("A", [[X, number(1)], [number(1), X]])
    program.sqrtm("root", "A")
    program.product("square", "root", "root")
    program.sum("zero", "square", "A", signs=(1, -1))
    program.define("B", [[number(1), number(-1)]])
    program.nullspace("Z", "B")
    program.product("BZ", "B", "Z")
    program.block("K", [["A", None], [None, "B"]])
    program.transpose("Kt", "K")
    program.rows("last", "K", [2])
    program.absolute("size", "last")
    program.identity("one", 2)
    with precisely():
        found = execute(program.steps, {X: Decimal(3)})
        assert largest(found["zero"]) < Decimal("1e-45")
        assert found["BZ"].tolist() == [[0]]
        assert found["Kt"].shape == (4, 3)
        assert found["size"].tolist() == [[0, 0, 1, 1]]


def test_an_unknown_of_an_implicit_step_is_found() -> None:
    y = symbol("y")
    inner = Program()
    inner.given("y", [y])
    inner.column("next", [function("cos", y)])
    inner.sum("open", "y", "next", signs=(1, -1))
    step = Step(name="y", op="implicit", steps=tuple(inner.steps), unknown="y", residual="open")
    with precisely():
        found = execute([step], {})
    # the Dottie number
    assert str(found["y"][0, 0]).startswith("0.7390851332151606416553120876738734040134")


def test_an_implicit_step_without_a_solution_raises_an_error() -> None:
    y = symbol("y")
    inner = Program()
    inner.given("y", [y])
    inner.column("open", [add(power(y, 2), number(1))])
    step = Step(name="y", op="implicit", steps=tuple(inner.steps), unknown="y", residual="open")
    with precisely(), pytest.raises(EquationsError, match="does not converge"):
        execute([step], {})


def test_a_matrix_that_is_not_given_raises_an_error() -> None:
    program = Program()
    program.given("ud", size=1)
    with pytest.raises(EquationsError, match="'ud' is not given"):
        execute(program.steps, {})


def test_columns_can_be_put_into_expressions() -> None:
    y = symbol("y")
    program = Program()
    program.column("c", [X])
    program.add(
        Step(name="d", op="define", args=("c",), symbols=(y,), entries=((sub(y, X),),), size=(1, 1))
    )
    with precisely():
        assert execute(program.steps, {X: Decimal(3)})["d"].tolist() == [[0]]
