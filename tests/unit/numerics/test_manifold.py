"""States on the invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.numerics.newton import gauss_newton
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.tolerances import CLOSE
from unit.verify.models import PENDULUM, SLED, system

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array


def pendulum() -> Manifold:
    return Manifold(system(PENDULUM), Values({"m": 1.0}))


def test_a_point_is_brought_to_the_nearest_one_that_is_allowed() -> None:
    points = Points(np.zeros(1), np.array([[3.0, -4.0]]), np.zeros((1, 2)))
    found, error = pendulum().project_positions(points, np.ones(2, dtype=bool))
    # on a circle of radius 2 the nearest point lies on the same ray
    assert found.q[0] == pytest.approx([1.2, -1.6], abs=1e-2)
    assert np.hypot(*found.q[0]) == pytest.approx(2.0, rel=1e-15)
    assert error[0] <= CLOSE


def test_only_free_coordinates_move() -> None:
    points = Points(np.zeros(1), np.array([[1.0, -1.0]]), np.zeros((1, 2)))
    found, error = pendulum().project_positions(points, np.array([False, True]))
    assert found.q[0] == pytest.approx([1.0, -np.sqrt(3)], rel=1e-14)
    assert error[0] <= CLOSE


def test_what_cannot_be_reached_is_said() -> None:
    points = Points(np.zeros(1), np.array([[3.0, 0.5]]), np.zeros((1, 2)))
    _, error = pendulum().project_positions(points, np.array([False, True]))
    assert error[0] > 1e-3


def test_velocities_keep_what_the_invariants_allow() -> None:
    points = Points(np.zeros(1), np.array([[0.0, -2.0]]), np.array([[5.0, 7.0]]))
    found, error = pendulum().project_velocities(points, np.ones(2, dtype=bool))
    assert found.u[0] == pytest.approx([5.0, 0.0], abs=1e-15)
    assert error[0] <= CLOSE


def test_invariants_of_velocities_are_kept_without_those_of_positions() -> None:
    sled = Manifold(system(SLED), Values())
    points = Points(np.zeros(1), np.array([[0.0, 0.0, np.pi / 2]]), np.array([[3.0, 4.0, 5.0]]))
    found, _ = sled.project_velocities(points, np.ones(3, dtype=bool))
    assert found.u[0] == pytest.approx([0.0, 4.0, 5.0], abs=1e-14)


def test_invariants_are_there_at_the_level_of_accelerations() -> None:
    points = Points(np.zeros(1), np.array([[0.0, -2.0]]), np.array([[3.0, 0.0]]))
    A, b, G = pendulum().at(points, "A", "b", "G")
    # d2/dt2 (x^2 + y^2) = 2 x x'' + 2 y y'' + 2 x'^2 + 2 y'^2
    assert A[0].tolist() == [[0.0, -4.0]]
    assert b[0].tolist() == [[18.0]]
    assert G.shape == (1, 0, 2)


def test_dependent_rows_do_not_keep_steps_from_converging() -> None:
    def f(x: Array) -> tuple[Array, Array]:
        r = x[:, 0] ** 2 + x[:, 1] ** 2 - 1
        return np.stack([r, 3 * r], axis=1), np.stack([2 * x, 6 * x], axis=1)

    x, error = gauss_newton(f, np.array([[3.0, 1.0], [0.1, 0.0]]), np.ones(2, dtype=bool), 0.5)
    assert np.hypot(x[:, 0], x[:, 1]) == pytest.approx([1.0, 1.0], rel=1e-14)
    assert (error <= CLOSE).all()


def test_a_point_without_a_value_does_not_disturb_the_others() -> None:
    def f(x: Array) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore"):
            return np.sqrt(x) - 2, 0.5 / np.sqrt(x)[:, :, None]

    x, error = gauss_newton(f, np.array([[-1.0], [5.0]]), np.ones(1, dtype=bool), 0.5)
    assert error[0] == np.inf
    assert x[1, 0] == pytest.approx(4.0, rel=1e-14)


CANCELLING = """mbx 1
model Cancelling {
  param a: 1 = 0.1, b: 1 = 0.2, c: 1 = 0.3
  coordinate x: m, y: m
  particle p { mass 1 kg  at [x, y, 0] }
  invariant level: y + a*x + b*x - c*x = 0
}
"""
"""0.1 + 0.2 - 0.3 is 5.6e-17 in doubles."""


@pytest.mark.parametrize("level", ["positions", "velocities"])
@pytest.mark.parametrize(("y", "allowed"), [(2e-14, True), (5e-12, False), (1e-6, False)])
def test_a_row_that_is_left_by_terms_that_cancel_is_kept(
    level: str, y: float, *, allowed: bool
) -> None:
    manifold = Manifold(system(CANCELLING), Values())
    far, none = np.array([[10.0, y]]), np.zeros(2, dtype=bool)
    if level == "positions":
        _, error = manifold.project_positions(Points(np.zeros(1), far, np.zeros((1, 2))), none)
    else:
        _, error = manifold.project_velocities(Points(np.zeros(1), np.zeros((1, 2)), far), none)
    assert bool(error[0] <= CLOSE) is allowed
