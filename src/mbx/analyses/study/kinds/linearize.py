"""Linearisation: eigenvalues, frequencies, damping, entries of the matrices, stability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from mbx.analyses.linearize.linear_system import How, Method, linearize
from mbx.analyses.linearize.linearization_state import EQUILIBRIUM, START, about, reference_at
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.study.results.linear_results import (
    LINEAR,
    is_linear,
    linear_cell,
    linear_defaults,
    linear_unit,
)
from mbx.analyses.study.study_analysis import Analysis
from mbx.analyses.study.study_errors import StudyError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground

__all__ = ["ANALYSIS"]


class _Linearisation:
    """Small motions of one model; its equations are written out once."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted, and about which state."""
        setting = ground.setting
        methods: tuple[Method, ...] = get_args(Method)
        method = next((m for m in methods if m == (setting.method or "plain")), None)
        if method is None:
            raise unknown("method", str(setting.method), methods)
        if setting.series:
            raise StudyError("small motions have no series")
        self._method: Method = method
        self._wanted = setting.results
        self._at = setting.at or about(ground.linked, setting.request.experiment)
        known = (*ground.system.states, START, EQUILIBRIUM)
        if self._at not in known:
            raise unknown("state", self._at, known)
        self._residual = Residual(ground.system)
        states = set(ground.variable_units)
        inputs = {parameter.path for parameter in ground.system.inputs}
        for text in self._wanted:
            if not is_linear(text, states, inputs):
                raise unknown("result", text, LINEAR)

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return linear_unit(result)

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted of small motions."""
        linear = linearize(self._residual, reference_at(plan, self._at), How(method=self._method))
        return {text: linear_cell(linear, text) for text in self._wanted or linear_defaults(linear)}


ANALYSIS: Final = Analysis(
    name="linearize",
    title="small motions: eigenvalues, frequencies, damping, matrices, stability",
    begin=_Linearisation,
)
