"""The numbers of library/arm_6_axis: the UR5 by Pinocchio and by MuJoCo.

Needs the extra `peers`. Prints the numbers of both and their differences.
"""

from __future__ import annotations

from math import pi

from serial_arm import Link, compare

Z, Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
FLAT, TURNED = (0.0, 0.0, 0.0), (0.0, pi / 2, 0.0)


def _round(across: float, along: float) -> tuple[float, float, float, float, float, float]:
    """Return the inertia of a link that is round about its z axis."""
    return (across, across, along, 0.0, 0.0, 0.0)


LINKS = [
    Link((0, 0, 0.089159), FLAT, Z, 3.7, (0, 0, 0), _round(0.010267495893, 0.00666)),
    Link((0, 0.13585, 0), TURNED, Y, 8.393, (0, 0, 0.28), _round(0.22689067591, 0.0151074)),
    Link((0, -0.1197, 0.425), FLAT, Y, 2.275, (0, 0, 0.25), _round(0.049443313556, 0.004095)),
    Link((0, 0, 0.39225), TURNED, Y, 1.219, (0, 0, 0), _round(0.111172755531, 0.21942)),
    Link((0, 0.093, 0), FLAT, Z, 1.219, (0, 0, 0), _round(0.111172755531, 0.21942)),
    Link((0, 0, 0.09465), FLAT, Y, 0.1879, (0, 0, 0), _round(0.0171364731454, 0.033822)),
]

if __name__ == "__main__":
    compare(
        LINKS,
        q=[0.4, -0.9, 1.2, -0.5, 0.7, 0.3],
        v=[0.5, -0.8, 1.1, -0.6, 0.9, -1.3],
        a=[-1.0, 2.0, 0.5, -1.5, 0.8, 1.2],
        u=[10.0, -20.0, -5.0, 1.0, -0.5, 0.2],
    )
