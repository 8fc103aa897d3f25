"""Analyses of a model from a request and options, as the command line and Python make them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mbx.analyses.time_series import Origin
from mbx.base.process import room
from mbx.pipeline import derive, elaborate, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.inverse.inverse_analysis import Inverse
    from mbx.analyses.inverse.inverse_analysis import Options as InverseOptions
    from mbx.analyses.linearize.along_motion import Along
    from mbx.analyses.linearize.least_rules import LeastRules
    from mbx.analyses.linearize.linear_system import How, Linear, Method
    from mbx.analyses.linearize.locus import Locus
    from mbx.analyses.request import Request
    from mbx.analyses.simulate.runs import Options, Run
    from mbx.analyses.simulate.together import Together
    from mbx.language.document.document import Document
    from mbx.pipeline import ModelLike
    from mbx.system.system import System

__all__ = [
    "perform_along",
    "perform_inverse",
    "perform_linearization",
    "perform_locus",
    "perform_simulation",
    "perform_together",
]


def _origin(document: Document, plan: Plan) -> Origin:
    values = {**plan.parameters, **plan.inputs}
    return Origin(document, plan.linked, plan.name, values, {})


@room()
def perform_simulation(
    model: ModelLike,
    request: Request,
    options: Options | None = None,
    *,
    form: str | None = None,
    name: str | None = None,
) -> Run:
    """Return a run by a form, the shortest that supports the model unless one is named.

    A run that ends before its time raises `EndedError`, with its results up to there.
    """
    from mbx.analyses.request import expected_of, plan_of
    from mbx.analyses.simulate.completed import Completion
    from mbx.analyses.simulate.runs import EndedError, simulate
    from mbx.analyses.simulate.runs import Options as Defaults

    document, linked = resolve(model, name)
    system = elaborate(linked)
    options = options or Defaults()
    plan = plan_of(linked, system, request)
    chosen = None if form is None else (form, derive(system, form))
    completion = Completion(linked, plan, chosen, options)
    blank = expected_of(linked, plan, request, options.until)
    origin = _origin(document, plan)
    try:
        run = simulate(plan, chosen, options, blank=blank)
    except EndedError as ended:
        raise EndedError(replace(completion.of(ended.run), origin=origin)) from None
    return replace(completion.of(run), origin=origin)


@room()
def perform_together(
    model: ModelLike,
    request: Request,
    options: Options | None = None,
    *,
    forms: Sequence[str] = (),
    name: str | None = None,
) -> Together:
    """Return a run by several forms, all that support the model unless some are named."""
    from mbx.analyses.request import expected_of, plan_of
    from mbx.analyses.simulate.completed import Completion
    from mbx.analyses.simulate.methods import applicable
    from mbx.analyses.simulate.runs import Options as Defaults
    from mbx.analyses.simulate.together import together

    document, linked = resolve(model, name)
    system = elaborate(linked)
    plan = plan_of(linked, system, request)
    options = options or Defaults()
    chosen = {form: derive(system, form) for form in forms} or applicable(options.method, system)
    blank = expected_of(linked, plan, request, options.until)
    result = together(plan, chosen, options, blank=blank)
    first = result.run.form, chosen[result.run.form]
    run = Completion(linked, plan, first, options).of(result.run)
    return replace(result, run=replace(run, origin=_origin(document, plan)))


@room()
def perform_inverse(
    model: ModelLike,
    request: Request,
    options: InverseOptions | None = None,
    *,
    forms: Sequence[str] = (),
    name: str | None = None,
) -> Inverse:
    """Return the inputs and reactions that bring prescribed motions about."""
    from mbx.analyses.inverse.inverse_analysis import inverse
    from mbx.analyses.request import expected_of, plan_of

    document, linked = resolve(model, name)
    system = elaborate(linked)
    plan = plan_of(linked, system, request)
    chosen = {form: derive(system, form) for form in forms}
    blank = expected_of(linked, plan, request, None if options is None else options.until)
    result = inverse(plan, chosen, options, linked=linked, blank=blank)
    return replace(result, origin=_origin(document, plan))


@room()
def perform_linearization(
    model: ModelLike,
    request: Request,
    *,
    at: str | None = None,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    least: LeastRules | None = None,
    name: str | None = None,
) -> Linear:
    """Return small motions about a state; with a form, its own accelerations are differentiated."""
    from mbx.analyses.linearize.linear_system import linearize
    from mbx.analyses.linearize.linearization_state import about, reference_at
    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.request import plan_of

    _, linked = resolve(model, name)
    plan = plan_of(linked, elaborate(linked), request)
    how = _how(plan.system, method, form, everything=everything, least=least)
    residual = Residual(plan.system)
    return linearize(residual, reference_at(plan, at or about(linked, request.experiment)), how)


@room()
def perform_locus(  # noqa: PLR0913  the options of the command
    model: ModelLike,
    request: Request,
    over: str,
    values: Sequence[float],
    *,
    at: str | None = None,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    least: LeastRules | None = None,
    name: str | None = None,
) -> Locus:
    """Return the root locus over values of a parameter, an input or a start."""
    from mbx.analyses.linearize.locus import locus

    _, linked = resolve(model, name)
    system = elaborate(linked)
    how = _how(system, method, form, everything=everything, least=least)
    return locus(linked, system, request, over, values, at=at, how=how)


@room()
def perform_along(
    model: ModelLike,
    request: Request,
    options: Options | None = None,
    *,
    method: Method = "plain",
    form: str | None = None,
    everything: bool = False,
    least: LeastRules | None = None,
    name: str | None = None,
) -> Along:
    """Return x' = A(t) x + B(t) u along the motion of an experiment, simulated or prescribed."""
    from mbx.analyses.linearize.along_motion import along
    from mbx.analyses.request import plan_of

    _, linked = resolve(model, name)
    system = elaborate(linked)
    plan = plan_of(linked, system, request)
    how = _how(plan.system, method, form, everything=everything, least=least)
    return along(plan, how, options)


def _how(
    system: System,
    method: Method,
    form: str | None,
    *,
    everything: bool,
    least: LeastRules | None,
) -> How:
    """Return how a system is linearised, with the slopes of a form if one is named."""
    from mbx.analyses.linearize.digit_slopes import form_slopes
    from mbx.analyses.linearize.least_rules import LeastRules as Rules
    from mbx.analyses.linearize.linear_system import How

    slopes = None if form is None else partial(form_slopes, derive(system, form))
    return How(method=method, slopes=slopes, everything=everything, least=least or Rules())
