"""Placements, vector slots and quaternions against kinematics by hand."""

from __future__ import annotations

import numpy as np
import pytest

from unit.system.motions import (
    AT,
    COM,
    INERTIA,
    MOTION,
    assert_moves,
    declared,
    motions_at,
)
from unit.system.oracle import (
    Array,
    close,
    first,
    moved,
    numbers,
    pose,
    rotation,
    second,
    system,
    turned,
)


def test_an_argument_of_a_function_has_ground_components_in_every_slot() -> None:
    found = system(
        f"""coordinate a, b: rad
        body A {{ mass 1 kg {INERTIA} joint revolute(ground, axis = y, angle = b) }}
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}
          joint revolute(A, axis = cross([0, 0, 1], [1, 2, 0]), angle = a) }}"""
    )

    def T(t: float) -> Array:
        q = motions_at(t)
        A = turned((0, 1, 0), q["b"])
        return A @ turned(A[:3, :3].T @ np.array([-2, 1, 0]), q["a"])

    assert_moves(found, "B", T, COM)


def test_a_vector_moves_a_free_body_in_ground_if_it_is_said_so() -> None:
    found = system(
        f"""coordinate a, b: rad
        coordinate r, s: m
        body A {{ mass 1 kg {INERTIA} joint revolute(ground at [0, 0, 1 m], axis = y, angle = b) }}
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}
          joint general(A, move = r*ground.x + s*A.y, rotated z by a) }}"""
    )

    def T(t: float) -> Array:
        q = motions_at(t)
        A = moved(0, 0, 1) @ turned((0, 1, 0), q["b"])
        d = A[:3, :3].T @ np.array([q["r"], 0, 0]) + np.array([0, q["s"], 0])
        return A @ pose(rotation((0, 0, 1), q["a"]), d)

    assert_moves(found, "B", T, COM)


def test_a_body_by_frame_has_its_origin_where_its_com_says() -> None:
    """A bracket is from the placement's origin; a point is the origin itself."""
    found = system(
        f"""coordinate a, b: rad
        coordinate r, s: m
        frame L = ground at [r, 0, 1 m] rotated z by a rotated x by b
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}
          frame L at [0, s, 0] rotated y by b }}
        body C {{ mass 1 kg com L.origin + s*L.x {INERTIA} frame L rotated y by b }}
        particle P {{ mass 1 kg at C.origin + 1 m*C.z }}"""
    )

    def L(t: float) -> Array:
        q = motions_at(t)
        return moved(q["r"], 0, 1) @ turned((0, 0, 1), q["a"]) @ turned((1, 0, 0), q["b"])

    def B(t: float) -> Array:
        return L(t) @ moved(0, motions_at(t)["s"], 0) @ turned((0, 1, 0), motions_at(t)["b"])

    def C(t: float) -> Array:
        return L(t) @ moved(motions_at(t)["s"], 0, 0) @ turned((0, 1, 0), motions_at(t)["b"])

    def P(t: float) -> Array:
        return (C(t) @ np.array([0, 0, 1, 1]))[:3]

    assert_moves(found, "B", B, COM)
    assert_moves(found, "C", C, np.zeros(3))
    particle = found.elements[-1]
    close(numbers(particle.com.p, MOTION, AT), P(AT))
    close(numbers(particle.com.v, MOTION, AT), first(P, AT))
    close(numbers(particle.com.a, MOTION, AT), second(P, AT), 1e-8)


@pytest.mark.parametrize("axis", ["[1, 1, 1]", "[0.2, 1, 0.3]", "[3, 0.1, 0.1]"])
def test_a_planar_joint_across_an_oblique_axis_moves_by_lengths(axis: str) -> None:
    """What x and y are along is not said there, but they are lengths and across the axis."""
    found = system(
        f"""coordinate r, s: m
        coordinate a: rad
        body B {{ mass 1 kg {INERTIA}
          joint planar(ground, axis = {axis}, x = r, y = s, angle = a) }}"""
    )
    p = found.elements[0].com.p
    x, y = (numbers(p, {}, 0.0, {"r": 1.0 - k, "s": k}) for k in (0.0, 1.0))
    n = np.array([float(v) for v in axis.strip("[]").split(",")])
    close([x @ x, y @ y, x @ y, x @ n, y @ n], [1, 1, 0, 0, 0])
    close(np.cross(x, y), n / np.linalg.norm(n))


def test_a_motion_that_is_a_parameter_moves_nothing() -> None:
    found = system(
        f"""param al: rad = 0.3
        coordinate r: m
        body A {{ mass 1 kg {INERTIA} joint revolute(ground, axis = z, angle = al) }}
        body B {{ mass 1 kg {INERTIA} joint prismatic(A, axis = x, distance = r) }}"""
    )
    assert [e.joint.coordinates for e in found.elements if e.joint] == [(), (found.q[0].symbol,)]
    close(numbers(found.elements[0].w_local, MOTION, AT), np.zeros(3))

    def p(t: float) -> Array:
        return MOTION["r"](t) * np.array([np.cos(0.3), np.sin(0.3), 0])

    close(numbers(found.elements[1].com.v, MOTION, AT, found=found), first(p, AT))


@pytest.mark.parametrize(
    "parts",
    ["cos(a/2), sin(a/2)", "cos(1 Hz*t), sin(1 Hz*t)"],
)
def test_a_quaternion_of_angles_adds_no_invariant(parts: str) -> None:
    w, z = parts.split(", ")
    found = system(
        f"""coordinate a: rad
        coordinate r: m
        frame F = ground quaternion(w = {w}, x = 0, y = 0, z = {z})
        particle P {{ mass 1 kg at F.origin + r*F.x }}
        potential 1 J*cos(a)"""
    )
    assert not found.rows

    def p(t: float) -> Array:
        q = motions_at(t)
        turn = q["a"] if "a" in parts.split("(")[1] else 2 * t
        return q["r"] * np.array([np.cos(turn), np.sin(turn), 0])

    close(numbers(found.elements[0].com.p, MOTION, AT), p(AT))
    close(numbers(found.elements[0].com.a, MOTION, AT), second(p, AT), 1e-8)


def test_a_quaternion_of_variables_has_one_norm_however_often_it_is_used() -> None:
    found = system(
        f"""{declared("qw qx qy qz r")}
        frame F = ground quaternion(w = qw, x = qx, y = qy, z = qz)
        frame G = ground quaternion(w = -qw, x = -qx, y = -qy, z = -qz)
        particle P {{ mass 1 kg at F.origin + r*F.x }}
        particle Q {{ mass 1 kg at G.origin + r*G.x }}"""
    )
    assert [row.kind for row in found.rows] == ["norm"]
    close(numbers([found.rows[0].value], MOTION, AT), [0])
