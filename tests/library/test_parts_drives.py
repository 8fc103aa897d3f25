"""Gears, shafts, racks, springs and motors of the library move as textbooks say."""

from __future__ import annotations

from math import hypot
from typing import Final

import pytest

import mbx
from formalisms.cases import Point, completed, system_of
from library.test_parts import FORMS, G, moves, refused
from mbx.linking.library import parts_root

BOTH: Final = (*FORMS, "lagrange")
IN_COORDINATES: Final = ("kane", "modular", "gauss", "lagrange")
"""Forms that take loads on any coordinate; Newton-Euler wants wrenches."""

GEAR: Final = """mbx 1
use Gear from "lib:transmission/gear.mb"
use Rotor from "lib:transmission/rotor.mb"
model Train {
  input t1: N*m = 3 "on shaft 1"
  input t2: N*m = -0.5 "on shaft 2"
  subsystem gear: Gear(ratio = RATIO), first: Rotor(J = 0.2), second: Rotor(J = 0.9)
  invariant fit1: first.a = gear.a1
  invariant fit2: second.a = gear.a2
  torque t1*ground.z on first.rotor
  torque t2*ground.z on second.rotor
}"""


@pytest.mark.parametrize("ratio", [4.0, -2.5])
def test_a_gear_reflects_inertia_by_the_square_of_its_ratio(ratio: float) -> None:
    """Textbook: (n^2 J1 + J2) a2'' = n t1 + t2, and J1 a1'' = t1 + T."""
    one = system_of(GEAR.replace("RATIO", str(ratio)))
    state = completed(one, {"second.a": 0.3, "second.a'": -2.0})
    assert state["first.a"] == pytest.approx(0.3 * ratio, abs=1e-12)
    second = (3 * ratio - 0.5) / (0.2 * ratio**2 + 0.9)
    first = ratio * second
    expected = {"second.a''": second, "first.a''": first, "gear.T": 0.2 * first - 3}
    moves(one, Point(state), expected, BOTH)


def test_an_elastic_shaft_pulls_both_rotors() -> None:
    """Textbook: J1 a1'' = k x + c x', J2 a2'' = -k x - c x' with the twist x = a2 - a1."""
    one = system_of("""mbx 1
    use Rotor from "lib:transmission/rotor.mb"
    use Shaft from "lib:transmission/shaft.mb"
    model Rotors {
      subsystem first: Rotor(J = 0.2), second: Rotor(J = 0.5)
      subsystem shaft: Shaft(stiffness = 30, damping = 0.4)
      invariant fit: shaft.twist = second.a - first.a reaction T
      coordinate z: rad
      body probe { inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = z) }
      torque shaft.torque*ground.z on probe
    }""")
    said = {"first.a": 0.1, "second.a": 0.35, "first.a'": 2.0, "second.a'": -1.0}
    torque = 30 * 0.25 + 0.4 * -3.0
    expected = {"first.a''": torque / 0.2, "second.a''": -torque / 0.5, "T": torque, "z''": torque}
    moves(one, Point(completed(one, said)), expected, IN_COORDINATES)


def test_a_rack_lifts_its_load() -> None:
    """Textbook: (J/r^2 + m) s'' = T/r - m g; the teeth lift with m (s'' + g)."""
    one = system_of("""mbx 1
    use Rack from "lib:transmission/rack.mb"
    use Rotor from "lib:transmission/rotor.mb"
    model Lift {
      input T: N*m = 2
      subsystem rack: Rack(radius = 0.05 m), pinion: Rotor(J = 0.003)
      invariant fit: rack.angle = pinion.a
      particle load { mass 1.2 kg  at [0, 0, rack.travel] }
      torque T*ground.z on pinion.rotor
      gravity [0, 0, -9.81 [m/s^2]]
    }""")
    up = (2 / 0.05 - 1.2 * G) / (0.003 / 0.05**2 + 1.2)
    state = completed(one, {"rack.travel": 0.1, "rack.travel'": 0.3})
    expected = {"rack.travel''": up, "pinion.a''": up / 0.05, "rack.F": 1.2 * (up + G)}
    moves(one, Point(state), expected, BOTH)


def test_a_spring_damper_acts_on_points_of_its_parent() -> None:
    """Textbook: m p'' = -(k (l - l0) + c l' - f) e + m g along the line of the ends."""
    one = system_of("""mbx 1
    use SpringDamper from "lib:force/spring_damper.mb"
    model Bob {
      input f: N = 4
      coordinate x: m, y: m
      point hook = [0.5 m, 1 m, 0]
      particle bob { mass 2 kg  at [x, y, 0] }
      subsystem strut: SpringDamper(stiffness = 80, rest = 0.6 m, damping = 3, push = f)
      invariant fit: strut.length = norm(bob - hook) reaction S
      coordinate z: m
      particle probe { mass 1 kg  at [0, 0, z] }
      force strut.pull*ground.z on probe
      gravity [0, -9.81 [m/s^2], 0]
    }""")
    x, y, vx, vy = 1.1, 0.2, 0.7, -0.4
    length = hypot(x - 0.5, y - 1)
    ex, ey = (x - 0.5) / length, (y - 1) / length
    rate = vx * ex + vy * ey
    pull = 80 * (length - 0.6) + 3 * rate - 4
    state = completed(one, {"x": x, "y": y, "x'": vx, "y'": vy, "strut.length": length})
    expected = {"x''": -pull * ex / 2, "y''": -pull * ey / 2 - G, "S": pull, "z''": pull}
    moves(one, Point(state), expected, IN_COORDINATES)


def test_a_geared_motor_has_its_rotor_behind_the_gear() -> None:
    """(n^2 J + Jl) w' = n (k i - b n w) at the load, and L i' = v - R i - kappa n w."""
    one = system_of("""mbx 1
    use GearMotor from "lib:electric/gear_motor.mb"
    use Rotor from "lib:transmission/rotor.mb"
    model Drive {
      input u: V = 12
      subsystem drive: GearMotor(ratio = 20, k = 0.05, kappa = 0.06, J = 1e-4, b = 2e-4, L = 2 mH,
          R = 0.8, v = u)
      subsystem load: Rotor(J = 0.03)
      invariant fit: load.a = drive.gear.a2
    }""")
    n, w, i = 20, 1.5, 2.0
    state = completed(one, {"load.a": 0.2, "load.a'": w, "drive.motor.i": i})
    turn = n * (0.05 * i - 2e-4 * n * w) / (n**2 * 1e-4 + 0.03)
    expected = {
        "load.a''": turn,
        "drive.motor.w'": n * turn,
        "drive.motor.i'": (12 - 0.8 * i - 0.06 * n * w) / 2e-3,
    }
    moves(one, Point(state), expected)


def test_every_part_is_listed_with_its_models() -> None:
    text = (parts_root() / "README.md").read_text("utf-8")
    for path in sorted(parts_root().rglob("*.mb")):
        row = next(x for x in text.splitlines() if f"`{path.relative_to(parts_root())}`" in x)
        assert all(f"`{model.name}`" in row for model in mbx.read(path).models), row


# -- what is bound wrongly -----------------------------------------------------------------------

WRONG: Final = [
    ("planar/rigid_body.mb", "RigidBody", "n = 3, along = [0.1, 0.2], across = 0", "MBX3019"),
    ("planar/rigid_body.mb", "RigidBody", "n = 1", "MBX3020"),
    ("planar/rigid_body.mb", "RigidBody", "length = 2 kg", "MBX4115"),
    ("planar/rigid_body.mb", "RigidBody", "vx = 1 [m/s]", "MBX3007"),
    ("planar/body.mb", "Body", "mass = 1 kg, mass = 2 kg", "MBX3008"),
    ("spatial/rigid_body.mb", "RigidBody", "mass = -1 kg", "MBX4001"),
    ("spatial/rigid_body.mb", "RigidBody", "Ix = 1, Iy = 1, Iz = 3", "MBX4003"),
    ("spatial/body_euler.mb", "Body", "Ix = 1, Iy = 1, Iz = 3", "MBX4003"),
    ("spatial/bar.mb", "Bar", "length = 1, mass = 1, inertia = 0.3", "MBX4001"),
    ("spatial/bar_angles.mb", "Bar", "roll = 0", "MBX3007"),
    ("transmission/gear.mb", "Gear", "ratio = 2 m", "MBX4115"),
    ("transmission/rotor.mb", "Rotor", "J = -1", "MBX4002"),
    ("transmission/rack.mb", "Rack", "radius = 30 deg", "MBX4115"),
    ("transmission/shaft.mb", "Shaft", "stiffness = 3 [N/m]", "MBX4115"),
    ("force/spring_damper.mb", "SpringDamper", "length = 1 m", "MBX3007"),
    ("electric/gear_motor.mb", "GearMotor", "k = 1 [N/A]", "MBX4115"),
    ("electric/dc_motor.mb", "DCMotor", "R = 1 H", "MBX4115"),
    ("planar/bar.mb", "Bar", "length = 1 s", "MBX4115"),
]


@pytest.mark.parametrize(("path", "name", "bound", "code"), WRONG)
def test_what_is_bound_wrongly_is_an_error(path: str, name: str, bound: str, code: str) -> None:
    text = f'mbx 1\nuse {name} from "lib:{path}"\nmodel M {{ subsystem U: {name}({bound}) }}'
    assert code in refused(text)
