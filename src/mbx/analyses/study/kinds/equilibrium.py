"""Equilibrium: the state at rest or in steady motion, what holds it, and how stable it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.analyses.equilibrium.steady_states import equilibrium
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.study.results.linear_results import is_linear, linear_cell, linear_unit
from mbx.analyses.study.study_analysis import Analysis
from mbx.analyses.study.study_errors import StudyError, unknown
from mbx.language.units import conjugate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground, Quantity

__all__ = ["ANALYSIS"]

_HOLDING: Final = re.compile(r"held\(([^,]+)\)")


class _Equilibrium:
    """Equilibria of one model."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted."""
        if ground.setting.series:
            raise StudyError("an equilibrium has no series")
        self._ground = ground
        self._states = set(ground.variable_units)
        inputs = {parameter.path for parameter in ground.system.inputs}
        self._quantities: dict[str, Quantity] = {}
        for text in ground.setting.results:
            holding = _HOLDING.fullmatch(text)
            if holding is not None and holding[1] not in self._states:
                raise unknown("variable", holding[1], self._states)
            known = holding is not None or text in self._states or text == "kind"
            if not known and not is_linear(text, self._states, inputs):
                self._quantities[text] = ground.quantity(text)

    def unit(self, result: str) -> str:
        """Return the unit of a result; a holding force is conjugate to its variable."""
        if result in self._quantities:
            return self._quantities[result].unit
        holding = _HOLDING.fullmatch(result)
        if holding is not None:
            speed = holding[1] in {v.path for v in self._ground.system.u}
            return conjugate(self._ground.variable_units[holding[1]], rate=speed)
        return self._ground.variable_units.get(result) or linear_unit(result)

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted of the equilibrium near the start."""
        if plan.motions:
            raise NotRunError("a motion is prescribed: inputs that bring it about are not balanced")
        balance = equilibrium(plan)
        results = self._ground.setting.results or (
            *balance.state,
            *(f"held({path})" for path in balance.held),
            "stability",
        )
        sample = Place(balance.state, plan.parameters, inputs_of(plan), plan.first)
        seen = self._ground.observed(sample, self._quantities.values())
        cells: dict[str, Cell] = {}
        for text in results:
            holding = _HOLDING.fullmatch(text)
            if text in balance.state:
                cells[text] = balance.state[text]
            elif holding is not None:
                if holding[1] not in balance.held:
                    raise NotRunError(f"'{holding[1]}' is not held")
                cells[text] = balance.held[holding[1]]
            elif text in self._quantities:
                cells[text] = _observed(seen, text)
            elif text == "kind":
                cells[text] = "unknown" if balance.linear is None else balance.linear.kind
            else:
                cells[text] = linear_cell(balance.linear, text)
        return cells


def _observed(seen: Mapping[str, float], text: str) -> float:
    if text not in seen:
        raise NotRunError(f"no form gives '{text}' at the state")
    return seen[text]


ANALYSIS: Final = Analysis(
    name="equilibrium",
    title="rest or steady motion: the state, what holds it, how stable it is",
    begin=_Equilibrium,
)
