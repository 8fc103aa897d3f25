"""What models can say beside plain joints: gears, frames, moving sides, screws, quaternions."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from time import process_time

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.follow import HaltError
from mbx.analyses.kinematics.groups.decompose import decompose
from mbx.analyses.kinematics.groups.group_machine import compiled
from mbx.analyses.kinematics.kinematic_options import KinematicOptions
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.kinematics.points_of_interest import PointOfInterest
from mbx.analyses.kinematics.solve_motion import METHODS, Method, solution_of
from mbx.analyses.mechanism_verbs import kinematic_study
from mbx.expr import add, mul, number
from mbx.system.symbol_names import TIME
from mechanisms import evenly, library, mechanism, start_of, written

CRANK = """  body crank { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = th1) }
"""
WHEEL = """  body wheel { mass 1 kg  inertia J about z
    joint revolute(ground at [-1 m, 0, 0], axis = z, angle = -2*th1) }
"""
GEARED = """mbx 1
model Geared "A four-bar; a wheel turns back at twice the rate of its crank" {
  param J: kg*m^2 = 1
  coordinate th1: rad = 1, th2: rad = -0.414358, th3: rad = 1.554646
PARTS  body coupler { mass 1 kg  inertia J about z
    joint revolute(crank at [0.1 m, 0, 0], axis = z, angle = th2) }
  body rocker { mass 1 kg  inertia J about z
    joint revolute(ground at [0.3 m, 0, 0], axis = z, angle = th3) }
  joint tip: revolute(coupler at [0.3 m, 0, 0], rocker at [0.25 m, 0, 0], axis = z) cut
}
"""
ROLLING = """mbx 1
model Rates "Two wheels whose rates are tied" {
  param J: kg*m^2 = 1
  coordinate a: rad = 0, b: rad = 0
  body A { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  body B { mass 1 kg  inertia J about z
    joint revolute(ground at [1 m, 0, 0], axis = z, angle = b) }
  invariant gear: a' = -2*b'
}
"""
QUATERNION = """mbx 1
model Loose "A body that its frame places" {
  param J: kg*m^2 = 1
  coordinate x: m = 0, qw: 1 = 1, qx: 1 = 0, qy: 1 = 0, qz: 1 = 0
  frame turned = ground quaternion(w = qw, x = qx, y = qy, z = qz)
  body b { frame turned at [x, 0, 0]
    mass 1 kg  com [0, 0, 0]  inertia diag(J, J, J) }
}
"""
ABSOLUTE = """mbx 1
model Absolute "The four-bar of the library, in absolute coordinates" {
  param J: kg*m^2 = 1
  coordinate x1: m = 0.03, y1: m = 0.04, a1: rad = 1
  coordinate x2: m = 0.18, y2: m = 0.17, a2: rad = 0.6
  coordinate x3: m = 0.3, y3: m = 0.12, a3: rad = 1.55
  body b1 { frame ground at [x1, y1, 0] rotated z by a1
    mass 1 kg  com [0, 0, 0]  inertia J about z }
  body b2 { frame ground at [x2, y2, 0] rotated z by a2
    mass 1 kg  com [0, 0, 0]  inertia J about z }
  body b3 { frame ground at [x3, y3, 0] rotated z by a3
    mass 1 kg  com [0, 0, 0]  inertia J about z }
  joint p1: revolute(ground, b1 at [-0.05 m, 0, 0], axis = z) cut
  joint p2: revolute(b1 at [0.05 m, 0, 0], b2 at [-0.15 m, 0, 0], axis = z) cut
  joint p3: revolute(b2 at [0.15 m, 0, 0], b3 at [0.125 m, 0, 0], axis = z) cut
  joint p4: revolute(ground at [0.3 m, 0, 0], b3 at [-0.125 m, 0, 0], axis = z) cut
}
"""
TURNED = """mbx 1
model Turned "An arm that the model itself turns on a crank" {
  param J: kg*m^2 = 1
  coordinate a: rad = 0.2
  body crank { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  body arm { mass 1 kg  inertia J about z
    joint revolute(crank at [1 m, 0, 0], axis = z, angle = 3 [rad/s^2]*t^2) }
}
"""
SHAKEN = """mbx 1
model Shaken "A pendulum whose pivot goes up and down" {
  param J: kg*m^2 = 1
  coordinate th: rad = 0.3
  body rod { mass 1 kg  com [0.5 m, 0, 0]  inertia J about z
    joint revolute(ground at [0, 0.1 m*sin(3 [rad/s]*t), 0], axis = z, angle = th) }
}
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_coordinate_moves_every_body_that_names_it(method: Method, first: bool) -> None:  # noqa: FBT001
    # source: the same four-bar without a wheel, and a turn by -2 th1
    parts = WHEEL + CRANK if first else CRANK + WHEEL
    document = mbx.loads(GEARED.replace("PARTS", parts))
    point = ("wheel", (0.5, 0.0, 0.0))
    found = mbx.kinematics(
        document, drive={"th3": "1.9 + t"}, method=method, until=0.3, every=0.1, points=[point]
    )
    other = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th3": "1.9 + t"}, until=0.3)
    assert found["th1"][-1] == pytest.approx(other["th1"][-1], abs=1e-12)
    assert found["th1''"][-1] == pytest.approx(other["th1''"][-1], rel=1e-10)
    for k, th in enumerate(found["th1"]):
        at = [found[f"wheel(0.5,0,0).{c}"][k] for c in "xy"]
        assert at == pytest.approx([-1 + 0.5 * cos(-2 * th), 0.5 * sin(-2 * th)], abs=1e-12)


@pytest.mark.parametrize("parts", [CRANK + WHEEL, WHEEL + CRANK])
def test_a_gear_takes_its_place_behind_what_turns_it(parts: str) -> None:
    linked, system = written(GEARED.replace("PARTS", parts))
    graph = mechanism_of(linked, system, {"th3": TIME}, {}).graph
    assert graph.mobility == 1
    found = [one.vertices for one in decompose(graph)]
    assert found[0] == ("rocker",)
    assert set(found[1]) == {"crank", "coupler"}
    assert found[2] == ("wheel",)


def test_what_is_said_of_velocities_alone_is_refused_by_name() -> None:
    with pytest.raises(NotNaturalError, match="'gear' is no invariant of positions"):
        mbx.kinematics(mbx.loads(ROLLING), drive={"a": "t^2", "b": "t^3"})


def test_a_quaternion_of_a_frame_keeps_its_length() -> None:
    # source: the squares of the components of a unit quaternion have the sum 1
    linked, system = written(QUATERNION)
    drives = {"x": "0", "qx": "0.1 + t", "qy": "0.2", "qz": "0.3"}
    assert mechanism_of(linked, system, dict.fromkeys(drives, TIME), {}).graph.mobility == 4
    found = mbx.kinematics(mbx.loads(QUATERNION), drive=drives, until=0.2, every=0.1)
    expected = [sqrt(1 - (0.1 + t) ** 2 - 0.04 - 0.09) for t in found.t]
    assert found["qw"] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(mbx.MbxError, match="too many constraints"):
        mbx.kinematics(mbx.loads(QUATERNION), drive={**drives, "qw": "0.5"})


def test_bodies_that_frames_place_move_in_a_plane() -> None:
    # source: the same mechanism in angles
    linked, system = written(ABSOLUTE)
    one = mechanism_of(linked, system, {"a1": TIME}, {})
    assert one.space.dimension == 2
    assert one.graph.mobility == 1
    found = mbx.kinematics(mbx.loads(ABSOLUTE), drive={"a1": "1:3:10"}, compared=10)
    other = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "1:3:10"})
    assert found["a3"] == pytest.approx(other["th3"], abs=1e-12)
    assert found["a2"] == pytest.approx(other["th1"] + other["th2"], abs=1e-12)
    assert found["a3''"] == pytest.approx(other["th3''"], abs=1e-11)
    assert found.agreement is not None
    assert found.agreement.holds


@pytest.mark.parametrize("method", METHODS)
def test_a_side_of_a_joint_may_move(method: Method) -> None:
    # source: closed form, the pivot at 0.1 sin(3 t), the arm at the angle 0.3 + 2 t
    found = mbx.kinematics(
        mbx.loads(SHAKEN),
        drive={"th": "0.3 + 2*t"},
        method=method,
        until=0.4,
        every=0.2,
        points=[("rod", (0.5, 0.0, 0.0))],
    )
    for k, t in enumerate(found.t):
        y = 0.1 * sin(3 * t) + 0.5 * sin(0.3 + 2 * t)
        assert found["rod(0.5,0,0).y"][k] == pytest.approx(y, abs=1e-13)
        ydd = -0.9 * sin(3 * t) - 2 * sin(0.3 + 2 * t)
        assert found["rod(0.5,0,0).y''"][k] == pytest.approx(ydd, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("machine", [True, False])
def test_a_group_may_move_with_time_and_with_its_inputs(method: Method, machine: bool) -> None:  # noqa: FBT001
    # source: closed form, the crank at a = 0.2 + t + t^2, the arm turned by 3 t^2 on it
    linked, system = written(TURNED)
    drive = add(number(0.2), TIME, mul(TIME, TIME))
    solution = solution_of(mechanism_of(linked, system, {"a": drive}, {}), method)
    engine = compiled(solution) if machine else solution
    near = solution.start({"a": 0.2}, 0.0)
    point = PointOfInterest(solution, "arm", np.array([0.5, 0.0, 0.0]))
    for t in (0.0, 0.1, 0.2):
        found = engine.at(t, near)
        near = found.x
        p = v = acc = np.zeros(2)
        for r, b, w, al in (
            (1.0, 0.2 + t + t**2, 1 + 2 * t, 2.0),
            (0.5, 0.2 + t + 4 * t**2, 1 + 8 * t, 8.0),
        ):
            e, f = np.array([cos(b), sin(b)]), np.array([-sin(b), cos(b)])
            p, v, acc = p + r * e, v + r * w * f, acc + r * (al * f - w**2 * e)
        got = point.at(found)
        for one, expected in zip(got, (p, v, acc), strict=True):
            assert one[:2] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["global", "global-sparse"])
def test_a_screw_closes_a_loop_over_many_turns(method: Method) -> None:
    # source: h = p th, with the pitch p = 2 mm for a radian
    found = mbx.kinematics(mbx.read("lib:screw_jack"), drive={"th": "0:40:80"}, method=method)
    assert found["h"] == pytest.approx(0.002 * found["th"], abs=1e-13)
    assert found["h'"] == pytest.approx(0.002 * found["th'"], abs=1e-13)


def test_only_what_is_needed_has_to_have_a_value() -> None:
    found = mbx.kinematics(
        mbx.read("lib:reaction_wheel_pendulum"), drive={"theta": "0.1", "phi": "2"}
    )
    assert found["theta"] == pytest.approx([0.1])


@pytest.mark.parametrize("angle", [-2.7, -2.1, -1.9, -1.5, 2.9, 4.0])
def test_a_position_is_on_the_branch_of_the_models_start(angle: float) -> None:
    # source: on one branch the sense of crank pin, joint and rocker pivot never changes
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": str(angle)})
    b = 0.1 * np.array([cos(angle), sin(angle)])
    d = np.array([0.3, 0.0])
    pin = d + 0.25 * np.array([cos(found["th3"][0]), sin(found["th3"][0])])
    assert np.linalg.norm(pin - b) == pytest.approx(0.3, abs=1e-12)
    (ux, uy), (vx, vy) = pin - b, pin - d
    assert ux * vy - uy * vx > 0


@pytest.mark.sample(2)
@pytest.mark.parametrize("method", ["td", "global"])
@pytest.mark.parametrize("sweep", ["1:37:13", "1:100:4", "200"])
def test_however_far_a_drive_goes_at_once_no_branch_and_no_turn_is_lost(
    method: Method, sweep: str
) -> None:
    # source: after whole turns of the crank all is as it was; small steps are the same
    last = float(sweep.split(":")[1] if ":" in sweep else sweep)
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": sweep}, method=method)
    other = mbx.kinematics(
        mbx.read("lib:four_bar"), drive={"th1": f"1:{1 + (last - 1) % (2 * pi)!r}:90"}
    )
    assert found["th3"][-1] == pytest.approx(other["th3"][-1], abs=1e-9)


def test_time_is_up_on_the_way_to_the_start_too() -> None:
    with pytest.raises(NotRunError, match="CPU time"):
        mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "1e8"}, timeout=0.5)


DOMAINS = {
    "a distance that is not everywhere": "prismatic(ground, axis = x, distance = "
    "sqrt((0.2 m)^2 - x^2))",
    "a pivot that is not everywhere": "revolute(ground at [0, sqrt((0.2 m)^2 - x^2), 0],"
    " axis = z, angle = x/(1 m)*1 rad)",
    "a turn that begins later": "revolute(ground, axis = z, angle = "
    "log(t/(1 s) + 1 + x/(1 m))*1 rad)",
}


@pytest.mark.parametrize("joint", DOMAINS.values(), ids=DOMAINS)
def test_motions_may_have_a_domain(joint: str) -> None:
    text = f"""mbx 1
model Domain {{
  param J: kg*m^2 = 1
  coordinate x: m = 0.1
  body b {{ mass 1 kg  inertia J about z  joint {joint} }}
}}
"""
    found = mbx.kinematics(mbx.loads(text), drive={"x": "0.1"}, compared=1)
    assert found.agreement is not None
    assert found.agreement.holds


def test_a_point_on_a_base_that_the_model_moves() -> None:
    # source: closed form, the base at 0.1 sin(3 t), the arm at 0.3 + 2 t
    text = """mbx 1
model Base {
  param J: kg*m^2 = 1
  coordinate th: rad = 0.3
  body base { frame ground at [0, 0.1 m*sin(3 [rad/s]*t), 0]
    mass 1 kg  com [0, 0, 0]  inertia J about z }
  body rod { mass 1 kg  inertia J about z  joint revolute(base, axis = z, angle = th) }
}
"""
    found = mbx.kinematics(
        mbx.loads(text),
        drive={"th": "0.3 + 2*t"},
        until=0.4,
        every=0.2,
        points=[("rod", (0.5, 0.0, 0.0))],
    )
    y = 0.1 * np.sin(3 * found.t) + 0.5 * np.sin(0.3 + 2 * found.t)
    ydd = -0.9 * np.sin(3 * found.t) - 2 * np.sin(0.3 + 2 * found.t)
    assert found["rod(0.5,0,0).y"] == pytest.approx(y, abs=1e-12)
    assert found["rod(0.5,0,0).y''"] == pytest.approx(ydd, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_screw_without_pitch_is_a_revolute_joint(method: Method) -> None:
    text = """mbx 1
model Pin {
  param J: kg*m^2 = 1
  coordinate q: rad = 0.3
  body b { mass 1 kg  inertia diag(J, J, J)
    joint screw(ground, axis = z, pitch = 0 [m/rad], angle = q) }
}
"""
    found = mbx.kinematics(
        mbx.loads(text), drive={"q": "0.5"}, method=method, points=[("b", (1.0, 0.0, 0.0))]
    )
    at = [float(found[f"b(1,0,0).{c}"][0]) for c in "xyz"]
    assert at == pytest.approx([cos(0.5), sin(0.5), 0.0], abs=1e-12)


def test_two_pins_of_a_linkage_do_not_fall_together_on_the_way() -> None:
    found = mbx.kinematics(mbx.read("lib:peaucellier_linkage"), drive={"th": "-0.7"})
    assert found.condition[0] < 1e3


def test_what_is_out_of_reach_names_the_group() -> None:
    # source: crank and rod in line, s = sqrt((r + l)^2 - e^2)
    with pytest.raises(HaltError, match=r"lock-up: 3R \(crank, rod\)") as halt:
        mbx.kinematics(mbx.read("lib:slider_crank"), drive={"s": "1"})
    assert halt.value.diagnosis.drives["s"] == pytest.approx(0.2498, abs=1e-4)


def test_time_is_up_within_a_step_too() -> None:
    began = process_time()
    with pytest.raises(NotRunError, match=r"more than 0\.3 s of CPU time"):
        mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "0:1e9:10"}, timeout=0.3)
    assert process_time() - began < 20


def test_coordinates_are_named_as_the_axes_of_the_ground() -> None:
    # source: a pendulum of 1 m about y, from x towards -z
    text = """mbx 1
model Upright {
  param J: kg*m^2 = 1
  coordinate th: rad = 0.2, ph: rad = 0
  body arm { mass 1 kg  inertia J about y  joint revolute(ground, axis = y, angle = th) }
  body tip { mass 1 kg  inertia J about y
    joint revolute(arm at [1 m, 0, 0], axis = y, angle = ph) }
}
"""
    found = mbx.kinematics(mbx.loads(text), drive={"th": "0.2", "ph": "0"}, natural=True)
    assert found["tip@x"] == pytest.approx([cos(0.2)])
    assert found["tip@z"] == pytest.approx([-sin(0.2)])


def test_without_joints_nothing_keeps_to_a_plane() -> None:
    _, system = library("spherical_pendulum_angles")
    one = mechanism("spherical_pendulum_angles", evenly(system, ["phi", "th"]))
    assert one.space.dimension == 3
    solution = solution_of(one, "td")
    assert len(solution.start(start_of(system), 0.0)) >= 2


def test_other_drives_are_held_while_the_range_of_one_is_looked_for() -> None:
    _, system = library("five_bar_joints")
    start = start_of(system)
    ranges = []
    for motion in ("", " + 5*t"):
        drives = {
            "mech.thL": repr(start["mech.thL"]),
            "mech.thR": f"{start['mech.thR']!r}{motion}",
        }
        study = kinematic_study(mbx.read("lib:five_bar_joints"), drives)
        found = study.reach("mech.thL", KinematicOptions())
        ranges.append((found.low, found.high))
    assert ranges[0] == pytest.approx(ranges[1], abs=1e-9)
