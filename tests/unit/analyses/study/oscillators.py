"""Small models with closed forms, for studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mbx

if TYPE_CHECKING:
    from mbx.linking.link import Linked

OSCILLATOR = """mbx 1
model Oscillator {
  param m: kg = 2, k: N/m = 8, c: N*s/m = 0, g: m/s^2 = 0, x0: m = 0.5
  input F: N = 0
  coordinate x: m = x0
  body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
  potential spring: k*x^2/2 - m*g*x
  damper oil: on x damping c
  force push: F*ground.x on cart from ground
}
experiment swing of Oscillator { simulate 0 s .. 3 s every 10 ms }
experiment swept of Oscillator { simulate 0 s .. 1 s  vary k in [2, 4] steps 3  vary x0 in [1, 2] }
"""


def oscillator() -> Linked:
    """Return a mass on a spring: x = x0 cos(t sqrt(k/m)); at rest, x = (m g + F)/k."""
    return mbx.link(mbx.loads(OSCILLATOR))


def pendulum() -> Linked:
    """Return a rod on a pin: small motions have the frequency sqrt(3 g/(2 l))."""
    return mbx.link(mbx.read("lib:simple_pendulum"))
