"""Andrews' squeezing mechanism after 0.03 s, by Pinocchio with SciPy and by CasADi.

Pinocchio has the tree of the seven bodies, and SciPy integrates with an explicit method. CasADi
makes its equations from the energies, and integrates them with CVODES, which is implicit.
Neither knows of mbx. Needs the extras `solve` and `peers`. Prints the numbers of both, their
differences, and those from the numbers that andrews.f prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import casadi as ca
import numpy as np
import pinocchio as pin
import scipy
from scipy.integrate import solve_ivp


@dataclass(frozen=True, slots=True)
class Body:
    """A body, what carries it, and its pin in that; mass centre in its own axes."""

    parent: int
    pin: tuple[float, float]
    mass: float
    inertia: float
    com: tuple[float, float]


A: Final = (-0.06934, -0.00227)
BODIES: Final = (
    # in the order of the coordinates; the parent 0 is the ground
    Body(0, (0, 0), 0.04325, 2.194e-6, (0.00092, 0)),
    Body(1, (0.007, 0), 0.00365, 4.410e-7, (-0.0115, 0)),
    Body(0, (-0.03635, 0.03273), 0.02373, 5.255e-6, (0.01043, -0.01874)),
    Body(5, (0.04, 0), 0.00706, 5.667e-7, (0, 0.01421 - 0.02)),
    Body(0, A, 0.07050, 1.169e-5, (0.02308, 0.00916)),
    Body(7, (0, -0.04), 0.00706, 5.667e-7, (0.02 - 0.01421, 0)),
    Body(0, A, 0.05498, 1.912e-5, (0.00449, -0.01228)),
)
NAMES: Final = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
ENDS: Final = {2: (-0.028, 0), 3: (0, -0.035), 4: (0, -0.02), 6: (0.02, 0)}
"""The pin E in the bodies that share it."""
C, D = (0.014, 0.072), (0.02, -0.018)
STIFFNESS, REST, TORQUE, END = 4530.0, 0.07785, 0.033, 0.03
START: Final = (
    -0.0617138900142764496358948458001,
    0,
    0.455279819163070380255912382449,
    0.222668390165885884674473185609,
    0.487364979543842550225598953530,
    -0.222668390165885884674473185609,
    1.23054744454982119249735015568,
)
AT_START: Final = {
    "beta''": 14222.4439199541138705911625887,
    "Theta''": -10666.8329399655854029433719415,
    "R3 x": 98.5668703962410896057654982170,
    "R3 y": -6.12268834425566265503114393122,
}
PRINTED: Final = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
    "beta'": 1139.920302151208,
    "gamma'": 11.03291221937134,
    "delta'": 0.5735699284790808,
    "beta''": -24631.76316945196,
    "gamma''": 324102.5686413781,
    "R3 x": 199.1753333731910,
    "R6 y": 11.61740700019673,
}


class ByPinocchio:
    """The tree of the bodies, its loops closed by multipliers."""

    def __init__(self) -> None:
        """Build the tree."""
        self.model, joints = pin.Model(), {0: 0}
        self.model.gravity.linear = np.zeros(3)
        for k in (1, 2, 3, 5, 4, 7, 6):  # a body right behind the one that carries it
            body = BODIES[k - 1]
            place = pin.SE3(np.eye(3), np.array([*body.pin, 0]))
            joints[k] = self.model.addJoint(joints[body.parent], pin.JointModelRZ(), place, str(k))
            about = np.diag([body.inertia] * 3)
            one = pin.Inertia(body.mass, np.array([*body.com, 0]), about)
            self.model.appendBodyToJoint(joints[k], one, pin.SE3.Identity())
        for name, k, at in (*((f"E{k}", k, at) for k, at in ENDS.items()), ("D", 3, D)):
            there = pin.SE3(np.eye(3), np.array([*at, 0]))
            frame = pin.Frame(name, joints[k], there, pin.FrameType.OP_FRAME)
            self.model.addFrame(frame)
        self.data = self.model.createData()
        self.order = [joints[k] - 1 for k in range(1, 8)]

    def point(self, name: str, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the place of a point, its Jacobian, and its acceleration without theirs."""
        frame, axes = self.model.getFrameId(name), pin.LOCAL_WORLD_ALIGNED
        jacobian = pin.computeFrameJacobian(self.model, self.data, q, frame, axes)[:2]
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(7))
        pin.updateFramePlacements(self.model, self.data)
        bias = pin.getFrameClassicalAcceleration(self.model, self.data, frame, axes).linear[:2]
        return self.data.oMf[frame].translation[:2].copy(), jacobian.copy(), bias.copy()

    def instant(self, state: np.ndarray) -> np.ndarray:
        """Return the accelerations, and the forces of the pin E on K3, K4 and K6."""
        q, v = np.zeros(7), np.zeros(7)
        q[self.order], v[self.order] = state[:7], state[7:]
        mass = pin.crba(self.model, self.data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        at, jacobian, _ = self.point("D", q, v)
        line = np.array(C) - at
        length = float(np.linalg.norm(line))
        force = jacobian.T @ (STIFFNESS * (length - REST) / length * line)
        force -= pin.nonLinearEffects(self.model, self.data, q, v)
        force[self.order[0]] += TORQUE
        _, here, bias = self.point("E2", q, v)
        ends = [self.point(f"E{k}", q, v) for k in (3, 4, 6)]
        rows = np.vstack([one[1] - here for one in ends])
        rest = np.concatenate([one[2] - bias for one in ends])
        whole = np.block([[mass, -rows.T], [rows, np.zeros((6, 6))]])
        found = np.linalg.solve(whole, np.concatenate([force, -rest]))
        return np.concatenate([found[:7][self.order], found[7:]])

    def run(self) -> tuple[np.ndarray, np.ndarray]:
        """Return angles, rates, accelerations and forces at start and end."""
        found = solve_ivp(
            lambda _, s: np.concatenate([s[7:], self.instant(s)[:7]]),
            (0, END),
            np.array([*START, *[0] * 7]),
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
        )
        first, last = found.y[:, 0], found.y[:, -1]
        return np.append(first, self.instant(first)), np.append(last, self.instant(last))


def by_casadi() -> tuple[np.ndarray, np.ndarray]:
    """Return the same at start and end by Lagrange's equations of the first kind and CVODES."""
    q, v, a, lam = (ca.SX.sym(name, n) for name, n in zip("qval", (7, 7, 7, 6), strict=True))

    def angle(k: int) -> ca.SX:
        return q[k - 1] + angle(BODIES[k - 1].parent) if k else 0

    def place(k: int, at: tuple[float, float]) -> ca.SX:
        c, s = ca.cos(angle(k)), ca.sin(angle(k))
        turned = ca.vertcat(c * at[0] - s * at[1], s * at[0] + c * at[1])
        return turned + place(BODIES[k - 1].parent, BODIES[k - 1].pin) if k else ca.DM(at)

    def rate(one: ca.SX) -> ca.SX:
        return ca.jacobian(one, q) @ v + ca.jacobian(one, v) @ a

    kinetic = 0
    for k, body in enumerate(BODIES, 1):
        moving, turning = rate(place(k, body.com)), rate(angle(k))
        kinetic += (body.mass * ca.sumsqr(moving) + body.inertia * turning**2) / 2
    stretch = ca.norm_2(place(3, D) - ca.DM(C)) - REST
    work = TORQUE * q[0] - STIFFNESS * stretch**2 / 2
    rows = ca.vertcat(*(place(k, ENDS[k]) - place(2, ENDS[2]) for k in (3, 4, 6)))
    momenta = ca.gradient(kinetic, v)
    balance = rate(momenta) - ca.gradient(kinetic + work, q) - ca.jacobian(rows, q).T @ lam
    unknown = ca.vertcat(a, lam)
    whole = ca.vertcat(balance, rate(rate(rows)))
    none = ca.substitute(whole, unknown, ca.DM.zeros(13))
    linear = ca.Function("linear", [q, v], [ca.jacobian(whole, unknown), none])
    state = ca.MX.sym("state", 14)
    matrix, rest = linear(state[:7], state[7:])
    solved = ca.solve(matrix, -rest)
    system = {"x": state, "ode": ca.vertcat(state[7:], solved[:7])}
    options = {"abstol": 1e-16, "reltol": 1e-14, "max_num_steps": 1000000}
    first = ca.DM([*START, *[0] * 7])
    last = ca.integrator("run", "cvodes", system, 0, END, options)(x0=first)["xf"]
    instant = ca.Function("instant", [state], [ca.vertcat(state, solved)])
    return np.array(instant(first)).ravel(), np.array(instant(last)).ravel()


def chosen(found: np.ndarray) -> dict[str, float]:
    """Return what is compared, by name."""
    names = [f"{name}{mark}" for mark in ("", "'", "''") for name in NAMES]
    forces = [f"R{k} {axis}" for k in (3, 4, 6) for axis in "xy"]
    return dict(zip([*names, *forces], found, strict=True))


def main() -> None:
    """Print what both say, how far apart they are, and how far from what is printed."""
    print(f"Pinocchio {pin.__version__} with SciPy {scipy.__version__}, CasADi {ca.__version__}")
    for when, known, first, second in zip(
        ("start", "end"), (AT_START, PRINTED), ByPinocchio().run(), by_casadi(), strict=True
    ):
        print(f"at the {when}")
        found, other = chosen(first), chosen(second)
        for name, number in known.items():
            a, b = found[name], other[name]
            print(f"  {name:8} {a: .13g} {b: .13g} {a - b: .1e}  printed {a - number: .1e}")


if __name__ == "__main__":
    main()
