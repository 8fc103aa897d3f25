"""Expectations that cannot fail: their tolerance is not far below what they expect.

Compared are the tolerance and the size of the quantity: the expected value, or how far the
quantity moves along the run. A quantity that is expected to stay zero, and does, has no size of
its own: the largest variable of the same unit stands for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.experiments.observe import Observer, Place
from mbx.experiments.start import inputs_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.experiments.plan import Expectation, Plan
    from mbx.experiments.reference import Reference
    from mbx.formalism.equations import Equations

__all__ = ["sharpened"]

FAR: Final = 0.1
"""Part of the size of a quantity that its tolerance may have."""
ZERO: Final = 1e-3
"""Part of the tolerance below which a quantity stays zero."""
SEEN: Final = 60
"""States of a run at which quantities are looked at."""


def sharpened(
    plan: Plan,
    equations: Equations | None,
    states: Sequence[tuple[float, Mapping[str, float]]],
    found: Mapping[int, Reference],
) -> dict[int, Reference]:
    """Return references with the reason why they cannot fail, of those that cannot.

    `states` are those of a run, by time; of none, only the expected value counts.
    """
    judged = dict(found)
    some = [one for one in plan.expected if one.number in found]
    chosen = _chosen(states)
    ranges = _ranges(plan, equations, chosen, some) if chosen and equations is not None else {}
    for one in some:
        reference = judged[one.number]
        if reference.met:
            near = _largest(plan, one.unit, chosen)
            reason = _reason(one, ranges.get(one.number), near)
            judged[one.number] = replace(reference, cannot_fail=reason)
    return judged


def _reason(one: Expectation, seen: tuple[float, float] | None, near: float) -> str:
    """Return why an expectation cannot fail; nothing if it can."""
    low, high = (one.value, one.value) if seen is None else seen
    spread, size = high - low, max(abs(one.value), abs(low), abs(high))
    if size <= ZERO * one.within:
        size = spread = near
    if not size or one.within <= FAR * max(abs(one.value), min(size, spread or size)):
        return ""
    return (
        f"its tolerance of {one.within:g} is more than a tenth of the size of the quantity,"
        f" {max(abs(one.value), min(size, spread or size)):.3g}"
    )


def _chosen(
    states: Sequence[tuple[float, Mapping[str, float]]],
) -> list[tuple[float, Mapping[str, float]]]:
    if len(states) <= SEEN:
        return list(states)
    return [states[k] for k in np.linspace(0, len(states) - 1, SEEN).round().astype(int)]


def _ranges(
    plan: Plan,
    equations: Equations,
    states: Sequence[tuple[float, Mapping[str, float]]],
    some: Sequence[Expectation],
) -> dict[int, tuple[float, float]]:
    """Return between which values quantities move, as far as the form gives them."""
    places = [Place(state, plan.parameters, inputs_of(plan), t) for t, state in states]
    seen = Observer(plan.system, tuple(one.node for one in some)).at(equations, places)
    ranges: dict[int, tuple[float, float]] = {}
    for one in some:
        values = [here.of(one.node) for here in seen if here.regular]
        numbers = [x for x in values if x is not None and np.isfinite(x)]
        if numbers:
            ranges[one.number] = min(numbers), max(numbers)
    return ranges


def _largest(plan: Plan, unit: str, states: Sequence[tuple[float, Mapping[str, float]]]) -> float:
    """Return the largest value along a run of variables that have a unit; 0 if none has."""
    paths = [v.path for v in (*plan.system.q, *plan.system.u) if v.unit == (unit or "1")]
    return max((abs(state[p]) for _, state in states for p in paths), default=0.0)
