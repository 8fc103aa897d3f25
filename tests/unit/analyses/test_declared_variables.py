"""Variables of order 2 and more along runs: their values, their starts, and motions of them."""

from __future__ import annotations

from math import cos
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.analyses.assembly import assemble
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.request import Request, plan_of
from mbx.linking.library import root

if TYPE_CHECKING:
    from mbx.analyses.simulate.runs import Run

SLOPE = """mbx 1
model Slope {
  param m: kg = 2, phi: rad = 0.6
  input f: N = 0
  coordinate x: m = 0
  variable a: m/s^2 of order 2
  particle p { mass m  at [x*cos(phi), x*sin(phi), 0] }
  force f*ground.x on p
  define a = 2*x''
}
experiment drive of Slope {
  prescribe a = 0.3 [m/s^2]*cos(2*t/(1 s)) solve f
  simulate 0 s .. 1 s every 0.1 s
}
experiment start of Slope {
  initial a = 1
  simulate 0 s .. 1 s
}
"""


def test_declared_variables_are_results_of_a_run() -> None:
    """Closed form: a = al exp(-k t), and the jerk along the direction is -k a."""
    run = mbx.simulate(mbx.read("lib:decaying_acceleration"), "run")
    assert run.declared == ("a", "j")
    assert {one.name: one.unit for one in run.columns}["j"] == "m/s^3"
    decay = 0.8 * np.exp(-0.5 * run.t)
    assert run["a"] == pytest.approx(decay, abs=1e-6)
    assert run["j"] == pytest.approx(-0.5 * decay, abs=1e-6)


def _started(initial: str) -> Run:
    text = (root() / "decaying_acceleration" / "model.mb").read_text("utf-8")
    said = "initial x' = 0 [m/s], y' = 0 [m/s]"
    assert said in text
    return mbx.simulate(mbx.loads(text.replace(said, f"{said}, {initial}")), "run")


def test_a_start_of_a_declared_variable_is_kept_by_the_accelerations_of_the_state() -> None:
    run = _started("a = -0.3")
    assert run["a"][0] == pytest.approx(-0.3, abs=1e-9)
    assert run["x''"][0] == pytest.approx(-0.3, abs=1e-9)  # along the direction, which is x
    said = _started("x'' = 0.25 [m/s^2]")
    assert said["a"][0] == pytest.approx(0.25, abs=1e-9)  # counts more than the declared start
    with pytest.raises(NotRunError, match="start is not consistent"):
        _started("x'' = 0.25 [m/s^2], a = 0.4")


def test_a_variable_that_follows_from_the_state_has_no_start() -> None:
    with pytest.raises(NotRunError, match="'a' is no part of the state"):
        mbx.simulate(mbx.loads(SLOPE), "start")


def test_a_motion_of_a_declared_variable_is_prescribed() -> None:
    """Closed form: f cos(phi) = m x'' with x'' = a/2."""
    found = mbx.inverse(mbx.loads(SLOPE), "drive")
    assert found["f"] == pytest.approx(2 * 0.15 * np.cos(2 * found.t) / cos(0.6), rel=1e-9)


def test_assembly_tells_declared_variables_and_their_rates() -> None:
    """Closed form: a' = -W^2 v, and a as it starts."""
    linked = mbx.link(mbx.read("lib:swing_jerk_programme"))
    found = assemble(plan_of(linked, mbx.elaborate(linked), Request()))
    assert found.accelerations["a"] == pytest.approx(0.9, abs=1e-9)
    assert found.accelerations["a'"] == pytest.approx(-9 * 0.4, abs=1e-9)
    assert (found.units["a"], found.units["a'"]) == ("m/s^2", "m/s^3")
