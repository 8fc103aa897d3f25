"""Statistics of results over samples."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.analyses.study.setting import RunResult

__all__ = ["Statistics", "statistics_of"]

_QUANTILES: Final = (0.05, 0.5, 0.95)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a result over samples.

    Attributes:
        result: Its name.
        at: The swept values that it belongs to.
        count: How many samples gave a number.
        mean, sd: Mean, and standard deviation with one freedom less; None of a single sample.
        least, low, median, high, most: Quantiles for 0, 0.05, 0.5, 0.95 and 1.
    """

    result: str
    at: Mapping[str, float]
    count: int
    mean: float
    sd: float | None
    least: float
    low: float
    median: float
    high: float
    most: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def statistics_of(
    points: Sequence[Mapping[str, float]], outcomes: Sequence[RunResult], swept: Sequence[str]
) -> Iterator[Statistics]:
    """Yield statistics of each result, for each combination of swept values."""
    groups: dict[tuple[float, ...], list[RunResult]] = {}
    for point, outcome in zip(points, outcomes, strict=True):
        groups.setdefault(tuple(point[name] for name in swept), []).append(outcome)
    for values, group in groups.items():
        names = dict.fromkeys(name for outcome in group for name in outcome.values)
        for name in names:
            cells = [outcome.values.get(name) for outcome in group]
            x = np.array([c for c in cells if isinstance(c, float | int) and isfinite(c)])
            if len(x):
                low, median, high = np.quantile(x, _QUANTILES).tolist()
                yield Statistics(
                    result=name,
                    at=dict(zip(swept, values, strict=True)),
                    count=len(x),
                    mean=float(x.mean()),
                    sd=float(x.std(ddof=1)) if len(x) > 1 else None,
                    least=float(x.min()),
                    low=low,
                    median=median,
                    high=high,
                    most=float(x.max()),
                )
