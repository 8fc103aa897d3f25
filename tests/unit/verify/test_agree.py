"""Backward errors, and which rows say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.verify.agreement.mutual_residuals import PASS, full_size, quotient, worst_rows


def errors(r: float, size: float, full: float = 0.0, bound: float = 0.0) -> float:
    """Return the error of one row of one form at one state."""
    one = np.ones((1, 1, 1))
    regular = np.ones((1, 1), dtype=bool)
    found = worst_rows(r * one, size * one, full * one[0], bound * one[0], regular, ("row",))
    return float(found.value[0, 0])


def test_an_error_is_relative_to_the_terms_of_its_row() -> None:
    assert errors(1e-3, 10.0) == pytest.approx(1e-4)


def test_a_row_without_terms_counts_only_if_something_remains() -> None:
    assert errors(0.0, 0.0) == 0.0
    assert errors(1e-300, 0.0) == np.inf


def test_the_full_size_of_a_row_makes_no_error_smaller() -> None:
    assert errors(1e-16, 1e-16, full=1.0) == 1.0
    assert errors(1e-6, 1.0, full=1e3) == pytest.approx(1e-6)


def test_rounding_excuses_rows_that_are_rounding_and_nothing_else() -> None:
    assert errors(1e-16, 1e-16, bound=1e-14) == 0.0
    assert errors(1e-13, 1e-13, bound=1e-14) == 1.0
    assert errors(1e-15, 1e-3, bound=1e-14) == pytest.approx(1e-12)


def test_an_excusable_error_counts_as_rounding_where_nobody_can_arbitrate() -> None:
    one = np.ones((1, 1, 1))
    regular = np.ones((1, 1), dtype=bool)
    found = worst_rows(1e-16 * one, 1e-16 * one, one[0], 0 * one[0], regular, ("row",))
    assert found.excusable[0, 0]
    assert found.certain[0, 0] == PASS


def test_the_full_size_is_at_least_the_median_over_the_states() -> None:
    assert full_size(np.array([[0.0], [4.0], [6.0]])).tolist() == [[4.0], [4.0], [6.0]]


def test_a_state_without_numbers_does_not_change_the_full_size_of_others() -> None:
    assert full_size(np.array([[np.nan], [4.0], [6.0]]))[1:].tolist() == [[5.0], [6.0]]


def testquotients_need_no_warning() -> None:
    found = quotient(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 2.0]))
    assert found.tolist() == [0.0, np.inf, 0.5]


def test_a_state_that_is_not_regular_has_no_error() -> None:
    one = np.ones((1, 1, 1))
    found = worst_rows(one, one, one[0], 0 * one[0], np.zeros((1, 1), dtype=bool), ())
    assert np.isnan(found.value[0, 0])
    assert found.label(0, 0) == "row 1"
