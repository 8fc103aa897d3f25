"""Point-to-line and cam joints written with the language's general joint, in both methods.

S0-12, S0-13 and S0-17 of Yu, Mikkola, Pan and Escalona, away from the ground and in space; and
rows of absolute coordinates, S0-02, for the pairs that their fig. 1 has not.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import completed, system_of
from formalisms.recursive.semi_recursive import BOTH, CAM, LINE, VARIANTS, planar, values_at
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links

FIRST, SECOND = BOTH
J: Final = np.array([[0.0, -1.0], [1.0, 0.0]])


def turned(angle: float, vector: Any) -> Any:
    """Return A(angle) of a vector of the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.array(vector)


# -- point-to-line -----------------------------------------------------------------------------

ON_ARM: Final = """mbx 1
model OnArm "A rod whose pivot slides along a line of an arm, and a tip that hangs on it" {
  coordinate q: rad = 0.4, z1: m = 0.3, z2: rad = 0.7, c: rad = -0.5
  body arm { mass 2 kg  com [0.3 m, 0.05 m, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(ground at [0.1 m, 0.2 m, 0], axis = z, angle = q) }
  MIDDLE
  body rod { mass 1.5 kg  com [0.02 m, 0.01 m, 0]  inertia 0.045 [kg*m^2] about z
    joint ROD }
  body tip { mass 0.4 kg  com [0.1 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(rod at [0.6 m, 0.1 m, 0], axis = z, angle = c) }
  gravity [0, -9.81 [m/s^2], 0]
}
"""
LINE_AT: Final = "arm at [0.2 m, -0.1 m, 0] rotated z by 0.5"
ONE_JOINT: Final = ON_ARM.replace("MIDDLE", "").replace(
    "ROD", f"general({LINE_AT}, own at [-0.6 m, 0, 0], move = [z1, 0, 0], rotated z by z2)"
)
TWO_JOINTS: Final = ON_ARM.replace(
    "MIDDLE",
    f"body slide {{ mass 0 kg  inertia diag(0, 0, 0)"
    f"  joint prismatic({LINE_AT}, axis = x, distance = z1) }}",
).replace("ROD", "revolute(slide, own at [-0.6 m, 0, 0], axis = z, angle = z2)")
MOVING: Final = {"q": 0.4, "z1": 0.3, "z2": 0.7, "c": -0.5}
MOVING_TOO: Final = MOVING | {"q'": 0.9, "z1'": 0.3, "z2'": -1.2, "c'": 0.8}


@pytest.mark.parametrize("form", BOTH)
def test_s0_12_point_to_line_columns_reach_what_hangs_on_the_rod(form: str) -> None:
    """(B.3) by method I, and its columns at the origin, [h; 0] and [-J r^P; 1], by method II."""
    one = values_at(system_of(ONE_JOINT), form, MOVING_TOO)
    h = turned(0.4 + 0.5, [1, 0])
    P = np.array([0.1, 0.2]) + turned(0.4, [0.2, -0.1]) + 0.3 * h
    matrix = planar(one["V" if form == FIRST else "W"])
    for body in (2, 3):
        R = one[f"R_{body}"][:2]
        turn = J @ (R - P) if form == FIRST else -J @ P
        columns = matrix[3 * body - 3 : 3 * body, 1:3]
        assert columns == pytest.approx(np.array([[*h, 0], [*turn, 1]]).T, abs=1e-14)
    # the line turns with the arm, not with the rod
    assert matrix[:3, 1:] == pytest.approx(np.zeros((3, 3)), abs=0)


@pytest.mark.parametrize("form", BOTH)
def test_s0_12_one_joint_of_two_columns_is_two_joints_with_nothing_between(form: str) -> None:
    one, two = (values_at(system_of(t), form, MOVING_TOO) for t in (ONE_JOINT, TWO_JOINTS))
    assert one.ud == pytest.approx(two.ud, rel=1e-12)
    assert one["M"] == pytest.approx(two["M"], abs=1e-13)
    assert "R_3" in {step.name for step in one.equations.steps}
    assert "R_4" not in {step.name for step in one.equations.steps}


def test_s0_12_point_to_line_away_from_the_ground_agrees_with_other_forms_and_the_oracle() -> None:
    found = mbx.verify(mbx.loads(ONE_JOINT), forms=[*VARIANTS, "kane"], states=3, oracle=1)
    assert found.verdict == "agree"
    assert not found.excluded


SPATIAL_LINE: Final = """mbx 1
model SpatialLine "Bodies whose points slide on lines in space, with a branch and a moving line" {
  coordinate a: rad = 0.4, s: m = 0.3, e1: rad = 0.5, e2: rad = -0.6, e3: rad = 0.2
  coordinate w: m = 0.2, b: rad = 0.7
  body base { mass 3 kg  com [0.1 m, 0.2 m, 0.1 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(ground, axis = [0.6, 0, 0.8], angle = a) }
  body ball { mass 1 kg  com [0.1 m, 0.05 m, 0.2 m]
    inertia diag(0.02 [kg*m^2], 0.03 [kg*m^2], 0.01 [kg*m^2])
    joint general(base at [0.2 m, 0, 0.1 m] rotated y by 0.3,
      move = [s, 0.1 m*sin(2 [rad/s]*t), 0], rotated x by e1, rotated y by e2, rotated z by e3) }
  body rod { mass 0.7 kg  com [0, 0.2 m, 0]
    inertia diag(0.02 [kg*m^2], 0.01 [kg*m^2], 0.02 [kg*m^2])
    joint general(base at [0, 0.3 m, 0], own at [0, -0.1 m, 0.05 m], move = [0, 0, w],
      rotated y by b) }
  gravity [0, 0, -9.81 [m/s^2]]
}
"""


@pytest.mark.parametrize("form", BOTH)
def test_s0_12_points_slide_on_lines_in_space(form: str) -> None:
    """Four columns on the ball, two on the rod; the oracle knows nothing of columns."""
    one = system_of(SPATIAL_LINE)
    state = completed(one, {v.path: 0.6 - 0.4 * k for k, v in enumerate(one.u)}, held=())
    found = values_at(one, form, state, t=0.4)
    tree = links(motion.in_speeds(one))
    assert [link.freedoms for link in tree.links] == [1, 4, 2]
    assert found["V" if form == FIRST else "W"].shape == (18, 7)
    checked = mbx.verify(mbx.loads(SPATIAL_LINE), forms=[form, "kane"], states=2, oracle=1)
    assert checked.verdict == "agree"


# -- cam and follower --------------------------------------------------------------------------

ON_SHAFT: Final = """mbx 1
model OnShaft "A cam with lobes on a turning frame in space, a follower, and what hangs on it" {
  function radius(p) = 0.3 m + 0.05 m*cos(2*p) + 0.02 m*sin(3*p)
  coordinate f: rad = 0.3, z1: rad = 1.1, z2: rad = 0.4, z3: rad = -0.2, c: rad = 0.6
  body carrier { mass 2 kg  com [0.1 m, 0.2 m, 0.1 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(ground, axis = [0, 0.6, 0.8], angle = f) }
  body cam { mass 1 kg  com [0.02 m, 0.03 m, 0]
    inertia diag(0.02 [kg*m^2], 0.02 [kg*m^2], 0.04 [kg*m^2])
    joint revolute(carrier at [0.3 m, 0.1 m, 0], axis = z, angle = z2) }
  body follower { mass 0.5 kg  com [0.01 m, 0.02 m, 0.03 m]
    inertia diag(0.01 [kg*m^2], 0.02 [kg*m^2], 0.015 [kg*m^2])
    joint general(cam, own at [-0.02 m, -0.25 m, 0],
      move = [radius(z1)*cos(z1), radius(z1)*sin(z1), 0], rotated z by z3 - z2) }
  body hanger { mass 0.3 kg  com [0, 0.1 m, 0]
    inertia diag(0.01 [kg*m^2], 0.01 [kg*m^2], 0.01 [kg*m^2])
    joint revolute(follower at [0, 0.3 m, 0], axis = x, angle = c) }
  gravity [0, 0, -9.81 [m/s^2]]
}
"""


@pytest.mark.parametrize("form", BOTH)
def test_s0_13_a_cam_of_any_profile_on_a_moving_frame(form: str) -> None:
    found = mbx.verify(mbx.loads(ON_SHAFT), forms=[form, "kane", "lagrange"], states=3, oracle=1)
    assert found.verdict == "agree"
    assert not found.excluded


def test_s0_13_columns_of_the_follower_are_those_of_b_7_in_method_two_too() -> None:
    """[da/dz1; 0], [J(r^P - r_1); 0] and [-J r^P; 1], computed for this library from (B.7)."""
    two = values_at("cam_follower", SECOND, CAM)
    z1, z2 = CAM["z1"], CAM["z2"]
    s, slope = 0.3 + 0.1 * np.cos(z1), -0.1 * np.sin(z1)
    er, et = np.array([np.cos(z1), np.sin(z1)]), np.array([-np.sin(z1), np.cos(z1)])
    a = turned(z2, s * er)
    r = np.array([0.05, 0.1])
    expected = [[*turned(z2, slope * er + s * et), 0], [*(J @ a), 0], [*(-J @ (r + a)), 1]]
    assert planar(two["W"] @ two["P"])[3:] == pytest.approx(np.array(expected).T, abs=1e-14)
    # of the cam itself only its own turn, about its pivot
    cam = planar(two["W"] @ two["P"])[:3]
    assert cam == pytest.approx(np.array([[0] * 3, [*(-J @ r), 1], [0] * 3]).T, abs=1e-14)


# -- absolute coordinates ----------------------------------------------------------------------

FREE_ROD: Final = """mbx 1
model FreeRod {
  coordinate x: m = 1.2, y: m = 0.9, th: rad = 1.2
  body rod { mass 1.5 kg  inertia 0.045 [kg*m^2] about z
    joint planar(ground, axis = z, x = x, y = y, angle = th) }
  invariant line: cos(0.5)*(y - 0.6 m*sin(th) + 0.1 m) = sin(0.5)*(x - 0.6 m*cos(th) - 0.2 m)
  gravity [0, -9.81 [m/s^2], 0]
}
"""
FREE_FOLLOWER: Final = """mbx 1
model FreeFollower {
  coordinate z2: rad = 0.4, x: m = 0.14, y: m = 0.68, th: rad = -0.2
  let bx = x - 0.02 m*cos(th) + 0.25 m*sin(th) - 0.05 m
  let by = y - 0.02 m*sin(th) - 0.25 m*cos(th) - 0.1 m
  let ax = cos(z2)*bx + sin(z2)*by
  body cam { mass 2 kg  inertia 0.1 [kg*m^2] about z
    joint revolute(ground at [0.05 m, 0.1 m, 0], axis = z, angle = z2) }
  body follower { mass 0.5 kg  inertia 0.01 [kg*m^2] about z
    joint planar(ground, axis = z, x = x, y = y, angle = th) }
  invariant edge: bx^2 + by^2 = 0.3 m*sqrt(bx^2 + by^2) + 0.1 m*ax
  gravity [0, -9.81 [m/s^2], 0]
}
"""


@pytest.mark.parametrize("form", VARIANTS)
def test_s0_17_a_point_to_line_joint_moves_as_its_row_on_a_free_body(form: str) -> None:
    joint = values_at("point_to_line", FIRST, LINE)
    rates, qdd = planar(joint["qd_1"]), planar(joint["V"] @ joint.ud + joint["Vdot"] @ joint["zd"])
    state = dict(zip(("x'", "y'", "th'"), map(float, rates), strict=True))
    state |= {"x": joint["R_1"][0], "y": joint["R_1"][1], "th": 1.2}
    one = values_at(system_of(FREE_ROD), form, state)
    assert one.ud == pytest.approx(qdd, rel=1e-9)
    assert one["A"].shape == (1, 3)


@pytest.mark.parametrize("form", VARIANTS)
def test_s0_17_a_cam_moves_its_follower_as_its_edge_does_a_free_one(form: str) -> None:
    joint = values_at("cam_follower", FIRST, CAM)
    rates = joint["qd_2"][[0, 1, 5]]
    c = np.concatenate([joint["c_1"], joint["c_2"]])
    qdd = planar(joint["V"] @ joint["P"] @ joint.ud + joint["V"] @ joint["pd"] + c)
    state = dict(zip(("x'", "y'", "th'"), map(float, rates), strict=True))
    state |= {"x": joint["R_2"][0], "y": joint["R_2"][1], "th": -0.2}
    state |= {"z2": CAM["z2"], "z2'": CAM["z2'"]}
    one = values_at(system_of(FREE_FOLLOWER), form, state)
    assert one.ud == pytest.approx([qdd[2], *qdd[3:]], rel=1e-8)


PAIRS: Final = """mbx 1
model Pairs {
  coordinate x1: m = 0.3, y1: m = 0.4, t1: rad = 0, x2: m = 0.7, y2: m = 0.5, t2: rad = 0.9
  body one { mass 1 kg  inertia 0.1 [kg*m^2] about z
    joint planar(ground, axis = z, x = x1, y = y1, angle = t1) }
  body two { mass 1 kg  inertia 0.1 [kg*m^2] about z
    joint planar(ground, axis = z, x = x2, y = y2, angle = t2) }
  joint pin: revolute(one at [0.4 m, 0.1 m, 0], two at [-0.2 m, 0.3 m, 0], axis = z)
  joint guide: prismatic(ground at [0.1 m, 0.4 m, 0], one, axis = x)
}
"""


def test_s0_02_rows_between_two_bodies_and_rows_of_a_guide_on_the_ground() -> None:
    """Revolute: [I, J u_1, -I, -J u_2]; prismatic: angle, and across the axis h_g."""
    one = system_of(PAIRS)
    state = completed(one, {"t2": 0.9, "x1'": 0.4, "t2'": 0.3}, held=("t2", "x1'", "t2'"))
    found = values_at(one, FIRST, state)
    u1, u2 = turned(state["t1"], [0.4, 0.1]), turned(state["t2"], [-0.2, 0.3])
    pin = np.column_stack([np.eye(2), J @ u1, -np.eye(2), -J @ u2])
    # across h_g = x: J h_g = y; F is at the origin of the body
    guide = np.array([[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]])
    expected = np.vstack([pin, guide])
    assert found["A"].shape == (4, 6)
    both = np.vstack([expected, found["A"]])
    assert np.linalg.matrix_rank(expected) == np.linalg.matrix_rank(both, tol=1e-10) == 4
    assert np.abs(found["A"] @ [state[f"{v.path}"] for v in one.u]).max() < 1e-12


# -- the own side of a joint may move ----------------------------------------------------------

OWN_SIDE: Final = """mbx 1
model OwnSide "Joints whose points wander over their own bodies, with time and with coordinates" {
  coordinate a: rad = 0.3, c: rad = 0.5, s: m = 0.2
  body one { mass 2 kg  com [0.2 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint revolute(ground at [0.1 m, 0, 0], own at [0.1 m*sin(2 [rad/s]*t), 0.05 m, 0.02 m],
      axis = z, angle = a) }
  body two { mass 1 kg  com [0.1 m, 0.1 m, 0.2 m]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint general(one at [0.4 m, 0, 0.1 m], own at [0.1 m*cos(c), 0.1 m*sin(3 [rad/s]*t), s],
      rotated x by c) }
  gravity [0, -9.81 [m/s^2], 0]
}
"""
FAMILY: Final = (
    *BOTH,
    "rfda",
    "tree_newton_euler",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_hamilton_extended",
    "tree_hamilton_reduced",
    "tree_hamilton_multipliers",
    "composite_body",
    "articulated_body",
    "recursive_newton_euler",
)


def test_the_own_side_of_a_joint_may_move() -> None:
    found = mbx.verify(mbx.loads(OWN_SIDE), forms=["kane", *FAMILY], states=3, oracle=1)
    assert found.verdict == "agree", str(found)
    assert not found.excluded
    assert {str(form).partition(":")[0] for form in found.forms} == {"kane", *FAMILY}
