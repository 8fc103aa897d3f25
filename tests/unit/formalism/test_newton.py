from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

from mbx.expr.build import add, choose, function, less, mul, power, scale
from mbx.expr.nodes import Node, number, symbol
from mbx.formalism.program import Step
from mbx.numerics.execute.execute import run
from mbx.numerics.execute.implicit_steps import fixed_point
from unit.formalism.programs import column, friction, program

A, B, C = symbol("a"), symbol("b"), symbol("c")


def implicit(*images: Node, start: tuple[Node, ...] = ()) -> Any:
    """Return the program of (a, b) = images, from a start."""
    n = len(images)
    inner = (
        Step(name="y", op="given", size=(n, 1), entries=((A,), (B,))[:n]),
        column("F", *images),
        Step(name="g", op="sum", args=("y", "F"), signs=(1, -1)),
    )
    steps = (column("y0", *start),) if start else ()
    args = ("y0",) if start else ()
    return program(
        *steps, Step(name="x", op="implicit", args=args, steps=inner, unknown="y", residual="g")
    )


def closed_form(mu: float, r0: tuple[float, float], r1: tuple[float, float]) -> float:
    """Return the root N >= 0 of (mu^2 |r1|^2 - 1) N^2 - 2 mu (r0.r1) N + |r0|^2 = 0."""
    a = mu**2 * (r1[0] ** 2 + r1[1] ** 2) - 1
    b = -2 * mu * (r0[0] * r1[0] + r0[1] * r1[1])
    c = r0[0] ** 2 + r0[1] ** 2
    return (-b - sqrt(b * b - 4 * a * c)) / (2 * a)


@pytest.mark.parametrize("mu", [0.0, 0.1, -0.3, 0.6])
@pytest.mark.parametrize("r0", [(10.0, -2.0), (0.0, 1e-6), (-3e8, 1.0)])
def test_friction_meets_its_quadratic(mu: float, r0: tuple[float, float]) -> None:
    r1 = (0.9, -1.1)
    outcome = run(friction(mu, r0, r1), {})
    assert outcome.status.tolist() == ["regular"]
    assert outcome.at("N", 0)[0, 0] == pytest.approx(closed_form(mu, r0, r1), rel=1e-13)


@pytest.mark.parametrize(
    ("mu", "r0", "r1"),
    [
        (1.0, (0.0, 2.0), (1.0, 0.0)),  # mu |r1| = 1, no root
        (2.0, (1.0, 0.0), (1.0, 0.0)),  # two roots, 1/3 and 1
        (1.1, (1.0, 1.0), (1.0, 0.0)),  # two roots, the slope at one of them only 0.12
        (3.0, (0.0, 1.0), (1.0, 0.0)),  # none
    ],
)
def test_friction_that_does_not_contract_jams(mu: float, r0: Any, r1: Any) -> None:
    outcome = run(friction(mu, r0, r1), {})
    assert outcome.status.tolist() == ["jamming"]
    assert np.isnan(outcome.at("N", 0)).all()


def test_friction_just_below_jamming_is_regular() -> None:
    outcome = run(friction(0.999, (0.0, 1.0), (1.0, 0.0)), {})
    assert outcome.status.tolist() == ["regular"]
    assert outcome.at("N", 0)[0, 0] == pytest.approx(1 / sqrt(1 - 0.999**2), rel=1e-12)


def reaction(k: float) -> Any:
    """Return (a, b) = (3, 4) - k |(a, b)| (1, 0): the reaction itself is the unknown."""
    size = power(add(power(A, 2), power(B, 2)), 0.5)
    return implicit(add(number(3), scale(-k, size)), number(4))


def test_a_reaction_of_two_components_meets_its_quadratic() -> None:
    outcome = run(reaction(0.5), {})
    N = closed_form(0.5, (3.0, 4.0), (1.0, 0.0))
    assert outcome.at("x", 0).ravel() == pytest.approx([3 - 0.5 * N, 4], rel=1e-13)


def test_a_reaction_of_two_components_jams_by_its_norm() -> None:
    # at the root the derivative has the eigenvalue -k a/N, which is less than 1
    assert run(reaction(-1.05), {}).status.tolist() == ["jamming"]


def test_a_root_on_a_kink_is_found() -> None:
    outcome = run(implicit(scale(0.5, function("abs", A))), {})
    assert outcome.status.tolist() == ["regular"]
    assert outcome.at("x", 0)[0, 0] == pytest.approx(0, abs=1e-15)


def test_a_kink_between_start_and_root_is_crossed() -> None:
    image = add(number(-3), scale(-0.5, function("abs", A)))
    outcome = run(implicit(image, start=(number(50),)), {})
    assert outcome.at("x", 0)[0, 0] == pytest.approx(-6, rel=1e-14)


def test_a_start_outside_of_the_domain_is_not_finite() -> None:
    image = add(number(3), scale(0.1, power(A, 0.5)))
    assert run(implicit(image, start=(number(-1),)), {}).status.tolist() == ["not finite"]


def test_a_step_out_of_the_domain_is_halved() -> None:
    # Newton's first step from 5 leads below zero, where the logarithm is no number
    image = add(number(0.01), scale(-0.25, function("log", A)))
    outcome = run(implicit(image, start=(number(5),)), {})
    assert outcome.status.tolist() == ["regular"]
    x = outcome.at("x", 0)[0, 0]
    assert x == pytest.approx(0.01 - np.log(x) / 4, rel=1e-13)


def test_an_equation_without_a_root_does_not_converge() -> None:
    image = choose(less(A, number(0.5)), number(1), number(0))
    assert run(implicit(image), {}).status.tolist() == ["no convergence"]


def test_a_slope_of_more_than_one_at_the_root_jams() -> None:
    image = add(number(0.1), scale(-2, function("tanh", A)))
    assert run(implicit(image), {}).status.tolist() == ["jamming"]


def test_a_second_root_on_the_other_side_jams() -> None:
    # a = 1 + a/10 from 10/9 on, and a = 1 + 2 a at -1
    image = add(number(1), choose(less(A, number(0)), scale(2, A), scale(0.1, A)))
    assert run(implicit(image, start=(number(2),)), {}).status.tolist() == ["jamming"]


def test_states_of_a_batch_end_each_in_its_own_way() -> None:
    image = add(number(1), mul(C, function("abs", A)))
    outcome = run(implicit(image), {C: [0.5, 2.0, 0.0]})
    assert outcome.status.tolist() == ["regular", "jamming", "regular"]
    found = outcome.matrix("x")
    assert isinstance(found, np.ndarray)
    assert found[[0, 2], 0, 0].tolist() == pytest.approx([2, 1], rel=1e-14)


def test_nothing_unknown_is_nothing_to_find() -> None:
    y, faults = fixed_point(lambda at, y: (y, np.full(len(at), "regular")), np.zeros((2, 0)))
    assert y.shape == (2, 0)
    assert faults.tolist() == ["", ""]
