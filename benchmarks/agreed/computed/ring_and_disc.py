"""Accelerations, reactions and the swing of library/ring_and_disc, thesis Example 4.2 (e), (f).

The cases `ring_and_disc_coordinates` and `ring_and_disc_nodes` are the same mechanism.
"""

from __future__ import annotations

from math import asin, cos, pi, sin

import numpy as np
from dense import compare, solve
from scipy.integrate import solve_ivp

m1, m2, r1, r2, xi, g = 0.67, 0.08, 1.0, 0.3, asin(4 / 5), 9.8
INERTIA = np.diag([m1, m1, m1 * r1**2, m2, m2, m2 * r2**2 / 2])
WEIGHT = g * np.array([m1 * sin(xi), -m1 * cos(xi), 0, m2 * sin(xi), -m2 * cos(xi), 0])
SWING = {
    0.25: (1.069886618121842, 1e-7),
    0.5: (0.8100077701875362, 1e-7),
    1.0: (0.2282057377266227, 1e-7),
    1.5: (0.27716064725661205, 1e-6),
    2.0: (0.8838128290244166, 1e-7),
    3.0: (0.7321212374691878, 1e-6),
    4.0: (0.33565320615184974, 1e-6),
    5.0: (1.1437608512383093, 1e-6),
}


def accelerate(theta: float, rate: float, w1: float, w2: float) -> tuple[np.ndarray, np.ndarray]:
    """Return theta'' behind the accelerations of both bodies, and the multipliers."""
    c, s = cos(xi - theta), sin(xi - theta)
    slip = r1 * w1 - r2 * w2

    def constraints(a: np.ndarray) -> np.ndarray:
        turn = r1 * a[2] - r2 * a[5]
        return np.array(
            [
                a[0] + r1 * a[2],
                a[1],
                a[0] - a[3] + c * turn + s * rate * slip,
                a[1] - a[4] + s * turn - c * rate * slip,
                -a[0] + a[3] + (r1 - r2) * (c * a[6] + s * rate**2),
            ]
        )

    return solve(7, lambda a: a[:6], INERTIA, WEIGHT, constraints)


def rates(_: float, y: np.ndarray) -> list[float]:
    """Return the rates of theta, theta' and both angular velocities."""
    a, _ = accelerate(*y)
    return [y[1], a[6], a[2], a[5]]


if __name__ == "__main__":
    a, lam = accelerate(0.9, 0.7, -1.12, -2.1)
    golden = {
        "R.u'": (a[0], 3.930252900801973),
        "R.w'": (a[2], -3.930252900801973),
        "D.u'": (a[3], 5.1089080117330745),
        "D.v'": (a[4], 0.37530745232315377),
        "D.w'": (a[5], -17.062372665559238),
        "theta''": (a[6], -1.6977984269511395),
        "R.T": (lam[0], -2.838017915524033),
        "R.N": (lam[1], 4.440024596185853),
        "Fx": (lam[2], 0.21848735906135386),
        "Fy": (lam[3], -0.5004245961858522),
        "Fturn": (lam[4], 0.0),
    }
    table = {name: (value, stated, 1e-9) for name, (value, stated) in golden.items()}
    start = [asin(3 / 5) + pi / 6, 0, 0, 0]
    run = solve_ivp(
        rates, (0, 5), start, method="DOP853", rtol=1e-11, atol=1e-11, t_eval=list(SWING)
    )
    for value, (t, (stated, within)) in zip(run.y[0], SWING.items(), strict=True):
        table[f"theta at {t} s"] = (value, stated, within)
    compare(table)
