"""Accelerations and reactions of library/rp_chain: absolute coordinates, eq. (2) of the paper.

The paper's multipliers have the other sign. The plane is that of complex numbers.
"""

from __future__ import annotations

from cmath import exp

import numpy as np
from dense import compare, plane, solve

m1, J1, m2, J2, g = 2.0, 0.5, 1.2, 0.3, 9.81
z1, z2, dz1, dz2 = 0.4, 0.7, 1.1, -0.6
th1, th2 = z1, z1 + 0.3
ARM, SLIDER = exp(1j * th1), exp(1j * th2)
PIN, Q, S, AXIS = 0.5 * ARM, (0.4 + 0.1j) * ARM, (0.2 + 0.1j) * SLIDER, (0.8 + 0.6j) * ARM
COM1, COM2 = (0.1 + 0.05j) * ARM, (0.05 - 0.02j) * SLIDER
ACROSS = 1j * AXIS
GAP = -z2 * AXIS
"""From S of the slider to Q of the arm."""
RATE = 1j * dz1 * -z2 * AXIS - dz2 * AXIS


def turned(vector: complex, second: float) -> complex:
    """Return the second rate of a vector that is fixed to either body: both turn alike."""
    return (1j * second - dz1**2) * vector


def accelerations(q: np.ndarray) -> np.ndarray:
    """Return those of both mass centres and angles."""
    first, second = complex(q[0], q[1]), complex(q[3], q[4])
    return plane(first + turned(COM1, q[2]), float(q[2]), second + turned(COM2, q[5]), float(q[5]))


def constraints(q: np.ndarray) -> np.ndarray:
    """Return the second rates of the pin, the angle and the distance across the axis."""
    first, second = complex(q[0], q[1]), complex(q[3], q[4])
    gap = first + turned(Q, q[2]) - second + turned(S, q[5])
    across = (
        turned(ACROSS, q[2]).conjugate() * GAP
        + 2 * (1j * dz1 * ACROSS).conjugate() * RATE
        + ACROSS.conjugate() * gap
    )
    return plane(first - turned(PIN, q[2]), float(q[5] - q[2]), across.real)


if __name__ == "__main__":
    weights = np.array([0, -m1 * g, 0, 0, -m2 * g, 0])
    q, lam = solve(6, accelerations, np.diag([m1, m1, J1, m2, m2, J2]), weights, constraints)
    compare(
        {
            "z1''": (q[2], -3.716800860030, 1e-10),
            "acceleration of the arm's origin, x": (q[0], 0.166453313430, 1e-10),
            "acceleration of the arm's origin, y": (q[1], -1.947298244422, 1e-10),
            "acceleration of the slider's origin, x": (q[3], 1.979868556178, 1e-10),
            "acceleration of the slider's origin, y": (q[4], -10.752947741548, 1e-10),
            "lam1": (lam[0], 3.165993589, 1e-8),
            "lam2": (lam[1], 13.595646141, 1e-8),
            "lam3": (lam[2], -1.836644825, 1e-8),
            "lam4": (lam[3], 2.750665371, 1e-8),
        }
    )
