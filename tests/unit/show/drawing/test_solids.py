from __future__ import annotations

import numpy as np
import pytest

from mbx.show.drawing.marks.body_marks import hull, principal_axes
from mbx.show.drawing.scene import Body
from mbx.show.drawing.solids import Solid, distinct, equimomental, solids_of

O = np.zeros(3)


def body(
    *points: tuple[float, float, float],
    com: tuple[float, float, float] = (0, 0, 0),
    m: float | None = None,
    inertia: tuple[float, float, float] | None = None,
    about: int | None = None,
) -> Body:
    found = Body("B", "body", np.array(com, dtype=float), O, np.eye(3), m)
    found.points = [np.array(p, dtype=float) for p in points]
    if inertia is not None:
        found.inertia = np.diag(inertia)
        found.about = about
    return found


def shapes(one: Body, *, slides: bool = False, alone: bool = False) -> list[Solid]:
    return solids_of(one, 1.0, slides=slides, alone=alone)


def test_two_points_make_a_bar() -> None:
    (bar,) = shapes(body((0, 0, 0), (1, 0, 0), com=(0.5, 0, 0)))
    assert bar.kind == "bar"
    assert sorted(bar.points[:, 0]) == [0, 1]


def test_a_mass_centre_beyond_the_joints_lengthens_the_bar() -> None:
    (bar,) = shapes(body((0, 0, 0), (0.4, 0, 0), com=(1, 0, 0)))
    assert sorted(bar.points[:, 0]) == [0, 1]


def test_three_points_off_a_line_make_a_plate() -> None:
    (plate,) = shapes(body((0, 0, 0), (1, 0, 0), com=(0.5, 0.4, 0)))
    assert plate.kind == "plate"
    assert len(plate.points) == 3


def test_a_uniform_rod_on_a_pin_ends_where_it_does() -> None:
    # J = m l^2/12 with l = 1, the pin at one end
    (bar,) = shapes(body((0, 0, 0), com=(0.5, 0, 0), m=2.0, inertia=(0, 0, 2 / 12), about=2))
    assert bar.kind == "bar"
    assert bar.points[1] == pytest.approx([1, 0, 0])


def test_a_thin_rod_in_space_ends_where_it_does() -> None:
    J = 2 / 12
    (bar,) = shapes(body((0, 0, 0), com=(0.5, 0, 0), m=2.0, inertia=(0, J, J)))
    assert bar.points[1] == pytest.approx([1, 0, 0])


def test_a_top_is_a_disc_on_a_stem() -> None:
    # a disc of radius 0.3: m r^2/4 across, m r^2/2 along its axis
    found = shapes(body((0, 0, 0), com=(0, 0, 0.4), m=1, inertia=(0.0225, 0.0225, 0.045)))
    assert [one.kind for one in found] == ["bar", "disc"]
    assert found[1].size == pytest.approx([0.3, 0.3, 0])
    assert abs(found[1].R[2, 2]) == pytest.approx(1)


def test_a_wheel_on_its_axle_is_a_disc() -> None:
    (disc,) = shapes(body((0, 0, 0), m=4, inertia=(0, 0, 0.02), about=2), alone=True)
    assert disc.kind == "disc"
    assert disc.size[0] == pytest.approx(0.1)  # J = m r^2/2


def test_a_ball_is_its_own_equimomental_ellipsoid() -> None:
    J = 2 / 5 * 3 * 0.2**2
    found = equimomental(body(m=3, inertia=(J, J, J)))
    assert found is not None
    assert found.kind == "ellipsoid"
    assert found.size == pytest.approx([0.2, 0.2, 0.2])


def test_semi_axes_are_those_of_the_uniform_ellipsoid() -> None:
    a, b, c, m = 0.5, 0.3, 0.2, 2.0
    J = (m / 5 * (b**2 + c**2), m / 5 * (a**2 + c**2), m / 5 * (a**2 + b**2))
    found = equimomental(body(m=m, inertia=J))
    assert found is not None
    assert found.size == pytest.approx([a, b, c])


def test_without_a_mass_there_is_no_equimomental_solid() -> None:
    assert equimomental(body(inertia=(1, 1, 1))) is None


def test_a_slider_at_one_point_has_no_shape_of_its_own() -> None:
    assert shapes(body((0, 0, 0), m=1), slides=True) == []


def test_one_among_others_does_not_hide_them() -> None:
    heavy = body(m=1, inertia=(0, 0, 50), about=2)
    assert shapes(heavy)[0].size[0] < 0.2
    assert shapes(heavy, alone=True)[0].size[0] == pytest.approx(0.6)


def test_points_at_one_place_count_once() -> None:
    assert len(distinct([O, O + 1e-9, O + 1], 1e-6)) == 2


@pytest.mark.parametrize(
    ("kind", "size", "reach"),
    [
        ("ball", (2, 2, 2), 2.0),
        ("ellipsoid", (3, 2, 1), 3.0),
        ("disc", (3, 3, 0), 3.0),
        ("box", (3, 2, 1), 3.0),
        ("cylinder", (2, 2, 5), 2.0),
    ],
)
def test_a_shape_reaches_as_far_as_it_is_large(
    kind: str, size: tuple[float, float, float], reach: float
) -> None:
    solid = Solid(kind, O, np.eye(3), np.array(size, dtype=float))  # type: ignore[arg-type]
    far = solid.extent(np.array([1.0, 0.0, 0.0]))
    assert max(p[0] for p in far) == pytest.approx(reach)
    assert min(p[0] for p in far) == pytest.approx(-reach)


def test_the_hull_leaves_out_what_is_inside() -> None:
    corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert sorted(hull([*corners, (2.0, 2.0), (2.0, 0.0)])) == sorted(corners)


def test_a_circle_seen_at_60_degrees_is_an_ellipse_half_as_high() -> None:
    a, b, angle = principal_axes((10.0, 0.0), (0.0, 5.0))
    assert (a, b, angle % 180) == pytest.approx((10, 5, 0))
