"""Results at states where equations are singular: those that exist have numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbx
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import run
from mbx.numerics.execute.lost_states import matrix_at_all

LIBRARY = Path(__file__).parents[3] / "library"
LOCK = {"psi": 0.3, "theta": 0.0, "phi": 0.3, "psi'": 0.3, "theta'": 0.3, "phi'": 0.3}
"""Gimbal lock: the first and the third axis are in line, and M has rank two."""
MASSLESS = """\
mbx 1
model Massless {
  param k: N/m = 3
  coordinate x: m
  coordinate y: m
  body block {
    mass 2 kg
    joint prismatic(ground, axis = x, distance = x)
  }
  potential k*(y - x)^2/2
}
"""


@pytest.fixture(scope="module", params=["kane", "lagrange", "udwadia_kalaba"])
def top(request: pytest.FixtureRequest) -> mbx.Equations:
    return mbx.convert(mbx.read(LIBRARY / "heavy_top" / "model.mb"), request.param)


def test_gimbal_lock_has_a_mass_matrix_and_no_accelerations(top: mbx.Equations) -> None:
    found = top.evaluate(LOCK)
    assert found.status == "singular"
    assert np.isnan(found.ud).all()
    assert found.qd.tolist() == [0.3, 0.3, 0.3]
    assert np.linalg.matrix_rank(found.M) == 2
    near = top.evaluate({**LOCK, "theta": 1e-9})
    assert pytest.approx(near.M, rel=1e-6, abs=1e-12) == found.M


def test_a_singular_state_among_others_has_what_it_has_alone(top: mbx.Equations) -> None:
    many = top.evaluate({**LOCK, "theta": [0.3, 0.0, 0.4]})
    assert many.status.tolist() == ["regular", "singular", "regular"]
    assert many.M[1].tolist() == top.evaluate(LOCK).M.tolist()
    assert np.isnan(many.ud).any(axis=1).tolist() == [False, True, False]
    regular = top.evaluate({**LOCK, "theta": [0.3, 0.4]})
    assert many.ud[[0, 2]] == pytest.approx(regular.ud, rel=1e-12)


def test_equations_from_json_and_compiled_ones_have_it_too(top: mbx.Equations) -> None:
    here = top.evaluate(LOCK)
    again = mbx.Equations.loads(mbx.write(top, "json"))
    assert again.evaluate(LOCK).M.tolist() == here.M.tolist()
    function = top.compile(("ud", "M"), backend="numpy")
    result = function([0.3, 0.0, 0.3], [0.3, 0.3, 0.3])
    assert result.status == 1
    assert result.M.tolist() == here.M.tolist()
    assert np.isnan(result.ud).all()


def test_a_coordinate_without_mass_leaves_the_mass_matrix_and_the_forces() -> None:
    form = mbx.convert(mbx.loads(MASSLESS), "lagrange")
    found = form.evaluate({"x": 0.0, "y": 0.5, "x'": 1.0, "y'": 2.0})
    assert found.status == "singular"
    assert found.M.tolist() == [[2, 0], [0, 0]]
    assert found.h.tolist() == [1.5, -1.5]
    assert np.isnan(found.ud).all()


def test_where_rounding_decides_a_rank_what_depends_on_it_has_no_numbers(
    top: mbx.Equations,
) -> None:
    values = values_of(top, {**LOCK, "theta": 0.3})
    outcome = run(top, values)
    lost = np.array(["singular"], dtype=object)
    doubtful = replace(outcome, status=lost, batches=(), reasons={0: "rounding decides"})
    assert np.isnan(matrix_at_all(top, values, doubtful, top.results["ud"])).all()
    M = matrix_at_all(top, values, doubtful, top.results["M"])
    assert np.asarray(M).tolist() == np.asarray(outcome.matrix(top.results["M"])).tolist()
