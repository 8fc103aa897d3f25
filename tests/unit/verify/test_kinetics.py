"""Accelerations of bodies, and the balance of power."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.guard import Clock
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.verify.agreement.kinetics import Kinetics, kinetics_of
from unit.verify.models import system

G, L, W = 9.81, 2.0, 3.0

PENDULUM = """
mbx 1
model P {
  coordinate th: rad
  body rod {
    mass 3 kg
    inertia diag(3 [kg*m^2], 3 [kg*m^2], 4 [kg*m^2])
    joint revolute(ground, axis = z, angle = th)
    com [2 m, 0, 0]
  }
  gravity [0, -9.81 [m/s^2], 0]
}
"""

BEAD = """
mbx 1
model Bead {
  coordinate r: m
  particle bead { mass 2 kg  at [r*cos(3*t*(1 [rad/s])), r*sin(3*t*(1 [rad/s])), 0] }
}
"""


def kinetics(text: str, q: float, u: float, t: float = 0.0) -> Kinetics:
    manifold = Manifold(system(text), Values())
    points = Points(np.array([t]), np.array([[q]]), np.array([[u]]))
    found = kinetics_of(manifold, points, Clock.of(60, 60))
    assert found is not None
    return found


def test_the_mass_centre_of_a_pendulum_has_two_accelerations() -> None:
    th, thd, thdd = 0.3, 1.5, -0.7
    value, size = kinetics(PENDULUM, th, thd).accelerations(np.array([[thdd]]))
    along, across = -L * thd**2, L * thdd
    a = [along * np.cos(th) - across * np.sin(th), along * np.sin(th) + across * np.cos(th), 0]
    assert value[0] == pytest.approx([0, 0, thdd, *a], abs=1e-14)
    assert size[0, 3] == pytest.approx(L * thd**2 * np.cos(th) + L * abs(thdd) * np.sin(th))


def test_power_is_balanced_by_the_motion_of_a_pendulum_and_by_no_other() -> None:
    th, thd = 0.3, 1.5
    thdd = -3 * G * L * np.cos(th) / (4 + 3 * L**2)  # J thdd = -m g l cos th about the pin
    found = kinetics(PENDULUM, th, thd)
    none = np.zeros((1, 1))
    gap, size = found.power(np.array([[thdd]]), none)
    assert gap[0] <= 1e-14 * size[0]
    gap, size = found.power(np.array([[thdd * (1 + 1e-6)]]), none)
    assert gap[0] > 1e-8 * size[0]
    gap, _ = found.power(np.array([[thdd]]), np.array([[0.5]]))
    assert gap[0] == pytest.approx(0.5 * thd)  # a constraint force that does work


def test_a_turning_wire_does_work_on_its_bead() -> None:
    """A bead on a straight wire: r'' = w^2 r, while the wire adds 2 m w^2 r r' to T."""
    r, rd = 0.5, 0.25
    found = kinetics(BEAD, r, rd, t=0.1)
    gap, size = found.power(np.array([[W**2 * r]]), np.zeros((1, 1)))
    assert gap[0] <= 1e-14 * size[0]
    assert size[0] > 2 * W**2 * r * rd


def test_there_is_no_balance_of_power_with_effective_rows() -> None:
    text = PENDULUM.replace("gravity", "effective th': -th'' * (2 [kg*m^2])\n  gravity")
    assert kinetics(PENDULUM, 0.1, 0.2).balanced
    assert not kinetics(text, 0.1, 0.2).balanced
