from __future__ import annotations

import numpy as np
import pytest

from mbx.language.joints import JOINTS
from mbx.show.drawing.marks.joint_marks import SYMBOLS, across
from unit.show.drawing.drawings import drawing, scene, tags, texts

KINDS = {
    "fixed": "fixed(ground)",
    "revolute": "revolute(ground, axis = z, angle = a)",
    "prismatic": "prismatic(ground, axis = x, distance = s)",
    "screw": "screw(ground, axis = x, pitch = 0.1 m, angle = a)",
    "cylindrical": "cylindrical(ground, axis = x, angle = a, distance = s)",
    "universal": "universal(ground, axis = x, axis2 = y, angle = a, angle2 = b)",
    "spherical": "spherical(ground, euler zxz by (a, b, c))",
    "planar": "planar(ground, axis = z, x = s, y = y, angle = a)",
    "free": "free(ground, move = [s, y, 0], euler zxz by (a, b, c))",
    "general": "general(ground, move = [s, 0, 0], rotated z by a)",
}


def model(joint: str, more: str = "") -> str:
    return f"""mbx 1
model M {{
  coordinate a: rad = 0.3, b: rad = 0.2, c: rad = 0.1, s: m = 0.4, y: m = 0.2
  body B {{
    mass 1 kg
    com [1 m, 0, 0]
    inertia diag(0.01 [kg*m^2], 0.3 [kg*m^2], 0.3 [kg*m^2])
    joint {joint}
  }}
  {more}
}}
"""


def test_every_kind_of_joint_has_a_symbol() -> None:
    assert set(SYMBOLS) == set(JOINTS) == set(KINDS)


def test_every_kind_of_joint_is_drawn_in_its_own_way() -> None:
    found = {kind: drawing(model(text), look="30,20").svg for kind, text in KINDS.items()}
    assert len({tuple(tags(svg)) for svg in found.values()}) == len(KINDS)


def test_a_pin_is_a_circle_straight_on_and_a_cylinder_from_the_side() -> None:
    pin = model(KINDS["revolute"])
    assert tags(drawing(pin, look="30,20").svg).count("ellipse") == 2
    assert tags(drawing(pin).svg).count("ellipse") == 0


LOOP = """mbx 1
model M {
  coordinate a: rad = 0, b: rad = 0
  body L {
    mass 1 kg
    com [1 m, 0, 0]
    inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a)
  }
  body R {
    mass 1 kg
    com [1 m, 0, 0]
    inertia 1 [kg*m^2] about z
    joint revolute(L at [2 m, 0, 0], axis = z, angle = b)
  }
  JOINT
}
"""


def test_a_joint_that_closes_a_loop_has_a_second_ring() -> None:
    tip = "joint tip: revolute(R at [2 m, 0, 0], ground at [4 m, 0, 0], axis = z)"
    closed = drawing(LOOP.replace("JOINT", tip)).svg
    opened = drawing(LOOP.replace("JOINT", "")).svg
    pin, ring = 'r="5" fill="#fff"', 'r="8.2" fill="none"'
    assert (closed.count(pin), closed.count(ring)) == (3, 1)
    assert (opened.count(pin), opened.count(ring)) == (2, 0)


def test_ground_is_hatched_where_a_joint_stands_on_it_and_nowhere_else() -> None:
    held = drawing(model(KINDS["spherical"]), look="30,20").svg
    free = drawing(model(KINDS["free"]), look="30,20").svg
    assert 'fill="#f2f2f2"' in held
    assert 'fill="#f2f2f2"' not in free


@pytest.mark.parametrize(("angle", "above"), [("pi/2", False), ("-pi/2", True)])
def test_a_body_that_hangs_has_its_support_above_it(angle: str, above: bool) -> None:  # noqa: FBT001
    svg = drawing(model(f"revolute(ground, axis = z, angle = {angle})")).svg
    (stand,) = (one for one in svg.split("<") if 'fill="#f2f2f2"' in one)
    data = stand.split('d="M')[1].split("Z")[0].split("L")
    top, base = (float(place.split()[1]) for place in data[:2])
    assert (base < top) == above


def test_a_mass_centre_on_a_pin_is_not_drawn() -> None:
    quarters = "a4.6 4.6 0 0 1"
    away = model(KINDS["revolute"])
    assert quarters in drawing(away).svg
    assert quarters not in drawing(away.replace("com [1 m, 0, 0]", "com [0, 0, 0]")).svg


def test_a_joint_on_a_frame_that_moves_by_itself_does_not_stand_on_the_ground() -> None:
    text = model("revolute(F, axis = z, angle = a)", "frame F = ground at [s, y, 0]")
    assert scene(text).joints[0].first == ""
    assert 'fill="#f2f2f2"' not in drawing(text).svg


def test_a_pivot_that_shakes_stands_on_the_ground() -> None:
    text = model("revolute(ground at [0, 0.1 m*sin(t/(1 s)), 0], axis = z, angle = a)")
    assert scene(text).joints[0].first is None


def test_a_general_joint_along_a_line_is_a_slider_with_a_pin() -> None:
    (joint,) = scene(model(KINDS["general"])).joints
    assert joint.along == pytest.approx(np.array([1, 0, 0]))
    assert joint.turns == pytest.approx(np.array([0, 0, 1]))
    assert joint.measures["distance"].value == pytest.approx(0.4)
    assert joint.measures["angle"].value == pytest.approx(0.3)


def test_a_general_joint_along_a_curve_has_a_track() -> None:
    text = model("general(ground, move = [cos(a)*(1 m), sin(a)*(2 m), 0], rotated z by b)")
    (track,) = scene(text).tracks
    assert track.points[:, 0] ** 2 + (track.points[:, 1] / 2) ** 2 == pytest.approx(1)


def test_axes_of_joints_are_in_ground_components() -> None:
    text = model("revolute(ground rotated z by pi/2, axis = x, angle = a)")
    assert scene(text).joints[0].axis == pytest.approx(np.array([0, 1, 0]))


def test_sums_of_two_names_are_written_out_and_other_motions_are_not() -> None:
    assert "a−b" in texts(drawing(model("revolute(ground, axis = z, angle = a - b)")).svg)
    assert "a" not in texts(drawing(model("revolute(ground, axis = z, angle = 2*a + b)")).svg)


@pytest.mark.parametrize("n", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.8)])
def test_axes_across_a_direction_are_right_handed(n: tuple[float, float, float]) -> None:
    R = across(np.array(n), np.array([0.0, 0.0, 1.0]))
    assert R[:, 0] == pytest.approx(np.array(n))
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-12
    assert np.linalg.det(R) == pytest.approx(1)
