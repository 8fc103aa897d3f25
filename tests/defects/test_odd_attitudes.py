"""Planar loops in a plane of any attitude: rows across it are rounding, for the oracle, too."""

from __future__ import annotations

import pytest

import mbx

# th1 = 1 rad; th2 and th3 close a four-bar of 0.3, 0.9, 0.7 and 0.8 m
LOOP = """\
mbx 1
model M {{
  coordinate t1: rad = 1, t2: rad = {t2}, t3: rad = {t3}
  frame F = ground at [0.1 m, 0.2 m, -0.1 m] quaternion(w = {w}, x = {x}, y = {y}, z = {z})
  body A {{ mass 0.5 kg  com [0.15 m, 0.01 m, 0.02 m]  inertia {J}
    joint revolute(F, axis = z, angle = t1) }}
  body B {{ mass 0.7 kg  com [0.45 m, 0.02 m, 0]  inertia {J}
    joint revolute(A at [0.3 m, 0, 0], axis = z, angle = t2) }}
  body C {{ mass 0.6 kg  com [0.35 m, 0, 0.03 m]  inertia {J}
    joint revolute(F at [0.8 m, 0, 0], axis = z, angle = t3) }}
  joint close: {joint}
  gravity [0, 0, -9.81 [m/s^2]]
}}
"""
INERTIA = (
    "tensor(0.11 [kg*m^2], 0.12 [kg*m^2], 0.13 [kg*m^2],"
    " 0.01 [kg*m^2], 0.005 [kg*m^2], 0.002 [kg*m^2])"
)
ATTITUDES = [
    (0.3651483716701107, 0.5477225575051661, 0.18257418583505536, 0.7302967433402214),
    (-0.8017837257372732, 0.2672612419124244, 0.5345224838248488, 0.0),
]
SIDES = "B at [0.9 m, 0, 0], C at [0.7 m, 0, 0]"


@pytest.mark.sample(2)
@pytest.mark.parametrize("attitude", ATTITUDES)
@pytest.mark.parametrize(
    "joint",
    [f"spherical({SIDES})", f"revolute({SIDES}, axis = z)", f"cylindrical({SIDES}, axis = z)"],
)
def test_a_planar_loop_agrees_in_any_plane(
    joint: str, attitude: tuple[float, float, float, float]
) -> None:
    w, x, y, z = attitude
    text = LOOP.format(t2=-0.4, t3=1.5, w=w, x=x, y=y, z=z, J=INERTIA, joint=joint)
    found = mbx.verify(mbx.loads(text), forms=("kane", "lagrange", "newton_euler"), states=4)
    assert found.verdict == "agree", found.doubts
    assert found.oracle is not None
    assert found.oracle.states
