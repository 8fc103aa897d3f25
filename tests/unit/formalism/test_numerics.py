from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from mbx.numerics.execute import stacked_algebra

RANDOM = np.random.default_rng(20)


def stack(*matrices: Any) -> Any:
    return np.array(matrices, dtype=float)


def test_equilibration_brings_every_row_and_column_near_one_without_rounding() -> None:
    A = RANDOM.normal(size=(3, 4, 5)) * 10.0 ** RANDOM.integers(-9, 9, size=(3, 4, 5))
    scaled, r, c = stacked_algebra.equilibrate(A)
    assert (np.abs(scaled).max(axis=1) >= 0.5).all()
    assert (np.abs(scaled).max(axis=(1, 2)) < 1).all()
    assert (scaled / r / c == A).all()


def test_a_row_of_zeros_is_left_alone() -> None:
    scaled, r, _ = stacked_algebra.equilibrate(stack([[0, 0], [4, 0]]))
    assert scaled.tolist() == [[[0, 0], [0.5, 0]]]
    assert r[0, 0, 0] == 1


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0], [0, 1e-30]], 2),  # units, not dependence
        ([[1, 2], [2, 4]], 1),
        ([[0, 0], [0, 0]], 0),
        ([[1, 1], [1, 1 + 1e-15]], 1),
        ([[1, 1], [1, 1 + 1e-12]], 2),
    ],
)
def test_the_rank_does_not_depend_on_units(rows: Any, expected: int) -> None:
    assert stacked_algebra.rank(stack(rows)).tolist() == [expected]


def test_empty_matrices_have_rank_zero_and_a_full_null_space() -> None:
    C, nullity = stacked_algebra.nullspace(np.zeros((2, 0, 3)))
    assert nullity.tolist() == [3, 3]
    assert np.abs(C @ np.swapaxes(C, 1, 2) - np.eye(3)).max() < 1e-15


def test_the_null_space_is_exact_in_every_row_whatever_the_units() -> None:
    B = RANDOM.normal(size=(20, 3, 6))
    B[0, 2] = B[0, 0] - B[0, 1]
    B *= 10.0 ** RANDOM.integers(-9, 9, size=(20, 3, 1))
    B *= 10.0 ** RANDOM.integers(-6, 6, size=(20, 1, 6))
    C, nullity = stacked_algebra.nullspace(B)
    assert nullity.tolist() == [4] + [3] * 19
    for one, basis, k in zip(B, C, nullity, strict=True):
        own = basis[:, 6 - k :]
        assert (np.abs(one @ own) <= 1e-14 * (np.abs(one) @ np.abs(own))).all()
        assert np.abs(own.T @ own - np.eye(k)).max() < 1e-13


def test_a_null_vector_beside_small_columns_is_found_to_all_digits() -> None:
    B = stack([[1, 0, 0], [1, 1e-13, 1e-13]])
    C, _ = stacked_algebra.nullspace(B)
    assert np.abs(C[0, :, 2] * np.sign(C[0, 1, 2])) == pytest.approx(
        [0, np.sqrt(0.5), np.sqrt(0.5)], abs=1e-12
    )


def test_the_null_space_is_orthonormal_beside_columns_of_any_size() -> None:
    B = RANDOM.normal(size=(200, 4, 7)) * 10.0 ** RANDOM.integers(-13, 0, size=(200, 1, 7))
    B *= 10.0 ** RANDOM.integers(-40, 40, size=(200, 4, 1))
    C, nullity = stacked_algebra.nullspace(B)
    assert (nullity == 3).all()
    N = C[:, :, 4:]
    assert np.abs(np.swapaxes(N, 1, 2) @ N - np.eye(3)).max() < 1e-13
    assert (np.abs(B @ N) <= 1e-12 * (np.abs(B) @ np.abs(N))).all()


def test_the_null_space_by_independent_columns_has_the_unit_matrix_there() -> None:
    # B_* = [[2, 0], [0, 4]] in columns 0 and 2; C_* = -B_*^-1 B_#
    B = stack([[2, 6, 0, 2], [0, 4, 4, 8]])
    C, nullity = stacked_algebra.nullspace(B, (3, 1))
    assert nullity.tolist() == [2]
    assert C[0, :, 2:] == pytest.approx(np.array([[-1, -3], [0, 1], [-2, -1], [1, 0]]))


def test_columns_that_are_not_independent_give_way_to_an_orthonormal_basis() -> None:
    B = stack([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 0, 0]])
    C, nullity = stacked_algebra.nullspace(B, (0,))
    assert nullity.tolist() == [1, 2]
    assert np.abs(C[0, :, 2]).tolist() == pytest.approx([0, 0, 1])
    assert np.abs(B[1] @ C[1, :, 1:]).max() < 1e-15
    assert C[1, :, 1:].T @ C[1, :, 1:] == pytest.approx(np.eye(2))


def test_a_system_is_solved_where_it_is_regular_and_singular_elsewhere() -> None:
    A = stack([[1, 2], [3, 4]], [[1, 2], [2, 4]], [[0, 0], [0, 0]], [[1e-200, 0], [0, 1e200]])
    b = stack([[5], [11]], [[1], [1]], [[1], [1]], [[3e-200], [2e200]])
    x, faults = stacked_algebra.solve(A, b)
    assert faults.tolist() == ["", "singular", "singular", ""]
    assert x[0].ravel() == pytest.approx([1, 2], rel=1e-15)
    assert x[3].ravel() == pytest.approx([3, 2], rel=1e-15)


@pytest.mark.parametrize(("gap", "fault"), [(1e-12, ""), (1e-15, "singular")])
def test_the_reciprocal_condition_decides_what_is_singular(gap: float, fault: str) -> None:
    _, faults = stacked_algebra.solve(stack([[1, 1], [1, 1 + gap]]), stack([[1], [1]]))
    assert faults.tolist() == [fault]


def test_refinement_leaves_a_residual_of_rounding_only() -> None:
    A = scipy.linalg.hilbert(8)[None]
    b = A @ np.ones((8, 1))
    x, _ = stacked_algebra.solve(A, b)
    left = np.abs(b - A @ x) / (np.abs(A) @ np.abs(x) + np.abs(b))
    assert left.max() < 3e-16


def test_refinement_makes_every_row_as_good_as_the_best() -> None:
    A = RANDOM.normal(size=(20, 40, 40)) * 10.0 ** RANDOM.uniform(-6, 6, size=(20, 40, 40))
    b = RANDOM.normal(size=(20, 40, 1))
    x, _ = stacked_algebra.solve(A, b)
    left = np.abs(b - A @ x) / (np.abs(A) @ np.abs(x) + np.abs(b))
    assert left.max() < 5e-16


def test_a_zero_pivot_is_a_singular_state_and_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = np.linalg.solve

    def refusing(A: Any, b: Any) -> Any:
        if (A[:, 0, 0] == 0.75).any():
            raise np.linalg.LinAlgError
        return own(A, b)

    monkeypatch.setattr(np.linalg, "solve", refusing)
    x, faults = stacked_algebra.solve(stack([[0.75]], [[0.5]]), stack([[3]], [[3]]))
    assert faults.tolist() == ["singular", ""]
    assert x[1, 0, 0] == 6


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([[2, 1], [1, 2]], ""),
        ([[1e-12, 0], [0, 1e12]], ""),
        ([[1, 2], [2, 1]], "singular"),  # indefinite, and regular
        ([[-1, 0], [0, -1]], "singular"),
        ([[1, 1], [1, 1]], "singular"),
    ],
)
def test_a_positive_matrix_must_be_positive_definite(rows: Any, fault: str) -> None:
    _, faults = stacked_algebra.solve(stack(rows), stack([[1], [1]]), positive=True)
    assert faults.tolist() == [fault]
    _, faults = stacked_algebra.sqrtm(stack(rows))
    assert faults.tolist() == [fault]


def test_of_unknowns_that_are_not_unique_the_smallest_are_found() -> None:
    x, faults = stacked_algebra.least_squares(stack([[1, 1000], [2, 2000]]), stack([[1], [2]]))
    assert faults.tolist() == [""]
    assert x[0].ravel() == pytest.approx(np.array([1, 1000]) / 1_000_001, rel=1e-14)


@pytest.mark.parametrize(("unique", "fault"), [(1, ""), (2, "singular"), (None, "")])
def test_an_unknown_that_must_be_unique_makes_the_state_singular(
    unique: int | None, fault: str
) -> None:
    A = stack([[1, 0, 0], [0, 1, 1]])
    x, faults = stacked_algebra.least_squares(A, stack([[7], [2]]), unique)
    assert faults.tolist() == [fault]
    assert x[0].ravel() == pytest.approx([7, 1, 1])


@pytest.mark.parametrize(("miss", "fault"), [(1e-7, "inconsistent"), (1e-10, "")])
def test_rows_that_contradict_each_other_are_inconsistent(miss: float, fault: str) -> None:
    A = stack([[1, 0], [0, 1], [1, 1]])
    _, faults = stacked_algebra.least_squares(A, stack([[1], [1], [2 + 8 * miss]]))
    assert faults.tolist() == [fault]


@pytest.mark.parametrize(("noise", "fault"), [(0.0, "inconsistent"), (1e-13, "")])
def test_rows_do_not_contradict_each_other_by_less_than_their_noise(
    noise: float, fault: str
) -> None:
    # what is left of numbers that were a million times larger
    A, b = stack([[1], [1]]), stack([[1e-7], [1e-7 + 5e-13]])
    _, faults = stacked_algebra.least_squares(A, b, noise=(0 * A, np.full(b.shape, noise)))
    assert faults.tolist() == [fault]


def test_the_pseudo_inverse_is_that_of_scipy() -> None:
    A = RANDOM.normal(size=(4, 3, 5))
    A[1, 2] = 2 * A[1, 0]
    A[2] = 0
    found = stacked_algebra.pinv(A)
    for one, inverse in zip(A, found, strict=True):
        assert inverse == pytest.approx(scipy.linalg.pinv(one), abs=1e-13)


def test_the_pseudo_inverse_keeps_small_rows_that_are_only_other_units() -> None:
    found = stacked_algebra.pinv(stack([[1, 0], [0, 1e-20]]))
    assert found[0] == pytest.approx(np.array([[1, 0], [0, 1e20]]))


def test_the_square_root_is_that_of_scipy() -> None:
    A = RANDOM.normal(size=(3, 4, 4))
    A = A @ np.swapaxes(A, 1, 2)
    found, faults = stacked_algebra.sqrtm(A)
    assert faults.tolist() == [""] * 3
    for one, root in zip(A, found, strict=True):
        assert root == pytest.approx(scipy.linalg.sqrtm(one), abs=1e-12)


def test_a_light_part_beside_a_heavy_one_is_solved_to_all_digits() -> None:
    H = RANDOM.normal(size=(4, 3, 3))
    H = H @ np.swapaxes(H, 1, 2) + np.eye(3)
    A = np.zeros((4, 6, 6))
    A[:, :3, :3], A[:, 3:, 3:] = 1e24 * H, 1e-12 * H
    b = np.ones((4, 6, 1))
    b[:, :3] *= 1e25
    alone, _ = stacked_algebra.solve(1e-12 * H, b[:, 3:], positive=True)
    for x in (
        stacked_algebra.solve(A, b, positive=True)[0],
        stacked_algebra.solve(A, b)[0],
        stacked_algebra.least_squares(A, b, 6, noise=(0 * A, 0 * b))[0],
        stacked_algebra.pinv(A) @ b,
    ):
        assert x[:, 3:] == pytest.approx(alone, rel=1e-13)


def test_the_square_root_of_a_light_part_beside_a_heavy_one_is_its_own() -> None:
    H = np.array([[2.0, 0.5], [0.5, 1.0]])
    A = np.zeros((1, 4, 4))
    A[0, :2, :2], A[0, 2:, 2:] = 1e24 * H, 1e-12 * H
    root, faults = stacked_algebra.sqrtm(A)
    assert faults.tolist() == [""]
    assert root[0, 2:, 2:] == pytest.approx(1e-6 * scipy.linalg.sqrtm(H), rel=1e-14)


def test_a_contradiction_is_not_hidden_by_large_numbers_elsewhere() -> None:
    A = stack([[1, 0], [1, 0], [0, 1]])
    b = stack([[1], [2], [1e24]])
    noise = (1e-16 * A, 1e-16 * b)
    assert stacked_algebra.least_squares(A, b, noise=noise)[1].tolist() == ["inconsistent"]


def test_the_pseudo_inverse_of_dependent_rows_is_exact_in_all_units() -> None:
    A = RANDOM.normal(size=(3, 2, 5))
    A = np.concatenate([A, A[:, :1] - A[:, 1:]], axis=1) * np.array([1e9, 1.0, 1e-9])[:, None]
    P = stacked_algebra.pinv(A)
    for one, X in zip(A, P, strict=True):
        left = np.abs(one @ X @ one - one)
        assert (left <= 1e-12 * np.abs(one).max(axis=1, keepdims=True)).all()
        assert X @ one == pytest.approx((X @ one).T, abs=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1e3, 1e6])
def test_the_square_root_of_inertias_in_mixed_units_is_exact_in_all_of_them(size: float) -> None:
    H = RANDOM.normal(size=(6, 6))
    d = np.array([1.0, 1.0, 1.0, size, size, size])
    A = d[:, None] * (H @ H.T + np.eye(6)) * d
    root, faults = stacked_algebra.sqrtm((A + A.T)[None] / 2)
    assert faults.tolist() == [""]
    assert (np.abs(root[0] @ root[0] - A) <= 1e-12 * d[:, None] * d).all()


def test_an_entry_that_is_rounding_does_not_spoil_a_pseudo_inverse() -> None:
    A = stack([[1.9e-18, 0.8, -0.3]])
    expected = np.array([[0.0], [0.8], [-0.3]]) / 0.73
    for noise in (None, 2e-14 * np.abs(A)):
        assert stacked_algebra.pinv(A, noise)[0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("m", [1e-9, 1.0, 1e24])
def test_an_entry_of_a_pseudo_inverse_that_is_zero_is_not_left_as_rounding(m: float) -> None:
    """What two corrections leave of it, 1e-47 of the largest one, has no bound by errors of A."""
    A = stack([[0, 0, 0, 1], [-1, 0, 1, 0], [0, -0.5, 0, 1]])
    d = 1 / np.sqrt(m * np.array([3.0, 0.4, 3.0, 3.2]))
    X = stacked_algebra.pinv(A * d, 1e-15 * np.abs(A * d))[0]
    assert X[3, 1:].tolist() == [0, 0]
    assert (A[0] * d @ X) == pytest.approx(np.eye(3), abs=1e-15)


@pytest.mark.parametrize("m", [1e-24, 1.0, 1e24, 1e28, 1e33])
def test_masses_beside_axes_of_any_direction_are_scaled(m: float) -> None:
    """M v = S^T mu, S v = A z, A^T mu = e: what a mass leaves of S in a row is no rounding."""
    M, axis = m * (np.eye(3) + 0.2), np.array([[0.6], [0.8], [0.0]])
    one, no = np.eye(3), np.zeros((3, 1))
    K = np.block([[M, -one, no], [-one, np.zeros((3, 3)), axis], [no.T, axis.T, np.zeros((1, 1))]])
    right = np.array([0.0, 0.0, 0.0, 0.1, -0.3, 0.2, m])
    x, faults = stacked_algebra.solve(K[None], right[None, :, None])
    drift = -right[3:6]
    z = (1 - axis[:, 0] @ (M / m) @ drift) / (axis.T @ (M / m) @ axis)[0, 0]
    assert faults.tolist() == [""]
    assert x[0, 6, 0] == pytest.approx(z, rel=1e-14)
    assert x[0, :3, 0] == pytest.approx(axis[:, 0] * z + drift, rel=1e-14)


@pytest.mark.parametrize("part", [1e-32, 3e-30])
def test_inertias_that_are_rounding_twice_over_leave_a_matrix_singular(part: float) -> None:
    M = np.diag([1.0, 0.0, 0.0])
    M[1:, 1:] = part * np.array([[1.0, 0.3], [0.3, 2.0]])
    K = np.block([[M, np.ones((3, 1))], [np.ones((1, 3)), np.zeros((1, 1))]])
    assert stacked_algebra.solve(K[None], np.ones((1, 4, 1)))[1].tolist() == ["singular"]


@pytest.mark.parametrize("m", [1e-15, 1e-9, 1.0, 1e12, 1e24])
def test_masses_of_any_size_and_redundant_rows_leave_every_digit(m: float) -> None:
    """M ud = h + A^T lam, A ud = b, where rows of A are multiples of two up to rounding."""
    a = np.array([[0.1, 0.7, -0.2, 0.3], [0.5, -0.3, 0.9, 0.1]])
    mixed = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [1.1, -0.6], [-0.2, 0.9]])
    A, M = mixed @ a, m * (np.diag([0.3, 0.7, 1.1, 0.9]) + 0.05)
    h, b = m * np.array([0.2, -0.4, 0.6, 0.1]), mixed @ np.array([0.7, -0.2])
    K = np.block([[M, -A.T], [A, np.zeros((5, 5))]])
    right = np.concatenate([h, b])
    noise = 2.0**-50 * np.abs(K)[None], 2.0**-50 * np.abs(right)[None, :, None]
    x, faults = stacked_algebra.least_squares(K[None], right[None, :, None], 4, noise=noise)
    # two rows are all that there is
    small = np.block([[M / m, -a.T], [a, np.zeros((2, 2))]])
    exact = np.linalg.solve(small, [*(h / m), 0.7, -0.2])
    lam = m * np.linalg.pinv(mixed.T) @ exact[4:]
    assert faults.tolist() == [""]
    assert x[0, :4, 0] == pytest.approx(exact[:4], rel=1e-13)
    assert x[0, 4:, 0] == pytest.approx(lam, rel=1e-11)
