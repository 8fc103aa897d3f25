"""Small models with closed forms, and how their experiments are run in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mbx
from mbx.analyses.experiments.run_references import references

if TYPE_CHECKING:
    from mbx.analyses.experiments.expectation import Reference

__all__ = ["CRANK", "PARALLELOGRAM", "PENDULUM", "found", "one"]

PENDULUM = """mbx 1
model Pendulum {
  param m: kg = 0.7, l: m = 0.9, g: m/s^2 = 9.81
  input u: N*m = 0
  coordinate th: rad = 0
  particle bob { mass m  at [l*sin(th), -l*cos(th), 0] }
  load drive: on th': u
  gravity [0, -g, 0]
  state level { th = pi/2, th' = 0 [rad/s] }
}
"""
"""A point mass on a rod: l th'' = -g sin(th) + u/(m l)."""

CRANK = """mbx 1
model Crank {
  param r: m = 0.2, l: m = 0.5, m: kg = 2, J: kg*m^2 = 0.03
  input u: N*m = 0
  coordinate a: rad = 0.4, x: m = 0.6
  body wheel { inertia J about z  joint revolute(ground, axis = z, angle = a) }
  particle slider { mass m  at [x, 0, 0] }
  invariant rod: (x - r*cos(a))^2 + (r*sin(a))^2 = l^2
  torque drive: u*ground.z on wheel from ground
}
"""
"""A crank and a slider on a line through its centre, x = r cos(a) + sqrt(l^2 - r^2 sin(a)^2)."""


PARALLELOGRAM = """mbx 1
model Parallelogram {
  input u: N*m = 0
  coordinate a: rad = -0.5, b: rad = 0.5, c: rad = -0.5
  body left { mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  body coupler { mass 1 kg  com [1 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(left at [1 m, 0, 0], axis = z, angle = b) }
  body right { mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground at [2 m, 0, 0], axis = z, angle = c) }
  joint tip: revolute(coupler at [2 m, 0, 0], right at [1 m, 0, 0], axis = z) cut
  torque drive: u*ground.z on left from ground
}
"""
"""Two bars of 1 m on a base of 2 m, and a coupler; where a = 0, all are in line."""


def found(text: str, *forms: str, seconds: float = 30.0) -> list[Reference]:
    """Return what becomes of the expectations of a text, by some forms; by Kane's, if none."""
    linked = mbx.link(mbx.loads(text, name="a.mb"))
    chosen = {form: mbx.convert(linked, form) for form in forms or ("kane",)}
    return list(references(linked, chosen, seconds=seconds))


def one(text: str, *forms: str, seconds: float = 30.0) -> Reference:
    """Return what becomes of the only expectation of a text."""
    (reference,) = found(text, *forms, seconds=seconds)
    return reference
