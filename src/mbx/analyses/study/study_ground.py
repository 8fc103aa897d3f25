"""What all runs of a study stand on: the model, its forms, and quantities that are named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of, start_of
from mbx.analyses.experiments.observe import Observer
from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.experiments.state_functions import numbers_in
from mbx.analyses.request import plan_of
from mbx.analyses.simulate.engine import chosen_form
from mbx.analyses.study.study_errors import StudyError, unknown
from mbx.base.errors import SourceError
from mbx.checking.expressions.expression_unit import expression_unit
from mbx.checking.expressions.infer import Inference
from mbx.expr.nodes import NUMBER
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.language.text.expression_rules import parse_expression
from mbx.language.units import per_second
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.observe import Place
    from mbx.analyses.study.setting import Setting
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["Ground", "Quantity"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A scalar of the model: as it is written, in raw symbols, with its SI unit."""

    text: str
    node: Node
    unit: str


@dataclass(frozen=True)
class Ground:
    """A model, the setting of its analysis, and the names that are varied."""

    linked: Linked
    setting: Setting
    varied: tuple[str, ...] = ()

    @cached_property
    def system(self) -> System:
        """The model's system."""
        return elaborate(self.linked)

    @cached_property
    def reader(self) -> Reader:
        """What makes plans of experiments."""
        return Reader.of(self.linked, self.system)

    @cached_property
    def form(self) -> tuple[str, Equations]:
        """The form that gives accelerations; raise an error for one that is not there."""
        name = self.setting.form
        if name is None:
            return chosen_form(self.system)
        return name, registry.derive(self.system, name)

    @cached_property
    def _all_forms(self) -> dict[str, Equations]:
        return all_forms(self.system)

    def forms(self) -> Iterable[Equations]:
        """Yield the form, and then all others, which may give what it does not."""
        yield self.form[1]
        yield from self._all_forms.values()

    # -- plans ---------------------------------------------------------------------------------

    @cached_property
    def _settable(self) -> set[str]:
        return {parameter.path for parameter in (*self.system.parameters, *self.system.inputs)}

    @cached_property
    def without_value(self) -> set[str]:
        """Parameters and inputs that the model gives no value."""
        every = (*self.system.parameters, *self.system.inputs)
        return {parameter.path for parameter in every if parameter.value is None}

    def require(self, names: Iterable[str]) -> None:
        """Raise `StudyError` for a name that cannot be varied."""
        variables = {v.path for v in (*self.system.q, *self.system.u)}
        variables |= {f"{v.path}'" for v in self.system.q}
        for name in names:
            if name not in self._settable | variables:
                raise unknown("parameter, input or variable", name, self._settable | variables)

    def plan(self, values: Mapping[str, float]) -> Plan:
        """Return the plan of a run; a variable that is varied starts there, and is held."""
        request = self.setting.request
        set_ = {name: x for name, x in values.items() if name in self._settable}
        starts = {name: x for name, x in values.items() if name not in self._settable}
        request = replace(
            request,
            values={**request.values, **set_},
            initial={**request.initial, **starts},
            held=request.held | starts.keys(),
        )
        return plan_of(self.linked, self.system, request, self.reader)

    def nominal(self, name: str, values: Mapping[str, float]) -> float:
        """Return the value that a name has by itself in a run; `StudyError` where it has none."""
        plan = self.plan(values)
        if name not in self._settable:
            try:
                state = start_of(plan)
            except NotRunError as reason:
                raise StudyError(f"'{name}' has no value to begin with: {reason}") from None
            if name not in state:
                raise StudyError(f"'{name}' is no part of the state, and has no slope")
            return state[name]
        bare = Program().equations(self.system, "", "", "", {})
        known = numbers_in(bare, plan.parameters, inputs_of(plan))
        symbols = {x.path: x.symbol for x in (*self.system.parameters, *self.system.inputs)}
        node = known.get(symbols[name])
        if node is None or node.op is not NUMBER:
            raise StudyError(f"'{name}' is no number by itself; set it")
        return float(node.value)

    def unit_of(self, name: str) -> str:
        """Return the unit of what is varied; of a rate that is no speed, that of its variable."""
        system = self.system
        units = {
            parameter.path: parameter.unit for parameter in (*system.parameters, *system.inputs)
        }
        units |= self.variable_units
        if name in units:
            return units[name]
        return per_second(units[name.removesuffix("'")])

    # -- quantities ----------------------------------------------------------------------------

    def quantity(self, text: str) -> Quantity:
        """Return what a text of the language means; raise `StudyError` where it is no scalar."""
        context = self.reader.context
        try:
            expression = parse_expression(text)
        except SourceError as bad:
            message = next((entry.message for entry in bad.report), "it cannot be read")
            raise StudyError(f"'{text}' is no result: {message}") from None
        known = len(context.report)
        inferred = Inference(context, context.root).of(expression)
        for fault in list(context.report)[known:]:
            hint = f"; {fault.help}" if fault.help else ""
            raise StudyError(f"'{text}' is no result: {fault.message}{hint}")
        if inferred.sort != "scalar":
            raise StudyError(f"'{text}' is no result: it is no scalar")
        unit = expression_unit(expression, Inference(context, context.root))
        return Quantity(text, self.reader.lowering.scalar(expression), unit)

    @cached_property
    def variable_units(self) -> dict[str, str]:
        """The units of all coordinates and speeds, by path."""
        return {v.path: v.unit for v in (*self.system.q, *self.system.u)}

    def observed(self, sample: Place, quantities: Iterable[Quantity]) -> dict[str, float]:
        """Return quantities at a sample, by their texts; by another form where this has none."""
        left = list(quantities)
        known: dict[str, float] = {}
        for equations in self.forms() if left else ():
            observer = Observer(self.system, tuple(quantity.node for quantity in left))
            (seen,) = observer.at(equations, [sample])
            if seen.regular:
                values = {quantity.text: seen.of(quantity.node) for quantity in left}
                known |= {text: x for text, x in values.items() if x is not None}
            left = [quantity for quantity in left if quantity.text not in known]
            if not left:
                break
        return known
