"""Terms of Nielsen and of Tzenoff: derivatives of rates of the kinetic energy."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, system, system_of
from mbx.formalism import registry

POLAR: Final = """
mbx 1
model Polar {
  coordinate r: m = 1.2, a: rad
  particle P { mass 2 kg  at [r*cos(a), r*sin(a), 0] }
}
"""
TURNING: Final = """
mbx 1
model Turning {
  param w: rad/s = 1.7
  coordinate r: m = 1.2, z: m
  particle P { mass 2 kg  at [r*cos(w*t), r*sin(w*t), z + 0.1*r] }
}
"""
CONE: Final = """
mbx 1
model Cone {
  param m: kg = 1.5, k: 1 = 0.8, g: m/s^2 = 9.81
  coordinate r: m = 1.2, a: rad, z: m
  speed v: m/s
  define v = r*a' + 0.1*z'
  particle P { mass m  at [r*cos(a), r*sin(a), z] }
  gravity [0, 0, -g]
  invariant cone: sqrt(r'^2 + (r*a')^2) = k*z'
}
"""
BOTH: Final = ("nielsen", "tzenoff")


@pytest.mark.parametrize("form", BOTH)
def test_a_particle_in_polar_coordinates_has_the_terms_of_the_textbook(form: str) -> None:
    """T' = m (r' r'' + r r' a'^2 + r^2 a' a''): dT'/dr' - 2 dT/dr = m (r'' - r a'^2)."""
    one = registry.derive(system_of(POLAR), form)
    m, r, rd, ad = 2, 1.2, 0.5, 0.7
    given = one.evaluate({"r": r, "a": 0.3, "r'": rd, "a'": ad})
    assert given["M"] == pytest.approx(np.diag([m, m * r**2]), rel=1e-14)
    assert given["h"] == pytest.approx([m * r * ad**2, -2 * m * r * rd * ad], rel=1e-14)


@pytest.mark.parametrize("form", BOTH)
def test_an_energy_that_depends_on_time_has_centrifugal_forces_and_no_others(form: str) -> None:
    """A guide that turns at the rate w presses across itself; along it is m w^2 r alone."""
    one = registry.derive(system_of(TURNING), form)
    given = one.evaluate({"r": 1.2, "z": 0.4, "r'": 0.5, "z'": -0.3}, t=0.8)
    assert given["M"] == pytest.approx(2 * np.array([[1.01, 0.1], [0.1, 1]]), rel=1e-13)
    assert given["h"] == pytest.approx([2 * 1.7**2 * 1.2, 0], rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("form", BOTH)
def test_invariants_may_be_nonlinear_and_speeds_declared(form: str) -> None:
    """A particle whose speed keeps its steepness: z'' = -g/(1 + k^2), by Chetaev's rule."""
    one = system_of(CONE)
    state = completed(one, {"r": 0.9, "a": 0.3, "r'": 0.7, "v": 0.6})
    given = at(one, registry.derive(one, form), Point(state))
    assert given.of("z''") == pytest.approx(-9.81 / (1 + 0.8**2), rel=1e-12)


def test_tzenoff_has_hamels_forces_on_speeds_that_are_no_rates() -> None:
    """Chaplygin's sleigh in its axes, v = 0: M ud - h is d/dt dT/du + Phi^T Gam^T dT/du."""
    one = system("chaplygin_sleigh")
    m, J, a, u, w = 2, 0.4, 0.3, 0.7, 1.9
    given = registry.derive(one, "tzenoff").evaluate(completed(one, {"phi": 0.4, "u": u, "w": w}))
    inertia = np.array([[m, 0, 0], [0, m, m * a], [0, m * a, J + m * a**2]])
    assert given["M"] == pytest.approx(inertia, rel=1e-13, abs=1e-15)
    assert given["h"] == pytest.approx([m * a * w**2, -m * u * w, -m * a * u * w], rel=1e-13)


def test_tzenoff_gives_eulers_equations_of_turning_rates() -> None:
    one = system("free_body_quaternion")
    w = {"wx": 0.4, "wy": -1.1, "wz": 0.7}
    given = registry.derive(one, "tzenoff").evaluate(completed(one, w))
    rows = [k for k, v in enumerate(one.u) if v.path in w]
    rates = np.array(list(w.values()))
    inertia = np.array([0.2, 0.3, 0.4])  # lib:free_body_quaternion, principal axes
    assert given["h"][rows] == pytest.approx(-np.cross(rates, inertia * rates), rel=1e-12)


def test_nielsen_replaces_declared_speeds_and_has_no_hamel_forces() -> None:
    """The sleigh again, in x, y and phi: the same constraint force across the blade."""
    one = system("chaplygin_sleigh")
    state = completed(one, {"phi": 0.4, "u": 0.7, "w": 1.9})
    given = registry.derive(one, "nielsen").evaluate(state)
    m, J, a, u, w = 2, 0.4, 0.3, 0.7, 1.9
    turn = -m * a * u * w / (J + m * a**2)
    assert given.ud == pytest.approx([a * w**2, 0, turn], rel=1e-12, abs=1e-13)
    assert abs(given["qdd"]).min() > 1e-2
    assert given.lam == pytest.approx([m * (u * w + a * turn)], rel=1e-12)


@pytest.mark.parametrize("form", BOTH)
def test_dependent_invariants_leave_accelerations_and_forces_unique(form: str) -> None:
    """Four-bar linkage in space joints: forms of other routes give the same."""
    one = system("four_bar")
    state = completed(one, {one.u[0].path: 1.3})
    given, other = (registry.derive(one, x).evaluate(state) for x in (form, "newton_euler"))
    assert given.ud == pytest.approx(other.ud, rel=1e-11)
    assert given.Fc == pytest.approx(other.Fc, rel=1e-10, abs=1e-10)


def test_both_verify_a_model_with_every_other_form() -> None:
    forms = (*BOTH, "kane", "newton_euler")
    found = mbx.verify(mbx.read("lib:rolling_disc"), forms=forms, states=3, oracle=1)
    assert found.verdict == "agree"
    assert set(found.forms) == set(forms)
