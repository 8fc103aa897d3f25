"""Condition numbers of many matrices at once, against singular values of each."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.groups.conditions import condition, largest, singular


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
