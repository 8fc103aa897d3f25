"""Inverse dynamics: inputs and reactions that bring prescribed motions about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.inverse.inverse_analysis import Options, inverse
from mbx.analyses.study.results.over_time import Along
from mbx.analyses.study.study_analysis import Analysis
from mbx.analyses.study.study_errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground

__all__ = ["ANALYSIS"]


class _Inverse:
    """Prescribed motions of one model."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted; the least and the largest of each input that is sought, if none."""
        self._ground = ground
        setting = ground.setting
        sought = ground.plan({}).unknowns
        texts = setting.results
        if not texts:
            texts = (
                sought
                if setting.series
                else tuple(f"{name}({path})" for path in sought for name in ("min", "max"))
            )
        units = {
            parameter.path: parameter.unit
            for parameter in ground.system.inputs
            if parameter.path in sought
        }
        self._along = Along(ground, texts, {**ground.variable_units, **units})
        if self._along.times:
            raise StudyError("inverse dynamics has results at times of its own, and none between")

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return self._along.unit(result)

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted along a prescribed motion."""
        setting = self._ground.setting
        named = tuple(self._along.expectations(plan, 0))
        options = Options(every=setting.every, until=setting.until, seconds=setting.seconds)
        solution = inverse(
            replace(plan, expected=named, energies=()),
            dict([self._ground.form]),
            options,
            linked=self._ground.linked,
        )
        return self._along.cells(
            solution.t, {column.name: column.values for column in solution.columns}
        )


ANALYSIS: Final = Analysis(
    name="inverse",
    title="prescribed motions: inputs and reactions that bring them about",
    begin=_Inverse,
)
