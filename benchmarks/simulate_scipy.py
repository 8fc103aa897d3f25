"""Equations as people write them by hand, for SciPy's `solve_ivp`: the peers of simulation."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["PEERS"]


def double_pendulum(_t: float, y: Sequence[float]) -> list[float]:
    """Two bobs on two light rods (Landau and Lifshitz, Mechanics, section 5)."""
    m1, m2, l1, l2, g = 2.0, 1.0, 0.8, 0.5, 9.81
    p1, p2, w1, w2 = y
    c, s = cos(p1 - p2), sin(p1 - p2)
    d = m1 + m2 * s * s
    s1, s2 = sin(p1), sin(p2)
    a1 = (m2 * g * s2 * c - m2 * s * (l1 * w1 * w1 * c + l2 * w2 * w2) - (m1 + m2) * g * s1) / l1
    a2 = (m1 + m2) * (l1 * w1 * w1 * s - g * s2 + g * s1 * c) + m2 * l2 * w2 * w2 * s * c
    return [w1, w2, a1 / d, a2 / l2 / d]


def four_bar(_t: float, y: Sequence[float]) -> list[float]:
    """A four-bar with one freedom: I(th1) th1'' + I'(th1) th1'^2/2 + V'(th1) = 0.

    The angles of coupler and rocker are integrated with the crank's: their rates are ratios of the
    loop. The coupler's angle is that to the ground.
    """
    a, b, c, m1, m2, m3, g = 0.1, 0.3, 0.25, 0.2, 0.5, 0.4, 9.81
    t1, t2, t3, w = y
    s1, c1, s2, c2, s3, c3 = sin(t1), cos(t1), sin(t2), cos(t2), sin(t3), cos(t3)
    d = s3 * c2 - c3 * s2  # of t3 - t2
    k2 = a * (s1 * c3 - c1 * s3) / (b * d)
    k3 = a * (s1 * c2 - c1 * s2) / (c * d)
    # rates of the ratios, by the loop twice differentiated, for th1'' = 0
    rx = -a * c1 - b * c2 * k2 * k2 + c * c3 * k3 * k3
    ry = -a * s1 - b * s2 * k2 * k2 + c * s3 * k3 * k3
    e2 = -(rx * c3 + ry * s3) / (b * d)
    e3 = -(rx * c2 + ry * s2) / (c * d)
    h = b / 2
    x2, y2 = -a * s1 - h * s2 * k2, a * c1 + h * c2 * k2  # velocity of the coupler's centre
    ax, ay = (
        -a * c1 - h * (c2 * k2 * k2 + s2 * e2),
        -a * s1 - h * (s2 * k2 * k2 - c2 * e2),
    )
    j1, j2, j3 = m1 * a * a / 3, m2 * b * b / 12, m3 * c * c / 3
    inertia = j1 + m2 * (x2 * x2 + y2 * y2) + j2 * k2 * k2 + j3 * k3 * k3
    bend = m2 * (x2 * ax + y2 * ay) + j2 * k2 * e2 + j3 * k3 * e3  # I'/2
    force = g * (m1 * a / 2 * c1 + m2 * y2 + m3 * c / 2 * c3 * k3)
    return [w, k2 * w, k3 * w, -(bend * w * w + force) / inertia]


def four_bar_multipliers(_t: float, y: Sequence[float]) -> list[float]:
    """The same with multipliers, [M -A^T; A 0] [ud; lam] = [h; -b], in angles to the ground."""
    a, b, c, m1, m2, m3, g = 0.1, 0.3, 0.25, 0.2, 0.5, 0.4, 9.81
    t1, t2, t3, w1, w2, w3 = y
    s1, c1, s2, c2, s3, c3 = sin(t1), cos(t1), sin(t2), cos(t2), sin(t3), cos(t3)
    k = m2 * a * b / 2
    kc, ks = k * (c1 * c2 + s1 * s2), k * (s1 * c2 - c1 * s2)
    matrix = np.array(
        [
            [m1 * a * a / 3 + m2 * a * a, kc, 0.0, a * s1, -a * c1],
            [kc, m2 * b * b / 3, 0.0, b * s2, -b * c2],
            [0.0, 0.0, m3 * c * c / 3, -c * s3, c * c3],
            [-a * s1, -b * s2, c * s3, 0.0, 0.0],
            [a * c1, b * c2, -c * c3, 0.0, 0.0],
        ]
    )
    right = np.array(
        [
            -ks * w2 * w2 - g * (m1 / 2 + m2) * a * c1,
            ks * w1 * w1 - g * m2 * b / 2 * c2,
            -g * m3 * c / 2 * c3,
            a * c1 * w1 * w1 + b * c2 * w2 * w2 - c * c3 * w3 * w3,
            a * s1 * w1 * w1 + b * s2 * w2 * w2 - c * s3 * w3 * w3,
        ]
    )
    found = np.linalg.solve(matrix, right)
    return [w1, w2, w3, *found[:3].tolist()]


PEERS: Final[dict[str, Callable[[float, Sequence[float]], list[float]]]] = {
    "double_pendulum": double_pendulum,
    "four_bar": four_bar_multipliers,
    "four_bar, one freedom": four_bar,
}
