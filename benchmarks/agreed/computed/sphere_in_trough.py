"""The charged sphere of library/sphere_in_trough over ten seconds, by SciPy.

The contact point of the sphere is at rest, so the angular velocity gives the velocity of the
centre; thesis Examples 2.5 (d), (f) and 4.4 (c).
"""

from __future__ import annotations

from math import pi, sin, sqrt

import numpy as np
from dense import compare, solve
from scipy.integrate import solve_ivp

r, m, g, mu, kappa, e0, period = 0.01, 0.05, 9.8, 0.5, 5e-6, 1e4, 4.0
INERTIA = np.diag([m, m, m, *[2 / 5 * m * r**2] * 3])
POSITIONS = {
    ("x", 0.5): (0.01721639, 1e-7),
    ("x", 1.0): (0.13931663, 1e-7),
    ("y", 1.0): (-0.08832122, 1e-7),
    ("x", 2.0): (0.83015285, 1e-7),
    ("x", 3.0): (1.51416189, 1e-7),
    ("x", 4.0): (1.66135243, 1e-7),
    ("x", 5.0): (1.83623387, 1e-6),
    ("x", 10.0): (4.4768873, 1e-5),
    ("y", 10.0): (0.01789048, 1e-7),
}


def rates(t: float, state: np.ndarray) -> np.ndarray:
    """Return the rates of x, y, the quaternion (real part first) and the angular velocity."""
    y, q, omega = state[1], state[2:6], state[6:]
    s = 2 * mu * y
    root = sqrt(1 + s**2)
    normal = np.array([0, -s, 1]) / root
    slope = -2 * mu * np.array([0, 1, s]) / root**3
    velocity = np.cross(omega, r * normal)
    dy = velocity[1] / (1 + r * slope[1])

    def accelerations(alpha: np.ndarray) -> np.ndarray:
        centre = np.cross(alpha, r * normal) + np.cross(omega, r * slope * dy)
        return np.concatenate([centre, alpha])

    w, a = q[0], q[1:]
    up = np.array([0.0, 0.0, 1.0])
    axis = up + 2 * np.cross(a, np.cross(a, up) + w * up)
    force = np.array([kappa * e0 * sin(2 * pi * t / period), 0, 0])
    loads = np.concatenate([force - [0, 0, m * g], np.cross(-r * axis, force)])
    alpha, _ = solve(3, accelerations, INERTIA, loads)
    turning = [-omega @ a, *(w * omega + np.cross(omega, a))]
    return np.concatenate([[velocity[0], dy], np.array(turning) / 2, alpha])


if __name__ == "__main__":
    start = [0, 0.1, 1, 0, 0, 0, 0, 0, 0]
    times = sorted({t for _, t in POSITIONS})
    run = solve_ivp(rates, (0, 10), start, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=times)
    compare(
        {
            f"{name} at {t} s": (run.y["xy".index(name), times.index(t)], stated, within)
            for (name, t), (stated, within) in POSITIONS.items()
        }
    )
