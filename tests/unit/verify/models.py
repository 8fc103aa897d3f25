"""Small models for verification."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mbx
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from mbx.system.system import System

__all__ = ["DRIVEN", "PENDULUM", "SLED", "system"]

PENDULUM = """
mbx 1
model Pendulum {
  param m: kg "mass"
  param l: m = 2
  param g: m/s^2 = 9.81
  coordinate x: m = 0
  coordinate y: m = -2
  particle bob { mass m  at [x, y, 0] }
  gravity [0, -g, 0]
  invariant rod: x^2 + y^2 = l^2
  state level { x = 2 m }
  state above { x = 0 m, y = 2 m, x' = 3 [m/s] }
  state long { x = 0 m, y = -3 m }
}
"""

SLED = """
mbx 1
model Sled {
  param m: kg = 1
  param J: kg*m^2 = 1
  coordinate x: m = 0
  coordinate y: m = 0
  coordinate phi: rad = 0
  body sled {
    mass m
    inertia J about z
    joint planar(ground, axis = z, x = x, y = y, angle = phi)
  }
  invariant blade: y'*cos(phi) - x'*sin(phi) = 0 [m/s]
}
"""

DRIVEN = """
mbx 1
model Driven {
  param m: kg = 1
  input f: N
  coordinate x: m in [3, 4]
  particle p { mass m  at [x, 0, 0] }
  load on x': f
}
"""


def system(text: str) -> System:
    """Return the system of a text."""
    return elaborate(mbx.link(mbx.loads(text)))
