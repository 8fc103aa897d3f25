"""Reactions that loads name, against Newton and Euler by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbx.formalism import registry
from unit.mechanics.numeric import solve
from unit.system.oracle import (
    Array,
    close,
    first,
    inverse,
    moved,
    pose,
    rotation,
    second,
    system,
    turned,
)

_M, _L, _J, _G = 2.0, 0.7, 0.3, 9.81


def _wrench(found: dict[str, float], name: str) -> tuple[Array, Array]:
    force, torque = ([found[f"{name}.{k}.{x}"] for x in "xyz"] for k in ("force", "torque"))
    return np.array(force), np.array(torque)


def _released(state: dict[str, float], name: str) -> dict[str, float]:
    """Return a state in which the auxiliary motions of a joint are zero."""
    names = [f"{name}.{k}.{x}" for k in ("slip", "turn") for x in "xyz"]
    return {**state, **dict.fromkeys(names, 0.0), **dict.fromkeys([f"{n}'" for n in names], 0.0)}


_SLIDE = """
coordinate s: m
body B { mass 1 kg inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint prismatic(ground, axis = x, distance = s) reaction R }
gravity [0, 0, -10 [m/s^2]]
LOAD
"""
_PENDULUM = """
param mu: m = MU
coordinate a: rad
body B { mass 2 kg com [0.7 m, 0, 0] inertia diag(0.3 [kg*m^2], 0.3 [kg*m^2], 0.3 [kg*m^2])
  joint revolute(ground, axis = z, angle = a) reaction R }
gravity 9.81 [m/s^2]*ground.x
torque -mu*norm(R.force)*sign(a')*ground.z on B
"""


@pytest.mark.parametrize("angle", [0.0, 0.5, -2.0])
@pytest.mark.parametrize("speed", [0.8, -1.5])
def test_a_pendulum_is_held_by_tension_and_shear(angle: float, speed: float) -> None:
    found = system(_PENDULUM.replace("MU", "0"))
    solution = solve(found, _released({"a": angle, "a'": speed}, "R"))
    al = -_M * _G * _L * math.sin(angle) / (_J + _M * _L**2)
    assert solution.ud["a'"] == pytest.approx(al)
    along = np.array([math.cos(angle), math.sin(angle), 0])
    across = np.array([-math.sin(angle), math.cos(angle), 0])
    tension = _M * _L * speed**2 + _M * _G * math.cos(angle)
    shear = _M * _L * al + _M * _G * math.sin(angle)
    force, torque = _wrench(solution.reactions, "R")
    close(force, -tension * along + shear * across)
    close(torque, np.zeros(3))


def test_friction_in_a_joint_grows_with_its_reaction() -> None:
    """The fixed point al = -(m g l sin a + mu N sign w)/J with N from the same al."""
    mu, angle, speed = 0.05, 0.4, 1.2
    J = _J + _M * _L**2
    al = 0.0
    for _ in range(200):
        tension = _M * _L * speed**2 + _M * _G * math.cos(angle)
        shear = _M * _L * al + _M * _G * math.sin(angle)
        al = -(_M * _G * _L * math.sin(angle) + mu * math.hypot(tension, shear)) / J
    found = system(_PENDULUM.replace("MU", str(mu)))
    solution = solve(found, _released({"a": angle, "a'": speed}, "R"))
    assert solution.ud["a'"] == pytest.approx(al)


@pytest.mark.parametrize("own", [0.0, 0.2])
def test_a_fixed_joint_carries_weight_and_moment_about_its_second_side(own: float) -> None:
    found = system(
        f"""param mu: 1 = 0
        coordinate x: m
        body B {{ mass 2 kg com [0.7 m, 0, 0]
          joint fixed(ground at [1 m, 2 m, 3 m], own at [{own} m, 0, 0]) reaction R }}
        particle P {{ mass 1 kg at [x, 0, 0] }}
        force mu*R.force on P
        gravity [0, -9.81 [m/s^2], 0]"""
    )
    solution = solve(found, _released({"x": 0.0, "x'": 0.0}, "R"))
    force, torque = _wrench(solution.reactions, "R")
    close(force, [0, _M * _G, 0])
    close(torque, [0, 0, (0.7 - own) * _M * _G])


_CHAIN = """
param mu: 1 = 0
coordinate a, b: rad
body A { mass 1 kg com [0.1 m, 0, 0.2 m] inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
  joint revolute(ground at [1 m, 2 m, 0], axis = [1, 1, 0], angle = a + 0.5 Hz*t) }
body B { mass 2 kg com [0, 0.1 m, 0.3 m]
  inertia tensor(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2], 0.01 [kg*m^2], 0.02 [kg*m^2], 0)
  joint JOINT reaction R }
gravity [0, 0, -9.81 [m/s^2]]
force [1 N, 2 N, 3 N] on B at B.origin
torque mu*R.torque on A
"""
_JOINTS = {
    "revolute(SIDES, axis = [1, 0, 1], angle = b)": lambda b: turned((1, 0, 1), b),
    "prismatic(SIDES, axis = -y, distance = b*1 m)": lambda b: moved(0, -b, 0),
    "screw(SIDES, axis = x, pitch = 0.1 m, angle = b)": lambda b: pose(
        rotation((1, 0, 0), b), (0.1 * b, 0, 0)
    ),
    "general(SIDES, move = [0, 0, 1 m*b^2], rotated y by b)": lambda b: pose(
        rotation((0, 1, 0), b), (0, 0, b * b)
    ),
}
_F = moved(0, 0, 0.4) @ turned((1, 2, 0), 0.3)
_OWN = moved(0, 0.2, 0) @ turned((0, 0, 1), 0.5)
_SIDES = "A at [0, 0, 0.4 m] rotated [1, 2, 0] by 0.3, own at [0, 0.2 m, 0] rotated z by 0.5"


@pytest.mark.parametrize("joint", _JOINTS)
def test_the_reaction_of_a_joint_in_a_chain_is_what_its_body_needs(joint: str) -> None:
    found = system(_CHAIN.replace("JOINT", joint.replace("SIDES", _SIDES)))
    q, u, t = {"a": 0.4, "b": 0.6}, {"a'": 0.7, "b'": -0.9}, 0.3
    solution = solve(found, _released({**q, **u}, "R"), t)

    def A(s: float) -> Array:
        angle = q["a"] + u["a'"] * (s - t) + solution.ud["a'"] * (s - t) ** 2 / 2
        return moved(1, 2, 0) @ turned((1, 1, 0), angle + 0.5 * s)

    def B(s: float) -> Array:
        b = q["b"] + u["b'"] * (s - t) + solution.ud["b'"] * (s - t) ** 2 / 2
        return A(s) @ _F @ _JOINTS[joint](b) @ inverse(_OWN)

    def com(s: float) -> Array:
        return (B(s) @ [0, 0.1, 0.3, 1])[:3]

    inertia = np.array([[0.2, 0.01, 0.02], [0.01, 0.3, 0], [0.02, 0, 0.4]])

    def spin(s: float) -> Array:
        R = B(s)[:3, :3]
        S = first(lambda r: B(r)[:3, :3], s) @ R.T
        return R @ inertia @ R.T @ [S[2, 1], S[0, 2], S[1, 0]]

    load = np.array([1.0, 2.0, 3.0])
    force = 2 * (second(com, t) + np.array([0, 0, 9.81])) - load
    origin = (B(t) @ _OWN)[:3, 3]
    about_com = first(spin, t) - np.cross(B(t)[:3, 3] - com(t), load)
    torque = about_com - np.cross(origin - com(t), force)
    got = _wrench(solution.reactions, "R")
    close(got[0], force, 1e-7)
    close(got[1], torque, 1e-7)


def test_the_reaction_of_an_invariant_is_its_multiplier() -> None:
    """A particle on a circle, norm(p) = r: the multiplier is the force along the radius."""
    found = system(
        """param mu: 1 = 0, r: m = 0.5
        coordinate x, y: m
        particle P { mass 2 kg at [x, y, 0] }
        invariant c: norm(P - ground.origin) = r reaction N
        gravity [0, -9.81 [m/s^2], 0]
        load on x': mu*N"""
    )
    x, y, w = 0.3, -0.4, 1.5
    solution = solve(found, {"x": x, "y": y, "x'": -w * y, "y'": w * x})
    tension = 2 * 9.81 * (-y) / 0.5 + 2 * 0.5 * w**2
    assert solution.reactions["N"] == pytest.approx(-tension)


def test_a_named_reaction_keeps_its_invariant_beside_definitions() -> None:
    text = """param l: m = 0.5
        coordinate x, y: m
        speed w: rad/s
        define w = (x*y' - y*x')/l^2
        invariant c: norm(P - ground.origin) = l NAME
        particle P { mass 2 kg at [x, y, 0] }
        gravity [0, -9.81 [m/s^2], 0]"""
    without = system(text.replace("NAME", ""))
    assert [u.path for u in without.u] == ["w"]
    assert [r.path for r in without.closed] == ["c"]
    found = system(text.replace("NAME", "reaction N"))
    assert len(found.u) == 2
    x, y, w = 0.3, -0.4, 1.5
    rates = {"x'": -w * y, "y'": w * x, "w": w}
    state = {"x": x, "y": y, **{u.path: rates[u.path] for u in found.u}}
    solution = solve(found, state)
    assert solution.reactions["N"] == pytest.approx(-(2 * 9.81 * 0.8 + 2 * 0.5 * w**2))
    assert solution.ud["w"] == pytest.approx(-9.81 * 0.3 / 0.25)
    alone = solve(without, {"x": x, "y": y, "w": w})
    assert alone.ud["w"] == pytest.approx(-9.81 * 0.3 / 0.25)


_LOOP = """
coordinate a, b: rad
coordinate q: UNIT
body A { mass 1 kg com [0.3 m, 0, 0] inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
  joint revolute(ground, axis = z, angle = a) }
body B { mass 2 kg com [0.2 m, 0, 0] inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
  joint revolute(A at [0.6 m, 0, 0], axis = z, angle = b) }
gravity [0, -9.81 [m/s^2], 0]
"""


def test_a_spring_on_a_measured_angle_turns_the_two_bodies() -> None:
    measured = system(
        _LOOP.replace("UNIT", "rad")
        + "joint j: revolute(A at [0.6 m, 0, 0], B, axis = z) measure q reaction R\n"
        + "spring on q stiffness 5 [N*m] rest 0.2\ntorque 0*R.torque on B"
    )
    direct = system(
        _LOOP.replace("coordinate q: UNIT\n", "") + "spring on b stiffness 5 [N*m] rest 0.2"
    )
    state = {"a": 0.3, "b": 0.9, "a'": 0.5, "b'": -0.4}
    got = solve(measured, {**state, "q": 0.9, "q'": -0.4})
    want = solve(direct, state)
    close([got.ud[n] for n in ("a'", "b'")], [want.ud[n] for n in ("a'", "b'")])
    assert got.ud["q'"] == pytest.approx(want.ud["b'"])


def test_the_pitch_of_a_measured_screw_turns_its_bodies_once() -> None:
    # z = p e and (m p^2 + Izz + m_Q r^2) e'' = -m g p with r = 1 m; the screw takes m (p e'' + g)
    found = system(
        """
        coordinate x, y, z: m
        coordinate a, b, c, e: rad
        body A { mass 1.3 kg inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
          joint free(ground, move = [x, y, z], euler zxy by (a, b, c)) }
        particle Q { mass 0.2 kg at [0, e*(1 m), 0] }
        joint j: screw(ground, A, axis = z, pitch = 0.1 m) measure e
        gravity [0, 0, -9.81 [m/s^2]]
        """
    )
    state = {v.path: 0.0 for v in (*found.q, *found.u)}
    state |= {"z": 0.03, "a": 0.3, "e": 0.3, "z'": 0.2, "a'": 2.0, "e'": 2.0}
    result = registry.derive(found, "newton_euler").evaluate(state)
    e = -1.3 * 9.81 * 0.1 / (0.013 + 0.25 + 0.2)
    assert result.ud == pytest.approx([0, 0, 0.1 * e, e, 0, 0, e], abs=1e-12)
    lift = 1.3 * (0.1 * e + 9.81)
    assert result.reactions["j"] == pytest.approx([0, 0, lift, 0, 0, -0.1 * lift], abs=1e-12)


_CARRIED = {
    "a body on its frame": (
        """frame F = B at [0.5 m, 0, 0]
        body C { frame F mass 1 kg com [0, 0, 0]
          inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2]) }""",
        [0, 0, 20, 0, -5, 0],
    ),
    "a particle at its origin": ("particle P { mass 1 kg at B.origin }", [0, 0, 20, 0, 0, 0]),
}


@pytest.mark.parametrize("name", _CARRIED)
def test_a_joint_carries_what_hangs_on_its_body(name: str) -> None:
    statement, wrench = _CARRIED[name]
    found = system(_SLIDE.replace("LOAD", statement))
    result = registry.derive(found, "newton_euler").evaluate({"s": 0.1, "s'": 0.2})
    # two masses of 1 kg under 10 m/s^2; the torque on the slide holds the one half a metre out
    assert result.reactions["R"] == pytest.approx(wrench, abs=1e-9)


def test_a_reaction_that_the_model_does_not_say_is_not_reported() -> None:
    # its axes are those of ground and its place moves with B: what carries the torque is open
    statement = (
        "frame F = ground at B.com\nbody C { frame F mass 1 kg com [0, 0, 0] "
        "inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2]) }"
    )
    found = system(_SLIDE.replace("LOAD", statement))
    result = registry.derive(found, "newton_euler").evaluate({"s": 0.1, "s'": 0.2})
    assert "R" not in result.reactions
    assert result.ud == pytest.approx([0], abs=1e-12)
