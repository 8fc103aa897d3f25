"""An energy that names places on bodies acts on the bodies, and not in their joints."""

from __future__ import annotations

import pytest

import mbx
from mbx.base.errors import NotApplicableError

MODEL = """\
mbx 1
model M {
  param k: N/m = 100, c: N*s/m = 2, e: m = 0.3, kappa: N*m = 3
  coordinate a: rad = 0.3, b: rad = 0.4
  body B { mass 1 kg  com [1 m, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  body C { mass 1 kg  com [0.5 m, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(B at [1 m, 0, 0], axis = z, angle = b) }
  point top = [0, 2 m, 0]
  let d = norm(B.origin + e*B.y - top)
  %s
  gravity [0, -9.81 [m/s^2], 0]
}
"""
BY_PLACES = [
    "potential k/2*(norm(B.origin + e*B.y - top) - 0.5 m)^2",
    "potential k/2*(d - 0.5 m)^2",
    "potential kappa*dot(B.x, ground.y)^2",
    "dissipation c/2*ddt(d)^2",
]
BY_COORDINATES = ["potential kappa/2*a^2", "dissipation (2 [N*m*s])/2*b'^2"]


@pytest.mark.parametrize("load", BY_PLACES)
def test_newton_euler_takes_no_energy_of_places_for_a_torque_in_a_joint(load: str) -> None:
    """The reaction would lack the force on the body: 1.1 of its size beside the oracle."""
    document = mbx.loads(MODEL % load)
    with pytest.raises(NotApplicableError, match="no wrench"):
        mbx.convert(document, "newton_euler")
    forms = ("kane", "tree_newton_euler:lu", "tree_lagrange_1", "rfda:coordinates")
    assert mbx.verify(document, forms=forms, states=4).verdict == "agree"


@pytest.mark.parametrize("load", BY_COORDINATES)
def test_an_energy_of_joint_coordinates_is_a_torque_in_the_joint(load: str) -> None:
    forms = ("kane", "newton_euler", "tree_newton_euler:lu")
    assert mbx.verify(mbx.loads(MODEL % load), forms=forms, states=4).verdict == "agree"
