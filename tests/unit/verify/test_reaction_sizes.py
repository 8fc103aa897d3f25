"""What reactions are measured by: the loads of the model, forces and torques alike."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.numerics.execute.execute import REGULAR
from mbx.verify.agreement.kinetics import Kinetics
from mbx.verify.agreement.quantities import reaction_errors
from mbx.verify.derived_forms import Result

REACH = 2.0


def _loaded(*wrench: float) -> Kinetics:
    """Return one element at rest, 2 m from the origin, on which a wrench acts."""
    column, none = np.array(wrench).reshape(1, 6, 1), np.zeros((1, 6, 1))
    p = np.array([REACH, 0.0, 0.0]).reshape(1, 3, 1)
    matrices = {"W": none, "W0": none, "F": none, "F0": column, "p": p}
    every = np.ones(1, dtype=bool)
    return Kinetics(("b",), matrices, np.zeros((1, 1)), True, every, {"b.joint": every})  # noqa: FBT003


def _holding(*wrench: float) -> Result:
    return Result(
        np.array([REGULAR]),
        np.zeros((1, 1)),
        None,
        None,
        {"b.joint": np.array([wrench])},
        np.array([np.nan]),
    )


def _error(kinetics: Kinetics, one: Result, other: Result) -> float:
    found = reaction_errors(["b.joint"], [one, other], kinetics, np.array([True]))
    return float(np.nanmax(found.value))


def test_where_a_torque_alone_acts_forces_are_measured_by_it() -> None:
    kinetics = _loaded(0, 0, 0, 0, 0, 1.5)
    held, rounded = _holding(0, 0, 0, 0, 0, -1.5), _holding(1e-16, 0, 0, 0, 0, -1.5)
    assert 0 < _error(kinetics, held, rounded) < 1e-15
    wrong = _holding(1e-6, 0, 0, 0, 0, -1.5)
    assert _error(kinetics, held, wrong) == pytest.approx(1e-6 / (1.5 / REACH))


def test_where_a_force_alone_acts_torques_are_measured_by_it() -> None:
    kinetics = _loaded(0, 0, 3, 0, 0, 0)
    held, wrong = _holding(0, 0, -3, 0, 0, 0), _holding(0, 0, -3, 1e-6, 0, 0)
    assert _error(kinetics, held, wrong) == pytest.approx(1e-6 / (3 * REACH))
