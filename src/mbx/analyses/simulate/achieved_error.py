"""How far a run is off: estimated by a second run with another tolerance.

What the tolerance bounds is the error of a step; how the errors of all steps add up, the motion
says. The second run is ten times as accurate; beyond the most accurate there is, ten times less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log10
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.simulate.methods import tolerance_of
from mbx.analyses.simulate.runs import simulate
from mbx.base.round_up import format_bound
from mbx.checking.rules.experiment_statements import LEAST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Options, Run
    from mbx.formalism.equations import Equations

__all__ = ["Achieved", "achieved", "shown"]

APART: Final = 10.0
"""Ratio of the two tolerances."""


@dataclass(frozen=True, slots=True)
class Achieved:
    """The error of a run.

    Attributes:
        tolerance: That of the second run.
        last: How far each variable is off at the end, by path, in its own unit.
        largest: The same at most, over all results.
    """

    tolerance: float
    last: Mapping[str, float]
    largest: Mapping[str, float]


def achieved(
    plan: Plan, form: tuple[str, Equations] | None, options: Options, run: Run
) -> Achieved:
    """Estimate the error of a run; raise `NotRunError` where the second run ends early."""
    own = tolerance_of(run.method, run.given)
    other = own / APART if own / APART >= LEAST else own * APART
    again = simulate(plan, form, replace(options, tolerance=other))
    count = min(len(run.t), len(again.t))
    off = np.abs(run.states[:count] - again.states[:count])
    return Achieved(
        other,
        dict(zip(run.paths, off[-1].tolist(), strict=True)),
        dict(zip(run.paths, off.max(axis=0).tolist(), strict=True)),
    )


def shown(value: float, error: float) -> str:
    """Return a value with the digits that its error leaves, and the error."""
    least = max(error, np.finfo(float).eps * abs(value))
    if not least:
        return f"{value:.17g}"
    digits = floor(log10(abs(value))) - floor(log10(least)) + 1 if value else 1
    return f"{value: .{min(max(digits, 1), 17)}g} +- {format_bound(least)}"
