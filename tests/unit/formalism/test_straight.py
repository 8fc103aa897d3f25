from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import mbx
from mbx.analyses.costs.operation_counts import Counts, cost, counted
from mbx.base.errors import EquationsError
from mbx.expr.build import add, divide, function, mul, neg, power, sub
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.formalism.equations import Quantity
from mbx.formalism.program import SolveKind, Step
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import run
from mbx.numerics.execute.straight_line import own_values, straight_line
from unit.formalism.programs import (
    GRAVITY,
    LENGTH,
    MASS,
    THETA,
    X,
    Y,
    column,
    friction,
    matrix,
    pendulum,
    program,
)
from unit.formalism.sweeps import sweep

LIBRARY: Final = Path(__file__).parents[3] / "library"
A, B, C = symbol("a"), symbol("b"), symbol("c")


def numbers(rows: list[list[Node]], values: Any, N: int) -> Any:
    found = iter(evaluate_arrays([node for row in rows for node in row], values))
    return np.stack(
        [np.stack([np.broadcast_to(next(found), N) for _ in row], axis=1) for row in rows], axis=1
    )


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("cart_pole", "kane"),
        ("cart_pole", "lagrange"),
        ("cam_follower", "maggi"),
        ("five_node_tree", "kane"),
        ("spatial_chain", "lagrange"),
        ("spatial_chain", "hamilton"),
        ("n_pendulum", "gibbs_appell"),
        ("heavy_top_quaternion", "kane"),  # rates that have values
        ("kapitza_pendulum", "maggi"),
    ],
)
@pytest.mark.parametrize("baked", [False, True])
def test_the_straight_line_gives_what_the_program_gives(
    model: str, form: str, *, baked: bool
) -> None:
    system = mbx.elaborate(mbx.read(LIBRARY / model / "model.mb"))
    equations = mbx.derive(system, form)
    rng, N = np.random.default_rng(11), 6
    state = {v.path: (v.start or 0.4) + 0.3 * rng.normal(size=N) for v in (*system.q, *system.u)}
    values = values_of(equations, state, t=0.7)
    outcome = run(equations, values)
    assert (outcome.status == "regular").all()
    put_in = own_values(equations.signature) if baked else {}
    lines = straight_line(equations, ("ud", "qd"), put_in)
    left = set(free_symbols(node for rows in lines.values() for row in rows for node in row))
    assert left.isdisjoint(put_in)
    assert left.isdisjoint(one.symbol for one in equations.signature.derived)
    for meaning, rows in lines.items():
        true = outcome.matrix(equations.results[meaning])
        assert isinstance(true, np.ndarray)
        size = np.abs(true).max()
        assert np.abs(numbers(rows, values, N) - true).max() <= 1e-12 * size


def test_every_operation_can_be_written_out() -> None:
    equations = program(
        matrix("A", (X, Y), (ZERO, X)),
        column("b", X, Y),
        Step(name="E", op="identity", size=(2, 2)),
        Step(name="At", op="transpose", args=("A",)),
        Step(name="AAt", op="product", args=("A", "At")),
        Step(name="S", op="sum", args=("AAt", "E", "A"), signs=(1, 1, -1)),
        Step(name="m", op="absolute", args=("b",)),
        Step(name="K", op="block", grid=(("S", "b"), (None, "p"))),
        Step(name="k", op="rows", args=("K",), indices=(2, 0)),
        Step(name="x", op="solve", args=("A", "b"), kind="general"),
        Step(name="y", op="solve", args=("AAt", "A"), kind="positive"),
        Step(name="z", op="product", args=("k", "K", "Kb")),
    )
    by_name = {step.name: step for step in equations.steps}
    by_name["p"] = matrix("p", (Y,))
    by_name["Kb"] = Step(name="Kb", op="rows", args=("K",), indices=(0, 1, 2))
    order = ["A", "b", "p", "E", "At", "AAt", "S", "m", "K", "k", "x", "y", "Kb", "z"]
    equations = replace(equations, steps=tuple(by_name[name] for name in order))
    values = {X: np.array([0.5, -1.5]), Y: np.array([2.0, 0.25])}
    outcome = run(equations, values)
    for name, rows in straight_line(equations, order).items():
        assert numbers(rows, values, 2) == pytest.approx(outcome.matrix(name), rel=1e-12), name


def test_named_entries_are_written_out() -> None:
    rows = straight_line(sweep(), ("ud",))["ud"]
    assert numbers(rows, {X: 0.3, Y: 2.0}, 1)[0, 1, 0] == pytest.approx(6.3, rel=1e-15)
    assert free_symbols([rows[1][0]]) == free_symbols([X, Y])


def test_a_symbol_for_an_entry_hides_one_that_has_a_value() -> None:
    step = Step(name="c", op="define", args=("b",), symbols=(X,), entries=((mul(X, Y),),))
    found = straight_line(program(column("b", A), step), ("c",), {X: 7, Y: 2})
    assert found["c"] == [[mul(number(2), A)]]


def test_what_is_given_is_a_symbol() -> None:
    equations = program(
        Step(name="g", op="given", size=(2, 1)),
        Step(name="n", op="given", size=(1, 1), entries=((Y,),)),
        Step(name="s", op="product", args=("g", "n")),
    )
    [[first], [second]] = straight_line(equations, ("s",))["s"]
    assert first is mul(symbol("g[1,1]"), Y)
    assert second is mul(symbol("g[2,1]"), Y)


def test_values_are_put_in_before_anything_is_multiplied() -> None:
    found = straight_line(pendulum(), ("ud",), own_values(pendulum().signature))["ud"]
    # l = 2 and m = 1/2: -(1/2) 2 g sin(theta) / 2
    assert found == [[mul(number(Fraction(-1, 2)), mul(GRAVITY, function("sin", THETA)))]]
    assert own_values(pendulum().signature) == {LENGTH: 2, MASS: Fraction(1, 2)}


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Step(name="z", op="nullspace", args=("A",)), "a null space depends on a rank"),
        (Step(name="z", op="nullspace", args=("Z",), indices=(0,)), "a null space depends"),
        (Step(name="z", op="pinv", args=("A",)), "inverse depends on a rank"),
        (Step(name="z", op="sqrtm", args=("A",)), "a root of a matrix"),
        (
            Step(name="z", op="solve", args=("A", "b"), kind="least_squares"),
            "least squares depend on a rank",
        ),
        (Step(name="z", op="solve", args=("O", "b"), kind="general"), "no pivots: column 2"),
        (Step(name="z", op="solve", args=("O", "b"), kind="symmetric"), "no pivots: every entry"),
    ],
)
def test_what_depends_on_numbers_is_refused_by_its_name(step: Step, why: str) -> None:
    equations = program(
        matrix("A", (X, Y), (Y, X)),
        matrix("O", (ZERO, ZERO), (X, ZERO)),
        column("b", X, Y),
        matrix("Z", (ZERO, ZERO)),
        step,
    )
    said = rf"'z' \({step.op}\) cannot be written out as a straight line: .*{why}"
    with pytest.raises(EquationsError, match=said):
        straight_line(equations, ("z",))
    assert straight_line(equations, ("A",))["A"] == [[X, Y], [Y, X]]


def test_an_unknown_found_by_iteration_is_refused() -> None:
    with pytest.raises(EquationsError, match=r"'N' .*found by iteration"):
        straight_line(friction(0.3, (1.0, 0.0), (1.0, 0.0)), ("N",))


def test_a_division_by_a_zero_that_is_put_in_is_refused() -> None:
    equations = program(column("b", X), column("c", divide(ONE, Y)))
    with pytest.raises(EquationsError, match=r"'c' .define. cannot be written out"):
        straight_line(equations, ("b", "c"), {Y: 0})


def test_a_matrix_that_is_not_there_is_named() -> None:
    with pytest.raises(EquationsError, match="no result and no matrix 'zz'"):
        straight_line(sweep(), ("zz",))


def test_without_constraints_a_null_space_is_everything() -> None:
    equations = program(
        Step(name="A", op="define", size=(0, 2)),
        Step(name="C", op="nullspace", args=("A",)),
        Step(name="At", op="transpose", args=("A",)),
        Step(name="P", op="pinv", args=("At",)),
        Step(name="F", op="product", args=("At", "P")),
    )
    found = straight_line(equations, ("C", "F"))
    assert found == {"C": [[ONE, ZERO], [ZERO, ONE]], "F": [[ZERO, ZERO], [ZERO, ZERO]]}


def test_least_squares_without_a_choice_are_a_plain_solution() -> None:
    K = matrix("K", (X, ONE), (ZERO, Y))
    solve = Step(name="z", op="solve", args=("K", "b"), kind="least_squares", unique=2)
    equations = program(K, column("b", A, B), solve)
    second = divide(B, Y)
    expected = [[divide(sub(A, second), X)], [second]]
    assert straight_line(equations, ("z",))["z"] == expected
    with pytest.raises(EquationsError, match="least squares"):
        straight_line(
            replace(equations, steps=(K, equations.steps[1], replace(solve, unique=1))), ("z",)
        )


# -- counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([add(A, B, C)], (2, 0, 0, 0)),
        ([sub(A, B), neg(A)], (1, 0, 0, 0)),
        ([mul(A, B), add(mul(A, B), ONE)], (1, 1, 0, 0)),
        ([divide(A, B)], (0, 0, 1, 0)),
        ([divide(A, B), divide(C, B)], (0, 2, 1, 0)),  # one reciprocal for both
        ([divide(A, B), power(B, -1)], (0, 1, 1, 0)),  # the reciprocal is wanted itself
        ([divide(number(3), B)], (0, 0, 1, 0)),
        ([neg(power(B, -1))], (0, 0, 1, 0)),
        ([mul(power(A, -1), power(B, -1))], (0, 0, 2, 0)),
        ([divide(A, power(B, 2))], (0, 1, 1, 0)),
        ([function("sin", A), function("cos", A), power(B, Fraction(1, 2))], (0, 0, 0, 3)),
        ([ZERO, ONE, A], (0, 0, 0, 0)),
    ],
)
def test_operations_are_counted_by_hand(
    nodes: list[Node], expected: tuple[int, int, int, int]
) -> None:
    assert counted(nodes) == Counts(*expected)


def test_a_pivot_costs_one_division() -> None:
    # M = [a, b; b, c]: 1/c, b/c, a - b (b/c), then its reciprocal once; forth, back
    M = matrix("M", (A, B), (B, C))
    equations = program(
        M,
        column("h", X, Y),
        Step(name="ud", op="solve", args=("M", "h"), kind="positive"),
        results={"ud": "ud"},
    )
    # f = b r; d = a - f b; g = x - f y; ud1 = g / d; ud2 = y r - f ud1
    assert cost(equations) == Counts(add=3, mul=5, div=2, function=0)
    assert cost(equations).arithmetic == 10
    lone = program(
        matrix("M", (A,)),
        column("h", X),
        Step(name="ud", op="solve", args=("M", "h"), kind="positive"),
        results={"ud": "ud"},
    )
    assert cost(lone) == Counts(0, 0, 1, 0)


@pytest.mark.parametrize("kind", ["general", "symmetric", "positive"])
def test_symmetry_that_is_seen_is_used(kind: SolveKind) -> None:
    rows = [tuple(symbol(f"m{max(i, j)}{min(i, j)}") for j in range(3)) for i in range(3)]
    solve = Step(name="x", op="solve", args=("M", "h"), kind=kind)
    equations = program(matrix("M", *rows), column("h", A, B, C), solve)
    # m = 2, 1, 0 others: m + m (m + 1)/2 + 2 m + 1 products; the last quotient is a division
    assert cost(equations, ("x",)) == Counts(add=10, mul=15, div=3, function=0)


def test_zeros_and_ones_cost_nothing() -> None:
    equations = program(
        matrix("A", (ONE, ZERO), (X, Y)),
        column("b", A, ZERO),
        Step(name="c", op="product", args=("A", "A", "b")),
    )
    # from the right: A b = [a; x a], and then [a; x a + y (x a)]
    assert cost(equations, ("c",)) == Counts(add=1, mul=2, div=0, function=0)


def test_a_product_begins_at_its_narrow_end() -> None:
    full = [[symbol(f"{n}{i}{j}") for j in range(3)] for n in "pq" for i in range(3)]
    equations = program(
        matrix("P", *map(tuple, full[:3])),
        matrix("Q", *map(tuple, full[3:])),
        column("b", A, B, C),
        Step(name="bt", op="transpose", args=("b",)),
        Step(name="c", op="product", args=("P", "Q", "b")),
        Step(name="d", op="product", args=("bt", "P", "Q")),
    )
    assert cost(equations, ("c",)) == cost(equations, ("d",)) == Counts(12, 18, 0, 0)


def test_parameters_are_put_in_or_left() -> None:
    # g is left in both; sin(theta) g (-1/2) against m g l sin(theta) / (m l^2)
    assert cost(pendulum()) == Counts(add=0, mul=2, div=0, function=1)
    assert cost(pendulum(), baked=False).mul > 2


def test_only_what_leads_to_a_result_is_counted() -> None:
    assert cost(sweep(), ("v_1",)) == Counts(0, 0, 0, 0)
    # x cos(x) (x + y); y^2 + x + y
    assert cost(sweep()) == Counts(add=2, mul=3, div=0, function=1)


def test_a_rate_that_has_a_value_is_part_of_the_work() -> None:
    rate = symbol("x'")
    equations = program(column("b", mul(rate, rate)), results={"ud": "b"})
    derived = (Quantity(symbol=rate, path="x'", unit="m/s", value=add(X, Y)),)
    signature = replace(equations.signature, derived=derived)
    equations = replace(equations, signature=signature)
    assert straight_line(equations)["ud"] == [[power(add(X, Y), 2)]]
    assert cost(equations) == Counts(add=1, mul=1, div=0, function=0)
