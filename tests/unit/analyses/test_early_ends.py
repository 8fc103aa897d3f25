"""Runs that end before their time: by the clock, or off the invariants; what is named then."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.time_limit import Clock, OutOfTimeError
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.integrators import vector_fields
from mbx.analyses.simulate.methods import METHODS
from mbx.analyses.simulate.runs import EndedError, Options

SLOW_AND_FAST = """mbx 1
model Two "a slow oscillator beside a fast one, which decides how long steps are" {
  param m: kg = 1, l: m = 1
  coordinate slow: m = 1, fast: m = 1, x: m = l*sin(0.1 rad), y: m = -l*cos(0.1 rad)
  body a { mass m  joint prismatic(ground, axis = x, distance = slow) }
  body b { mass m  joint prismatic(ground, axis = x, distance = fast) }
  particle p { mass m  at [x, y, 0] }
  invariant rod: x^2 + y^2 = l^2
  spring on slow stiffness 1 [N/m]
  spring on fast stiffness 1e4 [N/m]
  gravity [0, -1 [m/s^2], 0]
}
"""


def _checks(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let the time be over after some checks, however fast the machine is."""
    left = times

    def check(_clock: Clock) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfTimeError("ran out of time")

    monkeypatch.setattr(Clock, "check", check)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_out_of_time_names_what_kept_steps_short(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # source: the slow one turns a hundred times as slowly, and its error is that much smaller
    _checks(monkeypatch, 80)  # two a step
    options = Options(until=100.0, every=1.0, method=method)
    with pytest.raises(EndedError) as ended:
        perform_simulation(mbx.loads(SLOW_AND_FAST), Request(), options)
    run, said = ended.value.run, str(ended.value)
    assert said.startswith(f"ran out of time at t = {run.t[-1]:.6g} s of 100 s, after 40 steps,")
    named = said.partition("kept short by ")[2]
    assert named.startswith(("'fast'", "'momentum of fast'"))
    assert (" of all groups " in named) == (method == "groups")


@pytest.mark.parametrize("method", METHODS)
def test_a_run_without_a_step_says_what_took_its_time(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _checks(monkeypatch, 0)
    with pytest.raises(mbx.MbxError, match="before its first step: making equations ready"):
        mbx.simulate(mbx.loads(SLOW_AND_FAST), until=1.0, method=method)


@pytest.mark.full
def test_a_run_with_events_may_run_out_of_time_anywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = """mbx 1
    model Block {
      coordinate x: m = 0
      body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
      force back: -(1 N)*sign(x - 0.01 [m])*ground.x on b
      initial x' = 1 [m/s]
    }"""
    for method in ("projection", "ggl", "index3", "stiff", "groups"):
        for times in range(2, 12):
            with monkeypatch.context() as patch:
                _checks(patch, times)
                options = Options(until=1e4, every=1e3, method=method)
                with pytest.raises(EndedError, match="ran out of time at t = "):
                    perform_simulation(mbx.loads(block), Request(), options)


def test_what_leaves_an_invariant_ends_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # source: without Baumgarte's terms, errors of velocities grow with time in c(q)
    monkeypatch.setattr(vector_fields, "ALPHA", 0.0)
    options = Options(until=1000.0, every=1.0, method="baumgarte", tolerance=0.01)
    with pytest.raises(EndedError, match=r"'rod' is left by \S+ of its size at t = ") as ended:
        perform_simulation(mbx.loads(SLOW_AND_FAST.replace("1e4", "1")), Request(), options)
    run = ended.value.run
    assert run.t[-1] < 1000
    assert np.abs(run["x"] ** 2 + run["y"] ** 2 - 1).max() < 1e-3
