"""Singular states that a run goes through between its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.events.passage import Passage

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array


def matrix(t: float) -> Array:
    """Return three rows of rank 2 in turned axes, which have rank 1 at t = 0 alone."""
    c, s = np.cos(t), np.sin(t)
    turned = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(np.array([[t, 0.0, 0.0], [0.0, 1.0, 0.0], [t, 1.0, 0.0]]) @ turned)


def test_a_sign_that_changes_between_two_steps_is_a_singular_state() -> None:
    passage = Passage()
    for t in (-0.45, -0.25, -0.05):
        passage.hear(t, matrix(t))
    with pytest.raises(NotRunError, match=r"singular between t = -0\.05 s and 0\.15 s"):
        passage.hear(0.15, matrix(0.15))


def test_a_step_on_a_singular_state_names_it() -> None:
    passage = Passage()
    passage.hear(-0.2, matrix(-0.2))
    with pytest.raises(NotRunError, match="singular at t = 0 s"):
        passage.hear(0.0, matrix(0.0))


def test_rows_that_turn_round_lose_no_rank() -> None:
    passage = Passage()
    for t in np.linspace(0.5, 12.0, 80):
        passage.hear(float(t), matrix(float(t)))
    assert not passage.close
