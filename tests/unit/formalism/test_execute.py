from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.expr.build import divide, function, mul, neg, power, sub
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.formalism.json.serial import from_json, to_json
from mbx.formalism.program import Residual, Step
from mbx.numerics.execute.execute import Outcome, run
from unit.formalism.programs import (
    GRAVITY,
    LENGTH,
    MASS,
    RATE,
    THETA,
    X,
    Y,
    column,
    matrix,
    own_residual,
    pendulum,
    program,
)

PENDULUM = {LENGTH: 2.0, MASS: 3.0, GRAVITY: 10.0, RATE: 0.0}


def array(outcome: Outcome, name: str) -> Any:
    found = outcome.matrix(name)
    assert isinstance(found, np.ndarray)
    return found


def test_a_pendulum_falls_as_it_does() -> None:
    angles = np.linspace(-3, 3, 7)
    outcome = run(pendulum(), {**PENDULUM, THETA: angles})
    assert outcome.status.tolist() == ["regular"] * 7
    assert array(outcome, "a")[:, 0, 0] == pytest.approx(-5 * np.sin(angles), rel=1e-15)
    assert array(outcome, "a").shape == (7, 1, 1)
    assert outcome.at("a", 6)[0, 0] == array(outcome, "a")[6, 0, 0]


def test_numbers_alone_are_one_state() -> None:
    outcome = run(pendulum(), {**PENDULUM, THETA: 0.5})
    assert array(outcome, "R").shape == (1, 6, 1)


def test_a_state_that_fails_is_not_a_number_and_leaves_the_others_alone() -> None:
    outcome = run(pendulum(), {**PENDULUM, THETA: [1.0, np.nan, 1.0], MASS: [3.0, 3.0, 0.0]})
    assert outcome.status.tolist() == ["regular", "not finite", "singular"]
    for name in ("M", "a", "R"):
        assert np.isnan(array(outcome, name)).all(axis=(1, 2)).tolist() == [False, True, True]
        assert np.isnan(outcome.at(name, 1)).all()


def test_no_condition_on_numbers_warns() -> None:
    steps = (
        column("a", divide(ONE, X), power(X, 0.5), function("log", X)),
        column("b", function("exp", mul(X, number(1e6)))),
        column("c", number(10**400), mul(X, number(10**400))),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = run(program(*steps[:2]), {X: [0.0, -1.0, 1.0, 1e-4]})
        huge = run(program(steps[2]), {X: 1.0})
    assert outcome.status.tolist() == ["not finite"] * 3 + ["regular"]
    assert huge.status.tolist() == ["not finite"]
    assert array(huge, "c").shape == (1, 2, 1)


def kkt() -> Any:
    """Return a unit mass on the line a + b = 0, said twice, under a force (3, 1)."""
    twice = matrix("A", (ONE, ONE), (number(2), number(2)))
    return program(
        matrix("M", (ONE, ZERO), (ZERO, X)),
        twice,
        Step(name="At", op="transpose", args=("A",)),
        Step(name="minus", op="sum", args=("At",), signs=(-1,)),
        Step(name="K", op="block", grid=(("M", "minus"), ("A", None))),
        column("right", number(3), ONE, ZERO, Y),
        Step(name="z", op="solve", args=("K", "right"), kind="least_squares", unique=2),
        Step(name="ud", op="rows", args=("z",), indices=(0, 1)),
        Step(name="lam", op="rows", args=("z",), indices=(2, 3)),
        Step(name="Fc", op="product", args=("At", "lam")),
    )


def test_redundant_constraints_give_their_force_and_the_smallest_multipliers() -> None:
    outcome = run(kkt(), {X: 1.0, Y: 0.0})
    assert outcome.status.tolist() == ["regular"]
    # a = -b, a - b = 2: the force along (1, 1) is -2, as multipliers (1, 2) times -2/5
    assert array(outcome, "ud").ravel() == pytest.approx([1, -1])
    assert array(outcome, "Fc").ravel() == pytest.approx([-2, -2])
    assert array(outcome, "lam").ravel() == pytest.approx([-0.4, -0.8])


def test_constraints_that_contradict_each_other_are_inconsistent() -> None:
    outcome = run(kkt(), {X: [1.0, 1.0, -1.0], Y: [0.0, 1.0, 0.0]})
    # at the last state M on the line is 1 - 1 = 0, so the accelerations are not unique
    assert outcome.status.tolist() == ["regular", "inconsistent", "singular"]


def complement() -> Any:
    """Return the null space of [x, y, 0; 0, 0, x], and what a form does with it."""
    return program(
        matrix("B", (X, Y, ZERO), (ZERO, ZERO, X)),
        Step(name="C", op="nullspace", args=("B",)),
        Step(name="Ct", op="transpose", args=("C",)),
        Step(name="G", op="product", args=("Ct", "C")),
        column("f", ONE, ONE, ONE),
        Step(name="fbar", op="product", args=("Ct", "f")),
        Step(name="z", op="solve", args=("G", "fbar"), kind="positive"),
        Step(name="p", op="product", args=("C", "z")),
    )


def test_a_batch_is_split_where_its_states_differ_in_rank() -> None:
    outcome = run(complement(), {X: [1.0, 0.0, 0.0, 3.0, np.inf], Y: [1.0, 1.0, 0.0, 4.0, 0.0]})
    assert outcome.status.tolist() == ["regular"] * 4 + ["not finite"]
    C = outcome.matrix("C")
    assert isinstance(C, list)
    assert [one.shape for one in C] == [(3, 1), (3, 2), (3, 3), (3, 1), (3, 0)]
    # p is (1, 1, 1) projected on the null space, of one shape at all states
    p = array(outcome, "p")[:, :, 0]
    assert p[0] == pytest.approx([0, 0, 0], abs=1e-15)
    assert p[1] == pytest.approx([1, 0, 1])
    assert p[2] == pytest.approx([1, 1, 1])
    assert p[3] == pytest.approx([4 / 25, -3 / 25, 0], abs=1e-15)
    assert np.isnan(p[4]).all()


def test_states_of_one_rank_stay_together() -> None:
    outcome = run(complement(), {X: [1.0, 2.0], Y: 1.0})
    assert len(outcome.batches) == 1
    assert array(outcome, "C").shape == (2, 3, 1)


def test_every_plain_operation_does_what_it_says() -> None:
    equations = program(
        matrix("A", (ONE, neg(X)), (ZERO, number(2))),
        Step(name="E", op="identity", size=(2, 2)),
        Step(name="D", op="sum", args=("A", "E", "E"), signs=(1, -1, -1)),
        Step(name="P", op="product", args=("A", "A", "A")),
        Step(name="V", op="absolute", args=("A",)),
        Step(name="R", op="rows", args=("A",), indices=(1, 0)),
        Step(name="K", op="block", grid=(("A", None), (None, "E"))),
        Step(name="I", op="pinv", args=("A",)),
        Step(name="E4", op="sum", args=("E", "E", "E", "E")),
        Step(name="W", op="sqrtm", args=("E4",)),
        Step(name="S", op="solve", args=("A", "E"), kind="symmetric"),
    )
    outcome = run(equations, {X: 3.0})
    A = np.array([[1, -3], [0, 2]])
    assert outcome.at("D", 0) == pytest.approx(A - 2 * np.eye(2))
    assert outcome.at("P", 0) == pytest.approx(A @ A @ A)
    assert outcome.at("V", 0) == pytest.approx(abs(A))
    assert outcome.at("R", 0) == pytest.approx(A[::-1])
    assert outcome.at("K", 0) == pytest.approx(np.block([[A, 0 * A], [0 * A, np.eye(2)]]))
    assert outcome.at("I", 0) == pytest.approx(np.linalg.inv(A))
    assert outcome.at("W", 0) == pytest.approx(2 * np.eye(2))
    assert outcome.at("S", 0) == pytest.approx(np.linalg.inv(A))


def test_matrices_without_rows_pass_through() -> None:
    equations = program(
        Step(name="A", op="define", size=(0, 2)),
        Step(name="C", op="nullspace", args=("A",), indices=(1, 0)),
        Step(name="At", op="transpose", args=("A",)),
        Step(name="Q", op="product", args=("A", "At")),
        Step(name="r", op="define", size=(0, 1)),
        Step(name="lam", op="solve", args=("Q", "r"), kind="general"),
        Step(name="pos", op="solve", args=("Q", "r"), kind="positive"),
        Step(name="root", op="sqrtm", args=("Q",)),
        Step(name="Fc", op="product", args=("At", "lam")),
    )
    outcome = run(equations, {})
    assert outcome.status.tolist() == ["regular"]
    assert outcome.at("C", 0).tolist() == [[0, 1], [1, 0]]
    assert outcome.at("Fc", 0).tolist() == [[0], [0]]
    assert outcome.at("root", 0).shape == (0, 0)


# -- residuals and given matrices -------------------------------------------------------------


@pytest.mark.parametrize("given", [[[0.0], [-1.0]], [[[0.0]], [[-1.0]]]])
def test_a_residual_takes_the_accelerations_of_somebody_else(given: Any) -> None:
    residual = own_residual()
    values = {**PENDULUM, THETA: np.arcsin(0.2)}
    outcome = run(pendulum(), values, residual=residual, given={"a": given})
    # M = 12, h = -12: off by 12 without acceleration, and right at -1
    assert array(outcome, residual.value).ravel() == pytest.approx([12, 0], abs=1e-14)
    assert array(outcome, residual.magnitude).ravel() == pytest.approx([12, 24])


def test_a_given_matrix_may_have_names_for_its_entries() -> None:
    residual = Residual(
        name="own",
        steps=(
            Step(name="ud", op="given", size=(2, 1), entries=((X,), (Y,))),
            column("r", sub(X, mul(Y, Y))),
            Step(name="size", op="absolute", args=("r",)),
        ),
        value="r",
        magnitude="size",
    )
    outcome = run(program(), {}, residual=residual, given={"ud": [7.0, 3.0]})
    assert outcome.at("r", 0).tolist() == [[-2]]
    assert outcome.at("size", 0).tolist() == [[2]]


def reactive() -> Any:
    """Return y = 4 - x |y|, and then h = (y^2, x y)."""
    y = symbol("reaction")
    return program(
        Step(
            name="y",
            op="implicit",
            steps=(
                Step(name="y", op="given", size=(1, 1), entries=((y,),)),
                column("F", sub(number(4), mul(X, function("abs", y)))),
                Step(name="g", op="sum", args=("y", "F"), signs=(1, -1)),
            ),
            unknown="y",
            residual="g",
        ),
        replace(column("h", mul(y, y), mul(X, y)), args=("y",), symbols=(y,)),
    )


def test_expressions_may_be_of_the_entries_of_a_column() -> None:
    outcome = run(reactive(), {X: [0.0, 1.5, 0.6]})
    assert outcome.status.tolist() == ["regular", "jamming", "regular"]
    assert array(outcome, "h")[[0, 2], :, 0] == pytest.approx(np.array([[16, 0], [6.25, 1.5]]))
    assert from_json(to_json(reactive())) == reactive()


def test_only_what_leads_to_the_wanted_matrices_is_run() -> None:
    equations = program(column("a", X), column("b", divide(ONE, X)))
    assert run(equations, {X: 0.0}).status.tolist() == ["not finite"]
    outcome = run(equations, {X: 0.0}, wanted=["a"])
    assert outcome.status.tolist() == ["regular"]
    with pytest.raises(KeyError, match="b"):
        outcome.matrix("b")


@pytest.mark.parametrize(
    ("values", "more", "said"),
    [
        ({}, {}, "no value for x"),
        ({X: [1.0, 2.0], Y: [1.0, 2.0, 3.0]}, {}, "one number for each state"),
        ({X: 1.0}, {"wanted": ["b"]}, "no step makes 'b'"),
        ({X: 1.0}, {"residual": own_residual()}, "step 'Ma' uses 'M'"),
    ],
)
def test_a_wrong_call_is_an_error(values: dict[Node, Any], more: Any, said: str) -> None:
    with pytest.raises(EquationsError, match=said):
        run(program(column("a", X)), values, **more)


def test_a_given_matrix_must_be_there_in_its_size() -> None:
    values = {**PENDULUM, THETA: 0.0}
    with pytest.raises(EquationsError, match="'a' is not given"):
        run(pendulum(), values, residual=own_residual())
    with pytest.raises(EquationsError, match="'a' is not 1 by 1"):
        run(pendulum(), values, residual=own_residual(), given={"a": [1.0, 2.0]})
