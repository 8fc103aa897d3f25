"""Accelerations and reactions that are known in closed form."""

from __future__ import annotations

from math import cos, sin

import pytest

from unit.verify.oracle.asking import answer, numbers

G = 9.81
PENDULUM = """
  param m: kg = 2, l: m = 0.5, J: kg*m^2 = 0.1, g: m/s^2 = 9.81
  coordinate th: rad
  body B { mass m  com [l, 0, 0]  inertia J about z
    joint revolute(ground, axis = z, angle = th) reaction R }
  gravity g*ground.x
"""


def test_a_pendulum_swings() -> None:
    # (J + m l^2) th'' = -m g l sin th: any textbook
    found = answer(PENDULUM, {"th": 0.7, "th'": 1.3}, reactions=True)
    th = -2 * G * 0.5 * sin(0.7) / (0.1 + 2 * 0.25)
    assert numbers(found.ud) == pytest.approx({"th'": th}, rel=1e-15)
    # the pivot carries m (a - g), with a = l th'' e_t - l th'^2 e_r, and no torque
    radial, across = -0.5 * 1.3**2, 0.5 * th
    fx = 2 * (radial * cos(0.7) - across * sin(0.7) - G)
    fy = 2 * (radial * sin(0.7) + across * cos(0.7))
    wrench = [float(x) for x in found.reactions["B"]]
    assert wrench == pytest.approx([fx, fy, 0, 0, 0, 0], abs=1e-13)
    assert [float(x) for x in found.bodies["B"]] == pytest.approx(
        [0, 0, th, fx / 2 + G, fy / 2, 0], abs=1e-13
    )
    T, V = found.energy or (0, 0)
    assert float(T) == pytest.approx(0.5 * 0.6 * 1.3**2)
    assert float(V) == pytest.approx(-2 * G * 0.5 * cos(0.7))


def test_a_top_precesses_evenly() -> None:
    # H. Goldstein, Classical Mechanics, 5.7: A p^2 cos th - C w3 p + m g l = 0 keeps th and p
    A, C, m, l, th, p = 0.3, 0.2, 1.5, 0.4, 0.6, 2.0
    w3 = (A * p**2 * cos(th) + m * G * l) / (C * p)
    text = f"""
      coordinate psi, th, phi: rad
      body top {{ mass {m} kg  com [0, 0, {l} m]
        inertia diag({A - m * l**2!r} [kg*m^2], {A - m * l**2!r} [kg*m^2], {C} [kg*m^2])
        joint spherical(ground, euler zxz by (psi, th, phi)) }}
      gravity [0, 0, -9.81 [m/s^2]]
    """
    state = {"psi": 0.3, "th": th, "phi": 1.1, "psi'": p, "th'": 0, "phi'": w3 - p * cos(th)}
    found = answer(text, state)
    assert max(map(abs, numbers(found.ud).values())) < 1e-13


def test_a_disc_falls_over_from_rest() -> None:
    # at rest it turns about the tangent at its contact: (5/4) m r^2 lean'' = m g r sin lean
    text = """
      param m: kg = 1.3, r: m = 0.3
      coordinate x, y: m
      coordinate yaw, lean, spin: rad
      frame L = ground rotated z by yaw rotated x by lean
      point C = [x, y, 0]
      body disc { frame L rotated y by spin  mass m  com C + r*L.z
        inertia diag(m*r^2/4, m*r^2/2, m*r^2/4) }
      gravity [0, 0, -9.81 [m/s^2]]
      invariant roll_x: dot(velocity(C of disc), ground.x) = 0 reaction Fx
      invariant roll_y: dot(velocity(C of disc), ground.y) = 0
    """
    state = dict.fromkeys(("x", "y", "yaw", "spin", "x'", "y'", "yaw'", "lean'", "spin'"), 0.0)
    found = answer(text, state | {"lean": 0.4})
    wanted = dict.fromkeys(("x'", "y'", "yaw'", "spin'"), 0.0) | {"lean'": G * sin(0.4) / 0.375}
    assert numbers(found.ud) == pytest.approx(wanted, abs=1e-14)
    assert (found.rank, found.freedom) == (2, 3)


def test_a_sleigh_turns_its_path() -> None:
    # A. M. Bloch, Nonholonomic Mechanics and Control, 1.7: u' = a w^2, w' = -m a u w/(I + m a^2)
    text = """
      param m: kg = 2, a: m = 0.3, J: kg*m^2 = 0.5
      coordinate x, y: m
      coordinate phi: rad
      speed u, v: m/s
      speed w: rad/s
      frame S = ground at [x, y, 0] rotated z by phi
      define u = dot(velocity(S.origin), S.x)
      define v = dot(velocity(S.origin), S.y)
      define w = phi'
      body sleigh { frame S  mass m  com [a, 0, 0]  inertia J about z }
      invariant blade: v = 0 reaction N
    """
    found = answer(text, {"x": 1, "y": 2, "phi": 0.6, "u": 1.1, "v": 0, "w": 0.8})
    wd = -2 * 0.3 * 1.1 * 0.8 / (0.5 + 2 * 0.09)
    assert numbers(found.ud) == pytest.approx({"u": 0.3 * 0.64, "v": 0, "w": wd}, abs=1e-15)
    # across the blade the mass centre is accelerated by u w + a w'
    force = {"u": 0, "v": 2 * (1.1 * 0.8 + 0.3 * wd), "w": 0}
    assert numbers(found.Fc or {}) == pytest.approx(force, abs=1e-15)


def test_a_bead_rides_on_a_turning_hoop() -> None:
    # th'' = sin th (W^2 cos th - g/R): J. R. Taylor, Classical Mechanics, 7.6
    text = """
      param R: m = 0.4, W: rad/s = 6
      coordinate th: rad
      frame H = ground rotated z by W*t
      particle bead { mass 0.2 kg  at ground.origin + R*sin(th)*H.x - R*cos(th)*H.z }
      gravity [0, 0, -9.81 [m/s^2]]
    """
    found = answer(text, {"th": 1.0, "th'": 0.7}, 0.9)
    assert numbers(found.ud)["th'"] == pytest.approx(sin(1) * (36 * cos(1) - G / 0.4), rel=1e-14)


def test_velocities_on_a_cone_are_kept_by_chetaev() -> None:
    # x'^2 + y'^2 = k^2 z'^2 under gravity: z'' = -g/(1 + k^2), by P. Appell's condition
    text = """
      coordinate x, y, z: m
      particle P { mass 3 kg  at [x, y, z] }
      gravity [0, 0, -9.81 [m/s^2]]
      invariant cone: x'^2 + y'^2 = 0.25*z'^2
    """
    found = answer(text, {"x": 0, "y": 1, "z": 2, "x'": 0.3, "y'": 0.4, "z'": 1.0})
    assert numbers(found.ud)["z'"] == pytest.approx(-G / 1.25, rel=1e-15)


def test_a_programme_of_order_3_turns_the_acceleration() -> None:
    # a = al (cos wt, sin wt) keeps x''' cos wt + y''' sin wt = 0, and is along its own direction
    text = """
      coordinate x, y: m
      particle P { mass 1.7 kg  at [x, y, 0] }
      invariant jerk: x'''*cos(2 [rad/s]*t) + y'''*sin(2 [rad/s]*t) = 0
    """
    t, al = 0.3, 1.7
    place = {"x": 0.1, "y": 0.2, "x'": 0.4, "y'": -0.3}
    found = answer(text, place | {"x''": al * cos(2 * t), "y''": al * sin(2 * t)}, t)
    wanted = {"x'": -2 * al * sin(2 * t), "y'": 2 * al * cos(2 * t)}
    assert numbers(found.ud) == pytest.approx(wanted, rel=1e-14)
    assert numbers(found.Fc or {})["x'"] == pytest.approx(1.7 * al * cos(2 * t), rel=1e-14)
    rows = found.residuals(wanted)
    assert [label for label, _, _ in rows][-1] == "jerk"
    assert max(abs(float(r)) / float(size) for _, r, size in rows) < 1e-15


WEDGE = """
  param k: 1 = 0.75, mu: 1
  coordinate x, y: m
  particle P { mass 2 kg  at [x, y, 0] }
  gravity [0, -9.81 [m/s^2], 0]
  invariant slope: y = k*x reaction N
  load friction: on x' of slope: -mu*abs(N)*sign(x')
"""


@pytest.mark.parametrize("way", [1, -1])
def test_friction_that_changes_its_reaction_is_solved_for(way: int) -> None:
    # m x'' = -k N - mu s N, m k x'' = N - m g, solved by hand
    k, mu = 0.75, 0.4
    found = answer(WEDGE, {"x": 0, "y": 0, "x'": way, "y'": 0.75 * way}, parameters={"mu": mu})
    a = -(k + mu * way) * G / (1 + k * (k + mu * way))
    assert numbers(found.ud) == pytest.approx({"x'": a, "y'": k * a}, rel=1e-15)
    # the ideal part is N (-k, 1), without the friction
    N = 2 * (G + k * a)
    assert numbers(found.Fc or {}) == pytest.approx({"x'": -k * N, "y'": N}, rel=1e-14)


def test_too_much_friction_jams() -> None:
    # N <- (m g - k mu s |N|)/(1 + k^2) does not contract where k mu >= 1 + k^2
    state = {"x": 0, "y": 0, "x'": -1, "y'": -0.75}
    assert answer(WEDGE, state, parameters={"mu": 2.1}).status == "jamming"
    assert answer(WEDGE, state, parameters={"mu": 2.0}).status == "regular"
    # the other way there is a solution, and no iteration leads to it
    back = {"x": 0, "y": 0, "x'": 1, "y'": 0.75}
    assert answer(WEDGE, back, parameters={"mu": 2.1}).status == "jamming"
    assert answer(WEDGE, back, parameters={"mu": 2.0}).status == "regular"


def test_a_free_body_follows_euler() -> None:
    # I1 w1' = (I2 - I3) w2 w3 and so on, with a quaternion as the orientation
    text = """
      coordinate a: 1, b: 1, c: 1, d: 1
      speed p, q, r: rad/s
      body B { mass 1 kg  inertia diag(2 [kg*m^2], 3 [kg*m^2], 4 [kg*m^2])
        joint spherical(ground, quaternion(w = a, x = b, y = c, z = d)) }
      define [p, q, r] = omega(B) in B
    """
    w = {"p": 0.3, "q": -0.8, "r": 1.2}
    found = answer(text, {"a": 0.5, "b": -0.5, "c": 0.1, "d": 0.7} | w)
    wanted = {"p": -0.5 * -0.8 * 1.2, "q": 2 / 3 * 1.2 * 0.3, "r": -0.25 * 0.3 * -0.8}
    assert numbers(found.ud) == pytest.approx(wanted, rel=1e-14)
    assert float(found.invariants["norm(1)"][0]) < 1e-15


def test_known_equations_are_taken_as_they_are() -> None:
    # R. M. M. Orsino, doctoral thesis, USP 2016, example 4.3
    text = """
      input v: V
      speed w: rad/s, i: A
      effective w: 0.1 [N*m/A]*i - 0.02 [kg*m^2]*w' - 0.003 [N*m*s]*w
      effective i: v - 0.5 [H]*i' - 2 [ohm]*i - 0.1 [V*s]*w
    """
    found = answer(text, {"w": 3, "i": 0.7}, inputs={"v": 12})
    wanted = {"w": (0.07 - 0.009) / 0.02, "i": (12 - 1.4 - 0.3) / 0.5}
    assert numbers(found.ud) == pytest.approx(wanted, rel=1e-15)


def test_a_body_known_by_its_twist_has_gyroscopic_terms() -> None:
    text = """
      speed p, q, r: rad/s
      speed u: m/s
      body B { mass 2 kg  velocity [u, 0, 0]  omega [p, q, r]
        inertia tensor(2 [kg*m^2], 3 [kg*m^2], 4 [kg*m^2], 0.5 [kg*m^2], 0, 0) }
      torque [0, 0, 1 [N*m]] on B
      force [3 N, 7 N, 0] on B
    """
    found = answer(text, {"p": 0.3, "q": -0.8, "r": 1.2, "u": 5})
    # I w' = T - w x I w with I w = (0.2, -2.25, 4.8) and w x I w = (-1.14, -1.2, -0.515)
    det = 2 * 3 - 0.25
    wanted = {
        "p": (3 * 1.14 - 0.5 * 1.2) / det,
        "q": (2 * 1.2 - 0.5 * 1.14) / det,
        "r": (1 + 0.515) / 4,
        "u": 1.5,
    }
    assert numbers(found.ud) == pytest.approx(wanted, rel=1e-14)


def test_a_pivot_that_shakes_adds_to_gravity() -> None:
    # th'' = -(g + y0'') sin th / l: P. L. Kapitza 1951
    text = """
      coordinate th: rad
      point pivot = [0, 0.1 m*cos(30 [rad/s]*t), 0]
      particle P { mass 1 kg  at pivot + [0.5 m*sin(th), -0.5 m*cos(th), 0] }
      gravity [0, -9.81 [m/s^2], 0]
    """
    found = answer(text, {"th": 0.5, "th'": 0}, 0.2)
    wanted = -(G - 0.1 * 900 * cos(6)) * sin(0.5) / 0.5
    assert numbers(found.ud)["th'"] == pytest.approx(wanted, rel=1e-14)


def test_a_state_off_the_invariants_is_said() -> None:
    text = """
      coordinate x, y: m
      particle P { mass 1 kg  at [x, y, 0] }
      invariant ring: x^2 + y^2 = 1 [m^2]
    """
    far = answer(text, {"x": 0.8, "y": 0.7, "x'": 0, "y'": 0})
    assert far.status == "inconsistent"
    assert float(far.invariants["ring"][0]) == pytest.approx(0.13 / (0.13 + 2 * 1.5 * 0.8))
    near = answer(text, {"x": 0.8, "y": 0.6 + 1e-12, "x'": -0.6, "y'": 0.8})
    assert near.status == "regular"
    # it is brought onto the circle, to all digits, and so is its velocity
    assert near.posed is not None
    (x, y), (u, v) = (near.posed.state.rates[k].values() for k in (0, 1))
    with near.posed.field.working():
        assert abs(float(x * x + y * y - 1)) < 1e-50
        assert abs(float(x * u + y * v)) < 1e-50
    assert numbers(near.ud) == pytest.approx({"x'": -0.8, "y'": -0.6}, rel=1e-10)


def test_a_mass_that_nothing_holds_in_place_is_singular() -> None:
    text = """
      coordinate x, y: m
      particle P { mass 1 kg  at [x, 0, 0] }
      invariant tie: x*y = 0
    """
    assert answer(text, {"x": 0, "y": 0, "x'": 0, "y'": 0}).status == "singular"
    assert answer(text, {"x": 0, "y": 1, "x'": 0, "y'": 0}).status == "singular"


def test_equations_that_contradict_each_other_are_singular() -> None:
    # on the parabola y = x^2 the particle cannot stay on the axis, once it moves
    text = """
      coordinate x, y: m
      particle P { mass 1 kg  at [x, y, 0] }
      invariant parabola: y = x^2/(1 m)
      invariant axis: y = 0
    """
    assert answer(text, {"x": 0, "y": 0, "x'": 1, "y'": 0}).status == "singular"


def test_a_definition_that_is_not_linear_gives_no_rates() -> None:
    # p = 2 x' - y'/2 alone tells y' from p and x'; a free particle has no constraint force
    text = """
      coordinate x, y: m
      speed p: m/s, e: m^2/s^2
      speed x'
      define p = 2*x' - 0.5*y'
      define e = x'^2 + y'^2
      particle P { mass 1 kg  at [x, y, 0] }
    """
    found = answer(text, {"x": 0, "y": 0, "x'": 1, "p": 1.5, "e": 2})
    assert found.Fc is not None
    assert numbers(found.Fc) == pytest.approx({"x'": 0, "p": 0, "e": 0}, abs=1e-50)


def test_a_screw_that_is_measured_carries_what_hangs_on_its_measure() -> None:
    # z = p e, and (m p^2 + Izz + m_Q r^2) e'' = -m g p with r = 1 m
    text = """
      coordinate x, y, z: m
      coordinate a, b, c, e: rad
      body A { mass 1.3 kg  inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
        joint free(ground, move = [x, y, z], euler zxy by (a, b, c)) }
      particle Q { mass 0.2 kg  at [0, e*(1 m), 0] }
      joint j: screw(ground, A, axis = z, pitch = 0.1 m) measure e
      gravity [0, 0, -9.81 [m/s^2]]
    """
    still = dict.fromkeys(("x", "y", "b", "c", "x'", "y'", "b'", "c'"), 0.0)
    turned = {"z": 0.03, "a": 0.3, "e": 0.3, "z'": 0.2, "a'": 2.0, "e'": 2.0}
    found = numbers(answer(text, still | turned).ud)
    e = -1.3 * G * 0.1 / (0.013 + 0.25 + 0.2)
    wanted = dict.fromkeys(("x'", "y'", "b'", "c'"), 0.0) | {"z'": 0.1 * e, "a'": e, "e'": e}
    assert found == pytest.approx(wanted, abs=1e-14)


def test_a_declared_acceleration_is_an_unknown_without_inertia() -> None:
    # x'' + 2 y'' = 1/2 with the least x''^2 + y''^2
    text = """
      coordinate x, y: m
      variable a: m/s^2 of order 2
      particle P { mass 1.5 kg  at [x, y, 0] }
      invariant same: a = x'' + y''
      invariant half: a = 0.5 [m/s^2] - y''
    """
    found = answer(text, {"x": 0, "y": 0, "x'": 1, "y'": 2})
    assert numbers(found.ud) == pytest.approx({"x'": 0.1, "y'": 0.2}, rel=1e-15)


def test_half_a_turn_is_half_a_turn_in_any_unit() -> None:
    text = """
      param a: deg = 180, b: rev = 0.5, c: rad = pi
      coordinate s, u, v: m
      particle P { mass 1 kg  at [s, u, v] }
      force [1 N*cos(a), 1 N*cos(b), 1 N*cos(c)] on P
    """
    rest = dict.fromkeys(("s", "u", "v", "s'", "u'", "v'"), 0)
    assert set(numbers(answer(text, rest).ud).values()) == {-1.0}
    assert float(abs(answer(text, rest).ud["s'"] + 1)) < 1e-55
