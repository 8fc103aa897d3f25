"""Small models that fuzzing was reduced to, each with what it must give."""

from __future__ import annotations

from typing import Final

import pytest

import mbx
from formalisms.cases import Point, at, forms, system_of

# -- springs and dampers whose coefficients change -----------------------------------------------

_ON_A_RAIL: Final = """
mbx 1
model OnARail {{
  coordinate x: m
  body slider {{ mass 2 kg  joint prismatic(ground, axis = x, distance = x) }}
  {load}
}}
"""
_LINE: Final = "between slider.com and [0, 0.4 m, 0]"


@pytest.mark.parametrize(
    ("load", "force"),
    [
        # V = k (L - r)^2/2 with L = 0.5 m: V' = k' (L - r)^2/2 + k (L - r) (x/L - r')
        (f"spring {_LINE} stiffness (5 [N/m])*(1 + (x/(1 m))^2) rest 0.1 m", -0.24 - 1.308),
        (f"spring {_LINE} stiffness 5 [N/m] rest x/3", -5 * 0.4 * (0.6 - 1 / 3)),
        # from D, half of c (x/L)^2 times v^2 + v^4
        (
            f"damper {_LINE} damping (3 [N*s/m])*(1 + (x'/(1 [m/s]))^2)",
            -3 * 0.36 * (0.5 + 2 * 0.5**3),
        ),
    ],
)
def test_all_of_an_energy_acts_where_its_coefficients_change(load: str, force: float) -> None:
    one = system_of(_ON_A_RAIL.format(load=load))
    assert len(forms(one)) >= 7
    for name, equations in forms(one).items():
        found = at(one, equations, Point({"x": 0.3, "x'": 0.5}))
        assert found.evaluation.ud == pytest.approx([force / 2]), name


# -- bodies that a joint statement places --------------------------------------------------------

PLACED: Final = """
mbx 1
model Placed {
  coordinate a, b: rad
  body A { mass 1 kg  inertia 0.3 [kg*m^2] about z }
  body B { inertia 0.2 [kg*m^2] about z  joint revolute(ground, axis = z, angle = b) }
  joint J: revolute(ground, A, axis = z, angle = a)
  invariant gear: dot(omega(A), ground.z) = 2*b' reaction R
  torque 0.7 [N*m]*ground.z on A
}
"""


def test_an_invariant_on_a_body_that_a_joint_statement_places_is_one_row() -> None:
    one = system_of(PLACED)
    assert [row.path for row in one.rows] == ["gear"]
    b = 2 * 0.7 / (4 * 0.3 + 0.2)
    for name, equations in forms(one).items():
        found = at(one, equations, Point({"a": 0.1, "b": 0.2, "a'": 1.0, "b'": 0.5}))
        assert found.evaluation.ud == pytest.approx([2 * b, b]), name


def test_dimensions_of_such_a_body_are_checked() -> None:
    wrong = PLACED.replace("dot(omega(A), ground.z)", "dot(velocity(A.com), ground.z)")
    assert [one.code for one in mbx.check(mbx.loads(wrong)).errors] == ["MBX4112"]


# -- invariants that are not affine in accelerations ---------------------------------------------

BOUND: Final = """
mbx 1
model Bound {
  coordinate x: m = 0.1, y: m = 0.2
  particle P { mass 1.5 kg  at [x, y, 0] }
  force [4 N, 1 N*sin(2*t/(1 s)), 0] on P
  invariant bound: x''^2 + 2*y''^2 = 3 [m^2/s^4] + 0.1 [m/s^4]*x
}
"""


def test_an_invariant_that_is_not_affine_in_accelerations_can_be_verified() -> None:
    found = mbx.verify(mbx.loads(BOUND), states=2)
    assert found.verdict == "agree", "\n".join(found.lines())
    assert sum(one.status == "compared" for one in found.states) >= 2


@pytest.mark.parametrize(
    "kind",
    [
        "spring s: between P and P stiffness 2 [N/m] rest 1 m",
        "damper s: between P and P damping 2 [N*s/m]",
    ],
)
def test_a_line_from_a_point_to_itself_does_nothing(kind: str) -> None:
    text = f"""mbx 1 model M {{
      coordinate x: m = 0.3
      particle p {{ mass 2 kg  at [x, 0, 0] }}
      point P = p.com
      {kind}
      load on x': 6 N
    }}"""
    # to the oracle, the direction of a line without length is singular
    assert mbx.verify(mbx.loads(text), states=2).verdict == "undecided"
    equations = mbx.convert(mbx.loads(text), "kane")
    assert equations.evaluate({"x": 0.3, "x'": 1.0}).ud == pytest.approx([3.0])


def test_a_state_that_is_nearly_zero_everywhere_is_no_disagreement() -> None:
    text = """mbx 1 model M {
      coordinate x: m, y: m
      particle p { mass 2 kg  at [x, y, 0] }
      invariant c: y = abs(x)
      gravity [0, -9.81 [m/s^2], 0]
    }"""
    assert mbx.verify(mbx.loads(text), states=4).verdict != "disagree"


# -- hinges whose rows are all rounding ----------------------------------------------------------

DOOR: Final = """
mbx 1
model Door {{
  coordinate q: rad = 0.3, x: m = 0.2, y: m = 0.1, z: m = 0.1
  body door {{
    mass 2 kg  com [0.1 m, 0.2 m, -0.1 m]
    inertia diag(0.4 [kg*m^2], 0.4 [kg*m^2], 0.5 [kg*m^2])
    joint revolute(ground, axis = [0.2, 0.4, -0.3], angle = q)
  }}
  joint upper: revolute(ground at [0.1 m, 0.2 m, -0.15 m], door at [0.1 m, 0.2 m, -0.15 m],
      axis = [0.2, 0.4, -0.3])
  body ball {{ mass 1 kg  joint general(ground, move = [x, y, z]) }}
  {pin}
}}
"""


@pytest.mark.parametrize("pin", ["", "joint pin: spherical(door at [0.2 m, 0.1 m, 0.3 m], ball)"])
def test_a_door_on_two_hinges_about_an_oblique_axis_moves_as_on_one(pin: str) -> None:
    found = mbx.verify(mbx.loads(DOOR.format(pin=pin)), forms=["kane", "lagrange"], states=4)
    assert found.verdict == "agree"
    assert {state.status for state in found.states} == {"compared"}
    assert found.oracle is not None
    assert len(found.oracle.states) == 2


# -- a loop joint on a body with a quaternion ----------------------------------------------------

ON_A_PLANE: Final = """
mbx 1
model OnAPlane {
  coordinate qw: 1 = 0.8, qx: 1 = 0.36, qy: 1 = 0.48, qz: 1
  coordinate s: m = 0.2
  speed wx, wy, wz: rad/s
  body top { mass 2 kg  com [0.1 m, 0, 0.3 m]
    inertia diag(0.5 [kg*m^2], 0.4 [kg*m^2], 0.3 [kg*m^2])
    joint spherical(ground, quaternion(w = qw, x = qx, y = qy, z = qz)) }
  define [wx, wy, wz] = omega(top) in top
  body foot { mass 1 kg  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
    joint prismatic(top, axis = z, distance = s) }
  joint plane: planar(ground at [0, 0, 0.1 m], foot at [0.1 m, 0, 0], axis = z) cut
  gravity [0, 0, -9.81 [m/s^2]]
}
"""


def test_the_norm_of_a_quaternion_and_no_row_of_a_joint_gives_its_rates() -> None:
    one = system_of(ON_A_PLANE)
    assert [row.path for row in one.closed] == ["norm(1)"]
    assert [row.path for row in one.rows] == ["plane.normal", "plane.tilt1", "plane.tilt2"]


@pytest.mark.full
def test_a_ball_carries_no_torque_where_a_plane_holds_the_body() -> None:
    found = mbx.verify(mbx.loads(ON_A_PLANE), forms=["newton_euler", "kane", "lagrange"], states=3)
    assert found.verdict == "agree"
    assert found.oracle is not None
    assert found.oracle.reactions["newton_euler"].value < 1e-12
