"""Expectations along trajectories, against closed forms."""

from __future__ import annotations

import re
from math import cos, sin, sqrt

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

from unit.analyses.experiments.models import CRANK, PENDULUM, found, one


def test_a_body_in_free_fall_is_where_galilei_says() -> None:
    text = """mbx 1
    model Fall {
      coordinate z: m = 0
      particle p { mass 2 kg  at [0, 0, z] }
      gravity [0, 0, -9.81 [m/s^2]]
    }
    experiment fall of Fall {
      initial z' = 3 [m/s]
      simulate 0 s .. 2 s
      expect z at 2 s = 3*2 - 9.81/2*4 within 1e-12
      expect z' at 2 s = 3 - 9.81*2 within 1e-12
      expect z'' at 1 s = -9.81 within 1e-13
      expect energy conserved within 1e-13
    }"""
    assert [reference.met for reference in found(text)] == [True] * 4


@pytest.mark.parametrize("start", [0.1, 1.5, 3.0])
def test_a_pendulum_has_the_period_of_elliptic_integrals(start: float) -> None:
    import math  # noqa: PLC0415  for this closed form alone

    w, k = math.sqrt(9.81 / 0.9), math.sin(start / 2)
    period = 4 * float(ellipk(k * k)) / w
    sn = float(ellipj(float(ellipk(k * k)) - w * 0.3, k * k)[0])
    text = (
        PENDULUM
        + f"""
    experiment swing of Pendulum {{
      initial th = {start} rad
      simulate 0 s .. {period!r} s
      expect th at 0.3 s = {2 * math.asin(k * sn)!r} within 1e-10
      expect th at {period!r} s = {start} within 1e-9
      expect energy conserved within 1e-11
    }}"""
    )
    assert [reference.met for reference in found(text)] == [True] * 3


def test_a_changed_digit_is_found() -> None:
    text = (
        PENDULUM
        + """
    experiment drop of Pendulum {
      initial th = 1e-5 rad
      simulate 0 s .. 1 s
      expect th at 1 s = VALUE within 5e-15 source "analytic: 1e-5 cos(w t), to third order"
    }"""
    )
    from math import cos, sqrt  # noqa: PLC0415  for this closed form alone

    value = 1e-5 * cos(sqrt(9.81 / 0.9))
    assert one(text.replace("VALUE", f"{value:.14g}")).met
    assert not one(text.replace("VALUE", f"{value + 1e-14:.14g}")).met


def test_an_input_that_is_a_function_of_time_drives_an_oscillator() -> None:
    text = """mbx 1
    model Driven {
      param k: N/m = 8, m: kg = 2
      input f: N = 3 N*sin(1 [rad/s]*t)
      coordinate x: m = 0
      particle p { mass m  at [x, 0, 0] }
      potential spring: k*x^2/2
      force push: f*ground.x on p from ground
    }
    experiment run of Driven {
      simulate 0 s .. 3 s
      // x'' + 4 x = 1.5 sin(t): x = 0.5 sin(t) - 0.25 sin(2 t)
      expect x at 3 s = 0.5*sin(3) - 0.25*sin(6) within 1e-11
      expect f at 3 s = 3*sin(3) within 1e-14
    }"""
    assert [reference.met for reference in found(text)] == [True, True]


def test_a_closed_loop_stays_on_its_invariant() -> None:
    text = (
        CRANK
        + """
    experiment spin of Crank {
      initial a' = 30 [rad/s]
      hold a, a'
      simulate 0 s .. 2 s
      expect (x - r*cos(a))^2 + (r*sin(a))^2 at 2 s = l^2 within 1e-12
      expect (x - r*cos(a))*(x' + r*sin(a)*a') + r^2*sin(a)*cos(a)*a' at 2 s = 0 within 1e-12
      expect energy conserved within 1e-11
    }"""
    )
    assert [reference.met for reference in found(text)] == [True] * 3


def test_a_run_that_takes_too_long_is_given_up() -> None:
    text = (
        PENDULUM
        + """
    experiment long of Pendulum {
      initial th = 1 rad
      simulate 0 s .. 1000000 s
      expect th at 1000000 s = 0 within 1
      expect th = 1 within 1e-12
    }"""
    )
    late, start = found(text, seconds=0.5)
    assert late.met is None
    assert re.fullmatch(
        r"ran out of time at t = \S+ s of 1e\+06 s, after \d+ steps, the last of \S+ s,"
        r" kept short by 'th'?'",
        late.reason or "",
    )
    assert start.met


def test_a_run_goes_on_along_its_branch_through_a_singular_state() -> None:
    # a crank as long as its rod folds at a quarter turn: the slider may stay where it is, but its
    # velocity leads it on, x = cos(a); a' is conserved as (J + m sin(a)^2) a'^2
    def late(a: float) -> float:
        return sqrt((0.03 + 2 * sin(a) ** 2) / (0.03 + 2 * sin(0.4) ** 2)) / 2

    angle = float(brentq(lambda a: quad(late, 0.4, a, epsabs=1e-13, epsrel=1e-13)[0] - 2, 1, 4))
    text = (
        CRANK.replace("r: m = 0.2", "r: m = 0.5").replace("x: m = 0.6", "x: m = 0.92")
        + f"""
    experiment fold of Crank {{
      initial a = 0.4 rad, a' = 2 [rad/s]
      simulate 0 s .. 2 s
      expect a at 2 s = {angle!r} within 1e-9
      expect x at 2 s = {cos(angle)!r} within 1e-9
    }}"""
    )
    assert [reference.met for reference in found(text)] == [True, True]


def test_equations_without_a_value_name_the_time() -> None:
    text = """mbx 1
    model Root {
      coordinate x: m = 1
      particle p { mass 1 kg  at [x, 0, 0] }
      force f: -sqrt(x/(1 m))*10 [N]*ground.x on p from ground
    }
    experiment run of Root {
      simulate 0 s .. 5 s
      expect x at 5 s = 0 within 1
    }"""
    reference = one(text)
    assert reference.met is None
    assert "the equations have no value at t = 0." in reference.reason


def test_friction_that_grows_with_a_reaction_is_integrated_without_a_straight_line() -> None:
    # it slides to the right: x'' = -mu g, the reaction is the weight
    text = """mbx 1
    model Slide {
      coordinate x: m = 0, y: m = 0
      particle p { mass 2 kg  at [x, y, 0] }
      invariant floor: y = 0 reaction N
      load rub: on x': -0.3*N
      gravity [0, -10 [m/s^2], 0]
    }
    experiment run of Slide {
      initial x' = 2 [m/s]
      simulate 0 s .. 0.5 s
      expect x at 0.5 s = 1 - 3*0.125 within 1e-10
      expect N at 0.5 s = 20 within 1e-10
    }"""
    assert [reference.met for reference in found(text)] == [True, True]
