"""What is done with equations of motion: experiments, rest, small motions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mbx.base.deep_recursion import room
from mbx.pipeline import derive, elaborate, linked_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.costs.cost_ranking import Ranking
    from mbx.analyses.equilibrium.steady_states import Equilibrium
    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.inverse.inverse_analysis import Inverse
    from mbx.analyses.inverse.inverse_analysis import Options as InverseOptions
    from mbx.analyses.linearize.along_motion import Along
    from mbx.analyses.linearize.linear_system import Linear, Method, Slopes
    from mbx.analyses.linearize.locus import Locus
    from mbx.analyses.request import Asked
    from mbx.analyses.simulate.runs import Options, Run
    from mbx.analyses.simulate.together import Together
    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked
    from mbx.system.system import System

__all__ = [
    "compare",
    "equilibrium",
    "inverse",
    "linearize",
    "linearize_along",
    "linearize_over",
    "references",
    "simulate",
    "simulate_forms",
]


@room()
def references(
    document: Document | Linked, model: str | None = None, *, forms: Sequence[str] = ()
) -> tuple[Reference, ...]:
    """Return what the experiments of a model expect, and what its equations of motion give.

    At the start and at named states every form is asked, all that apply unless some are named;
    trajectories are integrated with one of them. One that cannot be run has a reason.
    """
    from mbx.analyses.experiments.run_references import references as run

    linked = linked_of(document, model)
    found = elaborate(linked)
    return run(linked, {form: derive(found, form) for form in forms} or None, system=found)


@room()
def equilibrium(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    asked: Asked | None = None,
) -> Equilibrium:
    """Return where a model stays at rest near its start, or goes on with the speeds that are held.

    `asked` says what is held, freed and set, in the place of the experiment's name alone. Where
    there is none, `NotRunError` says what stays unbalanced.
    """
    from mbx.analyses.equilibrium.steady_states import equilibrium as find
    from mbx.analyses.request import Asked as Said
    from mbx.analyses.request import plan_of

    linked = linked_of(document, model)
    return find(plan_of(linked, elaborate(linked), asked or Said(experiment=experiment)))


@room()
def inverse(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    asked: Asked | None = None,
    options: InverseOptions | None = None,
) -> Inverse:
    """Return the inputs and reactions that bring about the motions which an experiment prescribes.

    They are given by a form, the shortest that says the model unless some are named; of several,
    the first gives them, and the others are compared with it. `asked` and errors are as for
    `simulate`.
    """
    from mbx.analyses.inverse.inverse_analysis import inverse as find
    from mbx.analyses.request import Asked as Nothing
    from mbx.analyses.request import expected_of, plan_of

    linked = linked_of(document, model)
    found = elaborate(linked)
    asked = asked or Nothing()
    asked = replace(asked, experiment=experiment or asked.experiment)
    plan = plan_of(linked, found, asked)
    chosen = {form: derive(found, form) for form in forms}
    blank = expected_of(linked, plan, asked, None if options is None else options.until)
    return find(plan, chosen, options, linked=linked, blank=blank)


@room()
def linearize(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    at: str | None = None,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    asked: Asked | None = None,
) -> Linear:
    """Return small motions of a model about a state, x' = A x + B u, with their modes.

    The state is the one that the experiment names, else the start; `at` is another state's name,
    "start" or "equilibrium". `plain` differentiates the equations of motion, `modular` is the
    recursion from the leaves to the root; with a `form`, its own accelerations are differentiated
    instead. With `everything`, x are all coordinates and speeds, and not only independent ones.
    `asked` is as for `equilibrium`.
    """
    from mbx.analyses.linearize.linear_system import How
    from mbx.analyses.linearize.linear_system import linearize as find
    from mbx.analyses.linearize.linearization_state import about, place_of
    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.request import Asked as Said
    from mbx.analyses.request import plan_of

    linked = linked_of(document, model)
    said = asked or Said(experiment=experiment)
    plan = plan_of(linked, elaborate(linked), said)
    how = How(method=method, slopes=_slopes(plan.system, form), everything=everything)
    residual = Residual(plan.system)
    return find(residual, place_of(plan, at or about(linked, said.experiment)), how)


def _slopes(found: System, form: str | None) -> Slopes | None:
    """Return the slopes of the accelerations of a form, if one is named."""
    if form is None:
        return None
    from mbx.analyses.linearize.digit_slopes import form_slopes

    return partial(form_slopes, derive(found, form))


@room()
def linearize_over(
    document: Document | Linked,
    name: str,
    values: Sequence[float],
    model: str | None = None,
    *,
    at: str | None = None,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    asked: Asked | None = None,
) -> Locus:
    """Return the root locus of a model over values of a parameter, an input or a start.

    Each value has its own state, found as for `linearize`.
    """
    from mbx.analyses.linearize.linear_system import How
    from mbx.analyses.linearize.locus import locus
    from mbx.analyses.request import Asked as Said

    linked = linked_of(document, model)
    found = elaborate(linked)
    how = How(method=method, slopes=_slopes(found, form), everything=everything)
    return locus(linked, found, asked or Said(), name, values, at=at, how=how)


@room()
def linearize_along(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    asked: Asked | None = None,
    options: Options | None = None,
) -> Along:
    """Return x' = A(t) x + B(t) u along the motion of an experiment, simulated or prescribed.

    `options` say until when and how often; the rest is as for `linearize`.
    """
    from mbx.analyses.linearize.along_motion import along
    from mbx.analyses.linearize.linear_system import How
    from mbx.analyses.request import Asked as Said
    from mbx.analyses.request import plan_of

    linked = linked_of(document, model)
    found = elaborate(linked)
    plan = plan_of(linked, found, asked or Said(experiment=experiment))
    how = How(method=method, slopes=_slopes(plan.system, form), everything=everything)
    return along(plan, how, options)


@room()
def simulate(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    form: str | None = None,
    asked: Asked | None = None,
    options: Options | None = None,
    tolerance: float | None = None,
) -> Run:
    """Return an experiment of a model run through time, or the model as it starts.

    It is run by a form, the shortest that says the model unless one is named. `asked` are values
    and a start beside the experiment, `options` the method, the end, the times of results and the
    tolerance, which may also be given alone. What cannot be run raises `NotRunError`, and a name
    that is not there `UnknownNameError`. A run that leads no further before its end raises
    `EndedError`, with all results up to there.
    """
    from mbx.analyses.request import Asked as Nothing
    from mbx.analyses.request import expected_of, plan_of
    from mbx.analyses.simulate.completed import Completion
    from mbx.analyses.simulate.runs import EndedError
    from mbx.analyses.simulate.runs import Options as Defaults
    from mbx.analyses.simulate.runs import simulate as run

    linked = linked_of(document, model)
    found = elaborate(linked)
    asked = asked or Nothing()
    asked = replace(asked, experiment=experiment or asked.experiment)
    options = options or Defaults()
    options = options if tolerance is None else replace(options, tolerance=tolerance)
    plan = plan_of(linked, found, asked)
    chosen = None if form is None else (form, derive(found, form))
    completion = Completion(linked, plan, chosen, options)
    blank = expected_of(linked, plan, asked, options.until)
    try:
        done = run(plan, chosen, options, blank=blank)
    except EndedError as ended:
        raise EndedError(completion.of(ended.run)) from None
    return completion.of(done)


@room()
def simulate_forms(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    asked: Asked | None = None,
    options: Options | None = None,
) -> Together:
    """Return an experiment run by several forms, all that apply unless some are named.

    It says until when their trajectories agree, and whether they part because nearby trajectories
    do or because a form is another motion. The rest is as for `simulate`.
    """
    from mbx.analyses.request import Asked as Nothing
    from mbx.analyses.request import expected_of, plan_of
    from mbx.analyses.simulate.completed import Completion
    from mbx.analyses.simulate.methods import applicable
    from mbx.analyses.simulate.runs import Options as Defaults
    from mbx.analyses.simulate.together import together

    linked = linked_of(document, model)
    found = elaborate(linked)
    asked = asked or Nothing()
    asked = replace(asked, experiment=experiment or asked.experiment)
    plan = plan_of(linked, found, asked)
    options = options or Defaults()
    chosen = {form: derive(found, form) for form in forms} or applicable(options.method, found)
    blank = expected_of(linked, plan, asked, options.until)
    done = together(plan, chosen, options, blank=blank)
    first = done.run.form, chosen[done.run.form]
    return replace(done, run=Completion(linked, plan, first, options).of(done.run))


@room()
def compare(
    document: Document | Linked,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    symbolic: bool = False,
    timed: bool = False,
    timeout: float = 60.0,
) -> Ranking:
    """Return the forms of a model by their operations: all that apply, or those that are named.

    Parameters are numbers, unless `symbolic`. With `timed`, code is made of each form and run. A
    form that takes more than `timeout` seconds is not counted.
    """
    from mbx.analyses.costs.cost_ranking import rank

    found = elaborate(document, model)
    return rank(found, forms, symbolic=symbolic, timed=timed, timeout=timeout)
