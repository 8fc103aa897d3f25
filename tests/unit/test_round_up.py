"""Bounds are rounded up, never down."""

from __future__ import annotations

import math

import pytest

from mbx.base.round_up import format_bound, round_up


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.2e-9, "2e-09"), (1e-12, "1e-12"), (9.01e-5, "1e-04"), (0.0, "0e+00"), (3e-16, "3e-16")],
)
def test_a_bound_holds_for_the_value(value: float, text: str) -> None:
    assert format_bound(value) == text
    assert float(text) >= value or math.isclose(float(text), value, rel_tol=1e-15)


def test_digits_are_kept_as_far_as_they_are_wanted() -> None:
    assert round_up(1.2341e-3, 3) == 1.24e-3
    assert round_up(math.inf, 3) == math.inf
    assert math.isnan(round_up(math.nan, 3))
