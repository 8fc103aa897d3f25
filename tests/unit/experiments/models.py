"""Small models with closed forms, and how their experiments are run in tests."""

from __future__ import annotations

import mbx
from mbx.experiments.run import references

__all__ = ["CRANK", "PENDULUM", "found", "one"]

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


def found(text: str, *forms: str, seconds: float = 30.0) -> list[mbx.Reference]:
    """Return what becomes of the expectations of a text, by some forms; by Kane's, if none."""
    linked = mbx.link(mbx.loads(text, name="a.mb"))
    chosen = {form: mbx.convert(linked, form) for form in forms or ("kane",)}
    return list(references(linked, chosen, seconds=seconds))


def one(text: str, *forms: str, seconds: float = 30.0) -> mbx.Reference:
    """Return what becomes of the only expectation of a text."""
    (reference,) = found(text, *forms, seconds=seconds)
    return reference
