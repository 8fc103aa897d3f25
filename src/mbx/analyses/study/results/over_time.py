"""Results of what runs through time: quantities at the end, at a time, or over all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import Expectation
from mbx.analyses.study.study_errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground, Quantity
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Along"]

_FEWEST: Final = 4
"""Results that a cubic spline is put through."""
_AT: Final = re.compile(r"(.+?)\s+at\s+([0-9.eE+-]+)(?:\s*s)?")


def _mean(t: Array, x: Array) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0]))


def _rms(t: Array, x: Array) -> float:
    return float(np.sqrt(_mean(t, x * x)))


def _period(t: Array, x: Array) -> float:
    """Return the mean time between zeros through which a quantity rises, by a cubic spline."""
    from scipy.interpolate import CubicSpline  # only for periods

    if len(t) < _FEWEST or not np.isfinite(x).all():
        return nan
    t, chosen = np.unique(t, return_index=True)  # both sides of a jump have the same time
    spline = CubicSpline(t, x[chosen])
    zeros = spline.roots(extrapolate=False)
    rising = zeros[spline(zeros, 1) > 0]
    return float((rising[-1] - rising[0]) / (len(rising) - 1)) if len(rising) > 1 else nan


_OVER: Final[dict[str, Callable[[Array, Array], float]]] = {
    "max": lambda _, x: float(x.max()),
    "min": lambda _, x: float(x.min()),
    "mean": _mean,
    "rms": _rms,
    "period": _period,
}
"""What is made of a quantity over all of a run."""
_CALL: Final = re.compile(rf"({'|'.join(_OVER)}|last)\s*\((.+)\)")


def _is_single_argument(text: str) -> bool:
    """Return whether a text is one argument: brackets match, and no comma is outside of them."""
    depth = 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or (letter == "," and not depth):
            return False
    return not depth


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A result: what is made of which quantity; `at` is a time, `over` one of `_OVER`."""

    text: str
    quantity: str
    over: str = ""
    at: float | None = None

    @classmethod
    def of(cls, text: str) -> _Wanted:
        call, at = _CALL.fullmatch(text), _AT.fullmatch(text)
        if call is not None and _is_single_argument(call[2]):
            return cls(text, call[2].strip(), over=call[1].replace("last", ""))
        if at is None:
            return cls(text, text.strip())
        try:
            return cls(text, at[1], at=float(at[2]))
        except ValueError:
            raise StudyError(f"'{text}' is no result: '{at[2]}' is no time") from None

    def of_run(self, t: Array, x: Array) -> float:
        """Return it of a quantity along a run."""
        if self.over:
            return _OVER[self.over](t, x)
        if self.at is None:
            return float(x[-1])
        return float(x[int(np.flatnonzero(t == self.at)[0])])


class Along:
    """What is wanted of each run of a model.

    Attributes:
        quantities: The names of all quantities that are needed.
        times: Times at which something is wanted.
        between: Whether anything is made of results between.
    """

    def __init__(
        self, ground: Ground, texts: Sequence[str], known_units: Mapping[str, str]
    ) -> None:
        """Read what is wanted; `known_units` has the units of what every run gives."""
        self._series = ground.setting.series
        self._wanted = [_Wanted.of(text) for text in texts]
        known = {**known_units, "t": "s"}
        self._named: dict[str, Quantity] = {}
        for result in self._wanted:
            if self._series and result.quantity != result.text:
                raise StudyError(f"'{result.text}' is one number, and a series has one a time")
            if result.quantity not in known:
                self._named[result.quantity] = ground.quantity(result.quantity)
                known[result.quantity] = self._named[result.quantity].unit
        self._units = {"t": "s"}
        for result in self._wanted:
            self._units[result.text] = "s" if result.over == "period" else known[result.quantity]
        self.quantities = tuple(dict.fromkeys(result.quantity for result in self._wanted))
        self.times = tuple({result.at for result in self._wanted if result.at is not None})
        self.between = self._series or any(result.over for result in self._wanted)

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return self._units[result]

    def expectations(self, plan: Plan, first: int) -> list[Expectation]:
        """Return quantities that no run has by itself, to be observed; numbered from `first`."""
        return [
            Expectation(
                number=first + k,
                quantity=quantity.text,
                node=quantity.node,
                at="",
                time=plan.first,
                state=None,
                value=0.0,
                within=0.0,
                unit=quantity.unit,
            )
            for k, quantity in enumerate(self._named.values())
        ]

    def cells(self, t: Array, known: Mapping[str, Array]) -> dict[str, Cell]:
        """Return what is wanted, from quantities along a run; NaN for one that is not known."""
        missing = np.full(len(t), nan)
        if self._series:
            series: dict[str, Cell] = {"t": t.tolist()}
            return series | {name: known.get(name, missing).tolist() for name in self.quantities}
        return {
            result.text: result.of_run(t, known.get(result.quantity, missing))
            for result in self._wanted
        }
