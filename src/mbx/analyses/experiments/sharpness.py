"""Expectations that cannot fail: their tolerance is not far below what they expect.

Compared are the tolerance and the size of the quantity: the expected value, or how far the
quantity moves along the run. A quantity that is expected to stay zero, and does, has no size of
its own: the largest variable of the same unit stands for it or, without one, what the quantity
would be if variables that stay zero were as large as others of their units. A quantity that
depends on no variable is the same whatever the model does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Observer, Place
from mbx.expr.evaluate import free_symbols
from mbx.language.units import dimension_text
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Energy, Expectation, Plan
    from mbx.formalism.equations import Equations

__all__ = ["sharpened", "sharpened_energy"]

FAR: Final = 0.1
"""Part of the size of a quantity that its tolerance may have."""
ZERO: Final = 1e-3
"""Part of the tolerance below which a quantity stays zero."""
SEEN: Final = 60
"""States of a run at which quantities are evaluated."""


def sharpened(
    plan: Plan,
    equations: Equations | None,
    states: Sequence[tuple[float, Mapping[str, float]]],
    references: Mapping[int, Reference],
) -> dict[int, Reference]:
    """Return references with the reason why they cannot fail, of those that cannot.

    `states` are those of a run, by time; of none, only the expected value counts.
    """
    judged = dict(references)
    expectations = [
        expectation for expectation in plan.expected if expectation.number in references
    ]
    last = max(
        (expectation.time for expectation in expectations if expectation.time is not None),
        default=0.0,
    )
    chosen = _chosen([(t, state) for t, state in states if t <= last])
    ranges = (
        _ranges(plan, equations, chosen, expectations) if chosen and equations is not None else {}
    )
    for expectation in expectations:
        reference = judged[expectation.number]
        if reference.met:
            seen = ranges.get(expectation.number)
            near = _largest(plan, dimension_text(expectation.unit), chosen)
            if not near and equations is not None and chosen and _stays_zero(expectation, seen):
                low, high = _ranges(plan, equations, _raised(plan, chosen), [expectation]).get(
                    expectation.number, (0.0, 0.0)
                )
                near = max(abs(low), abs(high))
            reason = _unmoved(plan, expectation) or _reason(expectation, seen, near)
            judged[expectation.number] = replace(reference, cannot_fail=reason)
    return judged


def sharpened_energy(reference: Reference, energy: Energy, kinetic: float) -> Reference:
    """Return a reference to conserved energy with the reason why it cannot fail, if it cannot.

    `kinetic` is the largest kinetic energy along the run.
    """
    size = 1.0 if energy.relative else kinetic
    if not reference.met or not size or energy.within <= FAR * size:
        return reference
    text = "the largest kinetic energy" + ("" if energy.relative else f", {kinetic:.3g}")
    reason = f"its tolerance of {energy.within:g} is more than a tenth of {text}"
    return replace(reference, cannot_fail=reason)


def _unmoved(plan: Plan, expectation: Expectation) -> str:
    """Return that a quantity depends on nothing that the model moves; nothing if it does."""
    fixed = {TIME, *(parameter.symbol for parameter in plan.system.parameters)}
    return "" if set(free_symbols([expectation.node])) - fixed else "it depends on no variable"


def _stays_zero(expectation: Expectation, seen: tuple[float, float] | None) -> bool:
    low, high = (expectation.value, expectation.value) if seen is None else seen
    return max(abs(expectation.value), abs(low), abs(high)) <= ZERO * expectation.within


def _raised(
    plan: Plan, states: Sequence[tuple[float, Mapping[str, float]]]
) -> list[tuple[float, Mapping[str, float]]]:
    """Return states with variables that stay zero as large as the largest of their units."""
    variables = (*plan.system.q, *plan.system.u)
    moved = {v.path for v in variables if any(state[v.path] for _, state in states)}
    still = {v.path: _largest(plan, v.dimension, states) for v in variables if v.path not in moved}
    return [(t, {**state, **still}) for t, state in states]


def _reason(expectation: Expectation, seen: tuple[float, float] | None, near: float) -> str:
    """Return why an expectation cannot fail; nothing if it can."""
    low, high = (expectation.value, expectation.value) if seen is None else seen
    spread, size = high - low, max(abs(expectation.value), abs(low), abs(high))
    if size <= ZERO * expectation.within:
        size = spread = near
    if not size or expectation.within <= FAR * max(
        abs(expectation.value), min(size, spread or size)
    ):
        return ""
    return (
        f"its tolerance of {expectation.within:g} is more than a tenth of the size of the quantity,"
        f" {max(abs(expectation.value), min(size, spread or size)):.3g}"
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
    expectations: Sequence[Expectation],
) -> dict[int, tuple[float, float]]:
    """Return between which values quantities move, as far as the form gives them."""
    samples = [Place(state, plan.parameters, inputs_of(plan), t) for t, state in states]
    seen = Observer(plan.system, tuple(expectation.node for expectation in expectations)).at(
        equations, samples
    )
    ranges: dict[int, tuple[float, float]] = {}
    for expectation in expectations:
        values = [here.of(expectation.node) for here in seen if here.regular]
        numbers = [x for x in values if x is not None and np.isfinite(x)]
        if numbers:
            ranges[expectation.number] = min(numbers), max(numbers)
    return ranges


def _largest(
    plan: Plan, dimension: str, states: Sequence[tuple[float, Mapping[str, float]]]
) -> float:
    """Return the largest value along a run of variables of a dimension; 0 if there is none."""
    paths = [v.path for v in (*plan.system.q, *plan.system.u) if v.dimension == (dimension or "1")]
    return max((abs(state[p]) for _, state in states for p in paths), default=0.0)
