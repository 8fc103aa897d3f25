"""Expectations that are not met because the motion is chaotic, told from those that are wrong.

The start is moved by about as much as a step may be off, and the plan run once more. If that moves
a quantity so far that the errors of all steps explain what it misses, no run in doubles decides it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.integrators.state_sizes import state_sizes
from mbx.numerics.tolerances import SMALL_PART

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.simulate.integrate import Way

__all__ = ["with_chaos"]

NUDGE: Final = 1e-12
"""By how much the start is moved, relative and in sizes of the model."""
GROWS: Final = 1e4
"""How many times larger a small difference becomes where motion counts as chaotic."""


def with_chaos(
    way: Way,
    references: tuple[Reference, ...],
    blank: Mapping[int, Reference],
    again: Callable[[float], Way],
) -> tuple[Reference, ...]:
    """Return references, with those left open that a chaotic motion does not decide.

    `again` runs the same plan once more, from a start that is moved.
    """
    if way.ended or all(one.met is not False or one.quantity == "energy" for one in references):
        return references
    try:
        other = again(NUDGE)
    except NotRunError:
        return references
    if other.ended:
        return references
    grown = _growth(way, other)
    if grown < GROWS:
        return references
    found = []
    for one, moved in zip(references, other.judged(blank), strict=True):
        values = one.found, moved.found, one.expected
        if one.met is False and one.quantity != "energy" and None not in values:
            a, b, expected = (float(x) for x in values if x is not None)
            explained = (1 + way.march.steps) * abs(b - a)
            if abs(a - expected) <= explained:
                reason = (
                    f"the motion is chaotic: a start moved by {NUDGE:g} moves it by"
                    f" {abs(b - a):.1e}, and a small difference grows {grown:.0e} times"
                )
                found.append(replace(one, met=None, reason=reason))
                continue
        found.append(one)
    return tuple(found)


def _growth(one: Way, other: Way) -> float:
    """Return how many times larger the difference of two ways becomes at most."""
    a, b = (np.array([way.march.states[t] for t in way.times.tolist()]) for way in (one, other))
    least = SMALL_PART * state_sizes(one.plan, a.shape[1])
    size = np.maximum(np.abs(a).max(axis=0, initial=0.0), least)
    apart = (np.abs(a - b) / size).max(axis=1, initial=0.0)
    return float(apart.max() / max(apart[0], NUDGE))
