"""From the experiments of a linked model to plans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.caller_values import check_put_in, require_values
from mbx.analyses.experiments.experiment_plan import (
    Energy,
    Expectation,
    Motion,
    NotRunError,
    Plan,
    Variation,
)
from mbx.analyses.experiments.stated_expectations import expectations, texts_of
from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.checking.expressions.expression_unit import expression_unit
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.known_values import Evaluator, fill_values
from mbx.checking.expressions.scope import resolve
from mbx.checking.run_rules import examine
from mbx.language.document.experiments import (
    ExpectEnergy,
    ExpectValue,
    Free,
    Hold,
    Initial,
    InitialState,
    Prescribe,
    SetValues,
    Simulate,
    Tolerance,
    Vary,
)
from mbx.language.text.expression_text import show
from mbx.language.units import ONE
from mbx.system.build_world import build_world
from mbx.system.elaborate import assigned, find_starts, find_states
from mbx.system.lower_expressions import Lowering
from mbx.system.symbol_names import rate_symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.checking.context import Context
    from mbx.checking.rules.joints import Parents
    from mbx.expr.nodes import Node
    from mbx.language.document.experiments import Experiment
    from mbx.language.document.expressions import Expression, Reference
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["Reader"]

_HIGHEST: Final = 6
"""Order of the highest rate that an expectation may name."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads experiments of one model."""

    linked: Linked
    context: Context
    parents: Parents
    lowering: Lowering
    system: System

    @classmethod
    def of(cls, linked: Linked, system: System) -> Reader:
        """Return a reader for a model that has no errors."""
        report = Report()
        context, parents = examine(linked, report)
        if context is None or not report.ok:
            raise SourceError(report)
        fill_values(context)
        lowering = Lowering(build_world(context, parents, _HIGHEST), context.root)
        return cls(linked, context, parents, lowering, system)

    def plan(
        self,
        experiment: Experiment,
        values: Mapping[str, float] | None = None,
        *,
        option: str = "",
        complete: bool = True,
    ) -> Plan:
        """Return what an experiment requests; raise `NotRunError` where that is no number.

        `values` of parameters and inputs, by path, come before what the experiment sets; starts
        and times that are made of them follow. They are checked like those of the model, and
        faults name the `option` that gave them. Without `complete`, parameters may lack values.
        """
        fill_values(self.context)
        other = {**self._values(SetValues, experiment), **(values or {})}
        check_put_in(self.context, self.parents, other, values or {}, option)
        parameters = {p.path: other[p.path] for p in self.system.parameters if p.path in other}
        inputs = {p.path: other[p.path] for p in self.system.inputs if p.path in other}
        known = len(self.context.report)
        fill_values(self.context, parameters)
        system = self._system() if parameters else self.system
        for fault in list(self.context.report)[known:]:
            raise NotRunError(f"with these values, {fault.message}")
        if complete:
            sought = [self._path(x) for task in self._driven(experiment) for x in task.unknowns]
            require_values(self.context, {*inputs, *sought})
        first, last, every = self._times(experiment)
        starts, held, freed = self._start(experiment, system)
        return Plan(
            name=experiment.name,
            linked=self.linked,
            system=system,
            parameters=parameters,
            inputs=inputs,
            said=starts,
            held=held,
            freed=freed,
            first=first,
            last=last,
            motions=tuple(self._motions(experiment)),
            expected=tuple(self._expected(experiment, first)),
            energies=tuple(self._energies(experiment)),
            every=every,
            tolerance=self._tolerance(experiment),
        )

    def variations(self, experiment: Experiment) -> Iterator[Variation]:
        """Yield what an experiment varies, in its order."""
        fill_values(self.context)
        evaluator = Evaluator(self.context, self.context.root)
        for task in experiment.body:
            if isinstance(task, Vary):
                resolved = resolve(task.target, self.context.root)
                unit = None if resolved is None or task.target.primes else resolved.symbol.unit
                bounds = [evaluator.in_unit(x, unit) for x in (task.range.lower, task.range.upper)]
                steps = None if task.steps is None else self._number(task.steps, "the steps")
                if None in bounds:
                    raise NotRunError(f"the range of '{show(task.target)}' has no numbers")
                lower, upper = (float(x) for x in bounds if x is not None)
                yield Variation(
                    path=self._path(task.target),
                    lower=lower,
                    upper=upper,
                    steps=None if steps is None else int(steps),
                )

    def _system(self) -> System:
        """Return the system with starts and states that follow from the values now."""
        starts = find_starts(self.context)
        q, u = (
            tuple(replace(v, start=starts.get(v.path, v.start)) for v in variables)
            for variables in (self.system.q, self.system.u)
        )
        return replace(self.system, q=q, u=u, states=find_states(self.context))

    def _values(self, kind: type[SetValues | Initial], experiment: Experiment) -> dict[str, float]:
        result: dict[str, float] = {}
        for task in experiment.body:
            if isinstance(task, kind):
                values = assigned(task.items, self.context, self.context.root)
                for item in task.items:
                    if self._path(item.target) not in values:
                        raise NotRunError(f"'{show(item.target)}' is given no number")
                result |= values
        return result

    def _path(self, target: Reference) -> str:
        resolved = resolve(target, self.context.root)
        if resolved is None:
            raise NotRunError(f"there is no '{show(target)}'")
        return resolved.symbol.path + "'" * target.primes

    def _number(self, node: Expression, what: str) -> float:
        value = Evaluator(self.context, self.context.root).value(node)
        if value is None:
            raise NotRunError(f"{what} '{show(node)}' has no number")
        return value

    def _times(self, experiment: Experiment) -> tuple[float, float, float | None]:
        for task in experiment.body:
            if isinstance(task, Simulate):
                first, last = (self._number(x, "the time") for x in (task.first, task.last))
                every = None if task.every is None else self._number(task.every, "the time")
                return first, last, every
        return 0.0, 0.0, None

    def _tolerance(self, experiment: Experiment) -> float | None:
        for task in experiment.body:
            if isinstance(task, Tolerance):
                return self._number(task.value, "the tolerance")
        return None

    def _start(
        self, experiment: Experiment, system: System
    ) -> tuple[dict[str, float], frozenset[str], frozenset[str]]:
        starts: dict[str, float] = {}
        for task in experiment.body:
            if isinstance(task, InitialState):
                starts |= system.states[show(task.state)]
        starts |= self._values(Initial, experiment)
        if not starts.keys() & {v.path for v in system.u} and not any(
            "'" in path for path in starts
        ):
            known = {v.path for v in (*system.q, *system.u)}  # of rates the model gives the rest
            starts |= {p: x for p, x in find_starts(self.context).items() if p not in known}
        held: set[str] = set()
        freed: set[str] = set()
        for task in experiment.body:
            if isinstance(task, Hold):
                held |= {self._path(item.target) for item in task.items}
                valued = [item for item in task.items if item.value is not None]
                starts |= assigned(valued, self.context, self.context.root)
            elif isinstance(task, Free):
                freed |= {self._path(target) for target in task.items}
        return starts, frozenset(held), frozenset(freed)

    def _driven(self, experiment: Experiment) -> list[Prescribe]:
        return [task for task in experiment.body if isinstance(task, Prescribe)]

    def _motions(self, experiment: Experiment) -> Iterator[Motion]:
        for task in self._driven(experiment):
            target = task.motion.target
            resolved = resolve(target, self.context.root)
            path = self._path(target)
            if resolved is None:
                continue
            unit = None if target.primes else resolved.symbol.unit
            yield Motion(
                path=path,
                symbol=self._moved(resolved.symbol.path, target.primes),
                order=resolved.symbol.order + target.primes,
                value=self.lowering.in_unit(task.motion.value, unit),
                unknowns=tuple(map(self._path, task.unknowns)),
            )

    def _moved(self, path: str, primes: int) -> Node:
        """Return a variable or rate; of one of order 2 or more that is declared, its value."""
        known = [v.value for v in self.system.quasi if v.path == path]
        if not known:
            return rate_symbol(path, primes)
        for _ in range(primes):
            known = self.system.rates(known)
        return known[0]

    def _expected(self, experiment: Experiment, first: float) -> Iterator[Expectation]:
        inference = Inference(self.context, self.context.root)
        for number, task in enumerate(expectations(experiment)):
            if isinstance(task, ExpectValue):
                quantity, at = texts_of(task)
                time = first if task.time is None else self._number(task.time, "the time")
                yield Expectation(
                    number=number,
                    quantity=quantity,
                    node=self.lowering.scalar(task.quantity),
                    at=at,
                    time=None if task.state is not None else time,
                    state=None if task.state is None else show(task.state),
                    value=self._number(task.value, "the value"),
                    within=self._number(task.within, "the tolerance"),
                    unit=expression_unit(task.quantity, inference),
                )

    def _energies(self, experiment: Experiment) -> Iterator[Energy]:
        inference = Inference(self.context, self.context.root)
        for number, task in enumerate(expectations(experiment)):
            if isinstance(task, ExpectEnergy):
                relative = inference.of(task.within).dimension in {None, ONE}
                within = self._number(task.within, "the tolerance")
                yield Energy(number=number, within=within, relative=relative)
