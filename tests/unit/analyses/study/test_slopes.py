"""Derivatives by extrapolated differences: functions whose derivatives are known."""

from __future__ import annotations

from math import cos, exp, isnan, nan, sin
from typing import TYPE_CHECKING

import pytest

from mbx.analyses.study.results.sensitivities import LEVELS, around, slope_of
from mbx.analyses.study.setting import RunResult

if TYPE_CHECKING:
    from collections.abc import Callable


def slopes(f: Callable[[float], float], at: float, lost: tuple[int, ...] = ()) -> tuple[float, ...]:
    near = [
        RunResult(reason="lost") if k in lost else RunResult({"y": f(x)})
        for k, x in enumerate(around(at))
    ]
    found = slope_of("y", at, RunResult({"y": f(at)}), near)
    return found.slope, found.error, found.logarithmic


@pytest.mark.parametrize(
    ("f", "slope", "at"),
    [
        (sin, cos, 1.0),
        (lambda x: exp(3 * x), lambda x: 3 * exp(3 * x), 0.7),
        (lambda x: sin(40 * x), lambda x: 40 * cos(40 * x), 1.0),
        (lambda x: 1 / x, lambda x: -1 / x**2, -2.0),
        (lambda x: x**2 + 5 * x + 1, lambda x: 2 * x + 5, 0.0),
        (lambda x: 7 - 2 * x, lambda _: -2.0, 3.0),
    ],
)
def test_the_error_is_not_more_than_what_is_said(
    f: Callable[[float], float], slope: Callable[[float], float], at: float
) -> None:
    found, error, relative = slopes(f, at)
    assert abs(found - slope(at)) <= error
    assert error <= 1e-4 * max(1.0, abs(slope(at)))
    assert relative == pytest.approx(slope(at) * at / f(at), rel=1e-6)


def test_a_power_law_has_its_exponent_as_logarithmic_slope() -> None:
    assert slopes(lambda x: 3 * x**-0.5, 4.0)[2] == pytest.approx(-0.5, abs=1e-10)


def test_a_corner_is_told_by_its_error() -> None:
    found, error, _ = slopes(lambda x: abs(x - 1.001), 1.0)
    assert error > 0.1 * abs(found)


def test_pairs_that_failed_are_left_out() -> None:
    found, error, _ = slopes(sin, 1.0, lost=(0, 3))
    assert found == pytest.approx(cos(1.0), abs=1e-8)
    assert abs(found - cos(1.0)) <= error < 1e-4


def test_one_pair_alone_gives_no_slope() -> None:
    assert all(map(isnan, slopes(sin, 1.0, lost=tuple(range(0, 2 * LEVELS - 2, 2)))))


def test_no_result_at_the_value_gives_no_slope() -> None:
    near = [RunResult({"y": x}) for x in around(1.0)]
    assert isnan(slope_of("y", 1.0, RunResult(reason="no"), near).slope)
    assert isnan(slope_of("y", 1.0, RunResult({"y": nan}), near).slope)


def test_a_result_of_zero_has_no_logarithmic_slope() -> None:
    found, _, relative = slopes(lambda x: x - 2, 2.0)
    assert found == pytest.approx(1.0)
    assert isnan(relative)


def test_an_error_is_never_less_than_rounding_makes_it() -> None:
    found, error, _ = slopes(lambda x: 1e6 - 2 * x, 1.0)
    assert abs(found + 2) <= error
    assert error >= 1e6 * 2**-52 / (2 / 32)
