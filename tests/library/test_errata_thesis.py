"""Kinematics in Orsino's thesis: what it prints against the models, misprints included.

S and C are right where A S = 0 with the model's own constraint matrix A. Where the print is wrong,
the test says by how much, and that the mended one is right.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from formalisms.cases import completed, system, system_of
from library.matrices import Matrix, columns, constraint_matrix

if TYPE_CHECKING:
    from mbx.system.system import System

pytestmark = pytest.mark.papers

ZERO = 1e-12


def _apart(one: System, state: dict[str, float], S: Matrix) -> float:
    """Return the largest entry of A S."""
    return float(np.abs(constraint_matrix(one, state) @ S).max())


# -- Example 2.4 ---------------------------------------------------------------------------------


def _loop_2_4(p: dict[str, float], sign: int, free: str) -> dict[str, tuple[float, float]]:
    """Return the rows of Example 2.4 (a) for free = y1, (b) for z1; the print has sign = 1."""
    x1, x2 = p["P.x1"], p["P.x2"]
    solved = "y" if free == "z" else "z"
    to, by = p[f"P.{free}1"], p[f"P.{solved}1"]
    across = p[f"P.{free}2"]
    l1, l2 = 1.0, 2.0
    rows = {
        "x1": (across / x2, x1 / x2 - 1),
        f"{solved}1": ((to * x2 - x1 * across) / (by * x2), x1 * (x2 - x1) / (by * x2)),
        "th": (0.0, x2 / (l1 * l2 * sin(p["P.th"]))),
    }
    found = {f"P.{k}'": (sign * a, sign * b) for k, (a, b) in rows.items()}
    found |= {f"P.{free}1'": (1.0, 0.0), "P.x2'": (0.0, 1.0)}
    return found | {"P.y2'": (0.0, 0.0), "P.z2'": (0.0, 0.0)}


@pytest.mark.parametrize("free", ["z", "y"])
def test_example_2_4_has_the_wrong_sign_in_its_dependent_rows(free: str) -> None:
    one = system("rssp_loop")
    state = completed(one, one.states["open"])
    printed = _apart(one, state, columns(one, _loop_2_4(state, 1, free)))
    mended = _apart(one, state, columns(one, _loop_2_4(state, -1, free)))
    # the row of the first rod, 2 (x1 dx1 + y1 dy1 + z1 dz1): twice the part of the free variable
    assert printed > 4 * abs(state[f"P.{free}1"]) - ZERO
    assert mended < ZERO


# -- Examples 2.5 to 2.7 -------------------------------------------------------------------------


def test_the_complement_of_example_2_5_fits_the_sphere() -> None:
    """Example 2.5 (g): v = r w x n."""
    one = system("sphere_in_trough")
    state = completed(one, {"y": 0.07, "wx": 3.0, "wy": -2.0, "wz": 5.0})
    r, y = 0.01, state["y"]
    ny, nz = -y / sqrt(1 + y * y), 1 / sqrt(1 + y * y)
    S = {
        "wx": (1, 0, 0),
        "wy": (0, 1, 0),
        "wz": (0, 0, 1),
        "vx": (0, r * nz, -r * ny),
        "vy": (-r * nz, 0, 0),
        "vz": (r * ny, 0, 0),
    }
    assert _apart(one, state, columns(one, S)) < ZERO


_PLATE = """mbx 1
use RigidBody from "lib:planar/rigid_body.mb"
model Free { subsystem B: RigidBody(n = 3, length = 0.5 m, mass = 2 kg, inertia = 0.05,
    gamma = 0.4, rho = 0.2, along[3] = 0.3, across[3] = 0.8) }
"""


def test_the_complement_of_example_2_6_fits_a_body_with_three_nodes() -> None:
    """Example 2.6 (d): S of the element, its columns vx, vy, w; its second row is that of vy."""
    one = system_of(_PLATE)
    gamma, rho = 0.4, 0.2
    x, y = (0.1, 0.5, 0.46), (0.2, -0.1, 0.43)
    state = {v.path: 0.0 for v in (*one.q, *one.u)}
    for k in range(3):
        state |= {f"B.px[{k + 1}]": x[k], f"B.py[{k + 1}]": y[k]}
    S = {"B.vx": (1.0, 0.0, 0.0), "B.vy": (0.0, 1.0, 0.0), "B.w": (0.0, 0.0, 1.0)}
    for k in range(3):
        across = (1 - gamma) * y[0] + gamma * y[1] + rho * (x[1] - x[0]) - y[k]
        along = -(1 - gamma) * x[0] - gamma * x[1] + rho * (y[1] - y[0]) + x[k]
        S |= {f"B.px[{k + 1}]'": (1.0, 0.0, across), f"B.py[{k + 1}]'": (0.0, 1.0, along)}
    assert _apart(one, state, columns(one, S)) < ZERO


def _chain(side: str, a: tuple[float, float], th: float, ph: float) -> dict[str, Matrix]:
    """Return the rows of Example 2.7 (d), (i) for a chain, in terms of its th' and ph'."""
    aU, aB = a
    up = np.array([-sin(th) * aU, cos(th) * aU])
    on = np.array([-sin(ph) * aB, cos(ph) * aB])
    zero = np.zeros(2)

    def row(u: float, b: float) -> Matrix:
        return np.array([u, b])

    found = {f"{side}.U.w": row(1, 0), f"{side}.B.w": row(0, 1)}
    found |= {f"{side}.theta'": row(1, 0), f"{side}.phi'": row(0, 1)}
    for k, c in enumerate("xy"):
        found |= {
            f"{side}.U.v{c}": row(up[k] / 2, 0),
            f"{side}.U.p1{c}'": zero,
            f"{side}.U.p2{c}'": row(up[k], 0),
            f"{side}.B.v{c}": row(up[k], on[k] / 2),
            f"{side}.B.p1{c}'": row(up[k], 0),
            f"{side}.B.p2{c}'": row(up[k], on[k]),
        }
    return found


def test_the_complement_of_example_2_7_fits_the_five_bar() -> None:
    """Example 2.7 (i), (l), (n): C of the chains, of the mechanism and of the robot."""
    one = system("five_bar_motors")
    state = completed(one, {"R.HL.theta'": 0.6, "R.HR.theta'": -0.9, "AL.i": 0.4, "AR.i": -0.3})
    L, R = state["R.HL.theta"], state["R.HR.theta"]
    pL, pR = state["R.HL.phi"], state["R.HR.phi"]
    aU, aB, chi, eta = 0.3, 0.45, pR - pL, 10
    of_L = np.array([sin(L - pR) * aU, -sin(R - pR) * aU]) / (sin(chi) * aB)
    of_R = np.array([sin(L - pL) * aU, -sin(R - pL) * aU]) / (sin(chi) * aB)
    reduced: dict[str, Matrix] = {
        "R.chi'": of_R - of_L,
        "R.L.x'": np.array([-sin(L - pL) * sin(pR), sin(pL) * sin(R - pR)]) * aU / sin(chi),
        "R.L.y'": np.array([cos(pR) * sin(L - pL), -cos(pL) * sin(R - pR)]) * aU / sin(chi),
        "AL.w": np.array([eta, 0]),
        "AR.w": np.array([0, eta]),
    }
    turns = {"R.HL": (L, pL, np.array([1, 0]), of_L), "R.HR": (R, pR, np.array([0, 1]), of_R)}
    for side, (th, ph, thd, phd) in turns.items():
        rows = _chain(side, (aU, aB), th, ph)
        reduced |= {path: a * thd + b * phd for path, (a, b) in rows.items()}
    S = {path: (0.0, 0.0, *row) for path, row in reduced.items()}
    S |= {"AL.i": (1.0, 0.0, 0.0, 0.0), "AR.i": (0.0, 1.0, 0.0, 0.0)}
    assert _apart(one, state, columns(one, S)) < 1e-9


# -- section 5.2.3 -------------------------------------------------------------------------------


def test_the_complement_5_9_fits_the_wheel() -> None:
    one = system("tricycle_wheel")
    state = dict(one.states["sample"])
    psi, phi, th, r = state["psi"], state["phi"], state["th"], 0.253
    S = {
        "vx": (-cos(psi) * r, -cos(phi) * sin(psi) * r, -cos(psi) * sin(phi) * r),
        "vy": (-sin(psi) * r, cos(phi) * cos(psi) * r, -sin(phi) * sin(psi) * r),
        "vz": (0, sin(phi) * r, 0),
        "wx": (0, cos(th), -cos(phi) * sin(th)),
        "wy": (1, 0, sin(phi)),
        "wz": (0, sin(th), cos(th) * cos(phi)),
        "th'": (1, 0, 0),
        "phi'": (0, 1, 0),
        "psi'": (0, 0, 1),
    }
    assert _apart(one, state, columns(one, S)) < ZERO


def test_the_complement_5_10_fits_the_steering_bar_but_for_its_spin() -> None:
    """The column of th' is the only one that the invariant th = 0 forbids."""
    one = system("steering_bar")
    state = dict(one.states["sample"])
    phi, th = state["phi"], state["th"]
    S = {
        **{
            v: tuple(float(v == w) for w in ("vx", "vy", "vz", "", "", ""))
            for v in ("vx", "vy", "vz")
        },
        "wx": (0, 0, 0, 1, 0, -sin(phi)),
        "wy": (0, 0, 0, 0, cos(th), cos(phi) * sin(th)),
        "wz": (0, 0, 0, 0, -sin(th), cos(th) * cos(phi)),
        "th'": (0, 0, 0, 1, 0, 0),
        "phi'": (0, 0, 0, 0, 1, 0),
        "psi'": (0, 0, 0, 0, 0, 1),
    }
    product = constraint_matrix(one, state) @ columns(one, S)
    assert np.abs(np.delete(product, 3, axis=1)).max() < ZERO
    assert np.abs(product[:, 3]).max() == pytest.approx(1)


# -- section 5.3 ---------------------------------------------------------------------------------


def test_the_fourth_node_of_section_5_3_1_is_misprinted() -> None:
    """The slider is on the line through (0, 0.8) and (0.001, 0.8), 0.8 m off the printed one."""
    slider, third = np.array([0.8, 0.8]), np.array([0, 0.8])
    (start,) = (v.start for v in system("whitworth").q if v.path == "s")
    assert start == slider[0]

    def off(fourth: tuple[float, float]) -> float:
        along = np.array(fourth) - third
        x, y = slider - third
        return abs(float(along[0] * y - along[1] * x)) / float(np.linalg.norm(along))

    assert off((0.001, 0.3)) == pytest.approx(0.8, abs=1e-5)
    assert off((0.001, 0.8)) == 0
