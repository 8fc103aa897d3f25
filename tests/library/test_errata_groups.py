"""Errata of Saura, Segado and Dopico in rows and indices: as printed they fail.

The others are in `test_errata_papers`, with the list of those that are words only.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, system
from library.matrices import constraint_matrix

pytestmark = pytest.mark.papers

Array = np.ndarray[Any, np.dtype[np.float64]]


def _turn(angle: float, axis: int) -> Array:
    """Return a rotation about an axis of space."""
    c, s = cos(angle), sin(angle)
    found = np.eye(3)
    i, k = [n for n in range(3) if n != axis]
    found[np.ix_([i, k], [i, k])] = [[c, -s], [s, c]]
    return found


def test_e003_08_equation_16_has_as_many_rows_as_unknowns() -> None:
    """(16) is printed as 5 x 1 and called redundant: four rows, regular in x2, y2, x3, y3."""
    one = system("rrpr_chain")
    A = constraint_matrix(one, completed(one, one.states["turning"]))
    names = [v.path for v in one.u]
    group = A[1:, [names.index(f"{c}{k}'") for k in (2, 3) for c in "xy"]]  # all but the crank
    assert group.shape == (4, 4)
    assert abs(np.linalg.det(group)) > 1
    assert np.linalg.matrix_rank(group) == 4


def test_e003_09_the_second_and_third_vector_have_three_components() -> None:
    """(44a) repeats V_2x and V_3x in all rows: then A = X Xbar^-1 turns nothing."""
    local = np.array([[1, 0.2, 0], [0, 1, 0.3], [0.1, 0, 1]])
    true = _turn(0.7, 2) @ _turn(-0.4, 0)
    X = true @ local
    assert X @ np.linalg.inv(local) == pytest.approx(true)
    printed = np.column_stack([X[:, 0], np.full(3, X[0, 1]), np.full(3, X[0, 2])])
    A = printed @ np.linalg.inv(local)
    assert np.abs(A - true).max() > 0.5
    assert np.linalg.matrix_rank(printed) == 2


L, TIP, V6 = 6.0, np.array([2 * cos(0.8), 2 * sin(0.8), 0]), np.array([cos(0.5), 0, sin(0.5)])


def _rod() -> tuple[Array, Array, Array]:
    """Return the slider C and the vectors V4 and V5 across the rod."""
    s = TIP @ V6 + np.sqrt((TIP @ V6) ** 2 + L**2 - TIP @ TIP)
    along = (TIP - s * V6) / L
    v4 = np.cross(along, [0, 0, 1])
    v4 /= np.linalg.norm(v4)
    return s * V6, v4, np.cross(along, v4)


def _slopes(*, damaged: bool) -> Array:
    """Return the slopes of (50b) by C, the x and y of V4, and V5; V4_z is held."""
    c, a, w = _rod()
    d, zero = TIP - c, np.zeros(3)
    skew = np.cross(np.eye(3), V6)  # of C x V6, which is linear in C
    pair = [zero, w, a]
    rows = [
        [-2 * d, zero, zero],
        [zero, 2 * a, zero],
        [zero, zero, 2 * w],
        pair if damaged else [-a, d, zero],
        [-w, zero, d],
        pair,
    ]
    upper = np.array([np.concatenate(row) for row in rows])
    lower = np.hstack([skew.T, np.zeros((3, 6))])
    return np.delete(np.vstack([upper, lower]), 5, axis=1)


def test_e003_11_the_rows_of_the_rod_are_damaged() -> None:
    """(50b) repeats V4 . V5, and lacks r_BC . V4: a direction of V4 is open then."""
    assert np.linalg.matrix_rank(_slopes(damaged=False), 1e-9) == 8
    assert np.linalg.matrix_rank(_slopes(damaged=True), 1e-9) == 7


def test_e003_13_the_angle_of_the_crank_is_that_of_the_time() -> None:
    """Section 5.1 prints th' (t_F - t_0) + th_0, which is one angle for all 24000 steps."""
    speed, start, end, step = 34.9, pi / 2, 120.0, 0.005
    t = np.arange(0, end, step)
    assert len(t) == 24000
    angles = speed * t + start
    assert angles[1] - angles[0] == pytest.approx(np.radians(10), rel=3e-4)
    printed = speed * end + start
    assert np.abs(printed - angles).min() > 0.1  # it is reached by none of the steps


TABLE_4: Final = """
2.248 2.593 2.456 2.715 2.821 2.782 2.918 3.070 3.146 3.082 3.180
2.326 2.390 2.623 2.579 2.636 2.686 2.830 2.953 2.935 3.022 3.166
2.706 2.856 3.207 3.200 3.364 3.287 3.520 3.548 3.691 3.672 3.706
"""
"""How much faster groups with time derivatives are, for three speeds of the crank."""


def test_e003_15_the_range_in_space_begins_below_the_one_that_the_abstract_says() -> None:
    """The abstract says 2.3 to 3.7; the least of table 4 is 2.248, which is 2.2."""
    ratios = [float(x) for x in TABLE_4.split()]
    assert (min(ratios), max(ratios)) == (2.248, 3.706)
    assert round(min(ratios), 1) == 2.2


def test_e003_17_fixed_points_add_slices_and_no_acceleration() -> None:
    """The text has two slices for the dyad, (24) four columns: those at rest count for nothing."""
    tensor = np.random.default_rng(1).normal(size=(4, 2, 4))  # any dK/dh_i
    rates = np.array([0.3, -0.7, 0, 0])  # B is fixed
    every = sum((rates[i] * tensor[i] @ rates for i in range(4)), np.zeros(2))
    moving = sum((rates[i] * tensor[i][:, :2] @ rates[:2] for i in range(2)), np.zeros(2))
    assert every == pytest.approx(moving, abs=1e-15)
