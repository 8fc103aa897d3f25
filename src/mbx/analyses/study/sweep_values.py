"""Values that one name takes in a sweep: a range, spaced evenly or in ratio, or a list."""

from __future__ import annotations

from math import isfinite
from typing import Final

import numpy as np

from mbx.analyses.study.study_errors import StudyError

__all__ = ["MOST", "spread_of"]

MOST: Final = 100_000
"""Runs of a study, and values of one name."""
_PARTS: Final = (3, 4)


def spread_of(text: str) -> tuple[float, ...]:
    """Return the values that a text stands for, in SI units; raise `StudyError` for none.

    `1:2:5` are five values from 1 to 2, `1:100:5:log` the same in equal ratios, and `1,2,5` or
    `3` just these.
    """
    try:
        values = _spread(text)
    except ValueError:
        raise StudyError(
            f"'{text}' is no range: expected FIRST:LAST:COUNT, FIRST:LAST:COUNT:log or a list of"
            " numbers in SI units"
        ) from None
    if not all(isfinite(x) for x in values):
        raise StudyError(f"'{text}' has numbers that are not finite")
    return values


def _spread(text: str) -> tuple[float, ...]:
    parts = text.split(":")
    if len(parts) == 1:
        return tuple(float(part) for part in text.split(","))
    if len(parts) not in _PARTS or parts[3:] not in ([], ["log"]):
        raise ValueError
    first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
    if not (isfinite(first) and isfinite(last)):
        return first, last
    if count < 1:
        raise StudyError(f"'{text}' has no values: COUNT is 1 or more")
    if count > MOST:
        raise StudyError(f"'{text}' has {count} values, the most are {MOST}")
    if count == 1 and first != last:
        raise StudyError(f"'{text}' has one value, and two ends")
    if not parts[3:]:
        return tuple(np.linspace(first, last, count).tolist())
    if not (first > 0 and last > 0) and not (first < 0 and last < 0):
        raise StudyError(f"'{text}' has no ratios: both ends must have the same sign, and not be 0")
    return tuple(np.geomspace(first, last, count).tolist())
