"""Prescribed motions and the inputs that bring them about, against closed forms."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbx
from unit.analyses.experiments.models import CRANK, PARALLELOGRAM, PENDULUM, found, one

SWING = """
experiment drive of Pendulum {
  prescribe th = 0.4 rad*sin(3 [rad/s]*t) solve u
  simulate 0 s .. 2 s
  // u = m l^2 th'' + m g l sin(th)
  expect u at 0.7 s = 0.7*0.81*(-3.6*sin(2.1)) + 0.7*9.81*0.9*sin(0.4*sin(2.1)) within 1e-13
  expect th' at 0.7 s = 1.2*cos(2.1) within 1e-14
  expect u = 0 within 1e-14
}
"""


def test_the_torque_of_a_pendulum_is_that_of_the_closed_form() -> None:
    references = found(PENDULUM + SWING, "kane", "lagrange", "gibbs_appell")
    assert [reference.met for reference in references] == [True, True, True]


def test_a_wrong_torque_is_found() -> None:
    first = found(PENDULUM + SWING.replace("0.7*0.81*", "0.7*0.810001*"))[0]
    assert (first.met, first.by) == (False, "kane")


def test_a_loop_keeps_its_assembly_along_a_turn() -> None:
    # x = r cos(a) + sqrt(l^2 - r^2 sin(a)^2), after more than a turn
    text = (
        CRANK
        + """
    experiment turn of Crank {
      prescribe a = 0.4 rad + 2 [rad/s]*t solve u
      simulate 0 s .. 4 s
      expect x at 4 s = 0.2*cos(8.4) + sqrt(0.25 - 0.04*sin(8.4)^2) within 1e-13
    }"""
    )
    assert one(text).met


def test_a_motor_on_a_crank_moves_the_slider_as_energy_says() -> None:
    # at a = pi/2 and a' = 2 rad/s: x'' = r^2 a'^2 - ..., with cos(a) = 0: power m x' x'' = u a'
    text = (
        CRANK
        + """
    experiment turn of Crank {
      initial x = 0.6 m
      prescribe a = pi/2*t/(1 s) solve u
      simulate 0 s .. 1 s
      expect u*a' - m*x'*x'' at 0.6 s = 0 within 1e-12
    }"""
    )
    assert one(text).met


def test_inputs_that_are_not_unique_are_refused_by_their_names() -> None:
    model = PENDULUM.replace("input u", "input w: N*m = 0, u").replace("th': u\n", "th': u + w\n")
    reasons = {one.reason for one in found(model + SWING.replace("solve u", "solve u, w"))}
    (reason,) = reasons
    assert reason == (
        "kane: the 2 inputs 'u', 'w' are not unique for the motion of 'th'; ask for those of the"
        " least sum of squares, or solve for one of them"
    )


def test_a_prescribed_rate_leaves_the_coordinate_to_be_integrated() -> None:
    # th' = 0.4 sin(3 t): th = 0.1 + 0.4 (1 - cos(3 t))/3
    text = (
        PENDULUM
        + """
    experiment turn of Pendulum {
      initial th = 0.1 rad
      prescribe th' = 0.4 [rad/s]*sin(3 [rad/s]*t) solve u
      simulate 0 s .. 2 s
      expect th at 0.7 s = 0.1 + 0.4*(1 - cos(2.1))/3 within 1e-11
      expect u at 0.7 s = 0.7*0.81*1.2*cos(2.1)
          + 0.7*9.81*0.9*sin(0.1 + 0.4*(1 - cos(2.1))/3) within 1e-11
    }"""
    )
    assert [one.met for one in found(text)] == [True, True]


CART = """mbx 1
model Cart {
  param m: kg = 2, M: kg = 3, l: m = 0.5, g: m/s^2 = 9.81
  input F: N = 0, T: N*m = 0
  coordinate x: m = 0, a: rad = 0.3
  particle cart { mass M  at [x, 0, 0] }
  particle bob { mass m  at [x + l*sin(a), -l*cos(a), 0] }
  load push: on x': F
  load turn: on a': T
  gravity [0, -g, 0]
}
"""
"""A pendulum that hangs from a cart."""


def test_what_motions_leave_open_moves_by_itself() -> None:
    # at an even speed of the cart the pendulum swings as from a fixed point: energy is kept, and
    # F is the sideways part of what holds the bob, -m (x + l sin(a))''
    text = (
        CART
        + """
    experiment even of Cart {
      prescribe x = 0.7 [m/s]*t solve F
      simulate 0 s .. 1 s
      expect l*a'^2/2 - g*cos(a) at 1 s = -9.81*cos(0.3) within 1e-10
      expect a'' + g/l*sin(a) at 0.4 s = 0 within 1e-10
      expect F - m*l*(a''*cos(a) - a'^2*sin(a)) at 1 s = 0 within 1e-10
      expect x at 1 s = 0.7 within 1e-12
    }"""
    )
    assert [one.met for one in found(text, "kane", "lagrange")] == [True] * 4


def test_an_input_that_moves_another_freedom_is_found_by_what_it_does_there() -> None:
    # the force on the cart that turns the pendulum as prescribed: x'' = -(l a'' + g sin a)/cos a
    text = (
        CART
        + """
    experiment turn of Cart {
      prescribe a = 0.3 rad + 0.1 rad*sin(4 [rad/s]*t) solve F
      simulate 0 s .. 0.5 s
      expect x''*cos(a) + l*a'' + g*sin(a) at 0.5 s = 0 within 1e-10
      expect F - (M + m)*x'' - m*l*(a''*cos(a) - a'^2*sin(a)) at 0.5 s = 0 within 1e-10
    }"""
    )
    assert [one.met for one in found(text)] == [True, True]


def test_motions_that_too_few_inputs_cannot_bring_about_are_named() -> None:
    text = (
        CART
        + """
    experiment both of Cart {
      prescribe x = 0.7 [m/s]*t solve F
      prescribe a = 0.3 rad solve F
      simulate 0 s .. 1 s
      expect F at 1 s = 0 within 1
    }"""
    )
    assert one(text).reason == (
        "kane: 'F' cannot bring about 1 of the motions of 'x', 'a' at t = 1 s"
    )


def test_a_motion_that_no_input_reaches_is_named() -> None:
    model = CART.replace("x + l*sin(a), -l*cos(a), 0", "0, -l*cos(a), l*sin(a)")
    text = (
        model
        + """
    experiment both of Cart {
      prescribe x = 0.7 [m/s]*t solve F
      prescribe a = 0.3 rad solve F
      simulate 0 s .. 1 s
      expect F at 0.5 s = 0 within 1
      expect F at 1 s = 0 within 1
    }"""
    )
    assert {one.reason for one in found(text)} == {
        "kane: 'F' cannot bring about the motion of 'a' throughout"
    }


def test_motions_that_follow_from_each_other_are_named() -> None:
    text = (
        CRANK
        + """
    experiment both of Crank {
      prescribe a = 0.4 rad solve u
      prescribe x = 0.2 m*cos(0.4) + sqrt(0.25 [m^2] - (0.2 m*sin(0.4))^2) solve u
      simulate 0 s .. 1 s
      expect u at 1 s = 0 within 1
    }"""
    )
    assert "the motion of 'x' cannot be prescribed" in one(text).reason


def test_an_input_without_effect_is_refused() -> None:
    model = PENDULUM.replace("on th': u", "on th': 0*u")
    reasons = {one.reason for one in found(model + SWING)}
    assert reasons == {
        "kane: 'u' cannot bring about the motion of 'th' ('u' has no effect) throughout"
    }


HELD = PENDULUM.replace("on th': u", "on th': u*cos(th)")
"""u acts along x by cos(th), which is zero at th = pi/2."""


def test_there_are_numbers_on_both_sides_of_an_instant_at_which_an_input_loses_its_hold() -> None:
    # th' is constant: u cos(th) = m g l sin(th)
    text = (
        HELD
        + """
    experiment over of Pendulum {
      prescribe th = 2*pi*t/(1 s) solve u
      simulate 0 s .. 0.5 s every 0.1 s
      expect u at 0.2 s = m*g*l*tan(0.4*pi) within 1e-9 [N*m]
      expect u at 0.3 s = m*g*l*tan(0.6*pi) within 1e-9 [N*m]
    }
    experiment hit of Pendulum {
      prescribe th = 2*pi*t/(1 s) solve u
      simulate 0 s .. 0.5 s every 0.125 s
      expect u at 0.25 s = 0 [N*m] within 1e9 [N*m]
      expect u at 0.375 s = -m*g*l within 1e-9 [N*m]
    }"""
    )
    before, after, there, behind = found(text)
    assert [before.met, after.met, behind.met] == [True] * 3
    assert there.reason == "singular there"
    over = mbx.inverse(mbx.loads(text), "over")
    (when,) = over.singular
    assert when.startswith("between t = 0.2 s and 0.3 s there is a time at which 'u' cannot")
    hit = mbx.inverse(mbx.loads(text), "hit")
    assert hit.singular == (
        "'u' cannot bring about the motion of 'th' ('u' has no effect) at t = 0.25 s",
    )
    assert np.isnan(hit["u"]).tolist() == [False, False, True, False, False]
    assert np.isnan(hit["th''"]).tolist() == [False, False, True, False, False]


def test_a_motion_through_a_singular_state_goes_on_with_its_velocities() -> None:
    # all bars of a parallelogram in line at a = 0, where two assemblies meet: it stays one, c = a
    text = (
        PARALLELOGRAM
        + """
    experiment over of Parallelogram {
      prescribe a = -0.5 rad + 1.3 [rad/s]*t solve u
      simulate 0 s .. 1 s every 0.1 s
      expect c at 1 s = 0.8 rad within 1e-9
      expect u at 1 s = 0 [N*m] within 1e-9 [N*m]
    }
    experiment hit of Parallelogram {
      prescribe a = -0.5 rad + 1 [rad/s]*t solve u
      simulate 0 s .. 1 s every 0.1 s
      expect c at 1 s = 0.5 rad within 1e-9
    }"""
    )
    assert [one.met for one in found(text)] == [True] * 3
    moved = "where 'b', 'c' moves although 'a' stands still"
    over, hit = (mbx.inverse(mbx.loads(text), name) for name in ("over", "hit"))
    assert over.singular == (f"a singular state at t = 0.3846 s, {moved}",)  # 0.5/1.3
    assert hit.singular == (f"a singular state at t = 0.5 s, {moved}",)
    assert hit["c"] == pytest.approx(hit["a"], abs=1e-9)


def test_a_motion_that_cannot_be_followed_names_the_time() -> None:
    text = (
        CRANK
        + """
    experiment far of Crank {
      prescribe x = 0.6 m + 0.2 [m/s]*t solve u
      simulate 0 s .. 2 s
      expect x at 2 s = 1 within 1
    }"""
    )
    reason = one(text).reason
    assert reason.startswith("the prescribed motions cannot be followed beyond t = 0.")


def test_inputs_that_act_through_friction_are_found() -> None:
    # m x'' = u - mu |N|, N = m g + u/2: pushed downwards at an angle
    text = """mbx 1
    model Push {
      input u: N = 0
      coordinate x: m = 0, y: m = 0
      particle p { mass 2 kg  at [x, y, 0] }
      invariant floor: y = 0 reaction N
      load pull: on x': u - 0.3*abs(N)
      load press: on y': -u/2
      gravity [0, -10 [m/s^2], 0]
    }
    experiment go of Push {
      prescribe x = 2 [m/s]*t + 0.5 [m/s^2]*t^2 solve u
      simulate 0 s .. 1 s
      expect u at 1 s = (2 + 0.3*20)/(1 - 0.15) within 1e-10
      expect N at 1 s = 20 + 8/0.85/2 within 1e-10
    }"""
    assert [reference.met for reference in found(text)] == [True, True]


DEAD_CENTRE = """mbx 1
model Spatial {
  param r: m = 2, l: m = 6, g: m/s^2 = 9.81
  input u: N*m = 0
  coordinate th: rad = 0, s: m = r + l, psi: rad = pi, phi: rad = 0, chi: rad = 0
  body crank {
    mass 2 kg  com [r/2, 0, 0]  inertia (2 kg)*r^2/12 about z
    joint revolute(ground, axis = z, angle = th)
  }
  body slider { mass 1 kg  joint prismatic(ground, axis = x, distance = s) }
  body rod {
    mass 6 kg  com [l/2, 0, 0]  inertia diag(0, (6 kg)*l^2/12, (6 kg)*l^2/12)
    joint spherical(slider, euler zyx by (psi, phi, chi))
  }
  joint ball: spherical(crank at [r, 0, 0], rod at [l, 0, 0]) cut
  invariant spin: dot(rod.y, ground.z) = 0
  torque drive: u*ground.z on crank from ground
  gravity [0, 0, -g]
}
experiment dead of Spatial {
  prescribe th = 1 [rad/s]*t solve u
  // s = r cos(th) + sqrt(l^2 - r^2 sin(th)^2)
  expect s'' at 0 s = -2*(1 + 2/6) within 1e-12
  expect u at 0 s = 0 within 1e-12
}"""


@pytest.mark.parametrize("form", ["kane", "newton_euler", "lagrange"])
def test_a_motion_and_an_input_that_are_both_zero_but_for_rounding_are_found(form: str) -> None:
    assert [reference.met for reference in found(DEAD_CENTRE, form)] == [True, True]


def test_what_moves_by_itself_moves_as_a_separate_integration_says() -> None:
    # a'' = -(g sin(a) + x'' cos(a))/l, with x = 0.1 sin(4 t)
    def rate(t: float, y: list[float]) -> list[float]:
        return [y[1], -(9.81 * sin(y[0]) - 1.6 * sin(4 * t) * cos(y[0])) / 0.5]

    a = solve_ivp(rate, (0, 1), [0.3, 0.0], rtol=1e-12, atol=1e-13, method="DOP853").y[0, -1]
    text = (
        CART
        + f"""
    experiment shake of Cart {{
      prescribe x = 0.1 m*sin(4 [rad/s]*t) solve F
      simulate 0 s .. 1 s
      expect a at 1 s = {a:.15g} within 1e-9
    }}"""
    )
    assert one(text).met


def test_an_input_that_moves_the_mechanism_is_not_sought() -> None:
    text = """mbx 1
    model Lift {
      input u: m = 0
      coordinate x: m = 0, y: m = 0
      particle p { mass 2 kg  at [x, y, 0] }
      invariant lift: y = u
    }
    experiment go of Lift {
      prescribe x = 1 [m/s]*t solve u
      simulate 0 s .. 1 s
      expect u at 1 s = 0 within 1
    }"""
    assert one(text).reason == "'u' cannot be sought: it is part of the invariant 'lift'"
