"""Accelerations and the reaction of library/revolute_pair by a dense solution.

The plane is that of complex numbers.
"""

from __future__ import annotations

from cmath import exp

import numpy as np
from dense import compare, plane, solve

mj, Jj, mk, Jk, g = 2.0, 0.3, 1.5, 0.2, 9.81
phi, theta, dphi, dtheta = 0.3, 0.8, 0.7, -1.9
PARENT = (0.4 + 0.1j) * exp(1j * phi)
CHILD = (0.5 - 0.2j) * exp(1j * (phi + theta))


def accelerations(q: np.ndarray) -> np.ndarray:
    """Return those of both mass centres and angles."""
    parent, turn = complex(q[0], q[1]), float(q[2] + q[3])
    child = parent + (1j * q[2] - dphi**2) * PARENT + (1j * turn - (dphi + dtheta) ** 2) * CHILD
    return plane(parent, float(q[2]), child, turn)


if __name__ == "__main__":
    weights = np.array([0, -mj * g, 0, 0, -mk * g, 0])
    q, _ = solve(4, accelerations, np.diag([mj, mj, Jj, mk, mk, Jk]), weights)
    child = accelerations(q)[3:5]
    compare(
        {
            "xj''": (q[0], 0.322669667867, 1e-10),
            "yj''": (q[1], -9.551457728936, 1e-10),
            "phij''": (q[2], 0.147930174244, 1e-10),
            "thetak''": (q[3], -0.245836262296, 1e-10),
            "acceleration of the child, x": (child[0], -0.430226223823, 1e-10),
            "acceleration of the child, y": (child[1], -10.154723028085, 1e-10),
            "force on the child, x": (mk * child[0], -0.645339335734, 1e-9),
            "force on the child, y": (mk * (child[1] + g), -0.517084542128, 1e-9),
        }
    )
