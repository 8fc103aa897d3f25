"""Condition numbers of many matrices at once, against singular values of each."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.kinematics.jacobian_conditions import condition, largest, singular, steepness


def _exact(J: np.ndarray) -> list[float]:
    found = []
    for one in J:
        s = np.linalg.svd(one / np.linalg.norm(one, axis=1, keepdims=True), compute_uv=False)
        found.append(float(s[0] / s[-1]))
    return found


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (9, 8)])
def test_the_largest_condition_is_found_wherever_it_is(shape: tuple[int, int]) -> None:
    generator = np.random.default_rng(5)
    J = generator.standard_normal((400, *shape))
    J[::2, :, 0] = 0.05 * J[::2, :, 0] + J[::2, :, 1]  # many have large bounds
    exact = _exact(J)
    value, place = largest(J, 1.0)
    assert value == pytest.approx(max(exact), rel=1e-9)
    assert exact[place] == pytest.approx(value, rel=1e-9)
    assert largest(J, 2 * value) == (2 * value, -1)
    limit = float(np.median(exact))
    assert singular(J, limit).tolist() == [one >= limit for one in exact]
    assert condition(J[0]) == pytest.approx(exact[0], rel=1e-9)


def test_a_large_bound_does_not_hide_a_larger_condition() -> None:
    # source: three rows that are nearly one have a small determinant by two small singular values
    generator = np.random.default_rng(7)
    alike = np.array([1.0, 0.0, 0.0]) + 0.05 * generator.uniform(-1, 1, (2000, 3, 3))
    alike += 0.05 * np.eye(3)[[2, 1, 2]]
    two = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.02]]])
    J = np.concatenate([alike, two])
    exact = _exact(J[-1:])[0]
    some = [k for k, one in enumerate(_exact(J[:-1])) if one < exact / 2]
    kept = J[[*some, len(J) - 1]]
    assert len(some) > 128
    value, place = largest(kept, 1.0)
    assert value == pytest.approx(exact)
    assert place == len(kept) - 1


def test_a_single_unknown_is_singular_beside_its_inputs() -> None:
    # source: x^2 + y^2 = 1 solved for x at an angle a: [cos a, sin a] has length 1
    for angle in (0.3, 1.2, 1.57):
        J, H = np.array([[2 * np.cos(angle)]]), np.array([[2 * np.sin(angle)]])
        assert condition(J) == 1.0
        assert steepness(J, H) == pytest.approx(1 / np.cos(angle), rel=1e-12)
    assert steepness(np.zeros((1, 1)), np.ones((1, 1))) == np.inf
    assert steepness(np.full((1, 1), np.nan), np.ones((1, 1))) == np.inf
    assert steepness(np.zeros((0, 0)), np.zeros((0, 2))) == 1.0
    J = np.array([[1.0, 0.2], [0.3, 1.0]])
    assert steepness(J, np.zeros((2, 0))) == pytest.approx(condition(J), rel=1e-12)
