"""Accelerations and torques of a serial arm by Pinocchio and by MuJoCo, from one table.

Needs the extra `peers`. Prints the numbers of both and their differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pinocchio

GRAVITY = 9.81


@dataclass(frozen=True, slots=True)
class Link:
    """A link and the revolute joint that carries it, as a URDF file says them.

    `rpy` are roll, pitch and yaw: the joint's frame is Rz(yaw) Ry(pitch) Rx(roll) in the link
    before it. Mass centre and inertia, xx yy zz xy xz yz, are in the link's own axes.
    """

    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float]
    axis: tuple[float, float, float]
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]


def pinocchio_model(links: list[Link]) -> Any:
    """Return the arm as a model of Pinocchio."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    joint = 0
    for k, link in enumerate(links):
        place = pinocchio.SE3(pinocchio.rpy.rpyToMatrix(*link.rpy), np.array(link.xyz))
        kind = pinocchio.JointModelRevoluteUnaligned(*link.axis)
        joint = model.addJoint(joint, kind, place, f"joint{k + 1}")
        xx, yy, zz, xy, xz, yz = link.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pinocchio.Inertia(link.mass, np.array(link.com), tensor)
        model.appendBodyToJoint(joint, body, pinocchio.SE3.Identity())
    return model


def mujoco_model(links: list[Link]) -> Any:
    """Return the arm as a model of MuJoCo."""

    def row(values: tuple[float, ...]) -> str:
        return " ".join(repr(float(x)) for x in values)

    text = ""
    for link in links:
        rotation = pinocchio.Quaternion(pinocchio.rpy.rpyToMatrix(*link.rpy))
        quat = (rotation.w, rotation.x, rotation.y, rotation.z)
        text += (
            f'<body pos="{row(link.xyz)}" quat="{row(quat)}">'
            f'<joint type="hinge" axis="{row(link.axis)}"/>'
            f'<inertial pos="{row(link.com)}" mass="{link.mass!r}"'
            f' fullinertia="{row(link.inertia)}"/>'
        )
    text += "</body>" * len(links)
    option = f'<option gravity="0 0 {-GRAVITY}" integrator="Euler"/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>")


def show(name: str, first: np.ndarray, second: np.ndarray) -> None:
    """Print what both tools give, and how far they are apart."""
    print(f"{name}: Pinocchio {pinocchio.__version__}, MuJoCo {mujoco.__version__}")
    for a, b in zip(first, second, strict=True):
        print(f"  {a: .12g}  {b: .12g}  {a - b: .1e}")


def compare(
    links: list[Link], q: list[float], v: list[float], a: list[float], u: list[float]
) -> None:
    """Print the torques of the motion q, v, a, and the accelerations at q, v under torques u."""
    model, other = pinocchio_model(links), mujoco_model(links)
    data, state = model.createData(), mujoco.MjData(other)
    position, rate = np.array(q), np.array(v)
    state.qpos, state.qvel, state.qacc = q, v, a
    mujoco.mj_inverse(other, state)
    torque = pinocchio.rnea(model, data, position, rate, np.array(a))
    show("torques", torque, np.array(state.qfrc_inverse))
    state.qpos, state.qvel, state.qfrc_applied = q, v, u
    mujoco.mj_forward(other, state)
    acceleration = pinocchio.aba(model, data, position, rate, np.array(u))
    show("accelerations", acceleration, np.array(state.qacc))
