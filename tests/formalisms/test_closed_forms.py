"""Every form that accepts a model gives what textbooks print: accelerations, reactions."""

from __future__ import annotations

from math import cos, sin, tan
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from formalisms.cases import Point, at, completed, forms, system, system_of
from formalisms.closed_forms import ALL, CLOSE, UDWADIA_KALABA, Values, agree, scattered

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.papers


# -- one and two pendulums -----------------------------------------------------------------------


def test_a_rod_on_a_pin() -> None:
    """Textbook: (m l^2/3) theta'' = -m g (l/2) sin(theta)."""
    one = system("simple_pendulum")

    def closed(p: Point) -> Values:
        return {"theta''": -3 * 9.81 * sin(p.state["theta"]) / 2}

    agree(one, scattered(one, {"theta": (-3, 3), "theta'": (-4, 4)}), closed, ALL)


def test_the_pin_of_a_rod_holds_its_weight_and_its_swing() -> None:
    """Textbook: along the rod m g cos(theta) + m theta'^2 l/2, across it m g sin(theta)/4."""
    one = system("simple_pendulum")
    form = forms(one)["newton_euler"]
    for point in scattered(one, {"theta": (-3, 3), "theta'": (-4, 4)}):
        th, rate = point.state["theta"], point.state["theta'"]
        force = at(one, form, point).evaluation.reactions["rod.joint"][:3]
        along, across = (-sin(th), cos(th)), (cos(th), sin(th))
        assert force[:2] @ along == pytest.approx(9.81 * cos(th) + rate**2 / 2, rel=CLOSE)
        assert force[:2] @ across == pytest.approx(9.81 * sin(th) / 4, rel=CLOSE)


MASS_ON_A_STRING = """mbx 1
model MassOnAString {
  param m: kg = 0.8 "mass"
  param l: m = 1.5 "string"
  param g: m/s^2 = 9.81 "gravity"
  coordinate x: m = 1.5 "across"
  coordinate y: m = 0 "up"
  particle P { mass m  at [x, y, 0] }
  invariant string: x^2 + y^2 = l^2 reaction lam
  gravity [0, -g, 0]
}
"""


def test_the_tension_of_a_string() -> None:
    """Textbook: N = m (g cos(theta) + l theta'^2); A = (2x, 2y), so lam = -N/(2 l)."""
    one = system_of(MASS_ON_A_STRING)
    m, l, g = 0.8, 1.5, 9.81

    def point(th: float, rate: float) -> Point:
        return Point(
            {
                "x": l * sin(th),
                "y": -l * cos(th),
                "x'": l * rate * cos(th),
                "y'": l * rate * sin(th),
            }
        )

    def closed(p: Point) -> Values:
        x, y = p.state["x"], p.state["y"]
        square = p.state["x'"] ** 2 + p.state["y'"] ** 2
        tension = m * (-g * y / l + square / l)
        return {
            "x''": -tension * x / (l * m),
            "y''": -g - tension * y / (l * m),
            "lam": -tension / (2 * l),
        }

    points = [point(th, rate) for th, rate in ((0.4, 1.2), (-2.0, 3.1), (1.5, 0.0), (3.0, -0.7))]
    agree(one, points, closed, ALL)


DOUBLE_PENDULUM = """mbx 1
model DoublePendulum {
  param m1: kg = 0.7 "first mass"
  param m2: kg = 0.4 "second mass"
  param l1: m = 1.1 "first string"
  param l2: m = 0.6 "second string"
  param g: m/s^2 = 9.81 "gravity"
  coordinate a: rad = 0.5 "first string, from hanging"
  coordinate b: rad = -0.3 "second string, from hanging"
  particle P1 { mass m1  at [l1*sin(a), -l1*cos(a), 0] }
  particle P2 { mass m2  at [l1*sin(a) + l2*sin(b), -l1*cos(a) - l2*cos(b), 0] }
  gravity [0, -g, 0]
}
"""


def _double_pendulum(p: Point) -> tuple[np.ndarray, np.ndarray]:
    """Return M and h, Landau and Lifshitz, Mechanics, section 5, problem 1."""
    m1, m2, l1, l2, g = 0.7, 0.4, 1.1, 0.6, 9.81
    a, b, ad, bd = (p.state[x] for x in ("a", "b", "a'", "b'"))
    c, s = cos(a - b), sin(a - b)
    M = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2**2]])
    h = np.array(
        [
            -m2 * l1 * l2 * bd**2 * s - (m1 + m2) * g * l1 * sin(a),
            m2 * l1 * l2 * ad**2 * s - m2 * g * l2 * sin(b),
        ]
    )
    return M, h


_ANGLES: Final = {"a": (-3.0, 3.0), "b": (-3.0, 3.0), "a'": (-3.0, 3.0), "b'": (-3.0, 3.0)}


def test_a_double_pendulum() -> None:
    """Landau and Lifshitz, Mechanics, section 5, problem 1: from the Lagrangian there."""
    one = system_of(DOUBLE_PENDULUM)

    def closed(p: Point) -> Values:
        rates = np.linalg.solve(*_double_pendulum(p))
        return {"a''": rates[0], "b''": rates[1]}

    agree(one, scattered(one, _ANGLES), closed, ALL)


@pytest.mark.parametrize(
    "form",
    ["gauss", "gibbs_appell", "jourdain", "kane", "lagrange", "maggi", "nielsen", "tzenoff"],
)
def test_mass_matrix_and_forcing_of_a_double_pendulum(form: str) -> None:
    """Landau and Lifshitz, Mechanics, section 5, problem 1."""
    one = system_of(DOUBLE_PENDULUM)
    for point in scattered(one, _ANGLES):
        M, h = _double_pendulum(point)
        found = at(one, forms(one)[form], point).evaluation
        np.testing.assert_allclose(found["M"], M, rtol=CLOSE)
        np.testing.assert_allclose(found["h"], h, rtol=CLOSE, atol=CLOSE * np.abs(h).max())


def test_a_pole_on_a_cart() -> None:
    """Textbook Lagrangian, with the springs and dampers of the case.

    T = (M + m) x'^2/2 - m (l/2) x' theta' cos(theta) + (m l^2/3) theta'^2/2.
    """
    one = system("cart_pole")
    M, m, l, k, c, ct, kappa, g = 1, 0.2, 0.6, 20, 0.5, 0.002, 0.3, 9.81

    def closed(p: Point) -> Values:
        x, th, xd, thd = (p.state[v] for v in ("x", "theta", "x'", "theta'"))
        mass = [[M + m, -m * l / 2 * cos(th)], [-m * l / 2 * cos(th), m * l**2 / 3]]
        force = [
            -m * l / 2 * sin(th) * thd**2 - c * xd - k * x,
            m * g * l / 2 * sin(th) - kappa * sin(th) - ct * thd,
        ]
        rates = np.linalg.solve(mass, force)
        return {"x''": rates[0], "theta''": rates[1]}

    ranges = {"x": (-0.5, 0.5), "theta": (-3.0, 3.0), "x'": (-1.0, 1.0), "theta'": (-3.0, 3.0)}
    agree(one, scattered(one, ranges), closed, ALL)


def test_a_pendulum_on_a_shaken_pivot() -> None:
    """Kapitza: theta'' = -(3/(2 l)) (g - a w^2 cos(w t)) sin(theta), a rod."""
    one = system("kapitza_pendulum")

    def closed(p: Point) -> Values:
        pull = 9.81 - 0.01 * 300**2 * cos(300 * p.t)
        return {"theta''": -3 / (2 * 0.2) * pull * sin(p.state["theta"])}

    agree(one, scattered(one, {"theta": (-3, 3), "theta'": (-9, 9)}, 6), closed, ALL)


# -- turning bodies ------------------------------------------------------------------------------


def _rotation(state: Mapping[str, float]) -> np.ndarray:
    x, y, z, w = (state[v] for v in ("qx", "qy", "qz", "qt"))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


_TURNING: Final = {
    **dict.fromkeys(("qx", "qy", "qz"), (-0.55, 0.55)),
    **dict.fromkeys(("wx", "wy", "wz"), (-3.0, 3.0)),
}


def test_a_free_body_in_its_own_axes() -> None:
    """Euler's equations, principal axes: Ix wx' = (Iy - Iz) wy wz; v' = 0."""
    one = system("free_body_quaternion")

    def closed(p: Point) -> Values:
        x, y, z = (p.state[v] for v in ("wx", "wy", "wz"))
        Ix, Iy, Iz = 0.2, 0.3, 0.4
        turn = {
            "wx'": (Iy - Iz) * y * z / Ix,
            "wy'": (Iz - Ix) * z * x / Iy,
            "wz'": (Ix - Iy) * x * y / Iz,
        }
        return turn | dict.fromkeys(("vx'", "vy'", "vz'"), 0.0)

    agree(one, scattered(one, _TURNING | {"vx": (-1, 1)}), closed, ALL - {"hamilton"})


IN_SPACE_AXES = """mbx 1
model FreeBody {
  param h: N*m = 0.7 "torque"
  param J: kg*m^2 = 0.1 "moment of inertia"
  coordinate qx: 1 = 0 "quaternion"
  coordinate qy: 1 = 0 "quaternion"
  coordinate qz: 1 = 0 "quaternion"
  coordinate qt: 1 = 1 "quaternion, real part"
  speed wx: rad/s "space axes"
  speed wy: rad/s "space axes"
  speed wz: rad/s "space axes"
  body B {
    com [0, 0, 0]
    inertia tensor(2*J, 3*J, 4*J, J/5, -3*J/10, J/2)
    joint spherical(ground, quaternion(w = qt, x = qx, y = qy, z = qz))
  }
  define [wx, wy, wz] = omega(B)
  torque [0, h, 2*h] on B
}
"""


def test_a_body_in_space_axes() -> None:
    """Euler: d/dt(I w) = torque in space axes, I = R I_B R^T."""
    one = system_of(IN_SPACE_AXES)
    own = np.array([[0.2, 0.02, -0.03], [0.02, 0.3, 0.05], [-0.03, 0.05, 0.4]])

    def closed(p: Point) -> Values:
        R = _rotation(p.state)
        inertia = R @ own @ R.T
        w = np.array([p.state[v] for v in ("wx", "wy", "wz")])
        rate = np.linalg.solve(inertia, np.array([0, 0.7, 1.4]) - np.cross(w, inertia @ w))
        return dict(zip(("wx'", "wy'", "wz'"), map(float, rate), strict=True))

    agree(one, scattered(one, _TURNING), closed, ALL - {"hamilton"})


def test_a_heavy_top_in_euler_angles() -> None:
    """Goldstein, Poole, Safko, Classical Mechanics, section 5.7: Lagrange's top."""
    one = system("heavy_top")
    m, l, C, g = 0.1, 0.04, 4.5e-5, 9.81
    A = 2.25e-5 + m * l**2  # about the tip

    def closed(p: Point) -> Values:
        th, thd, psid, phid = (p.state[v] for v in ("theta", "theta'", "psi'", "phi'"))
        c, s = cos(th), sin(th)
        spin = phid + psid * c
        psidd = (C * spin * thd - 2 * A * psid * thd * c) / (A * s)
        return {
            "theta''": (A * psid**2 * s * c - C * spin * psid * s + m * g * l * s) / A,
            "psi''": psidd,
            "phi''": psid * thd * s - psidd * c,  # the spin does not change
        }

    ranges = {"theta": (0.3, 2.8), "psi": (-3, 3), "phi": (-3, 3)}
    ranges |= {"theta'": (-5, 5), "psi'": (-5, 5), "phi'": (20, 100)}
    agree(one, scattered(one, ranges), closed, ALL)


def test_a_heavy_top_with_a_quaternion() -> None:
    """Euler's equations about the tip, the axis along y."""
    one = system("heavy_top_quaternion")
    m, l, C, g = 15, 1, 0.46875, 9.81
    A = 0.234375 + m * l**2

    def closed(p: Point) -> Values:
        x, y, z = (p.state[v] for v in ("wx", "wy", "wz"))
        gx, _, gz = _rotation(p.state).T @ [0, 0, -g]
        return {
            "wx'": ((C - A) * y * z + m * l * gz) / A,
            "wy'": 0.0,
            "wz'": ((A - C) * x * y - m * l * gx) / A,
        }

    agree(one, scattered(one, _TURNING), closed, ALL - {"hamilton"})


# -- nonholonomic systems ------------------------------------------------------------------------


def test_a_sleigh() -> None:
    """Chaplygin: u' = a w^2, w' = -m a u w/(J + m a^2); the blade gives m (u w + a w')."""
    one = system("chaplygin_sleigh")
    m, J, a = 2, 0.4, 0.3

    def closed(p: Point) -> Values:
        u, w = p.state["u"], p.state["w"]
        turn = -m * a * u * w / (J + m * a**2)
        return {"u'": a * w**2, "v'": 0.0, "w'": turn, "N": m * (u * w + a * turn)}

    agree(one, scattered(one, {"phi": (-3, 3), "u": (-2, 2), "w": (-3, 3)}), closed, ALL)


def test_a_rolling_disc() -> None:
    """Neimark and Fufaev, Dynamics of Nonholonomic Systems: balance about the contact point.

    w1, w2, w3 along the level diameter, the axle and the steepest diameter:
    (I1 + m r^2) w1' = m g r sin(lean) + (I2 + m r^2) w2 w3 - I1 w3^2 tan(lean),
    (I2 + m r^2) w2' = -m r^2 w1 w3,  I1 w3' = -w1 (I2 w2 - I1 w3 tan(lean)).
    """
    one = system("rolling_disc")
    m, r, g = 1, 0.3, 9.81
    I1, I2 = m * r**2 / 4, m * r**2 / 2

    def closed(p: Point) -> Values:
        yaw, lean = p.state["yaw"], p.state["lean"]
        yawd, leand, spind = (p.state[v] for v in ("yaw'", "lean'", "spin'"))
        w1, w2, w3 = leand, spind + yawd * sin(lean), yawd * cos(lean)
        w1d = m * g * r * sin(lean) + (I2 + m * r**2) * w2 * w3 - I1 * w3**2 * tan(lean)
        w1d /= I1 + m * r**2
        w2d = -m * r**2 * w1 * w3 / (I2 + m * r**2)
        w3d = -w1 * (I2 * w2 - I1 * w3 * tan(lean)) / I1
        yawdd = (w3d + yawd * leand * sin(lean)) / cos(lean)
        # acceleration of the centre along heading, and level across it
        along = r * (w2d + w3 * w1)
        across = r * (w3 * w2 - w1d)
        down = -r * (w1 * w1 + w3 * tan(lean) * w2)
        level = across * cos(lean) - down * sin(lean)
        return {
            "lean''": w1d,
            "yaw''": yawdd,
            "spin''": w2d - yawdd * sin(lean) - yawd * leand * cos(lean),
            "Fx": m * (along * cos(yaw) - level * sin(yaw)),
            "Fy": m * (along * sin(yaw) + level * cos(yaw)),
        }

    ranges = {"yaw": (-3, 3), "lean": (-1, 1), "spin": (-3, 3)}
    ranges |= {"yaw'": (-2, 2), "lean'": (-2, 2), "spin'": (-9, 9)}
    agree(one, scattered(one, ranges), closed, ALL)


def test_a_steady_turn_of_a_disc() -> None:
    """Neimark and Fufaev: the spin that keeps the lean; all other rates stay, too."""
    one = system("rolling_disc")
    lean, yawd, r, g = 0.25, -1.4, 0.3, 9.81
    spind = -(5 / 4 * yawd**2 * sin(lean) * cos(lean) + g / r * sin(lean)) / (
        3 / 2 * yawd * cos(lean)
    )
    state = completed(one, {"lean": lean, "yaw'": yawd, "lean'": 0.0, "spin'": spind})
    equations = forms(one)
    assert set(equations) == ALL
    for name, form in equations.items():
        found = at(one, form, Point(state))
        for wanted in ("lean''", "yaw''", "spin''"):
            assert abs(found.of(wanted)) < 1e-10 * g / r, (name, wanted)


def test_a_particle_on_a_cone_of_velocities() -> None:
    """Appell, Chetaev's rule: z'' = -g/(1 + k^2); the direction in the plane stays."""
    one = system("nonlinear_nonholonomic")

    def closed(p: Point) -> Values:
        zdd = -9.81 / 5
        return {"z''": zdd} | {f"{v}''": p.state[f"{v}'"] / p.state["z'"] * zdd for v in "xy"}

    points = [
        Point({"x": 0, "y": 0, "z": 0, "x'": 2 * z * cos(a), "y'": 2 * z * sin(a), "z'": z})
        for z, a in ((-1, 0.3), (0.4, 2.0), (3, -1.1))
    ]
    agree(one, points, closed, ALL - {"hamilton", "kane", "maggi"})


def test_a_programme_of_order_3() -> None:
    """Ideal means that the force is along the programme: a = al (cos w t, sin w t)."""
    one = system("programme_order_3")
    al, w = 0.8, 2

    def point(t: float) -> Point:
        state = {
            "x": al * (1 - cos(w * t)) / w**2,
            "y": al * (w * t - sin(w * t)) / w**2,
            "x'": al * sin(w * t) / w,
            "y'": al * (1 - cos(w * t)) / w,
            "x''": al * cos(w * t),
            "y''": al * sin(w * t),
        }
        return Point(state, t=t)

    equations = forms(one)
    assert set(equations) == {"modular"} | UDWADIA_KALABA
    for name, form in equations.items():
        for t in (0.0, 0.3, 1.7, 4.0):
            found = form.evaluate(point(t).state, t=t)
            jerk = [-al * w * sin(w * t), al * w * cos(w * t)]
            np.testing.assert_allclose(found.ud, jerk, rtol=0, atol=CLOSE, err_msg=name)
            force = [al * cos(w * t), al * sin(w * t)]
            np.testing.assert_allclose(found.Fc, force, rtol=0, atol=CLOSE, err_msg=name)
            np.testing.assert_allclose(found.lam, [al], rtol=CLOSE, err_msg=name)
