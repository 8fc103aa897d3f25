"""Several forms as engines of the same run: until when they agree, and why no longer.

Where motion is chaotic, differences grow, those of rounding and of the steps too. How much they
grow is measured: one form runs once more from a start that is moved a little. So forms that part
because nearby trajectories do are told from one that is another motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.simulate.integrators.state_sizes import state_sizes
from mbx.analyses.simulate.methods import noise_of
from mbx.analyses.simulate.runs import Options, simulate
from mbx.base.errors import MbxError
from mbx.base.short_repr import join_names, shorten_repr
from mbx.numerics.tolerances import SMALL_PART

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Run
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["AGREE", "Compared", "Together", "together"]

AGREE: Final = 1e-6
"""Part of a variable's largest value by which trajectories may differ that agree."""
MOVED: Final = 1e-8
"""By how much the start is moved to see how differences grow."""
LINEAR: Final = 1e-2
"""Differences that are larger do not grow as small ones do."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A form beside the first one.

    Attributes:
        form: Its name.
        largest: The largest difference, as part of a variable's largest value.
        until: The last result up to which it agrees; None where it does not run.
        explained: The difference that growth of errors explains at the next result.
        differs: Whether it is another motion.
        reason: Why it does not run; "" where it does.
    """

    form: str
    largest: float = 0.0
    until: float | None = None
    explained: float = inf
    differs: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Together:
    """A run by several forms.

    Attributes:
        run: That of the first form.
        forms: The others beside it.
        until: Up to when all of them agree.
        growth: How many times larger a small difference at the start becomes until then.
        rate: The same as an exponent, in 1/s.
    """

    run: Run
    forms: tuple[Compared, ...]
    until: float
    growth: float
    rate: float

    def __repr__(self) -> str:
        """Return the forms, and until when they agree."""
        return shorten_repr(
            f"<Together {join_names([self.run.form, *(each.form for each in self.forms)])}:"
            f" {'agree' if self.agree else 'differ'} until {self.until:.6g} s>"
        )

    @property
    def agree(self) -> bool:
        """Whether no form is another motion, and all of them run."""
        return not any(one.differs or one.reason for one in self.forms)

    def as_json(self) -> dict[str, Any]:
        """Return what is to be told of it as plain data."""
        return {
            "within": AGREE,
            "until": self.until,
            "growth": self.growth,
            "rate": self.rate,
            "forms": [
                {
                    "form": one.form,
                    "until": one.until,
                    "largest": one.largest,
                    "differs": one.differs,
                    "reason": one.reason,
                }
                for one in self.forms
            ],
        }


def together(
    plan: Plan,
    forms: Mapping[str, Equations],
    options: Options,
    *,
    blank: Mapping[int, Reference] | None = None,
) -> Together:
    """Run a plan by several forms, and compare all with the first.

    Raise `NotRunError` where the first does not run.
    """
    names = list(forms)
    if len(names) < 2:  # noqa: PLR2004
        raise NotRunError("one form alone is compared with nothing")
    parts = len(names) + 1

    clock = Clock.of(options.seconds)

    def staged(k: int) -> Options:
        heard = lambda part: options.progress((k + part) / parts)  # noqa: E731
        return replace(options, progress=heard, seconds=clock.left)

    first = names[0]
    run = simulate(plan, (first, forms[first]), staged(0), blank=blank)
    grown = _growth(plan, (first, forms[first]), staged(1), run)
    found = []
    for k, name in enumerate(names[1:], start=2):
        try:
            other = simulate(plan, (name, forms[name]), staged(k), blank={})
        except MbxError as error:
            found.append(Compared(name, reason=" ".join(str(error).split())))
            continue
        found.append(_compared(plan, run, other, grown))
    ends = [one.until for one in found if one.until is not None]
    until = min(ends, default=float(run.t[-1]))
    growth = float(grown[np.searchsorted(run.t, until)])
    rate = log(growth) / (until - run.t[0]) if until > run.t[0] else 0.0
    return Together(run, tuple(found), until, growth, float(rate))


def _growth(plan: Plan, form: tuple[str, Equations], options: Options, run: Run) -> Array:
    """Return how many times larger a small difference at the start has been up to each result.

    Beyond where it is small, as if it went on as before.
    """
    moved = simulate(plan, form, options, blank={}, nudge=MOVED)
    apart = _apart(plan, run, moved)
    first = float(apart[0]) or MOVED
    found = np.maximum.accumulate(np.maximum(apart / first, 1.0))
    small = int(np.searchsorted(np.maximum.accumulate(apart), LINEAR))
    if 1 < small < len(found):
        rate = np.log(found[small - 1]) / (run.t[small - 1] - run.t[0])
        found[small:] = found[small - 1] * np.exp(rate * (run.t[small:] - run.t[small - 1]))
    return np.asarray(found)


def _apart(plan: Plan, one: Run, other: Run) -> Array:
    """Return the largest difference of two runs at each result, as part of largest values."""
    least = SMALL_PART * state_sizes(plan, one.states.shape[1])
    size = np.maximum(np.abs(one.states).max(axis=0, initial=0.0), least)
    return np.asarray((np.abs(one.states - other.states) / size).max(axis=1, initial=0.0))


def _compared(plan: Plan, run: Run, other: Run, grown: Array) -> Compared:
    apart = _apart(plan, run, other)
    steps = run.steps * (run.t - run.t[0]) / (run.t[-1] - run.t[0])
    explained = noise_of(run.method, run.given) * (1 + steps) * grown
    beyond = np.flatnonzero(apart > AGREE)
    k = int(beyond[0]) if len(beyond) else len(apart)
    until = float(run.t[max(k - 1, 0)])
    if k == len(apart):
        return Compared(other.form, float(apart.max(initial=0.0)), until)
    differs = bool(apart[k] > explained[k])
    return Compared(other.form, float(apart.max()), until, float(explained[k]), differs)
