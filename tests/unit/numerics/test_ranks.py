"""Ranks by rounding bounds, and the second opinion of the inertia."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.numerics.ranks import (
    EPS,
    MARGIN,
    SECOND_MARGIN,
    SPOILT,
    blocks,
    cleaned,
    doubtful_rows,
    equilibrate,
    factors,
    is_regular,
    rank,
)


def exact(A: np.ndarray) -> np.ndarray:
    """Return the bounds of numbers that are rounded once."""
    return np.asarray(EPS * np.abs(A))


def test_a_row_of_rounding_is_no_constraint_although_scaling_would_make_it_one() -> None:
    A = np.array([[[1.0, 2.0, 0.5], [3e-17, -1e-17, 2e-17]]])
    noise = np.array([[[1e-16] * 3, [1e-16] * 3]])
    assert rank(A, noise).tolist() == [1]
    assert rank(A).tolist() == [2]


def test_a_tiny_row_that_is_exact_is_a_constraint() -> None:
    A = np.array([[[1.0, 2.0, 0.5], [3e-17, -1e-17, 2e-17]]])
    assert rank(A, exact(A)).tolist() == [2]


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_rows_that_are_nearly_dependent_count_as_far_as_they_are_exact(distance: float) -> None:
    A = np.array([[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0 + distance]]])
    assert rank(A, exact(A)).tolist() == [2]
    assert rank(A, np.full(A.shape, distance)).tolist() == [1]


def test_units_of_rows_and_columns_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    B = rng.standard_normal((20, 4, 3)) @ rng.standard_normal((20, 3, 6))
    E = 1e-15 * np.abs(B).max(axis=(1, 2), keepdims=True) * np.ones_like(B)
    r, c = 10.0 ** rng.uniform(-20, 20, (20, 4, 1)), 10.0 ** rng.uniform(-20, 20, (20, 1, 6))
    assert (rank(B, E) == 3).all()
    assert (rank(r * B * c, r * E * c) == 3).all()


def test_an_inexact_row_does_not_hide_an_exact_one_that_is_nearly_dependent() -> None:
    A = np.array([[[1.0, 1.0, 0.0, 0.0], [1.0, 1.0 + 1e-9, 0.0, 0.0], [0.0, 0.0, 1e-12, 2e-12]]])
    noise = exact(A)
    noise[0, 2] = 1e-14
    parts = factors(A, noise)
    assert parts.ranks.tolist() == [3]
    noise[0, 2] = 1e-12
    assert rank(A, noise).tolist() == [2]


def test_singular_values_that_count_come_first() -> None:
    A = np.array([[[1.0, 0.0], [0.0, 1e-3]]])
    noise = np.array([[[0.09, 0.0], [0.0, 1e-18]]])
    parts = factors(A, noise)
    assert parts.ranks.tolist() == [2]
    noise[0, 0, 0] = 0.11
    parts = factors(A, noise)
    assert parts.ranks.tolist() == [1]
    assert abs(parts.Vt[0, 0, 1]) == pytest.approx(1.0)
    whole = parts.U @ (parts.s[:, :, None] * parts.Vt)
    # the first entry is below ten times its bound and so not scaled, but it is kept
    assert whole == pytest.approx(parts.r * A * parts.c)


def test_entries_below_their_bounds_are_cleaned() -> None:
    A = np.array([[[1.0, 9.9e-16, 1.1e-15]]])
    assert cleaned(A, np.full(A.shape, 1e-16)).tolist() == [[[1.0, 0.0, 1.1e-15]]]
    assert cleaned(A, None) is A


def test_empty_matrices_have_no_rank() -> None:
    for shape in ((2, 0, 3), (2, 3, 0)):
        assert rank(np.zeros(shape), np.zeros(shape)).tolist() == [0, 0]
        assert not doubtful_rows(np.zeros(shape), np.zeros(shape), np.eye(shape[2])[None]).any()


def test_a_zero_matrix_is_not_regular() -> None:
    assert is_regular(np.array([[1.0, 1e-13], [1.0, 1e-15]])).tolist() == [True, False]


M = np.array([[[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 4.0]]])


@pytest.mark.parametrize(
    ("times", "rows"),
    [
        (0.1, [False, False]),
        (2 * MARGIN, [True, True]),
        (0.1 * SECOND_MARGIN, [True, True]),
        (20 * SECOND_MARGIN, [False, False]),
        (1e6, [False, False]),
    ],
)
def test_a_constraint_close_to_rounding_is_in_doubt(times: float, rows: list[bool]) -> None:
    noise = np.full((1, 3, 3), 1e-15)
    noise[0, 2] = 0.0
    A = np.array([[[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]])
    A[0, 1, 0] += times * 4e-15
    assert doubtful_rows(A, noise, M).tolist() == [[*rows, False]]


def test_an_inertia_that_is_not_definite_has_no_opinion() -> None:
    A = np.array([[[1.0, 2.0, 0.0], [1.0 + 2e-13, 2.0, 0.0]]])
    noise = np.full(A.shape, 1e-15)
    assert doubtful_rows(A, noise, M).any()
    assert not doubtful_rows(A, noise, np.diag([1.0, 0.0, 1.0])[None]).any()
    assert not doubtful_rows(A, noise, np.full((1, 3, 3), np.nan)).any()


# -- scales and blocks ---------------------------------------------------------------------------


def saddle(m: float, lengths: float) -> np.ndarray:
    """Return [M, -1, 0; -1, 0, A; 0, A^T, 0] of a free body of some mass and size."""
    rng = np.random.default_rng(7)
    J = rng.standard_normal((3, 3))
    inertia = np.zeros((6, 6))
    inertia[:3, :3], inertia[3:, 3:] = m * np.eye(3), m * lengths**2 * (J @ J.T + np.eye(3))
    A = rng.standard_normal((6, 2))
    A[:3] *= lengths
    one, none = np.eye(6), np.zeros
    rows = [
        [inertia, -one, none((6, 2))],
        [-one, none((6, 6)), A],
        [none((2, 6)), A.T, none((2, 2))],
    ]
    return np.block(rows)


@pytest.mark.parametrize("m", [1e-12, 1e-9, 1.0, 1e24])
@pytest.mark.parametrize("lengths", [1e-3, 1.0, 1e6])
def test_masses_beside_ones_are_as_well_conditioned_in_all_units(m: float, lengths: float) -> None:
    scaled, r, c = equilibrate(saddle(m, lengths)[None], exact=True)
    assert np.linalg.cond(scaled[0]) < 100 * np.linalg.cond(saddle(1.0, 1.0))
    assert (np.frexp(r)[0] == 0.5).all()
    assert (np.frexp(c)[0] == 0.5).all()


def test_scales_follow_the_units_of_rows_and_columns() -> None:
    rng = np.random.default_rng(8)
    A = rng.standard_normal((30, 7, 7)) * (rng.random((30, 7, 7)) < 0.5) + np.eye(7)
    d = np.exp2(rng.integers(-60, 60, (2, 30, 7)))
    moved = d[0][:, :, None] * A * d[1][:, None, :]
    one, other = (np.linalg.cond(equilibrate(x, exact=True)[0]) for x in (A, moved))
    assert (other < 20 * one).all()


def test_entries_as_they_are_serve_only_where_they_are_nearly_as_good() -> None:
    for m in (1e-12, 1e24):
        own = np.linalg.cond(equilibrate(saddle(m, 1.0)[None])[0])
        assert own[0] < SPOILT * np.linalg.cond(equilibrate(saddle(m, 1.0)[None], exact=True)[0])[0]


def test_entries_that_are_rounding_do_not_spoil_the_scales_of_a_triangular_matrix() -> None:
    L = np.triu(1e-17 * np.random.default_rng(9).standard_normal((6, 6)), 1) + np.eye(6)
    scaled, _, _ = equilibrate(L[None])
    assert np.linalg.cond(scaled[0]) < 100


def test_the_first_rows_have_one_scale() -> None:
    A = np.array([[[1e24, 2e24], [1.0, 3.0], [5e-9, 1e-9]]])
    _, r, _ = equilibrate(A, 2)
    assert r[0, 0, 0] == r[0, 1, 0]


def test_blocks_share_neither_rows_nor_columns() -> None:
    A = np.zeros((2, 4, 4))
    A[0, 0, 1] = A[1, 2, 1] = A[0, 1, 0] = 1.0
    found = [(rows.tolist(), columns.tolist()) for rows, columns in blocks(A)]
    assert found == [([0, 2], [1]), ([1], [0]), ([3], []), ([], [2]), ([], [3])]


def test_singular_vectors_do_not_mix_blocks() -> None:
    rng = np.random.default_rng(10)
    A = np.zeros((5, 5, 6))
    A[:, :3, :2], A[:, 3:, 2:5] = rng.standard_normal((5, 3, 2)), rng.standard_normal((5, 2, 3))
    parts = factors(A)
    assert parts.ranks.tolist() == [4] * 5
    own = (parts.U[:, :3] != 0).any(axis=1) & (parts.U[:, 3:] != 0).any(axis=1)
    assert not own.any()
    whole = parts.U[:, :, :5] @ (parts.s[:, :, None] * parts.Vt[:, :5])
    assert whole == pytest.approx(parts.r * A * parts.c)
    for Q in (parts.U, parts.Vt):
        assert Q @ np.swapaxes(Q, 1, 2) == pytest.approx(
            np.broadcast_to(np.eye(Q.shape[1]), Q.shape)
        )
