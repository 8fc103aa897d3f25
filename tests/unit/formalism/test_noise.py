from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from mbx.expr.nodes import Node, number
from mbx.formalism.program import Step
from mbx.numerics.bounds import noise_of
from mbx.numerics.execute import stacked_algebra
from mbx.numerics.execute.execute import run
from mbx.numerics.ranks import cleaned
from unit.formalism.programs import matrix, program

RANDOM = np.random.default_rng(7)


def numbers(A: Any) -> tuple[tuple[Node, ...], ...]:
    return tuple(tuple(number(float(x)) for x in row) for row in A)


def own(A: Any) -> Any:
    return stacked_algebra.EPS * np.abs(A)


def exactly(A: Any) -> Any:
    return np.asarray(A, dtype=np.longdouble)


def test_constraints_that_hold_already_take_nothing_away() -> None:
    A = RANDOM.normal(size=(3, 6)) * [[1], [1e3], [1e-3]]
    equations = program(
        matrix("A", *numbers(A)),
        Step(name="R", op="nullspace", args=("A",)),
        Step(name="B", op="product", args=("A", "R")),
        Step(name="C", op="nullspace", args=("B",)),
        Step(name="P", op="pinv", args=("B",)),
    )
    outcome = run(equations, {})
    assert outcome.at("C", 0).shape == (3, 3)
    assert (outcome.at("P", 0) == 0).all()


def test_a_projected_system_with_rows_of_noise_is_consistent() -> None:
    # Udwadia and Phohomsiri: [(1 - A^+ A) M; A] a = [(1 - A^+ A) Q; -b]
    A = np.zeros((2, 4))
    A[:, :2] = RANDOM.normal(size=(2, 2))
    L = RANDOM.normal(size=(4, 4))
    M, Q, b = L @ L.T, RANDOM.normal(size=(4, 1)), RANDOM.normal(size=(2, 1))
    equations = program(
        *(matrix(name, *numbers(x)) for name, x in zip("AMQb", (A, M, Q, -b), strict=True)),
        Step(name="E", op="identity", size=(4, 4)),
        Step(name="AP", op="pinv", args=("A",)),
        Step(name="APA", op="product", args=("AP", "A")),
        Step(name="rest", op="sum", args=("E", "APA"), signs=(1, -1)),
        Step(name="Mr", op="product", args=("rest", "M")),
        Step(name="Qr", op="product", args=("rest", "Q")),
        Step(name="K", op="block", grid=(("Mr",), ("A",))),
        Step(name="k", op="block", grid=(("Qr",), ("b",))),
        Step(name="a", op="solve", args=("K", "k"), kind="least_squares", unique=4),
    )
    outcome = run(equations, {})
    assert outcome.status.tolist() == ["regular"]
    kkt = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    expected = np.linalg.solve(kkt, np.vstack([Q, -b]))[:4]
    assert outcome.at("a", 0) == pytest.approx(expected, rel=1e-10)


def test_only_what_is_below_its_noise_is_zero() -> None:
    A = np.array([[[1.0, 1e-16, 0.5]]])
    assert cleaned(A, np.array([[[0.05, 1e-17, 0.05]]])).tolist() == [[[1, 0, 0]]]


def test_the_noise_of_a_product_bounds_its_error_without_exceeding_it_much() -> None:
    A, B, C = (RANDOM.normal(size=(1, 8, 8)) for _ in range(3))
    noise = noise_of(Step(name="p", op="product"), [A, B, C], [own(A), own(B), own(C)], A @ B @ C)
    assert noise.max() < 1e4 * stacked_algebra.EPS * 8
    noise = noise_of(Step(name="p", op="product"), [A, B, C], [0 * A, 0 * B, 0 * C], A @ B @ C)
    error = np.abs(A @ B @ C - exactly(A) @ exactly(B) @ exactly(C))
    assert (error <= noise).all()


def test_the_noise_of_a_product_holds_that_of_its_factors() -> None:
    A, B = np.ones((1, 2, 2)), np.ones((1, 2, 2))
    moved = np.full((1, 2, 2), 1e-3)
    zero = np.zeros((1, 2, 2))
    for noise in ([moved, zero], [zero, moved]):
        found = noise_of(Step(name="p", op="product"), [A, B], noise, A @ B)
        assert found == pytest.approx(np.full((1, 2, 2), 2e-3))


def test_the_noise_of_a_sum_is_that_of_its_terms() -> None:
    A = np.array([[[1.0]]])
    found = noise_of(Step(name="s", op="sum"), [A, -A], [A * 1e-3, A * 1e-4], 0 * A)
    assert found.item() == pytest.approx(1.1e-3)
    exact = noise_of(Step(name="s", op="sum"), [A, -A], [0 * A, 0 * A], 0 * A)
    assert exact.item() == 2 * stacked_algebra.EPS


def test_the_noise_of_a_solution_bounds_what_a_moved_system_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mbx.numerics.bounds.MOST", np.inf)
    A = scipy.linalg.hilbert(5)[None] * np.array([1, 1e6, 1, 1e-6, 1])[:, None]
    b = A @ np.ones((5, 1))
    x, _ = stacked_algebra.solve(A, b)
    moved = 1e-9 * A * RANDOM.uniform(-1, 1, size=A.shape)
    other, _ = stacked_algebra.solve(A + moved, b)
    noise = noise_of(Step(name="x", op="solve"), [A, b], [1e-9 * np.abs(A), 0 * b], x)
    assert (np.abs(other - x) <= noise).all()
    assert noise.max() < 1e-9 * 1e7
    other, _ = stacked_algebra.solve(A, b * (1 + 1e-9 * RANDOM.uniform(-1, 1, size=b.shape)))
    noise = noise_of(Step(name="x", op="solve"), [A, b], [0 * A, 1e-9 * np.abs(b)], x)
    assert (np.abs(other - x) <= noise).all()


@pytest.mark.parametrize("op", ["pinv", "sqrtm"])
def test_the_noise_of_an_inverse_or_a_root_bounds_what_a_moved_matrix_gives(
    op: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mbx.numerics.bounds.MOST", np.inf)
    make = stacked_algebra.pinv if op == "pinv" else lambda A: stacked_algebra.sqrtm(A)[0]
    L = RANDOM.normal(size=(1, 4, 4))
    A = L @ np.swapaxes(L, 1, 2)
    moved = 1e-8 * RANDOM.uniform(-1, 1, size=A.shape)
    moved = moved + np.swapaxes(moved, 1, 2)
    noise = noise_of(Step(name="x", op=op), [A], [np.full(A.shape, 2e-8)], make(A))
    assert (np.abs(make(A + moved) - make(A)) <= noise).all()
    assert noise.max() < 1e-8 * 1e6


def test_bounds_of_bounds_do_not_swallow_a_matrix() -> None:
    # an ill-conditioned inverse of something already noisy: its entries are kept all the same
    A = scipy.linalg.hilbert(6)[None]
    for op in ("pinv", "sqrtm"):
        value = stacked_algebra.pinv(A) if op == "pinv" else stacked_algebra.sqrtm(A)[0]
        noise = noise_of(Step(name="x", op=op), [A], [1e-9 * np.abs(A)], value)
        assert noise.max() <= 1e-13 * np.linalg.norm(value)


def test_noise_moves_with_the_entries_it_belongs_to() -> None:
    A = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    steps = [
        Step(name="t", op="transpose"),
        Step(name="r", op="rows", indices=(1,)),
        Step(name="v", op="absolute"),
        Step(name="e", op="identity", size=(2, 2)),
    ]
    found = [noise_of(step, [A], [A], A)[0].tolist() for step in steps]
    assert found == [[[1, 3], [2, 4]], [[3, 4]], [[1, 2], [3, 4]], [[0, 0], [0, 0]]]


def test_a_small_column_leaves_the_null_space_without_noise() -> None:
    A = np.array([[[1.0, 1.0, 1e-17]]])
    C = np.array([[[1.0], [-1.0], [0.0]]]) / np.sqrt(2)
    assert noise_of(Step(name="C", op="nullspace"), [A], [own(A)], C).max() < 1e-14
