"""What an experiment names, along a run: its quantities, and whether they are as expected."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_start import inputs_of, state_of
from mbx.analyses.experiments.judge_expectations import NOT_GIVEN, judge
from mbx.analyses.experiments.observe import Observer, Place
from mbx.analyses.experiments.sharpness import sharpened, sharpened_energy
from mbx.analyses.experiments.state_functions import numbers_in, state_symbols
from mbx.base.errors import MbxError
from mbx.expr.evaluate import evaluate_arrays, free_symbols, substitute
from mbx.mechanics import motion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Expectation, Plan
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Changed", "declared", "judged", "observed"]


TOGETHER: Final = 64
"""States at which accelerations and reactions are found at once."""
NOT_THERE: Final = "the simulation is not there then"


class Changed(Protocol):
    """How an energy changed along a run."""

    @property
    def change(self) -> float:
        """Its largest change, in J."""

    @property
    def relative(self) -> float:
        """The same, relative to the largest kinetic energy."""

    @property
    def kinetic(self) -> float:
        """The largest kinetic energy, in J."""

    @property
    def changed_by(self) -> str | None:
        """What makes it change."""


def observed(
    plan: Plan, equations: Equations, t: Array, states: Array
) -> Iterator[tuple[str, str, Array]]:
    """Yield the quantities that an experiment names, with their units, along a run.

    One that the form does not give is left out.
    """
    named = {one.quantity: one for one in plan.expected}
    plain = _of_the_state(plan, equations, named, t, states)
    rest = {quantity: one for quantity, one in named.items() if quantity not in plain}
    places = _places(plan, equations, t, states) if rest else []
    observer = Observer(plan.system, tuple(one.node for one in rest.values()))
    seen = []
    for first in range(0, len(places), TOGETHER):
        seen += observer.at(equations, places[first : first + TOGETHER])
    for quantity, one in named.items():
        if quantity in plain:
            yield quantity, one.unit, plain[quantity]
            continue
        values = [here.of(one.node) if here.regular else np.nan for here in seen]
        if None not in values:
            yield quantity, one.unit, np.array(values, dtype=float)


def declared(
    plan: Plan, equations: Equations, t: Array, states: Array
) -> Iterator[tuple[str, str, Array]]:
    """Yield the variables of order 2 and more, with their units, along a run."""
    quasi = plan.system.quasi
    if not quasi:
        return
    seen = Observer(plan.system, ()).at(equations, _places(plan, equations, t, states))
    for one in quasi:
        values = [here.of(one.symbol) if here.regular else np.nan for here in seen]
        if None not in values:
            yield one.path, one.variable.unit, np.array(values, dtype=float)


def _places(plan: Plan, equations: Equations, t: Array, states: Array) -> list[Place]:
    signature = equations.signature
    paths = [x.path for x in (*signature.q, *signature.u, *signature.higher)]
    return [
        Place(dict(zip(paths, y.tolist(), strict=True)), plan.parameters, inputs_of(plan), at)
        for at, y in zip(t.tolist(), states, strict=True)
    ]


def _of_the_state(
    plan: Plan, equations: Equations, named: Mapping[str, Expectation], t: Array, states: Array
) -> dict[str, Array]:
    """Return the quantities that follow from states alone, without accelerations or reactions."""
    known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
    said = motion.in_speeds(plan.system).express([one.node for one in named.values()])
    columns = dict(zip(state_symbols(equations.signature), (t, *states.T), strict=True))
    found = {}
    for quantity, node in zip(named, substitute(said, known), strict=True):
        if columns.keys() >= set(free_symbols([node])):
            with np.errstate(all="ignore"):
                (values,) = evaluate_arrays([node], columns)
            found[quantity] = np.array(np.broadcast_to(values, t.shape), dtype=float)
    return found


def judged(
    plan: Plan,
    form: tuple[str, Equations],
    states: Mapping[float, Mapping[str, float]],
    energy: Changed,
    blank: Mapping[int, Reference],
    *,
    ended: str = "",
) -> tuple[Reference, ...]:
    """Return what became of expectations, by number, where states are known by their times.

    What the form of the run does not give, as many give no reactions, others are asked for.
    `ended` is why the run ended before its time, if it did.
    """
    found: dict[int, Reference] = {}
    for one in plan.expected:
        if one.number in blank:
            known = replace(blank[one.number], expected=one.value, within=one.within)
            found[one.number] = _judged(plan, form, states, one, known)
            if ended and found[one.number].reason == NOT_THERE:
                found[one.number] = replace(known, reason=ended)
    found = sharpened(plan, form[1], sorted(states.items()), found)
    for each in plan.energies:
        if each.number in blank:
            known = replace(blank[each.number], expected=0.0, within=each.within)
            change = energy.relative if each.relative else energy.change
            met = isfinite(change) and change <= each.within
            if ended and (met or energy.changed_by is not None):
                found[each.number] = replace(known, reason=ended)
                continue
            found[each.number] = (
                sharpened_energy(
                    replace(known, found=change, by=form[0], met=met), each, energy.kinetic
                )
                if energy.changed_by is None
                else replace(known, reason=f"the energy is not conserved: {energy.changed_by}")
            )
    return tuple(found[number] for number in sorted(found))


def _judged(
    plan: Plan,
    form: tuple[str, Equations],
    states: Mapping[float, Mapping[str, float]],
    one: Expectation,
    known: Reference,
) -> Reference:
    name, equations = form
    try:
        if one.state is not None:
            more = equations if equations.signature.higher else None
            state: Mapping[str, float] | None = state_of(plan, one.state, more)
        else:
            state = states.get(plan.first if one.time is None else one.time)
    except MbxError as error:
        return replace(known, reason=" ".join(str(error).split()))
    if state is None:
        return replace(known, reason=NOT_THERE)
    t = 0.0 if one.time is None else one.time
    place = Place(state, plan.parameters, inputs_of(plan), t)
    observer = Observer(plan.system, (one.node,))
    found = judge(known, one, {name: observer.at(equations, [place])[0]})
    if found.reason != NOT_GIVEN:
        return found
    seen = {other: observer.at(each, [place])[0] for other, each in all_forms(plan.system).items()}
    return judge(known, one, seen)
