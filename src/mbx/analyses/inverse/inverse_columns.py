"""The results of inverse dynamics as columns: state, accelerations, inputs, reactions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.observe import Observer
from mbx.analyses.named_reactions import named_reactions
from mbx.analyses.simulate.runs import Column
from mbx.analyses.unique_reactions import unique_reactions
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.language.units import per_second

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.observe import Place, Seen
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Result", "columns_of", "inputs_in"]

GIVING: Final = ("lagrange", "newton_euler", "gibbs_appell", "udwadia_kalaba")
"""Forms that are asked for reactions which the form of the results does not give."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What was found at a place, on which side of a jump, and with which inputs."""

    place: Driven
    side: int
    seen: Seen
    inputs: Mapping[str, float]

    @property
    def at(self) -> Place:
        """The place with the inputs that were found."""
        place = self.place.place
        return replace(place, inputs={**place.inputs, **self.inputs})


def inputs_in(plan: Plan, seen: Sequence[Seen]) -> Array:
    """Return the inputs that were found, a row for each place."""
    symbols = {one.path: one.symbol for one in plan.system.inputs}
    return np.array(
        [
            [float(one.values[symbols[p]]) if one.regular else np.nan for p in plan.unknowns]
            for one in seen
        ]
    )


def columns_of(
    plan: Plan, results: Sequence[Result], units: Mapping[str, str]
) -> tuple[tuple[Column, ...], tuple[str, ...], tuple[str, ...]]:
    """Return all columns, the names of those of reactions, and reactions that are not unique."""
    system = plan.system
    found = [Column("t", "s", np.array([one.place.place.t for one in results]))]
    if any(one.side for one in results):
        found.append(Column("side of jump", "1", np.array([float(one.side) for one in results])))
    states = np.array([list(one.place.place.state.values()) for one in results])
    found += [Column(v.path, v.unit, states[:, k]) for k, v in enumerate((*system.q, *system.u))]
    regular = [one for one in results if one.seen.regular]
    lost = np.full(len(system.u), np.nan)
    ud = np.array([one.seen.ud if one.seen.regular else lost for one in results])
    found += [Column(f"{v.path}'", per_second(v.unit), ud[:, k]) for k, v in enumerate(system.u)]
    said = {one.path: one.unit for one in system.inputs}
    found += [
        Column(path, said[path], np.array([one.inputs[path] for one in results]))
        for path in plan.unknowns
    ]
    named = dict(named_reactions(system))
    unique, omitted = unique_reactions(plan, [one.at for one in regular], named)
    reactions = []
    for name, values in _seen(system, results, unique):
        reactions.append(name)
        found.append(Column(name, units.get(name, ""), values))
    known = {one.name for one in found}
    expected = {one.quantity: one for one in plan.expected if one.quantity not in known}
    nodes = {quantity: one.node for quantity, one in expected.items()}
    for name, values in _seen(system, results, nodes):
        found.append(Column(name, expected[name].unit, values))
    return tuple(found), tuple(reactions), omitted


def _seen(
    system: System, results: Sequence[Result], nodes: Mapping[str, Node]
) -> Iterator[tuple[str, Array]]:
    """Yield expressions along results; what the form does not give, another one does."""
    missing = {}
    for name, node in nodes.items():
        values = [one.seen.of(node) if one.seen.regular else np.nan for one in results]
        if None in values:
            missing[name] = node
        else:
            yield name, np.array(values, dtype=float)
    if not missing or any(one.side for one in results):
        return
    observer = Observer(system, tuple(missing.values()))
    for form in GIVING:
        if not missing:
            return
        try:
            equations = registry.derive(system, form)
        except NotApplicableError:
            continue
        seen = observer.at(equations, [one.at for one in results])
        for name, node in list(missing.items()):
            values = [
                np.nan if not own.seen.regular else one.of(node) if one.regular else None
                for own, one in zip(results, seen, strict=True)
            ]
            if None not in values:
                del missing[name]
                yield name, np.array(values, dtype=float)
