"""Accelerations of library/tricycle_wheel, from Newton's and Euler's laws in the leaned axes."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from dense import compare, solve

m, Ia, Ir, r, g = 2.5, 0.18, 0.094, 0.253, 9.81
phi, dth, dphi, dpsi = 0.2, -8.0, 0.4, 0.7
DOWN = np.array([0, 0, r])
"""From the centre to the contact; z points down."""
FRAME = np.array([dphi, dpsi * sin(phi), dpsi * cos(phi)])
"""Angular velocity of the leaned axes."""
OMEGA = FRAME + np.array([0, dth, 0])
INERTIA = np.diag([Ir, Ia, Ir])


def accelerations(q: np.ndarray) -> np.ndarray:
    """Return those of the centre and of the turning, for th'', phi'' and psi''."""
    th, lean, heading = q
    rates = np.array(
        [
            lean,
            th + heading * sin(phi) + dpsi * cos(phi) * dphi,
            heading * cos(phi) - dpsi * sin(phi) * dphi,
        ]
    )
    turn = rates + np.cross(FRAME, OMEGA)
    centre = -np.cross(turn, DOWN) - np.cross(OMEGA, np.cross(FRAME, DOWN))
    return np.concatenate([centre, turn])


if __name__ == "__main__":
    inertia = np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), INERTIA]])
    weight = m * g * np.array([0, sin(phi), cos(phi)])
    loads = np.concatenate([weight, -np.cross(OMEGA, INERTIA @ OMEGA)])
    q, _ = solve(3, accelerations, inertia, loads)
    compare(
        {
            "th''": (q[0], -1.646664209396967, 1e-8),
            "phi''": (q[1], -2.4013204813933684, 1e-8),
            "psi''": (q[2], 6.257119629433815, 1e-8),
        }
    )
