"""Joints that close loops: what they forbid, what they leave free, and with which wrench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.expr.nodes import Node
from unit.system.oracle import (
    Array,
    close,
    euler,
    first,
    inverse,
    moved,
    numbers,
    pose,
    rotation,
    system,
    turned,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.system.system import System

_INERTIA = "mass 1 kg inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])"
_NAMES = [f"{body}{x}" for body in "AB" for x in ("x", "y", "z", "p", "r", "s")]
_FREE = f"""
coordinate Ax, Ay, Az, Bx, By, Bz: m
coordinate Ap, Ar, As, Bp, Br, Bs: rad
body A {{ {_INERTIA} joint free(ground, move = [Ax, Ay, Az], euler zyx by (Ap, Ar, As)) }}
body B {{ {_INERTIA} joint free(ground, move = [Bx, By, Bz], euler zyx by (Bp, Br, Bs)) }}
"""
_F = moved(0.1, 0.2, -0.1) @ turned((1, 0, 2), 0.4)
_M = moved(-0.3, 0.1, 0.2) @ turned((0, 1, 1), -0.6)
_SIDES = (
    "A at [0.1 m, 0.2 m, -0.1 m] rotated [1, 0, 2] by 0.4, "
    "B at [-0.3 m, 0.1 m, 0.2 m] rotated [0, 1, 1] by -0.6"
)


@dataclass(frozen=True)
class Case:
    """A joint: its arguments, the number of its rows, and M seen from F by its motions."""

    arguments: str
    rows: int
    pose: Callable[..., Array]


_AXES = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "-z": (0, 0, -1),
    "[1, -2, 0.5]": (1, -2, 0.5),
    "[0, 1, 1]": (0, 1, 1),
    "[0.1, 5, 0.1]": (0.1, 5, 0.1),
}


def _cases() -> dict[str, Case]:
    found = {
        "fixed": Case("fixed(SIDES)", 6, lambda m: np.eye(4)),
        "spherical": Case("spherical(SIDES)", 3, lambda m: pose(euler("zxz", m[:3]))),
        "universal": Case(
            "universal(SIDES, axis = x, axis2 = z)",
            4,
            lambda m: turned((1, 0, 0), m[0]) @ turned((0, 0, 1), m[1]),
        ),
        "oblique universal": Case(
            "universal(SIDES, axis = [1, 1, 0], axis2 = [1, 2, 1])",
            4,
            lambda m: turned((1, 1, 0), m[0]) @ turned((1, 2, 1), m[1]),
        ),
    }
    for name, n in _AXES.items():
        e = np.array(n) / np.linalg.norm(n)
        across = np.linalg.svd(e[None])[2][1:]
        found |= {
            f"revolute {name}": Case(
                f"revolute(SIDES, axis = {name})", 5, lambda m, e=e: turned(e, m[0])
            ),
            f"prismatic {name}": Case(
                f"prismatic(SIDES, axis = {name})", 5, lambda m, e=e: moved(*(m[0] * e))
            ),
            f"screw {name}": Case(
                f"screw(SIDES, axis = {name}, pitch = 0.2 m)",
                5,
                lambda m, e=e: pose(rotation(e, m[0]), 0.2 * m[0] * e),
            ),
            f"cylindrical {name}": Case(
                f"cylindrical(SIDES, axis = {name})",
                4,
                lambda m, e=e: pose(rotation(e, m[0]), m[1] * e),
            ),
            f"planar {name}": Case(
                f"planar(SIDES, axis = {name})",
                3,
                lambda m, e=e, a=across: pose(rotation(e, m[0]), m[1] * a[0] + m[2] * a[1]),
            ),
        }
    return found


_CASES = _cases()


def _coordinates(A: Array, B: Array) -> dict[str, float]:
    """Return the coordinates of two poses: place, and zyx angles."""
    values: list[float] = []
    for T in (A, B):
        R = T[:3, :3]
        values += [*T[:3, 3], np.arctan2(R[1, 0], R[0, 0]), np.arcsin(-R[2, 0])]
        values.append(np.arctan2(R[2, 1], R[2, 2]))
    return dict(zip(_NAMES, values, strict=True))


def _small(twist: Array) -> Array:
    """Return a pose near 1: by a velocity and an angular velocity."""
    angle = float(np.linalg.norm(twist[3:]))
    return pose(rotation(twist[3:], angle) if angle else np.eye(3), twist[:3])


def _values(found: System, A: Array, B: Array, more: dict[str, float] | None = None) -> Array:
    nodes = [row.value for row in found.rows]
    return numbers(nodes, {}, 0.0, {**_coordinates(A, B), **(more or {})})


_A = pose(euler("zyx", (0.3, -0.4, 0.2)), (0.5, -0.2, 0.1))


def _closed(case: Case, motions: Array) -> Array:
    return _A @ _F @ case.pose(motions) @ inverse(_M)


@pytest.mark.parametrize("name", _CASES)
def test_a_loop_is_closed_where_the_motions_of_its_joint_lead(name: str) -> None:
    case = _CASES[name]
    found = system(f"{_FREE}\njoint j: {case.arguments.replace('SIDES', _SIDES)}")
    assert len(found.rows) == case.rows
    for motions in (
        [0.0, 0.0, 0.0],
        [0.7, -0.4, 0.5],
        [-2.1, 0.8, 0.3],
        [3.0, 1.2, -1.4],
        [20.0, 7.0, 9.0],
    ):
        close(_values(found, _A, _closed(case, np.array(motions))), np.zeros(case.rows))


@pytest.mark.parametrize("name", _CASES)
@pytest.mark.parametrize("motions", [(0.0, 0.0, 0.0), (0.7, -0.4, 0.5)])
def test_a_loop_forbids_as_many_motions_as_the_table_says(
    name: str, motions: tuple[float, float, float]
) -> None:
    case = _CASES[name]
    found = system(f"{_FREE}\njoint j: {case.arguments.replace('SIDES', _SIDES)}")
    B = _closed(case, np.array(motions))

    def along(k: int) -> Array:
        return first(lambda e: _values(found, _A, _small(e * np.eye(6)[k]) @ B), 0.0)

    slopes = np.array([along(k) for k in range(6)]).reshape(6, case.rows)
    sizes = np.linalg.svd(slopes, compute_uv=False)
    assert np.sum(sizes > 1e-3) == case.rows


@pytest.mark.parametrize("name", [n for n in _CASES if _CASES[n].rows])
def test_the_wrench_of_a_row_is_its_power(name: str) -> None:
    """lam d(row)/dt = F . v + T . w, of M against F, at the origin of M."""
    case = _CASES[name]
    found = system(f"{_FREE}\njoint j: {case.arguments.replace('SIDES', _SIDES)} reaction R")
    draw = np.random.default_rng(0)
    a, b = draw.normal(size=(2, 6)) / 2
    B = _closed(case, np.array([0.7, -0.4, 0.5]))

    def rows(t: float) -> Array:
        return _values(found, _small(t * a) @ _A, _small(t * b) @ B)

    origin = (B @ _M)[:3, 3]
    # a pose _small(t a) turns about the ground's origin
    v = (b[:3] + np.cross(b[3:], origin)) - (a[:3] + np.cross(a[3:], origin))
    w = b[3:] - a[3:]
    q = _coordinates(_A, B)
    for row, rate in zip(found.rows, first(rows, 0.0), strict=True):
        assert row.wrench is not None
        force, torque = (numbers(x, {}, 0.0, q) for x in row.wrench)
        assert force @ v + torque @ w == pytest.approx(rate, abs=1e-8)
        assert row.joint == "R"
        close(numbers(row.point, {}, 0.0, q), origin)
        assert row.sides == ("A", "B")


@pytest.mark.parametrize("axis", ["z", "-x", "[1, -2, 0.5]", "[0.1, 5, 0.1]"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw"])
@pytest.mark.parametrize("motion", [0.4, -1.3, 3.4, 7.0])
def test_a_measured_coordinate_is_the_motion_of_its_joint(
    axis: str, kind: str, motion: float
) -> None:
    n = {"z": (0, 0, 1), "-x": (-1, 0, 0)}.get(axis) or np.array(
        [float(x) for x in axis.strip("[]").split(",")]
    )
    e = np.array(n) / np.linalg.norm(n)
    motions: dict[str, Callable[[float], Array]] = {
        "revolute": lambda m: turned(e, m),
        "prismatic": lambda m: moved(*(m * e)),
        "screw": lambda m: pose(rotation(e, m), 0.2 * m * e),
    }
    pitch = ", pitch = 0.2 m" if kind == "screw" else ""
    unit = "m" if kind == "prismatic" else "rad"
    found = system(
        f"{_FREE}\ncoordinate q: {unit}\njoint j: {kind}({_SIDES}, axis = {axis}{pitch}) measure q"
    )
    B = _A @ _F @ motions[kind](motion) @ inverse(_M)
    assert len(found.rows) == 6
    close(_values(found, _A, B, {"q": motion}), np.zeros(6))
    # the row of the measure is q minus the motion, to first order, on the second side
    measure = next(row for row in found.rows if row.path == "j.measure")
    twist = np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.3])

    def value(t: float) -> float:
        at = {**_coordinates(_A, _small(t * twist) @ B), "q": motion}
        return float(numbers([measure.value], {}, 0.0, at)[0])

    origin = (B @ _M)[:3, 3]
    v = twist[:3] + np.cross(twist[3:], origin)
    n_W = (_A @ _F)[:3, :3] @ e
    expected = -(n_W @ v) if kind == "prismatic" else -(n_W @ twist[3:])
    assert first(value, 0.0) == pytest.approx(expected, abs=1e-8)
    assert measure.wrench is not None
    force, torque = (numbers(x, {}, 0.0, _coordinates(_A, B)) for x in measure.wrench)
    assert force @ v + torque @ twist[3:] == pytest.approx(expected, abs=1e-8)


_PLANAR = """
param h: m = 0.1, g: m = 0.1
coordinate a, b: rad
body A { mass 1 kg inertia 1 [kg*m^2] about AXIS joint revolute(ground, axis = AXIS, angle = a) }
body B { mass 1 kg inertia 1 [kg*m^2] about AXIS
  joint revolute(ground at PLACE, axis = AXIS, angle = b) }
"""


@pytest.mark.parametrize(
    ("joint", "rows"),
    [
        ("fixed(A, B)", 3),
        ("revolute(A, B, axis = z)", 2),
        ("revolute(A, B, axis = -z)", 2),
        ("prismatic(A, B, axis = x)", 2),
        ("spherical(A, B)", 2),
        ("planar(A, B, axis = z)", 0),
        ("revolute(A at [0, 1 m, h], B at [0, 0, g], axis = z)", 2),
        ("spherical(A at [0, 1 m, h], B at [0, 0, g])", 2),
    ],
)
def test_in_a_plane_only_the_rows_of_the_plane_are_left(joint: str, rows: int) -> None:
    model = _PLANAR.replace("AXIS", "z").replace("PLACE", "[1 m, 0, 0]")
    found = system(f"{model}\njoint j: {joint}")
    assert len(found.rows) == rows
    assert all(isinstance(row.value, Node) for row in found.rows)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (1, 2, 3)])
@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "prismatic"])
def test_an_axis_of_parameters_may_have_any_direction(
    kind: str, axis: tuple[float, float, float]
) -> None:
    parameters = ", ".join(f"n{k}: 1 = {v}" for k, v in enumerate(axis))
    found = system(f"param {parameters}\n{_FREE}\njoint j: {kind}({_SIDES}, axis = [n0, n1, n2])")
    assert found.rows
    e = np.array(axis) / np.linalg.norm(axis)
    M = moved(*(0.4 * e)) if kind == "prismatic" else turned(e, 0.4)
    B = _A @ _F @ M @ inverse(_M)
    known = {f"n{k}": float(v) for k, v in enumerate(axis)}
    close(_values(found, _A, B, known), np.zeros(len(found.rows)))

    def along(k: int) -> Array:
        return first(lambda e: _values(found, _A, _small(e * np.eye(6)[k]) @ B, known), 0.0)

    slopes = np.array([along(k) for k in range(6)])
    assert np.linalg.matrix_rank(slopes, tol=1e-3) == len(found.rows)
