"""When a run has results: from its start to its end, at equal distances and at named times."""

from __future__ import annotations

from dataclasses import replace
from math import floor, isfinite
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Span", "results_at", "with_times"]

RESULTS: Final = 200
"""Stretches between results, where nothing says how far apart these are."""
MOST: Final = 1_000_000
"""Results of a run."""
_END: Final = 1e-9
"""Part of a stretch by which the last one may be longer: times have rounding."""


class Span(Protocol):
    """The end of a run and the seconds between results; None for what the experiment says."""

    @property
    def until(self) -> float | None:
        """When it ends."""

    @property
    def every(self) -> float | None:
        """Seconds between results."""


def results_at(plan: Plan, span: Span) -> tuple[Plan, Array]:
    """Return the plan with its end, and the times of results."""
    last = plan.last if span.until is None else span.until
    whole = last - plan.first
    if not isfinite(whole) or whole <= 0:
        if span.until is None and not whole:
            of = f"experiment '{plan.name}'" if plan.name else "the model"
            raise NotRunError(f"{of} does not simulate: say until when it is to run")
        raise NotRunError(f"it runs from {plan.first:g} s to {last:g} s, which is no time")
    every = plan.every if span.every is None else span.every
    if every is None:
        every = whole / RESULTS
    if not isfinite(every) or every <= 0:
        raise NotRunError(f"results every {every:g} s are none")
    if whole / every > MOST:
        raise NotRunError(f"{whole / every:.3g} results are too many, the most are {MOST}")
    count = floor(whole / every * (1 - _END)) + 1
    times = plan.first + every * np.arange(count)
    return replace(plan, last=last), np.append(times, last)


def with_times(times: Array, also: Sequence[float]) -> Array:
    """Return times with others among them; raise `NotRunError` for one outside of the run."""
    first, last = times[0], times[-1]
    for t in also:
        if not first <= t <= last:
            raise NotRunError(f"it runs from {first:g} s to {last:g} s, not at {t:g} s")
    return np.union1d(times, also) if also else times
