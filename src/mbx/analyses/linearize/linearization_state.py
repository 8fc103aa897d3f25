"""Where a model is linearised: at its start, at a state that it names, or at an equilibrium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.analyses.equilibrium.steady_states import equilibrium
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of, start_of, state_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.request import UnknownNameError, experiments_of
from mbx.base.diagnostics import suggestion
from mbx.language.document.experiments import About
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.linking.link import Linked

__all__ = ["EQUILIBRIUM", "START", "about", "reference_at"]

START: Final = "start"
EQUILIBRIUM: Final = "equilibrium"


def about(linked: Linked, experiment: str) -> str:
    """Return the state that an experiment is linearised about; "start" if it names none."""
    body = experiments_of(linked)[experiment].body if experiment else ()
    return next((show(task.state) for task in body if isinstance(task, About)), START)


def reference_at(plan: Plan, at: str) -> Place:
    """Return a consistent state by its name; "start" and "equilibrium" are always there.

    A state that the model itself calls so comes first. Raise `UnknownNameError` for others.
    """
    if plan.motions:
        raise NotRunError("a motion is prescribed: inputs that bring it about are not linearised")
    inputs = inputs_of(plan)
    if at in plan.system.states:
        return Place(state_of(plan, at), plan.parameters, inputs)
    if at == EQUILIBRIUM:
        return Place(equilibrium(plan).state, plan.parameters, inputs, plan.first)
    if at == START:
        return Place(start_of(plan), plan.parameters, inputs, plan.first)
    hint = suggestion(at, [*plan.system.states, START, EQUILIBRIUM], "; ")
    raise UnknownNameError(f"there is no state '{at}'{hint}")
