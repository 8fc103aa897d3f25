"""Planar loops at any attitude on a base that moves: rows that depend on each other to rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import mbx
from mbx.expr.nodes import NUMBER, ZERO, number
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.system.kinematics.frames import by_quaternion

INERTIA = (
    "tensor(0.11 [kg*m^2], 0.12 [kg*m^2], 0.13 [kg*m^2],"
    " 0.01 [kg*m^2], 0.005 [kg*m^2], 0.002 [kg*m^2])"
)
FRAME = "quaternion(w = 0.3651483716701107, x = 0.5477225575051661, y = 0.18257418583505536, z = 0.7302967433402214)"  # noqa: E501
TURNED = "qw: 1 = 0.5, qx: 1 = 0.1, qy: 1 = -0.7, qz: 1 = 0.5"
QUATERNION = "quaternion(w = qw, x = qx, y = qy, z = qz)"
MOVED = ", px: m = 0.1, py: m = -0.2, pz: m = 0.3"
BASES = {
    "spherical": (TURNED, f"spherical(ground at [0.1 m, 0, 0.2 m], {QUATERNION})"),
    "free": (TURNED + MOVED, f"free(ground, move = [px, py, pz], {QUATERNION})"),
    "euler": (
        "e1: rad = 0.3, e2: rad = -0.4, e3: rad = 0.7",
        "spherical(ground at [0.1 m, 0, 0.2 m], euler zxz by (e1, e2, e3))",
    ),
}
BASE = """\
mbx 1
model M {{
  coordinate {variables}
  body S {{ mass 3 kg  com [0.02 m, 0.01 m, -0.03 m]  inertia {J}
    joint {joint} }}
  frame F = S at [0.1 m, 0.2 m, -0.1 m] {frame}
  gravity [0, 0, -9.81 [m/s^2]]
"""
# t2 and t3 close a four-bar of 0.3, 0.9, 0.7 and 0.8 m
FOUR_BAR = """\
  coordinate t1: rad = 1, t2: rad = -0.4, t3: rad = 1.5
  body A {{ mass 0.5 kg  com [0.15 m, 0.01 m, 0.02 m]  inertia {J}
    joint revolute(F, axis = z, angle = t1) }}
  body B {{ mass 0.7 kg  com [0.45 m, 0.02 m, 0]  inertia {J}
    joint revolute(A at [0.3 m, 0, 0], axis = z, angle = t2) }}
  body C {{ mass 0.6 kg  com [0.35 m, 0, 0.03 m]  inertia {J}
    joint revolute(F at [0.8 m, 0, 0], axis = z, angle = t3) }}
  joint close: {close}(B at [0.9 m, 0, 0], C at [0.7 m, 0, 0]{axis})
}}
"""
TRIANGLE = """\
  coordinate a: rad = 1.0471975511965976, b: rad = -2.0943951023931953
  body A {{ mass 0.5 kg  com [0.5 m, 0.01 m, 0.02 m]  inertia {J}
    joint revolute(F, axis = z, angle = a) }}
  body B {{ mass 0.7 kg  com [0.5 m, 0.02 m, 0]  inertia {J}
    joint revolute(A at [1 m, 0, 0], axis = z, angle = b) }}
  joint close: fixed(B at [1 m, 0, 0], F at [1 m, 0, 0] rotated z by -1.0471975511965976)
}}
"""
FORMS = ("kane", "newton_euler", "semi_recursive_1:partitioned", "semi_recursive_2:baumgarte")


def model(base: str, close: str) -> str:
    variables, joint = BASES[base]
    axis = "" if close == "spherical" else ", axis = z"
    text = BASE + (TRIANGLE if close == "fixed" else FOUR_BAR)
    return text.format(
        variables=variables, joint=joint, J=INERTIA, frame=FRAME, close=close, axis=axis
    )


@pytest.mark.sample(0, "euler")
@pytest.mark.parametrize(
    ("base", "close"),
    [
        ("spherical", "cylindrical"),
        ("spherical", "fixed"),
        ("free", "revolute"),
        ("euler", "fixed"),
        pytest.param("free", "cylindrical", marks=pytest.mark.slow),
        pytest.param("free", "spherical", marks=pytest.mark.slow),
        pytest.param("free", "fixed", marks=pytest.mark.slow),
        pytest.param("euler", "cylindrical", marks=pytest.mark.slow),
        pytest.param("spherical", "revolute", marks=pytest.mark.slow),
    ],
)
def test_a_planar_loop_on_a_moving_base_agrees(base: str, close: str) -> None:
    found = mbx.verify(mbx.loads(model(base, close)), forms=FORMS, states=8)
    assert found.verdict == "agree", (found.doubts, found.linear)
    assert set(found.forms) == set(FORMS)


@pytest.mark.sample(2)
@pytest.mark.parametrize("small", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("form", ["semi_recursive_1:partitioned", "semi_recursive_2:partitioned"])
def test_partitioning_is_right_where_its_dependent_speed_hardly_moves(
    form: str, small: float
) -> None:
    """The dependent part of the quaternion is nearly zero: H is large, and H^T M H larger.

    Kane's equations have no choice of speeds; without corrections the difference is 1e-4.
    """
    document = mbx.loads(model("spherical", "cylindrical"))
    manifold = Manifold(mbx.elaborate(mbx.link(document)), Values())
    parts = np.sqrt((1 - small**2) / 3)
    for k in range(4):
        state = _consistent(manifold, np.where(np.arange(4) == k, small, parts))
        right, found = (mbx.convert(document, one).evaluate(state) for one in ("kane", form))
        assert found.status == "regular"
        gap = np.abs(np.ravel(found.ud) - np.ravel(right.ud)).max()
        assert gap < 1e-11 * np.abs(right.ud).max()


def _consistent(manifold: Manifold, quaternion: np.ndarray) -> dict[str, float]:
    """Return a state of the four-bar in motion, with its base turned by a quaternion."""
    system = manifold.system
    known = dict(zip(("qw", "qx", "qy", "qz"), quaternion.tolist(), strict=True))
    known |= {"t1": 1.0, "t2": -0.4, "t3": 1.5}
    q = np.array([[known[v.path] for v in system.q]])
    u = np.array([[0.7, -0.4, 0.6, 1.0, 0.3, 0.2, 0.5]])
    points = Points(np.zeros(1), q, u)
    points, _ = manifold.project_positions(points, np.ones(q.shape[1], dtype=bool))
    points, _ = manifold.project_velocities(points, np.ones(u.shape[1], dtype=bool))
    paths = [v.path for v in (*system.q, *system.u)]
    values = np.concatenate([points.q[0], points.u[0]]).tolist()
    return dict(zip(paths, values, strict=True))


def test_a_constant_quaternion_is_a_rotation_however_many_digits_it_has() -> None:
    """R^T R = 1 in fractions, for parts whose squares add up to 1 in twelve digits only."""
    parts = [Fraction(x) for x in ("0.365148371670", "0.547722557505", "0.182574185835")]
    parts.append(Fraction("0.730296743340"))
    assert sum(x * x for x in parts) != 1
    R = by_quaternion([(number(x), ZERO, ZERO) for x in parts]).R
    assert all(x.op is NUMBER for row in R for x in row)
    rows = [[Fraction(x.value) for x in row] for row in R]
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert sum(x * y for x, y in zip(one, other, strict=True)) == (i == j)
