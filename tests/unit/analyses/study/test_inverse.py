"""Inverse dynamics over parameters: a mass on a spring that is moved."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx.analyses.study.study_errors import StudyError

MOVED = """mbx 1
model Moved {
  param m: kg = 2, k: N/m = 3
  input F: N
  coordinate x: m = 0
  body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
  potential spring: k*x^2/2
  force push: F*ground.x on cart from ground
}
experiment move of Moved {
  prescribe x = 0.5 m*sin(2*t/(1 s)) solve F
  simulate 0 s .. 1 s every 50 ms
}
"""


def test_the_force_moves_the_mass_against_the_spring() -> None:
    wanted = ["last(F)", "max(F)", "x''"]
    found = mbx.study(mbx.loads(MOVED), "move", vary={"m": [1.0, 2.0, 4.0]}, results=wanted)
    assert (found.analysis, found.failed) == ("inverse", {})
    # F = m x'' + k x = (k - 4 m) x
    each = 0.5 * np.sin(2 * np.linspace(0, 1, 21))
    np.testing.assert_allclose(found["last(F)"], (3 - 4 * found["m"]) * each[-1], rtol=1e-12)
    np.testing.assert_allclose(
        found["max(F)"], [(3 - 4 * m) * each[each.argmin() if m > 0.75 else -1] for m in (1, 2, 4)],
        atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(found["x''"], -4 * each[-1], rtol=1e-12)


def test_its_slopes_are_those_of_the_closed_form() -> None:
    found = mbx.study(mbx.loads(MOVED), "move", results=["F"], slopes=["m", "k"])
    x = 0.5 * np.sin(2.0)
    assert found["slope"].tolist() == pytest.approx([-4 * x, x], rel=1e-10)


def test_the_least_and_the_largest_input_are_told_by_themselves() -> None:
    found = mbx.study(mbx.loads(MOVED), "move", vary={"k": [3.0]})
    assert found.results == ("min(F)", "max(F)")
    series = mbx.study(mbx.loads(MOVED), "move", vary={"k": [3.0]}, series=True)
    assert len(series) == 21
    np.testing.assert_allclose(series["F"], -5 * 0.5 * np.sin(2 * series["t"]), atol=1e-12)


def test_times_between_are_refused() -> None:
    with pytest.raises(StudyError, match="has results at times of its own"):
        mbx.study(mbx.loads(MOVED), "move", vary={"k": [3.0]}, results=["F at 0.3"])
