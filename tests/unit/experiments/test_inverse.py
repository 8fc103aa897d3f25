"""Prescribed motions and the inputs that bring them about, against closed forms."""

from __future__ import annotations

import pytest

from unit.experiments.models import CRANK, PENDULUM, found, one

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


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("solve u", "solve u, w", "2 inputs for 1 prescribed motion are not unique"),
        ("th = 0.4 rad*", "th' = 0.4 [rad/s]*", "a prescribed rate leaves its coordinate open"),
    ],
)
def test_what_is_not_determined_is_refused_with_the_reason(old: str, new: str, reason: str) -> None:
    model = PENDULUM.replace("input u", "input w: N*m = 0, u").replace("th': u\n", "th': u + w\n")
    assert {one.reason for one in found(model + SWING.replace(old, new))} == {reason}


def test_a_freedom_that_no_motion_prescribes_is_refused() -> None:
    model = PENDULUM.replace("th: rad = 0", "th: rad = 0, x: m = 0").replace(
        "gravity", "particle p { mass m  at [x, 0, 0] }\n  gravity"
    )
    reasons = {one.reason for one in found(model + SWING)}
    assert reasons == {"the prescribed motions leave 1 degree of freedom open"}


def test_an_input_without_effect_is_refused() -> None:
    model = PENDULUM.replace("on th': u", "on th': 0*u")
    reasons = {one.reason for one in found(model + SWING)}
    assert reasons == {"kane: the inputs do not determine the prescribed motions"}


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
