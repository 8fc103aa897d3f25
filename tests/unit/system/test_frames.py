"""Every joint and placement against kinematics by hand: places, velocities, accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from unit.system.motions import (
    COM,
    INERTIA,
    assert_moves,
    declared,
    motions_at,
)
from unit.system.oracle import (
    Array,
    euler,
    inverse,
    moved,
    pose,
    quaternion,
    rotation,
    system,
    turned,
)

if TYPE_CHECKING:
    from collections.abc import Callable


_AXES = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
    "-(-y)": (0, 1, 0),
    "[1, -2, 0.5]": (1, -2, 0.5),
    "[0, 3, 4]": (0, 3, 4),
}


@dataclass(frozen=True)
class Case:
    """A joint as written, its unknown motions, and the pose of M seen from F."""

    text: str
    coordinates: str
    pose: Callable[..., Array]


def _cases() -> dict[str, Case]:
    found: dict[str, Case] = {"fixed": Case("fixed(SIDES)", "", lambda q, t: np.eye(4))}
    for name, n in _AXES.items():
        e = np.array(n) / np.linalg.norm(n)
        found[f"revolute {name}"] = Case(
            f"revolute(SIDES, axis = {name}, angle = a)",
            "a",
            lambda q, t, e=e: turned(e, q["a"]),
        )
        found[f"prismatic {name}"] = Case(
            f"prismatic(SIDES, axis = {name}, distance = r)",
            "r",
            lambda q, t, e=e: moved(*(q["r"] * e)),
        )
        found[f"screw {name}"] = Case(
            f"screw(SIDES, axis = {name}, pitch = 20 mm, angle = a)",
            "a",
            lambda q, t, e=e: pose(rotation(e, q["a"]), 0.02 * q["a"] * e),
        )
        found[f"cylindrical {name}"] = Case(
            f"cylindrical(SIDES, axis = {name}, angle = a, distance = r)",
            "a r",
            lambda q, t, e=e: pose(rotation(e, q["a"]), q["r"] * e),
        )
    found["universal letters"] = Case(
        "universal(SIDES, axis = y, axis2 = -x, angle = a, angle2 = b)",
        "a b",
        lambda q, t: turned((0, 1, 0), q["a"]) @ turned((-1, 0, 0), q["b"]),
    )
    found["universal vectors"] = Case(
        "universal(SIDES, axis = [1, 1, 0], axis2 = [0, 2, 1], angle = a, angle2 = b)",
        "a b",
        lambda q, t: turned((1, 1, 0), q["a"]) @ turned((0, 2, 1), q["b"]),
    )
    for sequence in ("zxz", "xyz", "yxy", "zyx"):
        found[f"spherical {sequence}"] = Case(
            f"spherical(SIDES, euler {sequence} by (a, b, c))",
            "a b c",
            lambda q, t, s=sequence: pose(euler(s, [q["a"], q["b"], q["c"]])),
        )
    found["spherical quaternion"] = Case(
        "spherical(SIDES, quaternion(w = qw, x = qx, y = qy, z = qz))",
        "qw qx qy qz",
        lambda q, t: pose(quaternion(q["qw"], q["qx"], q["qy"], q["qz"])),
    )
    for name, e1, e2 in (("z", 0, 1), ("x", 1, 2), ("y", 2, 0), ("-z", 0, 1)):
        found[f"planar {name}"] = Case(
            f"planar(SIDES, axis = {name}, x = r, y = s, angle = a)",
            "a r s",
            lambda q, t, n=_AXES[name], e1=e1, e2=e2: pose(
                rotation(n, q["a"]), q["r"] * np.eye(3)[e1] + q["s"] * np.eye(3)[e2]
            ),
        )
    found["free euler"] = Case(
        "free(SIDES, move = [r, s, u], euler xzy by (a, b, c))",
        "a b c r s u",
        lambda q, t: pose(euler("xzy", [q["a"], q["b"], q["c"]]), (q["r"], q["s"], q["u"])),
    )
    found["free quaternion"] = Case(
        "free(SIDES, move = [u, 2*s, r], quaternion(w = qw, x = qx, y = qy, z = qz))",
        "qw qx qy qz r s u",
        lambda q, t: pose(
            quaternion(q["qw"], q["qx"], q["qy"], q["qz"]), (q["u"], 2 * q["s"], q["r"])
        ),
    )
    found["general"] = Case(
        "general(SIDES, move = [r, 0.1 m, 0], rotated [1, 0, 2] by a, rotated y by 0.3,"
        " euler xyz by (b, 0.2*c, t/(2 s)))",
        "a b c r",
        lambda q, t: (
            pose(rotation((1, 0, 2), q["a"]), (q["r"], 0.1, 0))
            @ turned((0, 1, 0), 0.3)
            @ pose(euler("xyz", (q["b"], 0.2 * q["c"], t / 2)))
        ),
    )
    found["rheonomic revolute"] = Case(
        "revolute(SIDES, axis = z, angle = 3 [rad/s]*t + 0.5*a^2)",
        "a",
        lambda q, t: turned((0, 0, 1), 3 * t + 0.5 * q["a"] ** 2),
    )
    found["rheonomic alone"] = Case(
        "cylindrical(SIDES, axis = -x, angle = 60 rpm*t, distance = 1 m*sin(t*1 Hz))",
        "",
        lambda q, t: pose(rotation((-1, 0, 0), 2 * np.pi * t), (-np.sin(t), 0, 0)),
    )
    found["moving axis"] = Case(
        "revolute(SIDES, axis = [cos(b), sin(b), 0.5*b], angle = a)",
        "a b",
        lambda q, t: turned((np.cos(q["b"]), np.sin(q["b"]), 0.5 * q["b"]), q["a"]),
    )
    return found


_CASES = _cases()
_FIRST_SIDES = {
    "": np.eye(4),
    " at [0.1 m, -0.2 m, 30 cm]": moved(0.1, -0.2, 0.3),
    " at [0.1 m, 0, 0] rotated x by 20 deg rotated [1, 2, 3] by -0.4": (
        moved(0.1, 0, 0) @ turned((1, 0, 0), np.radians(20)) @ turned((1, 2, 3), -0.4)
    ),
}
_OWN_SIDES = {
    "": np.eye(4),
    ", own at [0.2 m, 0.1 m, -0.3 m]": moved(0.2, 0.1, -0.3),
    ", own at [0, 0.1 m, 0] rotated z by 35 deg rotated [2, -1, 1] by 0.7": (
        moved(0, 0.1, 0) @ turned((0, 0, 1), np.radians(35)) @ turned((2, -1, 1), 0.7)
    ),
    ", own euler zxy by (0.1, 0.2, 0.3)": pose(euler("zxy", (0.1, 0.2, 0.3))),
}


@pytest.mark.parametrize("name", _CASES)
def test_a_body_moves_as_its_joint_says(name: str) -> None:
    case = _CASES[name]
    first_side, own = list(_FIRST_SIDES)[2], list(_OWN_SIDES)[2]
    joint = case.text.replace("SIDES", f"ground{first_side}{own}")
    text = f"{declared(case.coordinates)}\nbody B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] "
    found = system(f"{text}{INERTIA} joint {joint} }}")

    def T(t: float) -> Array:
        return _FIRST_SIDES[first_side] @ case.pose(motions_at(t), t) @ inverse(_OWN_SIDES[own])

    assert_moves(found, "B", T, COM)


@pytest.mark.parametrize("first_side", _FIRST_SIDES)
@pytest.mark.parametrize("own", _OWN_SIDES)
@pytest.mark.parametrize("outside", [False, True])
def test_offsets_count_on_both_sides(first_side: str, own: str, *, outside: bool) -> None:
    case = _CASES["cylindrical [1, -2, 0.5]"]
    body = f"mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}"
    if outside:
        sides = f"ground{first_side}{own.replace('own', 'B') or ', B'}"
        joint = f"joint j: {case.text.replace('SIDES', sides)}"
        text = f"body B {{ {body} }}\n{joint}"
    else:
        joint = case.text.replace("SIDES", f"ground{first_side}{own}")
        text = f"body B {{ {body} joint {joint} }}"
    found = system(f"{declared(case.coordinates)}\n{text}")

    def T(t: float) -> Array:
        return _FIRST_SIDES[first_side] @ case.pose(motions_at(t), t) @ inverse(_OWN_SIDES[own])

    assert_moves(found, "B", T, COM)


@pytest.mark.parametrize("name", [n for n in _CASES if "[1" not in n])
def test_a_body_moves_with_the_one_it_is_joined_to(name: str) -> None:
    case = _CASES[name]
    side, own = list(_FIRST_SIDES)[2], list(_OWN_SIDES)[1]
    inner = "free(ground at [0, t*1 [m/s], 0], move = [s, r, 0], rotated [1, 2, 0] by b)"
    names = " ".join(dict.fromkeys(["b", "r", "s", *case.coordinates.split()]))
    joint = case.text.replace("SIDES", f"A{side}{own}")
    found = system(
        f"""{declared(names)}
        body A {{ mass 1 kg {INERTIA} joint {inner} }}
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA} joint {joint} }}"""
    )

    def A(t: float) -> Array:
        q = motions_at(t)
        return moved(0, t, 0) @ pose(rotation((1, 2, 0), q["b"]), (q["s"], q["r"], 0))

    def T(t: float) -> Array:
        return A(t) @ _FIRST_SIDES[side] @ case.pose(motions_at(t), t) @ inverse(_OWN_SIDES[own])

    assert_moves(found, "A", A, np.zeros(3))
    assert_moves(found, "B", T, COM)


def test_offsets_may_move_in_time_on_both_sides() -> None:
    found = system(
        f"""coordinate a: rad
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}
          joint revolute(ground at [0, 1 [m/s]*t, 0] rotated [1, 1, 0] by 2 Hz*t,
            own at [1 m*sin(t*1 Hz), 0, 0.1 m] rotated [0, 1, 1] by 0.5 Hz*t rotated x by 1 Hz*t,
            axis = z, angle = a) }}"""
    )

    def T(t: float) -> Array:
        F = moved(0, t, 0) @ turned((1, 1, 0), 2 * t)
        own = moved(np.sin(t), 0, 0.1) @ turned((0, 1, 1), 0.5 * t) @ turned((1, 0, 0), t)
        return F @ turned((0, 0, 1), motions_at(t)["a"]) @ inverse(own)

    assert_moves(found, "B", T, COM)


def test_an_axis_that_is_a_vector_of_another_frame_is_carried_by_it() -> None:
    found = system(
        f"""coordinate a, b, c: rad
        body A {{ mass 1 kg {INERTIA} joint revolute(ground, axis = y, angle = b) }}
        body B {{ mass 1 kg com [0.3 m, -0.2 m, 0.5 m] {INERTIA}
          joint revolute(A at [0.1 m, 0, 0] rotated x by c, axis = ground.x + A.z, angle = a) }}"""
    )

    def T(t: float) -> Array:
        q = motions_at(t)
        A = turned((0, 1, 0), q["b"])
        F = A @ moved(0.1, 0, 0) @ turned((1, 0, 0), q["c"])
        n = F[:3, :3].T @ (np.array([1, 0, 0]) + A[:3, 2])
        return F @ turned(n, q["a"])

    assert_moves(found, "B", T, COM)
