"""Parts of the library move as textbooks say, and refuse what is bound wrongly."""

from __future__ import annotations

from math import atan2, cos, hypot, sin
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, system_of
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.system.system import System

FORMS: Final = ("kane", "newton_euler", "modular", "gauss")
G: Final = 9.81


def moves(
    one: System,
    point: Point,
    expected: Mapping[str, float],
    names: tuple[str, ...] = FORMS,
) -> None:
    """Compare what forms give at a point with a closed form."""
    scale = max(1.0, *(abs(x) for x in expected.values()))
    for name in names:
        found = at(one, registry.derive(one, name), point)
        for wanted, value in expected.items():
            assert found.of(wanted) == pytest.approx(value, rel=0, abs=1e-10 * scale), (
                name,
                wanted,
            )


def refused(text: str) -> set[str]:
    """Return the codes of the errors of a text."""
    try:
        report = mbx.check(mbx.loads(text))
    except mbx.SourceError as error:
        return {one.code for one in error.report}
    return {one.code for one in report if one.severity == "error"}


# -- bodies in the plane -------------------------------------------------------------------------

ELEMENT: Final = """mbx 1
use RigidBody from "lib:planar/rigid_body.mb"
model Plate {
  subsystem plate: RigidBody(n = 4, length = 2 m, mass = 3 kg, inertia = 0.7, gamma = 0.4,
      rho = 0.3, along = [-0.2, 0.9], across = [0.5, -0.6])
  PINS
  gravity [0, -9.81 [m/s^2], 0]
}
"""
PINNED: Final = ELEMENT.replace(
    "PINS", "invariant pin_x: plate.px[3] = 0 reaction X  invariant pin_y: plate.py[3] = 0"
)


def on_plate(gamma: float, rho: float, angle: float) -> tuple[float, float]:
    """Return where a point of the plate is from its first node."""
    return (
        2 * (gamma * cos(angle) - rho * sin(angle)),
        2 * (gamma * sin(angle) + rho * cos(angle)),
    )


def test_a_body_of_four_nodes_swings_about_its_third() -> None:
    """A compound pendulum: (J + m d^2) w' = -m g dx, d from the pin to the mass centre."""
    angle, w = 0.6, 1.3
    pin, centre = on_plate(-0.2, 0.5, angle), on_plate(0.4, 0.3, angle)
    dx, dy = centre[0] - pin[0], centre[1] - pin[1]
    last, end = on_plate(0.9, -0.6, angle), on_plate(1, 0, angle)
    at_pin = {"plate.px[3]": 0.0, "plate.py[3]": 0.0}
    said = at_pin | {
        "plate.px[1]": -pin[0],
        "plate.py[1]": -pin[1],
        "plate.px[2]": end[0] - pin[0],
        "plate.py[2]": end[1] - pin[1],
        "plate.w": w,
    }
    one = system_of(PINNED)
    state = completed(one, said)
    assert state["plate.px[4]"] == pytest.approx(last[0] - pin[0], abs=1e-12)
    assert state["plate.py[4]"] == pytest.approx(last[1] - pin[1], abs=1e-12)
    turn = -3 * G * dx / (0.7 + 3 * hypot(dx, dy) ** 2)
    lx, ly = last[0] - pin[0], last[1] - pin[1]
    expected = {
        "plate.w'": turn,
        "plate.vx'": -turn * dy - w**2 * dx,
        "plate.vy'": turn * dx - w**2 * dy,
        "plate.px[4]''": -turn * ly - w**2 * lx,
        "plate.py[4]''": turn * lx - w**2 * ly,
        "X": 3 * (-turn * dy - w**2 * dx),
    }
    moves(one, Point(state), expected)


def test_a_body_of_nodes_in_flight_falls_and_turns_evenly() -> None:
    """Free fall: the mass centre has g, the body no angular acceleration."""
    centre = """coordinate cx: m, cy: m
      invariant at_x: cx = dot(plate.centre - plate.node[1], ground.x)
      invariant at_y: cy = dot(plate.centre - plate.node[1], ground.y)"""
    one = system_of(ELEMENT.replace("PINS", centre))
    end = on_plate(1, 0, 0.6)
    said = {"plate.px[1]": 0.0, "plate.py[1]": 0.0, "plate.px[2]": end[0], "plate.py[2]": end[1]}
    state = completed(one, said | {"plate.w": 1.3, "plate.vx": 0.4, "plate.vy": -0.2})
    assert (state["cx"], state["cy"]) == pytest.approx(on_plate(0.4, 0.3, 0.6), abs=1e-12)
    moves(one, Point(state), {"plate.w'": 0, "plate.vx'": 0, "plate.vy'": -G})


def test_a_body_of_nodes_has_two_nodes_unless_told() -> None:
    text = ELEMENT.replace("n = 4, ", "").replace(", along = [-0.2, 0.9], across = [0.5, -0.6]", "")
    one = system_of(text.replace("PINS", ""))
    assert {v.path for v in one.q} == {f"plate.p{x}[{k}]" for x in "xy" for k in (1, 2)}


def test_a_planar_body_swings_about_a_joint_of_its_parent() -> None:
    """A compound pendulum again, on coordinates x, y, angle and a joint that closes a loop."""
    one = system_of("""mbx 1
    use Body from "lib:planar/body.mb"
    model Swing {
      subsystem b: Body(mass = 3 kg, inertia = 0.7, cx = 0.2 m, cy = 0.1 m)
      joint pin: revolute(ground, b.body at [-0.5 m, 0.3 m, 0], axis = z)
      gravity [0, -9.81 [m/s^2], 0]
    }""")
    angle, w = 0.6, 1.3
    dx = 0.7 * cos(angle) + 0.2 * sin(angle)
    dy = 0.7 * sin(angle) - 0.2 * cos(angle)
    state = completed(one, {"b.angle": angle, "b.angle'": w})
    turn = -3 * G * dx / (0.7 + 3 * hypot(dx, dy) ** 2)
    ox, oy = 0.5 * cos(angle) + 0.3 * sin(angle), 0.5 * sin(angle) - 0.3 * cos(angle)
    assert (state["b.x"], state["b.y"]) == pytest.approx((ox, oy), abs=1e-12)
    expected = {"b.angle''": turn, "b.x''": -turn * oy - w**2 * ox, "b.y''": turn * ox - w**2 * oy}
    moves(one, Point(state), expected, (*FORMS, "lagrange"))


# -- bodies in space -----------------------------------------------------------------------------

TENSOR: Final = np.array([[0.5, -0.02, 0.03], [-0.02, 0.6, 0.01], [0.03, 0.01, 0.7]])
W: Final = np.array([0.7, -1.1, 0.4])
TORQUE: Final = np.array([0.3, -0.2, 0.5])
BOUND: Final = "(mass = 2 kg, Ix = 0.5, Iy = 0.6, Iz = 0.7, Ixy = -0.02, Ixz = 0.03, Iyz = 0.01)"
PUSHED: Final = """
  torque 0.3 [N*m]*b.body.x - 0.2 [N*m]*b.body.y + 0.5 [N*m]*b.body.z on b.body
  gravity [0, 0, -9.81 [m/s^2]]
}"""


def euler() -> np.ndarray:
    """Return the rates of the angular velocity in body axes: I w' + w x I w = T."""
    solved: np.ndarray = np.linalg.solve(TENSOR, TORQUE - np.cross(W, TENSOR @ W))
    return solved


def test_a_body_with_a_quaternion_obeys_euler() -> None:
    one = system_of(f"""mbx 1
    use RigidBody from "lib:spatial/rigid_body.mb"
    model Free {{
      subsystem b: RigidBody{BOUND}{PUSHED}""")
    said = {"b.qx": 0.3, "b.qy": -0.4, "b.qz": 0.1, "b.vx": 0.5}
    state = completed(one, said | {f"b.w{x}": float(w) for x, w in zip("xyz", W, strict=True)})
    expected = {f"b.w{x}'": float(a) for x, a in zip("xyz", euler(), strict=True)}
    moves(one, Point(state), expected | {"b.vx'": 0, "b.vy'": 0, "b.vz'": -G, "b.x''": 0})


def test_a_body_with_yaw_pitch_and_roll_obeys_euler() -> None:
    one = system_of(f"""mbx 1
    use Body from "lib:spatial/body_euler.mb"
    model Free {{
      subsystem b: Body{BOUND}
      speed wx: rad/s, wy: rad/s, wz: rad/s
      define [wx, wy, wz] = omega(b.body) in b.body{PUSHED}""")
    said = {"b.yaw": 0.3, "b.pitch": -0.4, "b.roll": 0.9}
    state = completed(one, said | {f"w{x}": float(w) for x, w in zip("xyz", W, strict=True)})
    expected = {f"w{x}'": float(a) for x, a in zip("xyz", euler(), strict=True)}
    moves(one, Point(state), expected | {"b.x''": 0, "b.y''": 0, "b.z''": -G})


def spherical(e: np.ndarray, rate: np.ndarray, length: float) -> np.ndarray:
    """Return the acceleration of the direction of a uniform thin bar that hangs on its end.

    e'' = (3/2) (g - (g.e) e)/l - |e'|^2 e, from (m l^2/3) e x e'' = (l/2) e x m g.
    """
    g = np.array([0, 0, -G])
    return np.asarray(1.5 * (g - (g @ e) * e) / length - (rate @ rate) * e)


def hanging(gamma: float) -> str:
    return f"""mbx 1
    use Bar from "lib:spatial/bar.mb"
    model Hanging {{
      subsystem b: Bar(length = 0.8 m, mass = 1.5 kg, inertia = 0.08, gamma = {gamma})
      PINS
      gravity [0, 0, -9.81 [m/s^2]]
    }}"""


PSI, PHI = 0.7, 0.5
E: Final = np.array([cos(PHI) * cos(PSI), cos(PHI) * sin(PSI), -sin(PHI)])
RATE: Final = np.cross([0.4, -0.9, 1.2], E)


def test_a_bar_known_by_its_ends_is_a_spherical_pendulum() -> None:
    pins = " ".join(f"invariant pin_{x}: b.p1{x} = 0" for x in "xyz")
    one = system_of(hanging(0.5).replace("PINS", pins))
    said = {f"b.p2{x}": 0.8 * float(e) for x, e in zip("xyz", E, strict=True)}
    said |= {f"b.p2{x}'": 0.8 * float(e) for x, e in zip("xyz", RATE, strict=True)}
    state = completed(one, said, held=())
    expected = dict(zip("xyz", 0.8 * spherical(E, RATE, 0.8), strict=True))
    moves(
        one,
        Point(state),
        {f"b.p2{x}''": float(a) for x, a in expected.items()},
        (*FORMS, "lagrange"),
    )


def test_a_bar_known_by_its_ends_turns_evenly_in_flight() -> None:
    """c'' = g and e'' = -|e'|^2 e, wherever the mass centre is."""
    one = system_of(hanging(0.3).replace("PINS", ""))
    said = {f"b.p1{x}": 0.0 for x in "xyz"} | {f"b.p1{x}'": 0.0 for x in "xyz"}
    said |= {f"b.p2{x}": 0.8 * float(e) for x, e in zip("xyz", E, strict=True)}
    said |= {f"b.p2{x}'": 0.8 * float(e) for x, e in zip("xyz", RATE, strict=True)}
    state = completed(one, said, held=())
    turn = -(RATE @ RATE) * E
    g = np.array([0, 0, -G])
    first, second = g - 0.3 * 0.8 * turn, g + 0.7 * 0.8 * turn
    expected = {f"b.p1{x}''": float(a) for x, a in zip("xyz", first, strict=True)}
    expected |= {f"b.p2{x}''": float(a) for x, a in zip("xyz", second, strict=True)}
    moves(one, Point(state), expected, (*FORMS, "lagrange"))


def test_a_bar_known_by_two_angles_is_a_spherical_pendulum() -> None:
    """The first end hangs; the bar is lopsided: e'' = (g - (g.e) e) c m/J - |e'|^2 e."""
    one = system_of("""mbx 1
    use Bar from "lib:spatial/bar_angles.mb"
    model Hanging {
      subsystem b: Bar(length = 0.8 m, mass = 1.5 kg, inertia = 0.07, gamma = 0.4)
      invariant pin_x: b.x = 0
      invariant pin_y: b.y = 0
      invariant pin_z: b.z = 0
      speed vx: m/s, vy: m/s, vz: m/s
      invariant end: velocity(b.end2) = [vx, vy, vz]
      gravity [0, 0, -9.81 [m/s^2]]
    }""")
    psi, phi = atan2(E[1], E[0]), -np.arcsin(E[2])
    psi_rate = (E[0] * RATE[1] - E[1] * RATE[0]) / (E[0] ** 2 + E[1] ** 2)
    said = {"b.psi": psi, "b.phi": float(phi), "b.psi'": psi_rate, "b.phi'": -RATE[2] / cos(phi)}
    state = completed(one, said)
    assert state["vx"] == pytest.approx(0.8 * RATE[0], abs=1e-12)
    g, c = np.array([0, 0, -G]), 0.4 * 0.8
    bent = (g - (g @ E) * E) * c * 1.5 / (0.07 + 1.5 * c**2) - (RATE @ RATE) * E
    expected = {f"v{x}'": float(0.8 * a) for x, a in zip("xyz", bent, strict=True)}
    moves(one, Point(state), expected)
