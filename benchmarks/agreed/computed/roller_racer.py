"""`forwards` of library/roller_racer from rest by SciPy, from the two balances of its README.

With v forwards and W = th' + phi', the wheels give th' = A v - B W; th'' follows by hand.
"""

from __future__ import annotations

from math import cos, sin, tan

import numpy as np
from dense import compare
from scipy.integrate import solve_ivp

m1, J1, d1, m2, J2, d2 = 20.0, 1.1, 0.6, 1.5, 0.05, 0.15


def rates(_: float, y: np.ndarray) -> list[float]:
    """Return v', W' and phi' without a torque of the arms."""
    v, W, phi = y
    A, B = tan(phi) / d1, d2 / (d1 * cos(phi))
    th = A * v - B * W
    turn = W - th
    bias = turn / (d1 * cos(phi) ** 2) * v - d2 * sin(phi) * turn / (d1 * cos(phi) ** 2) * W
    inertia = J1 + m2 * d1**2  # N = inertia (A v' - B W' + bias) + m2 d1 v th'
    rest = inertia * bias + m2 * d1 * v * th
    matrix = np.array(
        [[m1 + m2 + A * inertia * A, -A * inertia * B], [-B * inertia * A, J2 + B * inertia * B]]
    )
    dv, dW = np.linalg.solve(matrix, [m2 * d1 * th**2 - A * rest, B * rest])
    return [dv, dW, turn]


if __name__ == "__main__":
    run = solve_ivp(rates, (0, 0.5), [0.0, 1.6, 0.0], method="DOP853", rtol=1e-13, atol=1e-13)
    compare({"forwards at 0.5 s": (run.y[0, -1], 0.007944696076170913, 1e-9)})
