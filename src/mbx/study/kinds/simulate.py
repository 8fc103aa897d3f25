"""Forward dynamics: quantities at the end of a run, at a time, or over all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.asked import Asked, expected_of
from mbx.analyses.code import OpenCode
from mbx.analyses.expected import observed
from mbx.analyses.simulate import Options, simulate
from mbx.costs.places import places_of
from mbx.experiments.plan import Expectation
from mbx.study.analysis import Analysis
from mbx.study.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.simulate import Run
    from mbx.experiments.plan import Plan
    from mbx.experiments.reference import Reference
    from mbx.formalism.numerics import Array
    from mbx.study.ground import Ground, Quantity
    from mbx.study.setting import Cell

__all__ = ["ANALYSIS"]

_OWN: Final = {"kinetic energy": "J", "potential energy": "J", "energy": "J"}
"""What every run gives beside its state."""
_UNMET: Final = "unmet"
"""How many of the experiment's expectations are not met."""
_AT: Final = re.compile(r"(.+?)\s+at\s+([0-9.eE+-]+)(?:\s*s)?")


def _mean(t: Array, x: Array) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0]))


def _rms(t: Array, x: Array) -> float:
    return float(np.sqrt(_mean(t, x * x)))


def _period(t: Array, x: Array) -> float:
    """Return the mean time between zeros through which a quantity rises, by a cubic spline."""
    from scipy.interpolate import CubicSpline  # noqa: PLC0415  only for periods

    if not np.isfinite(x).all():
        return nan
    spline = CubicSpline(t, x)
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
_CALL: Final = re.compile(rf"({'|'.join(_OVER)}|last)\s*\(([^,]+)\)")


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
        if call is not None:
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


class _Simulation:
    """Runs of one model; the form is compiled at the first."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted."""
        self.ground = ground
        self._open: OpenCode | None = None
        setting = ground.setting
        texts = setting.results or tuple(self.ground.variable_units)
        self._wanted = [_Wanted.of(text) for text in texts if text != _UNMET]
        self._judged = _UNMET in texts
        if self._judged and (setting.series or not setting.asked.experiment):
            raise StudyError(f"'{_UNMET}' is one number of a run that has an experiment")
        known = {**self.ground.variable_units, **_OWN, "t": "s"}
        self._named: dict[str, Quantity] = {}
        for one in self._wanted:
            if setting.series and one.quantity != one.text:
                raise StudyError(f"'{one.text}' is one number, and a series has one a time")
            if one.quantity not in known:
                self._named[one.quantity] = self.ground.quantity(one.quantity)
                known[one.quantity] = self._named[one.quantity].unit
        self._units = {"t": "s", _UNMET: ""}
        for one in self._wanted:
            self._units[one.text] = "s" if one.over == "period" else known[one.quantity]

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return self._units[result]

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted of a run."""
        setting = self.ground.setting
        expected, energies = (plan.expected, plan.energies) if self._judged else ((), ())
        named = self._expectations(plan, len(expected) + len(energies))
        plan = replace(plan, expected=(*expected, *named), energies=energies)
        blank = self._blank(plan)
        run = simulate(
            plan,
            self.ground.form,
            self._options(plan),
            places=places_of(self.ground.system),
            blank=blank,
            code=self._code(plan),
        )
        values = self._values(plan, run)
        if setting.series:
            return {"t": run.t.tolist()} | {text: x.tolist() for text, x in values.items()}
        unmet = float(sum(not one.met for one in run.references))
        cells = {one.text: one.of_run(run.t, values[one.quantity]) for one in self._wanted}
        return {**cells, _UNMET: unmet} if self._judged else cells

    def _code(self, plan: Plan) -> OpenCode:
        """Return the form compiled for all runs, when the first of them is made."""
        if self._open is None:
            system = self.ground.system
            known = {one.path for one in (*system.parameters, *system.inputs)}
            free = known & set(self.ground.varied)
            self._open = OpenCode(plan, self.ground.form[1], places_of(system), free)
        return self._open

    def _options(self, plan: Plan) -> Options:
        setting = self.ground.setting
        every = setting.every
        if not setting.series and not any(one.over for one in self._wanted):
            last = plan.last if setting.until is None else setting.until
            every = last - plan.first  # nothing between is looked at
            every = every if every > 0 else None
        return Options(
            method=setting.method or "projection",
            every=every,
            until=setting.until,
            also=tuple({one.at for one in self._wanted if one.at is not None}),
            seconds=setting.seconds,
        )

    def _blank(self, plan: Plan) -> Mapping[int, Reference]:
        """Return the expectations that are judged, whatever the values are."""
        setting = self.ground.setting
        if not self._judged:
            return {}
        said = Asked(experiment=setting.asked.experiment)
        # what is observed for results has no place in the experiment
        own = replace(plan, expected=tuple(one for one in plan.expected if one.at))
        return expected_of(self.ground.linked, own, said, setting.until)

    def _expectations(self, plan: Plan, first: int) -> list[Expectation]:
        """Return quantities that are no part of the state, to be observed along the run."""
        return [
            Expectation(
                number=first + k,
                quantity=one.text,
                node=one.node,
                at="",
                time=plan.first,
                state=None,
                value=0.0,
                within=0.0,
                unit=one.unit,
            )
            for k, one in enumerate(self._named.values())
        ]

    def _values(self, plan: Plan, run: Run) -> dict[str, Array]:
        """Return quantities along a run, by other forms where that of the run has none."""
        known = {one.name: one.values for one in run.columns}
        wanted = dict.fromkeys(one.quantity for one in self._wanted)
        if not wanted.keys() <= known.keys():
            for equations in self.ground.forms():
                known |= {name: x for name, _, x in observed(plan, equations, run.t, run.states)}
                if wanted.keys() <= known.keys():
                    break
        missing = np.full(len(run.t), nan)
        return {name: known.get(name, missing) for name in wanted}


ANALYSIS: Final = Analysis(
    name="simulate",
    title="forward dynamics: quantities at the end of a run, at a time, or over all of it",
    begin=_Simulation,
)
