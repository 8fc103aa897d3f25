"""Forward dynamics: quantities at the end of a run, at a time, or over all of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.analyses.request import Request, expected_of
from mbx.analyses.simulate.form_code import OpenCode
from mbx.analyses.simulate.run_expectations import observed
from mbx.analyses.simulate.runs import Options, simulate
from mbx.analyses.study.results.over_time import Along
from mbx.analyses.study.study_analysis import Analysis
from mbx.analyses.study.study_errors import StudyError
from mbx.numerics.states.specialise import specialise, states_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Run
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["ANALYSIS"]

_ENERGIES: Final = {"kinetic energy": "J", "potential energy": "J", "energy": "J"}
"""What every run gives in addition to its state."""
_UNMET: Final = "unmet"
"""How many of the experiment's expectations are not met."""


class _Simulation:
    """Runs of one model; the form is compiled at the first."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted."""
        self.ground = ground
        setting = ground.setting
        settable = {
            parameter.path for parameter in (*ground.system.parameters, *ground.system.inputs)
        }
        self._code = OpenCode(settable & set(ground.varied))
        texts = setting.results or tuple(ground.variable_units)
        self._judged = _UNMET in texts
        if self._judged and (setting.series or not setting.request.experiment):
            raise StudyError(f"'{_UNMET}' is one number of a run that has an experiment")
        known_units = {**ground.variable_units, **_ENERGIES}
        self._along = Along(ground, [text for text in texts if text != _UNMET], known_units)

    @cached_property
    def _form(self) -> tuple[str, Equations]:
        """The form, specialised once: code is kept for these equations and no others."""
        name, equations = self.ground.form
        return name, specialise(equations, states_of(self.ground.system))

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return "" if result == _UNMET else self._along.unit(result)

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted of a run."""
        expected, energies = (plan.expected, plan.energies) if self._judged else ((), ())
        named = self._along.expectations(plan, len(expected) + len(energies))
        blank = self._blank(plan)
        plan = replace(plan, expected=(*expected, *named), energies=energies)
        with self._code.shared():
            run = simulate(plan, self._form, self._options(plan), blank=blank)
        cells = self._along.cells(run.t, self._known(plan, run))
        if not self._judged:
            return cells
        return {**cells, _UNMET: float(sum(not reference.met for reference in run.references))}

    def _options(self, plan: Plan) -> Options:
        setting = self.ground.setting
        every = setting.every
        if not self._along.between:
            last = plan.last if setting.until is None else setting.until
            every = last - plan.first  # nothing between is evaluated
            every = every if every > 0 else None
        return Options(
            method=setting.method or "projection",
            every=every,
            until=setting.until,
            also=self._along.times,
            seconds=setting.seconds,
        )

    def _blank(self, plan: Plan) -> Mapping[int, Reference]:
        """Return the expectations that are judged, whatever the values are."""
        setting = self.ground.setting
        if not self._judged:
            return {}
        plain_request = Request(experiment=setting.request.experiment)
        return expected_of(self.ground.linked, plan, plain_request, setting.until)

    def _known(self, plan: Plan, run: Run) -> Mapping[str, Array]:
        """Return quantities along a run, by other forms where that of the run has none."""
        known = {column.name: column.values for column in run.columns}
        wanted = set(self._along.quantities)
        if not wanted <= known.keys():
            for equations in self.ground.forms():
                known |= {name: x for name, _, x in observed(plan, equations, run.t, run.states)}
                if wanted <= known.keys():
                    break
        return known


ANALYSIS: Final = Analysis(
    name="simulate",
    title="forward dynamics: quantities at the end of a run, at a time, or over all of it",
    begin=_Simulation,
)
