from __future__ import annotations

import numpy as np
import pytest

from mbx.show.drawing.scene import unit
from mbx.show.drawing.view_direction import View, along, choose, direction

X, Y, Z = np.eye(3)


@pytest.mark.parametrize(
    ("axis", "right", "up"), [("z", X, Y), ("y", X, Z), ("x", Y, Z)], ids=["z", "y", "x"]
)
def test_along_an_axis_the_two_others_go_right_and_up(
    axis: str, right: np.ndarray, up: np.ndarray
) -> None:
    seen = along(axis, None)
    assert seen.right == pytest.approx(right)
    assert seen.up == pytest.approx(up)
    assert seen.toward == pytest.approx(np.cross(right, up))


def test_gravity_points_down_where_it_is_in_the_paper() -> None:
    seen = along("z", np.array([-9.81, 0.0, 0.0]))  # gravity along x
    assert seen.up == pytest.approx(-X)
    assert seen.right == pytest.approx(Y)


def test_gravity_across_the_paper_turns_nothing() -> None:
    assert along("z", 9.81 * Z).up == pytest.approx(Y)


def test_a_direction_is_said_by_azimuth_and_elevation() -> None:
    seen = direction(30.0, 20.0, None)
    a, e = np.radians(30), np.radians(20)
    expected = [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]
    assert seen.toward == pytest.approx(np.array(expected))
    assert seen.right @ Z == pytest.approx(0)
    assert np.cross(seen.right, seen.up) == pytest.approx(seen.toward)


def test_up_is_up_also_where_z_points_down() -> None:
    seen = direction(30.0, 20.0, -Z)
    assert seen.up @ -Z == pytest.approx(np.cos(np.radians(20)))


def test_points_fill_the_area_they_are_given() -> None:
    seen = along("z", None)
    seen.fit([np.array([0.0, 0.0, 0.0]), np.array([2.0, 1.0, 5.0])], (10.0, 20.0, 110.0, 120.0))
    assert seen.scale == pytest.approx(50)
    assert seen.at(np.zeros(3)) == pytest.approx((10.0, 95.0))
    assert seen.at(np.array([2.0, 1.0, 5.0])) == pytest.approx((110.0, 45.0))


def test_one_point_is_in_the_middle() -> None:
    seen = along("z", None)
    seen.fit([np.array([3.0, 4.0, 0.0])], (0.0, 0.0, 100.0, 50.0))
    assert seen.at(np.array([3.0, 4.0, 0.0])) == pytest.approx((50.0, 25.0))


def test_far_things_fade_and_near_ones_do_not() -> None:
    seen = View(X, Y, Z)
    seen.fit([np.zeros(3), np.array([1.0, 1.0, 4.0])], (0, 0, 10, 10))
    assert seen.fading(np.array([0.0, 0.0, 4.0])) == 0
    assert seen.fading(np.array([0.0, 0.0, 1.0])) == pytest.approx(0.75)
    seen.flat = True
    assert seen.fading(np.zeros(3)) == 0


def test_a_bar_is_not_looked_along() -> None:
    usual = choose([], [], None).toward
    bar = (np.zeros(3), unit(usual))
    seen = choose(list(bar), [bar], None)
    assert abs(seen.toward @ bar[1]) < 0.85
    assert abs(usual @ bar[1]) == pytest.approx(1)
