"""Ranges, start values, axes and powers whose numbers are known."""

from __future__ import annotations

from fractions import Fraction
from math import hypot
from typing import TYPE_CHECKING

from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.scope import VARIABLES, Scope, resolve
from mbx.checking.rules.placements import axis_letter
from mbx.language.document.bodies import JointCall
from mbx.language.document.expressions import Expression, Power, Reference, ungroup, walk
from mbx.language.document.kinematic_statements import AxisRotation
from mbx.language.document.node import expressions_of, nodes_of
from mbx.language.joints import SLOTS
from mbx.linking.si_numbers import bare, pure_value

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol

__all__ = ["check_axes", "check_powers", "check_ranges"]

_UNIT = 1e-9


def check_ranges(context: Context) -> None:
    """Check that ranges have an inside, and that starts and values lie in them."""
    for symbol in context.root.all_symbols():
        if symbol.kind not in {*VARIABLES, "param", "input"} or symbol.node.range is None:
            continue
        evaluator = Evaluator(context, symbol.scope)
        bounds = symbol.node.range
        lower = evaluator.given(bounds.lower, symbol.unit)
        upper = evaluator.given(bounds.upper, symbol.unit)
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
        value = evaluator.given(written, symbol.unit)
    if value is not None and not lower <= value <= upper:
        evaluator.context.report.add(
            "MBX4017",
            f"'{symbol.name}' is {value:g}, outside of its range",
            symbol.at if written is None else written.at,
            severity="warning",
            help="widen the range, or change the value",
        )


def check_axes(context: Context) -> None:
    """Check that axes point somewhere; axes of another length than one are noted."""
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
    found = resolve(reference, scope) if isinstance(reference, Reference) else None
    if found is None or getattr(found.symbol.node, "range", None) is None:
        return False
    quiet = Evaluator(context, found.symbol.scope)
    lower = quiet.given(found.symbol.node.range.lower, found.symbol.unit)
    return lower is not None and lower < 0
