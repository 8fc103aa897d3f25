"""Accelerations of the tree of the quick-return mechanism by Pinocchio and by MuJoCo.

Needs the extra `peers`. Prints the numbers of both and their largest difference.
"""

from __future__ import annotations

from math import asin, atan2, cos, pi, sin, sqrt
from typing import Final

import mujoco
import numpy as np
import pinocchio as pin

LINKS: Final = {
    # name: parent, place of the joint on it, own place, mass, mass centre, moment of inertia
    "rocker": ("", 0.0, -0.35, 3.0, (0.0, 0.0), 0.1225),
    "block": ("rocker", -0.35, 0.0, 0.5, (0.0, 0.0), 0.0008),
    "crank": ("block", 0.0, -0.075, 1.0, (0.0, 0.0), 0.002),
    "coupler": ("rocker", 0.35, 0.0, 0.8, (0.125, 0.0), 0.0045),
    "ram": ("coupler", 0.25, 0.0, 2.0, (0.05, 0.01), 0.01),
}
SLIDES: Final = {"block"}


def state() -> tuple[np.ndarray, np.ndarray]:
    """Return the joint coordinates and rates with the rocker at 75 degrees and 0.8 rad/s."""
    z1, rate = np.radians(75), 0.8
    s, c = sin(z1), cos(z1)
    root = sqrt((0.35 * s) ** 2 - 0.35**2 + 0.15**2)
    z2 = 0.35 * s + root  # the block: |z2 e - (0, 0.35)| = 0.15
    z2_rate = rate * 0.35 * c * (1 + 0.35 * s / root)
    x, y = -z2 * c, 0.35 - z2 * s
    crank = atan2(y, x) + 2 * pi
    crank_rate = (x * (-z2_rate * s - z2 * c * rate) - y * (-z2_rate * c + z2 * s * rate)) / 0.15**2
    lift = (0.72 - 0.7 * s) / 0.25
    coupler = pi - asin(lift)
    coupler_rate = -0.7 * c * rate / (0.25 * cos(coupler))
    z = [z1, z2, crank - z1, coupler - z1, -coupler]
    zd = [rate, z2_rate, crank_rate - rate, coupler_rate - rate, -coupler_rate]
    return np.array(z), np.array(zd)


def by_pinocchio(z: np.ndarray, zd: np.ndarray) -> np.ndarray:
    """Return the accelerations by the articulated-body algorithm of Pinocchio.

    Frames of links are at their joints, so that all points of a link move by its own place.
    """
    model = pin.Model()
    model.gravity.linear = np.array([0, -9.81, 0])
    joints = {"": (0, 0.0)}
    for name, (parent, at, own, mass, com, moment) in LINKS.items():
        index, shift = joints[parent]
        joint = pin.JointModelPX() if name in SLIDES else pin.JointModelRZ()
        place = pin.SE3(np.eye(3), np.array([at - shift, 0, 0]))
        index = model.addJoint(index, joint, place, name)
        inertia = pin.Inertia(
            mass, np.array([com[0] - own, com[1], 0]), np.diag([moment, moment, moment])
        )
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        joints[name] = (index, own)
    order = [model.joints[model.getJointId(name)].idx_v for name in LINKS]
    q, v = np.zeros(5), np.zeros(5)
    q[order], v[order] = z, zd
    found: np.ndarray = pin.aba(model, model.createData(), q, v, np.zeros(5))
    return found[order]


def by_mujoco(z: np.ndarray, zd: np.ndarray) -> np.ndarray:
    """Return the accelerations by the forward dynamics of MuJoCo."""

    def element(name: str, shift: float) -> str:
        _, at, own, mass, com, moment = LINKS[name]
        kind, axis = ("slide", "1 0 0") if name in SLIDES else ("hinge", "0 0 1")
        inside = "".join(element(child, own) for child in LINKS if LINKS[child][0] == name)
        return (
            f'<body pos="{at - shift} 0 0"><joint name="{name}" type="{kind}" axis="{axis}"/>'
            f'<inertial mass="{mass}" pos="{com[0] - own} {com[1]} 0"'
            f' diaginertia="{moment} {moment} {moment}"/>{inside}</body>'
        )

    model = mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        '<option gravity="0 -9.81 0"/>'
        f"<worldbody>{element('rocker', 0.0)}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    order = [model.joint(name).qposadr[0] for name in LINKS]
    data.qpos[order], data.qvel[order] = z, zd
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)[order]


def main() -> None:
    """Print what both say, and how far apart they are."""
    z, zd = state()
    first, second = by_pinocchio(z, zd), by_mujoco(z, zd)
    for k, (a, b) in enumerate(zip(first, second, strict=True), 1):
        print(f"z{k}''  Pinocchio {a:.14g}  MuJoCo {b:.14g}")
    print(f"largest difference {np.abs(first - second).max():.1e}")


if __name__ == "__main__":
    main()
