"""Loads that grow with one norm of reactions: the closed form, beside the iteration."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from mbx.expr.build import add, function, mul, power, scale
from mbx.expr.nodes import Node, number, symbol
from mbx.formalism.program import Step
from mbx.numerics.execute.implicit_steps import fixed_point
from mbx.numerics.execute.single_norm import quadratic, single_norm, square_of

A, B, S = symbol("a"), symbol("b"), symbol("s")
NORM = power(add(power(A, 2), power(B, 2)), 0.5)


def step(*images: Node) -> Step:
    """Return the implicit step (a, b) = images."""
    return Step(
        name="x",
        op="implicit",
        unknown="y",
        residual="g",
        steps=(
            Step(name="y", op="given", size=(2, 1), entries=((A,), (B,))),
            Step(name="F", op="define", size=(2, 1), entries=tuple((x,) for x in images)),
            Step(name="g", op="sum", args=("y", "F"), signs=(1, -1)),
        ),
    )


def test_one_norm_in_affine_images_is_found() -> None:
    found = single_norm(step(add(S, scale(-0.5, NORM)), mul(S, NORM)))
    assert found is not None
    assert found.named == (A, B)
    y, s = np.array([[3.0, 4.0]]), np.array([2.0])
    assert found.of(y, {S: s}).tolist() == [25.0]


@pytest.mark.parametrize(
    "images",
    [
        (add(S, NORM), A),  # a itself
        (add(S, NORM), function("abs", B)),  # two norms
        (power(NORM, 2), S),  # not affine in it
        (power(add(power(A, 2), power(B, 2), number(1)), 0.5), S),  # not homogeneous
        (power(add(power(A, 4), power(B, 2)), 0.5), S),  # not quadratic
        (S, number(1)),  # none at all
    ],
)
def test_what_enters_otherwise_is_left_to_iteration(images: tuple[Node, Node]) -> None:
    assert single_norm(step(*images)) is None


def test_a_residual_of_another_shape_is_left_to_iteration() -> None:
    one = step(add(S, NORM), S)
    last = Step(name="g", op="sum", args=("F", "y"), signs=(1, -1))
    assert single_norm(replace(one, steps=(*one.steps[:2], last))) is None


def test_the_square_of_an_absolute_value_is_that_of_its_argument() -> None:
    assert square_of(function("abs", add(A, scale(2, B))), [A, B]) is power(add(A, scale(2, B)), 2)
    assert square_of(function("abs", S), [A, B]) is None


@pytest.mark.parametrize("seed", range(5))
def test_the_root_is_that_of_the_iteration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    r0, r1 = rng.normal(size=(20, 3)), rng.uniform(-0.55, 0.55, size=(20, 3))

    def square(y: np.ndarray) -> np.ndarray:
        return np.asarray((y**2).sum(axis=1))

    N, growth, count = quadratic(r0, r1, square)
    assert (growth < 1).all()
    assert (count == 1).all()
    assert pytest.approx(np.sqrt(square(r0 + r1 * N[:, None])), rel=1e-13) == N
    assert (N >= 0).all()

    def left(at: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = r0[at] + r1[at] * n
        return n - np.sqrt(square(y))[:, None], np.full(len(at), "regular", dtype=object)

    n, faults = fixed_point(left, np.ones((20, 1)))
    assert set(faults) == {""}
    assert n[:, 0] == pytest.approx(N, rel=1e-9)


@pytest.mark.parametrize(
    ("r0", "r1", "count"),
    [
        ((3.0, 4.0), (0.0, 0.5), 1),
        ((3.0, 4.0), (0.0, 2.0), 0),  # N = |(3, 4 + 2 N)| is never
        ((1.0, -4.0), (0.0, 2.0), 2),  # 3 N^2 - 16 N + 17 = 0 twice
    ],
)
def test_solutions_are_counted(r0: tuple[float, ...], r1: tuple[float, ...], count: int) -> None:
    _, growth, found = quadratic(
        np.array([r0]), np.array([r1]), lambda y: np.asarray((y**2).sum(axis=1))
    )
    assert growth[0] == pytest.approx(sqrt(r1[0] ** 2 + r1[1] ** 2))
    assert found[0] == count


def test_nothing_but_friction_is_no_friction() -> None:
    zero = np.zeros((1, 2))
    N, _, _ = quadratic(zero, np.array([[0.3, 0.2]]), lambda y: np.asarray((y**2).sum(axis=1)))
    assert N[0] == 0.0
