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
"""Forms that are evaluated for reactions which the form of the results does not give."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result at a sample, on which side of a jump, and with which inputs."""

    driven: Driven
    side: int
    seen: Seen
    inputs: Mapping[str, float]

    @property
    def at(self) -> Place:
        """The sample with the inputs of the result."""
        sample = self.driven.place
        return replace(sample, inputs={**sample.inputs, **self.inputs})


def inputs_in(plan: Plan, seen: Sequence[Seen]) -> Array:
    """Return the inputs of the results, a row for each sample."""
    symbols = {parameter.path: parameter.symbol for parameter in plan.system.inputs}
    return np.array(
        [
            [float(here.values[symbols[p]]) if here.regular else np.nan for p in plan.unknowns]
            for here in seen
        ]
    )


def columns_of(
    plan: Plan, results: Sequence[Result], units: Mapping[str, str]
) -> tuple[tuple[Column, ...], tuple[str, ...], tuple[str, ...]]:
    """Return all columns, the names of those of reactions, and reactions that are not unique."""
    system = plan.system
    columns = [Column("t", "s", np.array([result.driven.place.t for result in results]))]
    if any(result.side for result in results):
        columns.append(
            Column("side of jump", "1", np.array([float(result.side) for result in results]))
        )
    states = np.array([list(result.driven.place.state.values()) for result in results])
    columns += [Column(v.path, v.unit, states[:, k]) for k, v in enumerate((*system.q, *system.u))]
    regular = [result for result in results if result.seen.regular]
    lost = np.full(len(system.u), np.nan)
    ud = np.array([result.seen.ud if result.seen.regular else lost for result in results])
    columns += [Column(f"{v.path}'", per_second(v.unit), ud[:, k]) for k, v in enumerate(system.u)]
    input_units = {parameter.path: parameter.unit for parameter in system.inputs}
    columns += [
        Column(path, input_units[path], np.array([result.inputs[path] for result in results]))
        for path in plan.unknowns
    ]
    named = dict(named_reactions(system))
    unique, omitted = unique_reactions(plan, [result.at for result in regular], named)
    reactions = []
    for name, values in _seen(system, results, unique):
        reactions.append(name)
        columns.append(Column(name, units.get(name, ""), values))
    known = {column.name for column in columns}
    expected = {
        expectation.quantity: expectation
        for expectation in plan.expected
        if expectation.quantity not in known
    }
    nodes = {quantity: expectation.node for quantity, expectation in expected.items()}
    for name, values in _seen(system, results, nodes):
        columns.append(Column(name, expected[name].unit, values))
    return tuple(columns), tuple(reactions), omitted


def _seen(
    system: System, results: Sequence[Result], nodes: Mapping[str, Node]
) -> Iterator[tuple[str, Array]]:
    """Yield expressions along results; what the form does not give, another form does."""
    missing = {}
    for name, node in nodes.items():
        values = [result.seen.of(node) if result.seen.regular else np.nan for result in results]
        if None in values:
            missing[name] = node
        else:
            yield name, np.array(values, dtype=float)
    if not missing or any(result.side for result in results):
        return
    observer = Observer(system, tuple(missing.values()))
    for form in GIVING:
        if not missing:
            return
        try:
            equations = registry.derive(system, form)
        except NotApplicableError:
            continue
        seen = observer.at(equations, [result.at for result in results])
        for name, node in list(missing.items()):
            values = [
                np.nan if not result.seen.regular else other.of(node) if other.regular else None
                for result, other in zip(results, seen, strict=True)
            ]
            if None not in values:
                del missing[name]
                yield name, np.array(values, dtype=float)
