"""Accelerations of the pipelayer by Pinocchio and by MuJoCo; neither knows of mbx.

Needs the extra `peers`. Prints the numbers of both and their largest difference.
"""

from __future__ import annotations

from typing import Final

import mujoco
import numpy as np
import pinocchio as pin

Q: Final = np.array([0.9, 0.05, -0.03, 0.7, 0.4, 1.1])
V: Final = np.array([0.2, -0.1, 0.15, 0.3, -0.25, 0.5])
NAMES: Final = ("z''", "alpha''", "beta''", "theta''", "epsilon''", "y''")
BODIES: Final = {
    # joint that carries it: mass, mass centre, central moments of inertia
    "beta": (12000, (0, 0.1, 0.6), (9000, 7000, 12000)),
    "theta": (4000, (0, -0.3, 0.5), (1800, 1500, 1600)),
    "epsilon": (1500, (0, 2, 0.1), (2500, 90, 2500)),
    "y": (600, (0, 1.5, 0), (700, 20, 700)),
}
MJCF: Final = """
<mujoco>
  <compiler angle="radian" inertiafromgeom="false"/>
  <option gravity="0 0 -9.81" integrator="Euler"/>
  <worldbody>
    <body name="beta">
      <joint type="slide" axis="0 0 1"/>
      <joint type="hinge" axis="1 0 0"/>
      <joint type="hinge" axis="0 1 0"/>
      {beta}
      <body pos="0 0.5 1.2">
        <joint type="hinge" axis="0 0 1"/>
        {theta}
        <body pos="0 0.8 0.6">
          <joint type="hinge" axis="1 0 0"/>
          {epsilon}
          <body pos="0 0 0.15">
            <joint type="slide" axis="0 1 0"/>
            {y}
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def by_pinocchio() -> np.ndarray:
    """Return the accelerations by the articulated-body algorithm of Pinocchio."""
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    place = pin.SE3.Identity()
    last = 0
    for name, joint, at in (
        ("z", pin.JointModelPZ(), (0, 0, 0)),
        ("alpha", pin.JointModelRX(), (0, 0, 0)),
        ("beta", pin.JointModelRY(), (0, 0, 0)),
        ("theta", pin.JointModelRZ(), (0, 0.5, 1.2)),
        ("epsilon", pin.JointModelRX(), (0, 0.8, 0.6)),
        ("y", pin.JointModelPY(), (0, 0, 0.15)),
    ):
        last = model.addJoint(last, joint, pin.SE3(np.eye(3), np.array(at, float)), name)
        if name in BODIES:
            mass, com, moments = BODIES[name]
            inertia = pin.Inertia(mass, np.array(com, float), np.diag(np.array(moments, float)))
            model.appendBodyToJoint(last, inertia, place)
    found: np.ndarray = pin.aba(model, model.createData(), Q, V, np.zeros(6))
    return found


def by_mujoco() -> np.ndarray:
    """Return the accelerations by the forward dynamics of MuJoCo."""

    def inertial(mass: float, com: tuple[float, ...], moments: tuple[float, ...]) -> str:
        numbers = [" ".join(str(x) for x in row) for row in (com, moments)]
        return f'<inertial mass="{mass}" pos="{numbers[0]}" diaginertia="{numbers[1]}"/>'

    text = MJCF.format(**{name: inertial(*data) for name, data in BODIES.items()})
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = Q, V
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def main() -> None:
    """Print what both say, and how far apart they are."""
    first, second = by_pinocchio(), by_mujoco()
    for name, a, b in zip(NAMES, first, second, strict=True):
        print(f"{name:10} Pinocchio {a:.15g}  MuJoCo {b:.15g}")
    print(f"largest difference {np.abs(first - second).max():.1e}")


if __name__ == "__main__":
    main()
