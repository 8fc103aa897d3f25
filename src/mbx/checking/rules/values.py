"""Values that parameters, subsystems and experiments set, and their ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import hypot
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.expressions.known_values import Evaluator, check_constants, fill_values
from mbx.checking.expressions.scope import VARIABLES, Scope, label, resolve
from mbx.checking.rules.mass_properties import check_inertia
from mbx.checking.rules.placements import axis_letter, check_rotations, check_starts, collect_starts
from mbx.language.document.bodies import JointCall
from mbx.language.document.document import State
from mbx.language.document.expressions import Expression, Power, Reference, ungroup, walk
from mbx.language.document.kinematic_statements import AxisRotation
from mbx.language.document.node import expressions_of, nodes_of
from mbx.language.joints import SLOTS
from mbx.linking.expand import bare, pure_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mbx.base.diagnostics import Diagnostic, Span
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.checking.rules.placements import Start
    from mbx.language.document.experiments import Experiment

__all__ = ["check_axes", "check_overrides", "check_powers", "check_ranges", "findings_with"]


_UNIT = 1e-9


def check_ranges(context: Context) -> None:
    """Check that ranges have an inside, and that starts and values lie in them."""
    for symbol in context.root.all_symbols():
        if symbol.kind not in {*VARIABLES, "param", "input"} or symbol.node.range is None:
            continue
        evaluator = Evaluator(context, symbol.scope)
        bounds = symbol.node.range
        lower = evaluator.in_unit(bounds.lower, symbol.unit)
        upper = evaluator.in_unit(bounds.upper, symbol.unit)
        for bound, value in ((bounds.lower, lower), (bounds.upper, upper)):
            if value is None:
                context.report.add(
                    "MBX4020",
                    f"a bound of '{symbol.name}' has no known value",
                    bound.at,
                    help="bounds are numbers or parameters with values",
                )
        if lower is None or upper is None:
            continue
        if lower >= upper:
            context.report.add(
                "MBX4016",
                f"the range of '{symbol.name}' has no inside: {lower:g} to {upper:g}",
                bounds.at,
                help="write the lower bound first",
            )
            continue
        _inside(symbol, lower, upper, evaluator)


def _inside(symbol: Symbol, lower: float, upper: float, evaluator: Evaluator) -> None:
    value = evaluator.context.values.get(symbol)
    written = symbol.node.value
    if value is None and written is not None:
        value = evaluator.in_unit(written, symbol.unit)
    if value is not None and not lower <= value <= upper:
        evaluator.context.report.add(
            "MBX4017",
            f"'{symbol.name}' is {value:g}, outside of its range",
            symbol.at if written is None else written.at,
            severity="warning",
            help="widen the range, or change the value",
        )


def check_axes(context: Context) -> None:
    """Check that axes point somewhere; axes of another length than 1 are noted."""
    for scope in context.root.walk():
        evaluator = Evaluator(context, scope)
        for statement in scope.statements:
            if statement.kind == "inline_subsystem":
                continue
            for node in nodes_of(statement):
                if isinstance(node, AxisRotation):
                    _axis(node.axis, evaluator)
                elif isinstance(node, JointCall):
                    for argument in node.arguments:
                        slot = SLOTS.get(argument.name.base)
                        if slot is not None and slot[0] == "axis":
                            _axis(argument.value, evaluator)


def _axis(node: Expression, evaluator: Evaluator) -> None:
    values = None if axis_letter(node) is not None else evaluator.vector(node)
    if values is None:
        return
    length = hypot(*values)
    report = evaluator.context.report
    if length < 1e-100:  # noqa: PLR2004  no direction can be read from it
        report.add("MBX4004", "the axis has no direction", node.at)
    elif abs(length - 1) > _UNIT:
        report.add(
            "MBX4005",
            f"the axis has the length {length:g}; only its direction counts",
            node.at,
            severity="note",
        )


def check_powers(context: Context) -> None:
    """Warn where a fractional power meets a range with negative values."""
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind == "inline_subsystem":
                continue
            for expression in expressions_of(statement):
                for node in walk(expression):
                    if isinstance(node, Power) and _negative_root(node, scope, context):
                        context.report.add(
                            "MBX4101",
                            "a fractional power of something that can be negative",
                            node.at,
                            severity="warning",
                            help="use abs(…), or narrow the range",
                        )


def _negative_root(node: Power, scope: Scope, context: Context) -> bool:
    if not bare(node.exponent) or not isinstance(ungroup(node.base), Reference):
        return False
    exponent = pure_value(node.exponent)
    if exponent is None or (isinstance(exponent, Fraction) and exponent.denominator == 1):
        return False
    reference = ungroup(node.base)
    target = resolve(reference, scope) if isinstance(reference, Reference) else None
    if target is None or getattr(target.symbol.node, "range", None) is None:
        return False
    quiet = Evaluator(context, target.symbol.scope)
    lower = quiet.in_unit(target.symbol.node.range.lower, target.symbol.unit)
    return lower is not None and lower < 0


_RULES: Final[tuple[Callable[[Context], None], ...]] = (
    check_constants,
    check_axes,
    check_rotations,
)
"""Rules that depend on the values of parameters."""

_VALUES: Final = frozenset({"param", "input"})
_STEPS: Final = 11
_MOST: Final = 101
"""Values of a variation that are checked; of more, evenly spaced ones and both bounds."""


@dataclass(frozen=True, slots=True)
class _Override:
    """A value that an experiment gives to a parameter or an input, and where."""

    symbol: Symbol
    value: float
    at: Span | None

    def __str__(self) -> str:
        return f"{self.symbol.path} = {self.value:g}"


def findings_with(
    context: Context, parents: Parents, values: Mapping[Symbol, float]
) -> list[Diagnostic]:
    """Return the findings with other values of parameters and inputs than the model's."""
    other = _pinned(replace(context, report=Report()), values)
    for rule in _RULES:
        rule(other)
    check_inertia(other, parents)
    # an input has a value at the start only: no rule but that of ranges sees it
    check_ranges(replace(other, values={**other.values, **values}))
    return list(other.report)


def _pinned(context: Context, values: Mapping[Symbol, float]) -> Context:
    """Return the context with other values of parameters, and what follows from them."""
    other = replace(context, values={})
    fill_values(other, {s.path: x for s, x in values.items() if s.kind == "param"})
    return other


def _location_of(finding: Diagnostic) -> str:
    """Return the file and line of a finding, to be named in another message."""
    if finding.span is None:
        return ""
    return f" ({finding.span.source.name}:{finding.span.position[0]})"


def check_overrides(context: Context, parents: Parents) -> None:
    """Check the model again with what its experiments set, vary and start at."""
    experiments = context.linked.document.experiments
    if not experiments:
        return
    known = {(x.code, x.span) for x in findings_with(context, parents, {})}
    for experiment in experiments:
        checked = _Checked(context, parents, experiment, known)
        fixed = list(checked.overrides())
        if fixed and checked.report(fixed):
            continue
        here = _pinned(context, {override.symbol: override.value for override in fixed})
        starts = checked.starts(here)
        check_starts(here, starts, of=f"in experiment '{experiment.name}'")
        for variation in checked.variations():
            if checked.report([*(x for x in fixed if x.symbol is not variation.symbol), variation]):
                break


@dataclass(frozen=True, slots=True)
class _Checked:
    """An experiment that is checked, with the findings without it."""

    context: Context
    parents: Parents
    experiment: Experiment
    known: set[tuple[str, Span | None]]

    def overrides(self) -> Iterator[_Override]:
        """Yield what the experiment sets."""
        for task in self.experiment.body:
            if task.kind == "set":
                for item in task.items:
                    yield from self._override(item.target, item.value)

    def _override(self, target: Any, written: Any) -> Iterator[_Override]:
        root = self.context.root
        resolved = resolve(target, root)
        if resolved is None or resolved.symbol.kind not in _VALUES:
            return
        value = Evaluator(self.context, root).in_unit(written, resolved.symbol.unit)
        if value is not None:
            yield _Override(resolved.symbol, value, written.at)

    def starts(self, context: Context) -> dict[Symbol, Start]:
        """Return the starts that the experiment sets; freed variables have none."""
        root = context.root
        starts: dict[Symbol, Start] = {}
        states = {label(s.name): s for s in root.of(State)}
        for task in self.experiment.body:
            match task.kind:
                case "initial_state" if label(task.state) in states:
                    starts = collect_starts(states[label(task.state)].items, context, root) | starts
                case "initial":
                    starts |= collect_starts(task.items, context, root)
                case "hold":
                    valued = [item for item in task.items if item.value is not None]
                    starts |= collect_starts(valued, context, root)
                case "free":
                    freed = {target.symbol for t in task.items if (target := resolve(t, root))}
                    starts = {
                        symbol: start for symbol, start in starts.items() if symbol not in freed
                    }
        return starts

    def variations(self) -> Iterator[_Override]:
        """Yield the values that the experiment varies something over."""
        root = self.context.root
        for task in self.experiment.body:
            if task.kind != "vary":
                continue
            target = resolve(task.target, root)
            if target is None or target.symbol.kind not in _VALUES:
                continue
            evaluator, symbol = Evaluator(self.context, root), target.symbol
            ends = [evaluator.in_unit(x, symbol.unit) for x in (task.range.lower, task.range.upper)]
            steps = _STEPS if task.steps is None else evaluator.value(task.steps)
            if ends[0] is None or ends[1] is None or steps is None or steps < 2:  # noqa: PLR2004
                continue
            count = min(int(steps), _MOST)
            for k in range(count):
                value = ends[0] + (ends[1] - ends[0]) * k / (count - 1)
                yield _Override(symbol, value, task.range.at)

    def report(self, overrides: Sequence[_Override]) -> bool:
        """Report the findings with these overrides alone; return whether there is an error."""
        bad = False
        for finding in self._findings(overrides):
            culprit = self._culprit(overrides, finding)
            bad = bad or finding.severity == "error"
            self.context.report.add(
                finding.code,
                f"with {culprit} in experiment '{self.experiment.name}', {finding.message}"
                f"{_location_of(finding)}",
                culprit.at,
                severity=finding.severity,
                help=finding.help,
            )
        return bad

    def _findings(self, overrides: Sequence[_Override]) -> list[Diagnostic]:
        values = {x.symbol: x.value for x in overrides}
        findings = findings_with(self.context, self.parents, values)
        return [
            finding
            for finding in findings
            if finding.severity != "note" and (finding.code, finding.span) not in self.known
        ]

    def _culprit(self, overrides: Sequence[_Override], fault: Diagnostic) -> _Override:
        """Return the override without which a fault is not there; the last of several."""
        for override in reversed(overrides):
            rest = [x for x in overrides if x is not override]
            left = self._findings(rest) if rest else []
            if all((x.code, x.span) != (fault.code, fault.span) for x in left):
                return override
        return overrides[-1]
