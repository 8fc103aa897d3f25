"""Narrow smooth functions of the time and of the state are not stepped over."""

from __future__ import annotations

from math import atan, cosh, erf, exp, pi, sqrt, tanh
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.analyses.simulate.events.paces import Paces
from mbx.analyses.simulate.methods import METHODS
from mbx.expr.build import function, mul, scale, sub
from mbx.expr.nodes import number, symbol

if TYPE_CHECKING:
    from mbx.analyses.simulate.runs import Run

END: Final = 3.0
CLOSE: Final = {"ggl": 1e-6, "index3": 1e-5}
"""Of methods with larger tolerances than 1e-12; below 1e-6 s of 3 s times have no more digits."""


def ran(load: str, method: str = "projection", start: str = "0") -> Run:
    """Run a particle of 1 kg on a line."""
    text = f"""mbx 1
model Pulse {{
  coordinate x: m = 0
  particle P {{ mass 1 kg at [x, 0, 0] }}
  {load}
  initial x' = {start} [m/s]
}}
experiment run of Pulse {{ simulate 0 s .. {END} s }}
"""
    return mbx.simulate(mbx.loads(text), "run", method=method)


def pulse(kind: int, centre: float, width: float, size: float) -> tuple[str, float]:
    """Return a force, and its integral over the time of a run."""
    s = f"((t - {centre!r} [s])/({width!r} [s]))"
    before, after = centre / width, (END - centre) / width
    if kind == 0:
        whole = sqrt(pi) / 2 * (erf(after) + erf(before))
        return f"{size!r} [N]*exp(-{s}^2)", size * width * whole
    if kind == 1:
        return f"{size!r} [N]/(1 + {s}^2)", size * width * (atan(after) + atan(before))
    if kind == 2:
        whole = sqrt(pi) * exp(-9 / 4)
        return f"{size!r} [N]*exp(-{s}^2)*cos(3*{s})", size * width * whole
    whole = tanh(after) + tanh(before)
    return f"1 [N/s]*t + {size!r} [N]*(1 - tanh({s})^2)", size * width * whole + END**2 / 2


@pytest.mark.sample(0, "stiff", "ggl", "groups")
@pytest.mark.parametrize("method", METHODS)
def test_random_pulses_have_their_impulse(method: str) -> None:
    rng = np.random.default_rng(20)
    count = {"projection": 100, "index3": 3}.get(method, 6)
    for k in range(count):
        width = 10 ** rng.uniform(-5, -1.5)
        size = 10 ** rng.uniform(-2, 1) / width
        load, impulse = pulse(k % 4, rng.uniform(0.6, 2.4), width, size)
        found = ran(f"force ({load})*ground.x on P", method).last["x'"]
        assert found == pytest.approx(impulse, rel=CLOSE.get(method, 1e-9), abs=1e-9), load


@pytest.mark.parametrize("centre", [1.5, 0.75, 3 * (1 - 1 / sqrt(2)) / 2])
def test_a_pulse_right_where_samples_are_is_found(centre: float) -> None:
    load, impulse = pulse(0, centre, 1e-5, 1e3)
    assert ran(f"force ({load})*ground.x on P").last["x'"] == pytest.approx(impulse, rel=1e-9)


def test_a_hyperbolic_pulse_is_found() -> None:
    run = ran("force 1 [N]/cosh((t - 1.1 s)/(0.01 [s]))*ground.x on P")
    assert cosh(1.1 / 0.01) < np.inf
    assert run.last["x'"] == pytest.approx(0.01 * pi, rel=1e-11)


@pytest.mark.sample(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", [1e-2, 1e-3])
def test_a_narrow_well_hastens_what_crosses_it(method: str, width: float) -> None:
    run = ran(f"potential -200 [J]*exp(-((x - 7.3 m)/({width} [m]))^2)", method=method, start="10")
    s = np.linspace(-8, 8, 4001)  # the rule of the trapezoid has all digits for such functions
    gained = width * np.trapezoid(0.1 - 1 / np.sqrt(100 + 400 * np.exp(-s * s)), s)
    late = run.last["x"] - 10 * END
    assert late == pytest.approx(10 * gained, abs=CLOSE.get(method, 1e-9))


@pytest.mark.parametrize("place", [0.7300, 0.7314, 1.1])
def test_a_force_in_a_narrow_smooth_band_does_its_work(place: float) -> None:
    """One of these is where a stage of a step is that does not count at its end."""
    width = 1e-5
    size = 10 / width
    run = ran(
        f"force {size} [N]*exp(-((x - {10 * place} [m])/({width} [m]))^2)*ground.x on P", start="10"
    )
    assert run.last["x'"] == pytest.approx(sqrt(100 + 2 * size * sqrt(pi) * width), rel=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_a_steep_smooth_step_of_a_potential_is_climbed(method: str) -> None:
    """Its potential shows itself on both sides, and its force on none."""
    run = ran("potential 0.15 [J]*(1 + tanh((x - 1 m)/(1e-5 [m])))", method, start="1")
    assert run.last["x'"] == pytest.approx(sqrt(1 - 0.6), rel=CLOSE.get(method, 1e-9))


def test_functions_that_show_themselves_bound_no_step() -> None:
    t, x = symbol("t"), symbol("x")
    waves = [function("sin", scale(1000, t)), mul(x, function("cos", x)), mul(t, t)]
    assert not Paces(waves, {}, [t, x], (0.0, 10.0), (1.0,)).any


def test_steps_are_short_in_a_pulse_and_nowhere_else() -> None:
    t = symbol("t")
    s = scale(10_000, sub(t, number(1)))
    paces = Paces([function("exp", scale(-1, mul(s, s)))], {}, [t], (0.0, 3.0), (0.25, 0.5, 1.0))
    assert 0.99 < paces.bound(0.0, 3.0) < 1.0
    assert paces.bound(1.0, 3.0) < 1.001
    assert paces.bound(1.1, 3.0) > 1.2
