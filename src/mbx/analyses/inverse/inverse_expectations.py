"""What an experiment with prescribed motions expects, and what forms give there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_start import inputs_of, state_of
from mbx.analyses.experiments.judge_expectations import NOT_GIVEN, judge
from mbx.analyses.experiments.observe import Observer, Place
from mbx.analyses.experiments.sharpness import sharpened
from mbx.analyses.inverse.inverse_solution import with_inputs
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Expectation, Plan
    from mbx.analyses.experiments.observe import Seen
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.formalism.equations import Equations

__all__ = ["judged"]


def judged(
    plan: Plan,
    forms: Mapping[str, Equations],
    samples: Mapping[float, Driven],
    blank: Mapping[int, Reference],
    *,
    least: bool,
) -> tuple[Reference, ...]:
    """Return what became of expectations, by number; samples are known by their times.

    What no form of the run gives, as many give no reactions, is taken from other forms.
    """
    requested = [expectation for expectation in plan.expected if expectation.number in blank]
    references: dict[int, Reference] = {
        energy.number: replace(
            blank[energy.number], reason="the energy is not conserved: inputs bring motions about"
        )
        for energy in plan.energies
        if energy.number in blank
    }
    known = {
        expectation.number: replace(
            blank[expectation.number], expected=expectation.value, within=expectation.within
        )
        for expectation in requested
    }
    seen = _seen(plan, forms, samples, requested, least=least)
    for expectation in requested:
        references[expectation.number] = _judged(
            plan, forms, seen, expectation, known[expectation.number]
        )
    open_ones = [
        expectation
        for expectation in requested
        if references[expectation.number].reason == NOT_GIVEN
    ]
    if open_ones:
        every = all_forms(plan.system)
        seen = _seen(plan, every, samples, open_ones, least=least)
        for expectation in open_ones:
            references[expectation.number] = _judged(
                plan, every, seen, expectation, known[expectation.number]
            )
    references = sharpened(plan, None, (), references)
    return tuple(references[number] for number in sorted(references))


def _seen(
    plan: Plan,
    forms: Mapping[str, Equations],
    samples: Mapping[float, Driven],
    expectations: list[Expectation],
    *,
    least: bool,
) -> dict[str, dict[float, Seen]]:
    """Return what forms give at the times of expectations."""
    times = sorted(
        {
            expectation.time
            for expectation in expectations
            if expectation.time in samples and expectation.time is not None
        }
    )
    observer = Observer(plan.system, tuple(expectation.node for expectation in expectations))
    wanted = [samples[t] for t in times]
    if not wanted:
        return {form: {} for form in forms}
    return {
        form: dict(zip(times, with_inputs(observer, each, plan, wanted, least=least), strict=True))
        for form, each in forms.items()
    }


def _judged(
    plan: Plan,
    forms: Mapping[str, Equations],
    seen: Mapping[str, Mapping[float, Seen]],
    expectation: Expectation,
    known: Reference,
) -> Reference:
    if expectation.state is None:
        if any(expectation.time not in here for here in seen.values()):
            return replace(known, reason="the simulation is not there then")
        at = {
            form: here[expectation.time]
            for form, here in seen.items()
            if expectation.time is not None
        }
        return judge(known, expectation, at)
    try:
        state = state_of(plan, expectation.state)
    except MbxError as error:
        return replace(known, reason=" ".join(str(error).split()))
    sample = Place(state, plan.parameters, inputs_of(plan), 0.0)
    observer = Observer(plan.system, (expectation.node,))
    return judge(
        known, expectation, {form: observer.at(e, [sample])[0] for form, e in forms.items()}
    )
