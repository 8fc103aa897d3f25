"""Suggested independent speeds, and what is said of declared ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbx.analyses.structure.independent import judged, suggested
from unit.analyses.structure.models import PLANE, library, structure

NAMES = ("a", "b", "c")


def test_the_largest_column_is_the_dependent_one() -> None:
    A = np.array([[[0.1, 1.0, 0.2]]])
    assert suggested(A, 1, NAMES, None).speeds == ("a", "c")


def test_the_set_is_the_best_at_the_worst_state() -> None:
    # b is best at one state and nothing at the other; c is fair at both, and so is chosen
    A = np.array([[[0.5, 0.0, 0.0], [0.0, 1.0, 0.5]], [[0.5, 0.0, 0.0], [0.0, 1e-3, 0.5]]])
    found = suggested(A, 2, NAMES, None)
    assert found.speeds == ("b",)
    # the singular values of A are sqrt(1.25) and 0.5, those of the dependent columns 0.5
    assert found.worst == pytest.approx(math.sqrt(5))


def test_an_exchange_goes_beyond_what_single_states_propose() -> None:
    # columns a and b are each best at one state and worst at the other; c is never best
    A = np.array([[[1.0, 0.01, 0.9]], [[0.01, 1.0, 0.9]]])
    assert suggested(A, 1, NAMES, None).speeds == ("a", "b")


def test_the_condition_is_that_of_the_dependent_columns() -> None:
    # A A^T = diag(25, 1)
    A = np.array([[[3.0, 0.0, 4.0], [0.0, 0.5, 0.0]], [[3.0, 0.0, 4.0], [0.0, 1.0, 0.0]]])
    found = judged(A, 2, NAMES, (2,))
    assert found.worst == pytest.approx(5 / 0.5)
    assert found.typical == pytest.approx((5 / 0.5 + 5 / 1) / 2)
    assert judged(A, 2, NAMES, (1,)).worst == math.inf


def test_the_count_of_a_declared_set_must_be_that_of_the_freedoms() -> None:
    found = structure("invariant rod: x^2 + y^2 = 1 [m^2]\nindependent x', y'", PLANE)
    (warned,) = found.warnings
    assert warned.element == "independent"
    assert warned.text == "names x', y', but the freedoms are 1"


def test_a_declared_set_that_is_singular_is_told_with_a_better_one() -> None:
    found = structure("invariant wall: x = 1 m\nindependent x'", PLANE)
    (warned,) = found.warnings
    assert warned.text == "x' are singular at some state, y' at worst 1e+00"
    assert found.independent is not None
    assert found.independent.speeds == ("y'",)


def test_a_sound_declared_set_is_not_told() -> None:
    found = library("tricycle_wheel")
    assert found.warnings == ()
    assert found.independent is not None
    assert found.declared is not None
    assert found.independent.worst <= found.declared.worst


def test_all_speeds_of_a_tree_are_independent() -> None:
    found = library("simple_pendulum").independent
    assert found is not None
    assert found.speeds == ("theta'",)
