"""Assembly: consistent positions, speeds and accelerations, and how near they are to singular."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.analyses.assembly import assemble
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.study.study_analysis import Analysis
from mbx.analyses.study.study_errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground, Quantity

__all__ = ["ANALYSIS"]

_FACTS: Final = ("rank", "condition", "status")


class _Assembly:
    """Consistent states of one model."""

    def __init__(self, ground: Ground) -> None:
        """Read what is wanted."""
        if ground.setting.series:
            raise StudyError("an assembly has no series")
        self._ground = ground
        form, equations = ground.form
        self._forms = {form: equations}
        signature = equations.signature
        known = (*signature.q, *signature.u, *signature.higher, *signature.highest)
        self._units = {v.path: v.unit for v in known} | dict.fromkeys(_FACTS, "")
        self._quantities: dict[str, Quantity] = {}
        for text in ground.setting.results:
            if text not in self._units:
                self._quantities[text] = ground.quantity(text)

    def unit(self, result: str) -> str:
        """Return the unit of a result."""
        return {**self._units, **{t: quantity.unit for t, quantity in self._quantities.items()}}[
            result
        ]

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return what is wanted of the state where a plan starts."""
        assembly = assemble(plan, self._forms)
        known: dict[str, Cell] = {**assembly.state, **assembly.accelerations}
        if not self._ground.setting.results:
            return {**known, "status": assembly.status}
        known |= {
            "rank": float(assembly.rank),
            "condition": assembly.condition,
            "status": assembly.status,
        }
        if plan.motions and self._quantities:
            raise NotRunError("a motion is prescribed: what brings it about is inverse dynamics")
        sample = Place(assembly.state, plan.parameters, inputs_of(plan), plan.first)
        known |= self._ground.observed(sample, self._quantities.values())
        for text in self._ground.setting.results:
            if text not in known:
                raise NotRunError(f"no form gives '{text}' at the state: it is {assembly.status}")
        return {text: known[text] for text in self._ground.setting.results}


ANALYSIS: Final = Analysis(
    name="assemble",
    title="a consistent state: positions, speeds, accelerations, reactions",
    begin=_Assembly,
)
