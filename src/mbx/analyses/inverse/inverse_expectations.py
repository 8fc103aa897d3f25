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
    places: Mapping[float, Driven],
    blank: Mapping[int, Reference],
    *,
    least: bool,
) -> tuple[Reference, ...]:
    """Return what became of expectations, by number; places are known by their times.

    What no form of the run gives, as many give no reactions, others are asked for.
    """
    asked = [one for one in plan.expected if one.number in blank]
    found: dict[int, Reference] = {
        one.number: replace(
            blank[one.number], reason="the energy is not conserved: inputs bring motions about"
        )
        for one in plan.energies
        if one.number in blank
    }
    known = {
        one.number: replace(blank[one.number], expected=one.value, within=one.within)
        for one in asked
    }
    seen = _seen(plan, forms, places, asked, least=least)
    for one in asked:
        found[one.number] = _judged(plan, forms, seen, one, known[one.number])
    open_ones = [one for one in asked if found[one.number].reason == NOT_GIVEN]
    if open_ones:
        every = all_forms(plan.system)
        seen = _seen(plan, every, places, open_ones, least=least)
        for one in open_ones:
            found[one.number] = _judged(plan, every, seen, one, known[one.number])
    found = sharpened(plan, None, (), found)
    return tuple(found[number] for number in sorted(found))


def _seen(
    plan: Plan,
    forms: Mapping[str, Equations],
    places: Mapping[float, Driven],
    some: list[Expectation],
    *,
    least: bool,
) -> dict[str, dict[float, Seen]]:
    """Return what forms give at the times of expectations."""
    times = sorted({one.time for one in some if one.time in places and one.time is not None})
    observer = Observer(plan.system, tuple(one.node for one in some))
    wanted = [places[t] for t in times]
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
    one: Expectation,
    known: Reference,
) -> Reference:
    if one.state is None:
        if any(one.time not in here for here in seen.values()):
            return replace(known, reason="the simulation is not there then")
        at = {form: here[one.time] for form, here in seen.items() if one.time is not None}
        return judge(known, one, at)
    try:
        state = state_of(plan, one.state)
    except MbxError as error:
        return replace(known, reason=" ".join(str(error).split()))
    place = Place(state, plan.parameters, inputs_of(plan), 0.0)
    observer = Observer(plan.system, (one.node,))
    return judge(known, one, {form: observer.at(e, [place])[0] for form, e in forms.items()})
