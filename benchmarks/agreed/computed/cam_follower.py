"""Accelerations of library/cam_follower: V^T M (V z'' + V' z') = V^T F, in complex numbers.

The follower's mass centre is r = c + exp(i z2) f(z1) + exp(i z3) p, f the edge of the cam.
"""

from __future__ import annotations

from cmath import exp
from math import cos, sin

import numpy as np
from dense import compare, plane, solve

s0, s1, p = 0.3, 0.1, 0.02 + 0.25j
J1, m2, J2, g = 0.1, 0.5, 0.01, 9.81
Z = np.array([1.1, 0.4, -0.2])
GOLDEN = {
    "along_edge": (26.956854100565, -2.3964333236349, -31.018582568907),
    "with_cam": (26.713537610289, -2.4194110330215, -31.315997885588),
    "about_tip": (26.901605543404, -2.4479461621093, -31.685346470835),
}


def accelerations(rate: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the acceleration of the follower's centre, and of the angles of cam and follower."""
    s, ds, dds = s0 + s1 * cos(Z[0]), -s1 * sin(Z[0]), -s1 * cos(Z[0])
    edge = exp(1j * Z[0])
    f, df, ddf = s * edge, (ds + 1j * s) * edge, (dds + 2j * ds - s) * edge
    bent = df * second[0] + ddf * rate[0] ** 2
    turned = (1j * second[1] - rate[1] ** 2) * f + 2j * rate[1] * df * rate[0]
    tip = exp(1j * Z[1]) * (bent + turned)
    return plane(
        tip + exp(1j * Z[2]) * p * (1j * second[2] - rate[2] ** 2), float(second[1]), second[2]
    )


if __name__ == "__main__":
    table = {}
    for unit, (state, golden) in zip(np.eye(3), GOLDEN.items(), strict=True):
        inertia = np.diag([m2, m2, J1, J2])
        loads = np.array([0, -m2 * g, 0, 0])
        second, _ = solve(3, lambda z, rate=unit: accelerations(rate, z), inertia, loads)
        for k in range(3):
            table[f"z{k + 1}'' at {state}"] = (second[k], golden[k], 1e-9)
    compare(table)
