"""Trees with a hinge that moves no inertia, whatever holds it."""

from __future__ import annotations

import pytest

import mbx
from mbx.base.errors import NotApplicableError
from mbx.formalism.tree.regular_tree import refuse_singular
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from mbx.system.elaborate import elaborate

BRAKED = """mbx 1
model braked {{
  coordinate q: rad
  body arm {{
    mass 2 kg
    com [0.3 m, 0, 0]
    inertia 0.4 [kg*m^2] about z
    joint revolute(ground, own, axis = z, angle = q) reaction R
  }}
  torque -0.05 [N*m*s]*(norm(R.force)/(1 N))*omega(arm) on arm
  {carried}
}}
"""
WHEEL = """body wheel {
    mass 1 kg
    com [0, 0, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
    frame arm at [0.1 m, 0.2 m, 0.3 m]
  }"""


def _check(carried: str = "") -> None:
    document = mbx.loads(BRAKED.format(carried=carried))
    refuse_singular(links(motion.in_speeds(elaborate(mbx.link(document)))))


def test_a_joint_that_lets_go_of_a_flat_body_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="the inertia of arm is singular behind arm:vx, "):
        _check()


def test_what_is_carried_lends_its_inertia() -> None:
    _check(WHEEL)
