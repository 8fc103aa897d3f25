"""Sensitivities: the derivative of each result by each of some values, with its error.

Central differences over steps that are halved, extrapolated to no step (Richardson; the tableau
is searched for the entry of least estimated error as by C. J. F. Ridders, Advances in Engineering
Software 4, 1982). The error is what the last extrapolation changed, and not less than what
rounding of the results makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.study.setting import RunResult

__all__ = ["LEVELS", "Slope", "around", "slope_of"]

LEVELS: Final = 4
"""Steps, each half of the one before: two runs each."""
_REACH: Final = 2.0**-5
"""The first step, relative to the value; of a value of 0 it is that in SI units."""
_ROUNDING: Final = 2.0**-52


@dataclass(frozen=True, slots=True)
class Slope:
    """A derivative, its estimated error, and the relative one: parts of y for parts of x."""

    slope: float = nan
    error: float = nan
    logarithmic: float = nan


def around(value: float) -> list[float]:
    """Return the values at which a result is needed: below and above, for each step."""
    first = _REACH * (abs(value) or 1.0)
    return [value + sign * first / 2**k for k in range(LEVELS) for sign in (-1, 1)]


def slope_of(result: str, value: float, here: RunResult, near: Sequence[RunResult]) -> Slope:
    """Return the derivative of a result from the runs at a value and around it.

    It is not there where the run at the value, or all but one of the pairs around it, give no
    number.
    """
    y = _number(here.values, result)
    pairs = []
    points = around(value)
    for k in range(LEVELS):
        low, high = (_number(near[2 * k + side].values, result) for side in (0, 1))
        if isfinite(low) and isfinite(high):
            width = points[2 * k + 1] - points[2 * k]
            noise = _ROUNDING * max(abs(low), abs(high)) / width
            pairs.append((width, (high - low) / width, noise))
    if not isfinite(y) or len(pairs) < 2:  # noqa: PLR2004  one alone gives no error
        return Slope()
    slope, error = _extrapolated(pairs)
    return Slope(slope, error, slope * value / y if y else nan)


def _extrapolated(pairs: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Return the best entry of the tableau, and its error."""
    best = nan, float("inf")
    before: list[float] = []
    for k, (width, difference, noise) in enumerate(pairs):
        row = [difference]
        for j in range(1, k + 1):
            ratio = (pairs[k - j][0] / width) ** 2
            row.append((ratio * row[j - 1] - before[j - 1]) / (ratio - 1))
            changed = max(abs(row[j] - row[j - 1]), abs(row[j] - before[j - 1]))
            error = max(changed, noise)
            if error < best[1]:
                best = row[j], error
        before = row
    return best


def _number(values: Mapping[str, object], result: str) -> float:
    value = values.get(result)
    return float(value) if isinstance(value, float | int) else nan
