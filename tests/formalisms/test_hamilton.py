"""Momenta, Hamiltonians and canonical equations against closed forms."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from formalisms.cases import completed, forms, system, system_of
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System


def canonical(
    one: System,
    state: Mapping[str, float],
    t: float = 0.0,
    inputs: Mapping[str, float] | None = None,
) -> Evaluation:
    """Return the canonical equations at a state."""
    found = registry.derive(one, "hamilton").evaluate(state, inputs=inputs, t=t)
    assert found.status == "regular"
    return found


# -- without invariants ------------------------------------------------------------------------


def test_a_rod_on_a_pin() -> None:
    """J = m l^2/3: H = p^2/(2 J) - m g l cos(th)/2."""
    th, w, m, l, g = 0.7, -1.3, 1.0, 1.0, 9.81
    found = canonical(system("simple_pendulum"), {"theta": th, "theta'": w})
    J = m * l**2 / 3
    assert found.p == pytest.approx([J * w], rel=1e-14)
    assert found["H"] == pytest.approx(
        [(J * w) ** 2 / (2 * J) - m * g * l / 2 * cos(th)], rel=1e-14
    )
    assert found.pd == pytest.approx([-m * g * l / 2 * sin(th)], rel=1e-14)
    assert found.qd == pytest.approx([w], rel=1e-14)


def test_the_azimuth_of_a_spherical_pendulum_has_a_constant_momentum() -> None:
    """H = (p_th^2 + p_phi^2/sin(th)^2)/(2 m r^2) - m g r cos(th); Goldstein, section 8.1."""
    m, r, g = 0.7, 1.3, 9.8
    th, om, turn = 0.8, 0.6, -1.7
    state = {"phi": 0.3, "th": th, "phi'": turn, "th'": om}
    found = canonical(system("spherical_pendulum_angles"), state)
    p_phi, p_th = m * r**2 * sin(th) ** 2 * turn, m * r**2 * om
    kinetic = (p_th**2 + p_phi**2 / sin(th) ** 2) / (2 * m * r**2)
    assert found.p == pytest.approx([p_phi, p_th], rel=1e-14)
    assert found["H"] == pytest.approx([kinetic - m * g * r * cos(th)], rel=1e-13)
    slope = p_phi**2 * cos(th) / (m * r**2 * sin(th) ** 3) - m * g * r * sin(th)
    assert found.pd == pytest.approx([0, slope], rel=1e-13, abs=1e-15)


KEPLER: Final = """mbx 1
model Kepler {
  param m: kg = 1.5, k: N*m^2 = 3
  coordinate r: m = 1, phi: rad
  particle P { mass m  at [r*cos(phi), r*sin(phi), 0] }
  potential -k/r
}
"""


def test_a_planet() -> None:
    """H = p_r^2/(2 m) + p_phi^2/(2 m r^2) - k/r; Goldstein, section 8.1."""
    m, k, r, rd, w = 1.5, 3.0, 1.2, 0.4, 0.9
    found = canonical(system_of(KEPLER), {"r": r, "phi": 0.5, "r'": rd, "phi'": w})
    p_r, p_phi = m * rd, m * r**2 * w
    assert found.p == pytest.approx([p_r, p_phi], rel=1e-14)
    assert found["H"] == pytest.approx(
        [p_r**2 / 2 / m + p_phi**2 / 2 / m / r**2 - k / r], rel=1e-13
    )
    assert found.pd == pytest.approx([p_phi**2 / m / r**3 - k / r**2, 0], rel=1e-13, abs=1e-15)


DOUBLE: Final = """mbx 1
model Double {
  param m1: kg = 1.5, m2: kg = 0.8, l1: m = 0.6, l2: m = 0.9, g: m/s^2 = 9.81
  coordinate a, b: rad
  particle P { mass m1  at [l1*sin(a), -l1*cos(a), 0] }
  particle Q { mass m2  at [l1*sin(a) + l2*sin(b), -l1*cos(a) - l2*cos(b), 0] }
  gravity [0, -g, 0]
}
"""


def test_a_double_pendulum() -> None:
    """The Hamiltonian in momenta, with the inverse of the inertia written out."""
    m1, m2, l1, l2, g = 1.5, 0.8, 0.6, 0.9, 9.81
    a, b, da, db = 0.5, -0.9, 1.2, 2.1
    found = canonical(system_of(DOUBLE), {"a": a, "b": b, "a'": da, "b'": db})
    c, s = cos(a - b), sin(a - b)
    p1 = (m1 + m2) * l1**2 * da + m2 * l1 * l2 * db * c
    p2 = m2 * l2**2 * db + m2 * l1 * l2 * da * c
    D = l1**2 * l2**2 * m2 * (m1 + m2 * s**2)
    top = m2 * l2**2 * p1**2 + (m1 + m2) * l1**2 * p2**2 - 2 * m2 * l1 * l2 * p1 * p2 * c
    V = -(m1 + m2) * g * l1 * cos(a) - m2 * g * l2 * cos(b)
    assert found.p == pytest.approx([p1, p2], rel=1e-14)
    assert found["H"] == pytest.approx([top / (2 * D) + V], rel=1e-13)
    # dH/da: of the numerator, and of D
    slope = (2 * m2 * l1 * l2 * p1 * p2 * s) / (2 * D)
    slope -= top * l1**2 * l2**2 * m2**2 * 2 * s * c / (2 * D**2)
    forces = [-(m1 + m2) * g * l1 * sin(a), -m2 * g * l2 * sin(b)]
    assert found.pd == pytest.approx([forces[0] - slope, forces[1] + slope], rel=1e-13)


def test_a_tree_of_four_bodies() -> None:
    """Computed by two independent codes, one of them at 25 digits, for the library's state."""
    names = ("z", "alpha", "beta", "theta", "epsilon", "y")
    q, u = (0.9, 0.05, -0.03, 0.7, 0.4, 1.1), (0.2, -0.1, 0.15, 0.3, -0.25, 0.5)
    state = dict(zip((*names, *(f"{x}'" for x in names)), (*q, *u), strict=True))
    found = canonical(system("pipelayer"), state)
    assert found.p == pytest.approx(
        [
            2505.429512962645564,
            -4742.674036431712325,
            -100.7461306375511723,
            3548.648980382624822,
            -2353.962221702388249,
            341.9787019899871547,
        ],
        rel=1e-13,
    )
    assert found.pd == pytest.approx(
        [
            -177561,
            -66015.78043794523321,
            -35349.60286492467486,
            1767.010760634898625,
            -40387.66242028663205,
            -2279.458280282662484,
        ],
        rel=1e-13,
    )
    assert found["H"] == pytest.approx([1392.157993587722878 + 356421.0292206968978], rel=1e-13)


# -- what moves by itself ----------------------------------------------------------------------

BEAD: Final = """mbx 1
model Bead {
  param m: kg = 0.4, w: rad/s = 3, d: m = 0.2
  coordinate s: m
  particle P { mass m  at [s*cos(w*t) - d*sin(w*t), s*sin(w*t) + d*cos(w*t), 0] }
}
"""


def test_the_hamiltonian_of_a_bead_on_a_turning_wire_is_not_its_energy() -> None:
    """A wire at the distance d from the axis: T = m ((s' - d w)^2 + s^2 w^2)/2."""
    m, w, d, s, v, t = 0.4, 3.0, 0.2, 0.7, 1.1, 0.9
    found = canonical(system_of(BEAD), {"s": s, "s'": v}, t)
    p = m * (v - d * w)
    assert found.p == pytest.approx([p], rel=1e-13)
    # H = p v - T with v = p/m + d w
    assert found["H"] == pytest.approx(
        [p**2 / (2 * m) + p * d * w - m * s**2 * w**2 / 2], rel=1e-13
    )
    assert found.H[0] != pytest.approx(m * ((v - d * w) ** 2 + s**2 * w**2) / 2, rel=0.1)
    assert found.pd == pytest.approx([m * w**2 * s], rel=1e-13)
    assert found.ud == pytest.approx([w**2 * s], rel=1e-13)


def test_a_rod_on_a_shaken_pivot() -> None:
    """The momentum has a part of the pivot: c = -m l a w sin(w t) sin(th)/2."""
    m, l, a, w, g = 0.2, 0.2, 0.01, 300.0, 9.81
    th, om, t = 0.7, -4.0, 0.004
    found = canonical(system("kapitza_pendulum"), {"theta": th, "theta'": om}, t)
    shake = m * l * a * w * sin(w * t) / 2
    assert found.p == pytest.approx([m * l**2 / 3 * om - shake * sin(th)], rel=1e-13)
    V = m * g * (a * cos(w * t) - l / 2 * cos(th))
    H = m * l**2 / 3 * om**2 / 2 - m * (a * w * sin(w * t)) ** 2 / 2 + V
    assert found["H"] == pytest.approx([H], rel=1e-12)
    assert found.pd == pytest.approx([-shake * cos(th) * om - m * g * l / 2 * sin(th)], rel=1e-12)


DRIVEN: Final = """mbx 1
model Driven {
  param m: kg = 0.6, l: m = 0.5, g: m/s^2 = 9.81, c: N*m*s = 0.3
  input s: m
  coordinate th: rad
  particle P { mass m  at [s + l*sin(th), -l*cos(th), 0] }
  damper on th damping c
  gravity [0, -g, 0]
}
"""


def test_a_pendulum_whose_pivot_is_an_input() -> None:
    """The pivot at s(t): m l^2 th'' = -m l s'' cos(th) - m g l sin(th) - c th'."""
    m, l, g, c, th, om = 0.6, 0.5, 9.81, 0.3, 0.8, 1.4
    sd, sdd = -0.7, 2.5
    inputs = {"s": 0.1, "s'": sd, "s''": sdd}
    found = canonical(system_of(DRIVEN), {"th": th, "th'": om}, inputs=inputs)
    assert found.p == pytest.approx([m * l**2 * om + m * l * sd * cos(th)], rel=1e-13)
    pd = -m * l * sd * om * sin(th) - m * g * l * sin(th) - c * om
    assert found.pd == pytest.approx([pd], rel=1e-13)
    expected = -(sdd * cos(th) + g * sin(th)) / l - c * om / (m * l**2)
    assert found.ud == pytest.approx([expected], rel=1e-13)


# -- derivatives of H --------------------------------------------------------------------------

SHAKEN: Final = """mbx 1
model Shaken {
  param m: kg = 1.3, J: kg*m^2 = 0.2, l: m = 0.5
  coordinate a, b, c: rad
  body arm {
    mass m  com [l/2, 0, 0.1 m]  inertia tensor(J, 2*J, 1.5*J, J/10, -J/8, J/9)
    joint universal(ground at [0.1 m*sin(2*t/(1 s)), 0, 0] rotated z by 3*t/(1 s), axis = z,
        axis2 = y, angle = a, angle2 = b)
  }
  body hand {
    mass m/2  com [l/3, 0.05 m, 0]  inertia diag(J/2, J/3, J/4)
    joint revolute(arm at [l, 0, 0], axis = x, angle = c)
  }
  spring between hand.com and ground.origin stiffness 30 [N/m] rest 0.2 m
  gravity [0, -9.81 [m/s^2], 0]
}
"""
_STEP: Final = 1e-5
_Q: Final = ("a", "b", "c")


def _at(q: np.ndarray, p: np.ndarray, t: float) -> Evaluation:
    """Return the equations at coordinates and momenta."""
    equations = registry.derive(system_of(SHAKEN), "hamilton")
    still = dict(zip(_Q, q, strict=True)) | {f"{x}'": 0.0 for x in _Q}
    rest = equations.evaluate(still, t=t)
    rates = np.linalg.solve(rest["M"], p - rest["p"])  # at rest, p is c
    moving = still | dict(zip((f"{x}'" for x in _Q), rates, strict=True))
    found = equations.evaluate(moving, t=t)
    assert found.p == pytest.approx(p, rel=1e-12)
    return found


def test_derivatives_of_the_hamiltonian_are_its_difference_quotients() -> None:
    """In coordinates, momenta and time, each with the others held."""
    q, p, t = np.array([0.4, -0.5, 0.7]), np.array([0.3, -0.6, 0.2]), 0.35
    found = _at(q, p, t)
    assert np.abs(found["c"]).min() > 1e-2
    assert found.equations.results["qd"] == "Hp"
    for k, step in enumerate(_STEP * np.eye(3)):
        right, left = _at(q + step, p, t), _at(q - step, p, t)
        assert found["Hq"][k] == pytest.approx((right.H - left.H)[0] / 2 / _STEP, rel=1e-6)
        slopes = (right.qd - left.qd) / 2 / _STEP
        assert found["Hpq"][:, k] == pytest.approx(slopes, rel=1e-6, abs=1e-6)
        right, left = _at(q, p + step, t), _at(q, p - step, t)
        assert found.qd[k] == pytest.approx((right.H - left.H)[0] / 2 / _STEP, rel=1e-6)
    right, left = _at(q, p, t + _STEP), _at(q, p, t - _STEP)
    assert found["Hpt"] == pytest.approx((right.qd - left.qd) / 2 / _STEP, rel=1e-6)


# -- with invariants ---------------------------------------------------------------------------


def test_a_sleigh() -> None:
    """Momenta of the blade's place change by the reaction across it alone."""
    m, J, a = 2.0, 0.4, 0.3
    phi, u, w = 0.6, 1.1, -0.8
    state = {"x": 0.2, "y": -0.1, "phi": phi, "u": u, "v": 0.0, "w": w}
    found = canonical(system("chaplygin_sleigh"), state)
    xd, yd = u * cos(phi), u * sin(phi)
    px, py = m * (xd - a * w * sin(phi)), m * (yd + a * w * cos(phi))
    turn = J * w + a * (py * cos(phi) - px * sin(phi))
    assert found.p == pytest.approx([px, py, turn], rel=1e-13)
    assert found.qd == pytest.approx([xd, yd, w], rel=1e-13)
    assert found["H"] == pytest.approx([(px**2 + py**2) / (2 * m) + J * w**2 / 2], rel=1e-13)
    # the mass centre is accelerated by u w + a w' across the blade
    N = m * u * w * J / (J + m * a**2)
    assert found.lam == pytest.approx([N], rel=1e-12)
    assert found.pd == pytest.approx([-N * sin(phi), N * cos(phi), -m * a * u * w], rel=1e-12)
    assert found.equations.notes == ("declared speeds are replaced by their definitions",)


SWEPT: Final = """mbx 1
model Swept {
  param m: kg = 0.4, w: rad/s = 3, f: N = 2
  coordinate x: m = 1, y: m
  particle P { mass m  at [x, y, 0] }
  invariant wire: y*cos(w*t) = x*sin(w*t)
  force [f, 0, 0] on P
}
"""


def test_a_bead_on_a_wire_that_an_invariant_turns() -> None:
    """At s on the wire: m s'' = m w^2 s + f cos(w t), and 2 m w s' + f sin(w t) across it."""
    m, w, f, s, v, t = 0.4, 3.0, 2.0, 0.7, 1.1, 0.2
    e, n = np.array([cos(w * t), sin(w * t)]), np.array([-sin(w * t), cos(w * t)])
    place, velocity = s * e, v * e + w * s * n
    state = dict(zip(("x", "y", "x'", "y'"), (*place, *velocity), strict=True))
    found = canonical(system_of(SWEPT), state, t)
    along, across = f * cos(w * t) / m, 2 * w * v  # s'' - w^2 s, and Coriolis
    assert found.ud == pytest.approx(along * e + across * n, rel=1e-12)
    lam = 2 * m * w * v + f * sin(w * t)  # the row of the invariant is n
    assert found.lam == pytest.approx([lam], rel=1e-12)
    assert found.pd == pytest.approx(m * found.ud, rel=1e-12)


ROUND: Final = """mbx 1
model Round {
  param m: kg = 0.7, l: m = 1.3, g: m/s^2 = 9.8
  coordinate x: m = 0, y: m = -1.3
  speed w: rad/s
  define w = (x*y' - y*x')/l^2
  particle P { mass m  at [x, y, 0] }
  invariant rod: x^2 + y^2 = l^2
  gravity [0, -g, 0]
}
"""


def test_an_invariant_that_the_speed_keeps_by_itself_has_a_multiplier_again() -> None:
    """A pendulum, x = l sin(th), y = -l cos(th): w' = -g/l sin(th)."""
    m, l, g, th, w = 0.7, 1.3, 9.8, 0.6, -1.4
    state = {"x": l * sin(th), "y": -l * cos(th), "w": w}
    found = canonical(system_of(ROUND), state)
    assert found.p == pytest.approx([m * l * w * cos(th), m * l * w * sin(th)], rel=1e-12)
    assert found.ud == pytest.approx([-g / l * sin(th)], rel=1e-12)
    tension = m * (g * cos(th) + l * w**2)  # on the row (2 x, 2 y)
    assert found.lam == pytest.approx([-tension / (2 * l)], rel=1e-12)
    assert found.Fc == pytest.approx([0], abs=1e-12)


TWICE: Final = """mbx 1
model Twice {
  param m: kg = 0.7, l: m = 1.3, g: m/s^2 = 9.8
  coordinate x: m = 0, y: m = -1.3
  particle P { mass m  at [x, y, 0] }
  invariant rod: x^2 + y^2 = l^2
  invariant again: 2*x^2 + 2*y^2 = 2*l^2
  gravity [0, -g, 0]
}
"""


def test_an_invariant_said_twice_has_the_smallest_multipliers() -> None:
    """Of lam1 + 2 lam2 = L the smallest are L/5 and 2 L/5; pull L from the rod itself."""
    one = system_of(TWICE)
    state = completed(one, {"x": 0.5, "x'": 0.8})
    found = canonical(one, state)
    x, y, v2 = state["x"], state["y"], state["x'"] ** 2 + state["y'"] ** 2
    L = 0.7 * (9.8 * y - v2) / (2 * 1.3**2)
    assert found.lam == pytest.approx([L / 5, 2 * L / 5], rel=1e-10)
    assert found.Fc == pytest.approx([2 * x * L, 2 * y * L], rel=1e-10)
    assert found.pd == pytest.approx([2 * x * L, 2 * y * L - 0.7 * 9.8], rel=1e-10)


# -- what it refuses, and where it is singular -------------------------------------------------


def test_a_load_that_depends_on_accelerations_is_refused_by_its_name() -> None:
    text = "coordinate x: m  particle P { mass 1 kg  at [x, 0, 0] } load drag: on x': -2 kg*x''"
    one = system_of(f"mbx 1 model M {{ {text} }}")
    with pytest.raises(NotApplicableError, match=r"depends on accelerations.*\(drag\)"):
        registry.derive(one, "hamilton")


def test_a_quaternion_without_speeds_has_no_inertia_of_its_own() -> None:
    text = """mbx 1
    model Free {
      coordinate qw: 1 = 1, qx: 1, qy: 1, qz: 1
      body B {
        mass 2 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])
        joint spherical(ground, quaternion(w = qw, x = qx, y = qy, z = qz))
      }
    }"""
    with pytest.raises(NotApplicableError, match="no inertia of its own behind qz'"):
        registry.derive(system_of(text), "hamilton")


def test_a_state_without_inertia_is_singular_even_where_invariants_hold_it() -> None:
    text = """mbx 1
    model Held {
      param m: kg = 0.7, r: m = 1.3, g: m/s^2 = 9.8
      coordinate phi, th: rad
      particle P { mass m  at [r*sin(th)*cos(phi), r*sin(th)*sin(phi), -r*cos(th)] }
      invariant plane: phi = 0
      gravity [0, 0, -g]
    }"""
    one = system_of(text)
    equations = forms(one)
    down = {"phi": 0.0, "th": 0.0, "phi'": 0.0, "th'": 0.4}
    assert equations["hamilton"].evaluate(down).status == "singular"
    assert equations["lagrange"].evaluate(down).status == "regular"
    beside = equations["hamilton"].evaluate(down | {"th": 0.3})
    assert beside.ud == pytest.approx([0, -9.8 / 1.3 * sin(0.3)], rel=1e-12, abs=1e-12)
