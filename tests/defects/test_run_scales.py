"""Runs do not depend on the size of a model: the same one in micrometres, metres and planets."""

from __future__ import annotations

from math import asin, cos, sin
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx

if TYPE_CHECKING:
    from mbx.analyses.simulate.runs import Run

LENGTHS: Final = (1e-6, 1e11)
METHODS: Final = ("projection", "stiff", "baumgarte", "ggl", "index3")


def stop(size: float) -> str:
    """Return a particle that starts on a stop, on its way into it."""
    return f"""mbx 1
model Stop {{
  coordinate x: m = 0
  particle P {{ mass 1 kg  at [x, 0, 0] }}
  force (if x < 0 m then -40 [N/m]*x else 0 N)*ground.x on P
  force -{2 * size!r} [N]*ground.x on P
  initial x' = -{size!r} [m/s]
}}
experiment run of Stop {{ simulate 0 s .. 2 s every 0.5 s }}
"""


def brake(size: float) -> str:
    """Return a block with dry friction that starts at rest and is pulled."""
    return f"""mbx 1
model Brake {{
  coordinate x: m = 0
  particle P {{ mass 2 kg  at [x, 0, 0] }}
  force {size!r} [N]*(3 - sign(x'*1 [s/m]))*ground.x on P
}}
experiment run of Brake {{ simulate 0 s .. 2 s every 0.5 s }}
"""


def crank(size: float) -> str:
    """Return a slider-crank mechanism under gravity."""
    r, rod, a = 0.2 * size, 0.5 * size, 0.7
    b = -asin(r * sin(a) / rod)
    s = r * cos(a) + rod * cos(b)
    return f"""mbx 1
model Crank {{
  coordinate a: rad = {a!r}, b: rad = {b!r}, s: m = {s!r}
  body wheel {{ mass 1 kg  inertia {0.02 * size**2!r} [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }}
  body bar {{ mass 0.7 kg  com [{rod / 2!r} m, 0, 0]  inertia {0.015 * size**2!r} [kg*m^2] about z
    joint revolute(wheel at [{r!r} m, 0, 0], axis = z, angle = b - a) }}
  body slider {{ mass 2 kg  joint prismatic(ground, axis = x, distance = s) }}
  invariant x: {r!r} [m]*cos(a) + {rod!r} [m]*cos(b) = s
  invariant y: {r!r} [m]*sin(a) + {rod!r} [m]*sin(b) = 0 [m]
  gravity [0, -{9.81 * size!r} [m/s^2], 0]
  initial a' = 3 [rad/s]
}}
experiment run of Crank {{ simulate 0 s .. 1 s every 0.5 s }}
"""


def well(size: float) -> str:
    """Return a narrow well that is crossed."""
    return f"""mbx 1
model Well {{
  coordinate x: m = 0
  particle P {{ mass 1 kg  at [x, 0, 0] }}
  potential -{20 * size**2!r} [J]*exp(-((x - {1.3 * size!r} [m])/({1e-3 * size!r} [m]))^2)
  initial x' = {size!r} [m/s]
}}
experiment run of Well {{ simulate 0 s .. 2 s every 0.5 s }}
"""


MODELS: Final = {"stop": stop, "brake": brake, "crank": crank, "well": well}


def ran(name: str, size: float, method: str) -> Run:
    """Run a model of a size."""
    return mbx.simulate(mbx.loads(MODELS[name](size)), "run", method=method, tolerance=1e-09)


@pytest.mark.sample(0, "brake", "ggl", "projection")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_a_run_is_the_same_at_any_size(name: str, method: str) -> None:
    usual = ran(name, 1.0, method)
    for size in LENGTHS:
        found = ran(name, size, method)
        scale = np.array([1.0 if path[0] in "ab" else size for path in found.paths])
        assert [one.what for one in found.events] == [one.what for one in usual.events]
        np.testing.assert_allclose(found.states / scale, usual.states, rtol=1e-5, atol=1e-5)
