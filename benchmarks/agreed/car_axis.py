"""The car axis after three seconds by SciPy and by CasADi; neither knows of mbx.

SciPy integrates the equations of the Test Set, written out, with an explicit method. CasADi
makes its equations from the energies, and integrates them with IDAS, which is implicit. Needs
the extras `solve` and `peers`. Prints the numbers of both, their differences, and those that
deTestSet prints.
"""

from __future__ import annotations

from typing import Final

import casadi as ca
import numpy as np
import scipy
from scipy.integrate import solve_ivp

M, L, L0, EPS, R, W, G = 10.0, 1.0, 0.5, 0.01, 0.1, 10.0, 1.0
END: Final = 3.0
START: Final = np.array([0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0])
PRINTED: Final = {
    "xl": 0.0493455784275402809122,
    "yl": 0.496989460230171153861,
    "xr": 1.04174252488542151681,
    "yr": 0.373911027265361256927,
    "xl'": -0.0770583684040972357970,
    "yl'": 0.00744686658723778553466,
    "xr'": 0.0175568157537232222276,
    "yr'": 0.770341043779251976443,
    "N1/k": -0.00473688659084893324729,
    "N2/k": -0.00110468033125734368808,
}


def road(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the place, velocity and acceleration of the right wheel, on the circle L."""
    y, dy, ddy = R * np.sin(W * t), R * W * np.cos(W * t), -R * W**2 * np.sin(W * t)
    x = np.sqrt(L**2 - y**2)
    dx = -y * dy / x
    ddx = -(dy**2 + y * ddy + dx**2) / x
    return np.array([x, y]), np.array([dx, dy]), np.array([ddx, ddy])


def instant(t: float, state: np.ndarray) -> np.ndarray:
    """Return the accelerations of both ends and the multipliers over k."""
    left, right, vl, vr = state[:2], state[2:4], state[4:6], state[6:]
    wheel, dw, ddw = road(t)

    def pull(arm: np.ndarray) -> np.ndarray:
        force: np.ndarray = (L0 / np.linalg.norm(arm) - 1) * arm
        return force

    weight = np.array([0, -M * EPS**2 * G / 2])
    force = np.concatenate([pull(left) + weight, pull(right - wheel) + weight])
    rows = np.zeros((2, 4))
    rows[0, :2] = wheel
    rows[1] = np.concatenate([2 * (left - right), 2 * (right - left)])
    bias = np.array([2 * vl @ dw + left @ ddw, 2 * (vl - vr) @ (vl - vr)])
    whole = np.block([[M * EPS**2 / 2 * np.eye(4), -rows.T], [rows, np.zeros((2, 2))]])
    return np.linalg.solve(whole, np.concatenate([force, -bias]))


def by_scipy() -> np.ndarray:
    """Return the state and the multipliers at the end, by the method DOP853."""
    found = solve_ivp(
        lambda t, s: np.concatenate([s[4:], instant(t, s)[:4]]),
        (0, END),
        START,
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    last = found.y[:, -1]
    return np.concatenate([last, instant(END, last)[4:]])


def by_casadi() -> np.ndarray:
    """Return the same by Lagrange's equations of the first kind, and the integrator IDAS."""
    q, v, a, lam, t = (ca.SX.sym(name, n) for name, n in zip("qvalt", (4, 4, 4, 2, 1), strict=True))
    y = R * ca.sin(W * t)
    wheel = ca.vertcat(ca.sqrt(L**2 - y**2), y)
    left, right = q[:2], q[2:]
    # all over k, as the multipliers
    stretch = (ca.norm_2(left) - L0) ** 2 + (ca.norm_2(right - wheel) - L0) ** 2
    potential = stretch / 2 + M / 2 * G * EPS**2 * (q[1] + q[3])
    rows = ca.vertcat(ca.dot(left, wheel), ca.sumsqr(left - right) - L**2)

    def rate(one: ca.SX) -> ca.SX:
        by_q, by_v, by_t = ca.jacobian(one, q), ca.jacobian(one, v), ca.jacobian(one, t)
        return by_q @ v + by_v @ a + by_t

    force = ca.jacobian(rows, q).T @ lam - ca.gradient(potential, q)
    solved = 2 / (M * EPS**2) * force
    system = {
        "x": ca.vertcat(q, v),
        "z": lam,
        "t": t,
        "ode": ca.vertcat(v, solved),
        "alg": ca.substitute(rate(rate(rows)), a, solved),
    }
    options = {"abstol": 1e-14, "reltol": 1e-12, "max_num_steps": 1000000}
    run = ca.integrator("run", "idas", system, 0, END, options)
    found = run(x0=START, z0=[0, 0])
    return np.array(ca.vertcat(found["xf"], found["zf"])).ravel()


def main() -> None:
    """Print what both say, how far apart they are, and what is printed."""
    first, second = by_scipy(), by_casadi()
    print(f"SciPy {scipy.__version__} (DOP853), CasADi {ca.__version__} (IDAS)")
    for (name, known), a, b in zip(PRINTED.items(), first, second, strict=True):
        print(f"{name:5} {a: .12f} {b: .12f} {a - b: .1e}  printed {a - known: .1e}")


if __name__ == "__main__":
    main()
