"""Rules for values and variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.language.document.declarations import (
    Binding,
    Coordinate,
    Declaration,
    Function,
    Input,
    KeptRate,
    Let,
    Param,
    Range,
    Speed,
    Variable,
)
from mbx.language.document.expressions import Reference, Segment
from mbx.language.limits import LIMITS
from mbx.language.text.rules.rule_base import Label, Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["ValueRules"]


class ValueRules(Rules):
    """Rules for values and variables."""

    def param(self, at: Span, v: Values) -> Param:
        return Param(kind="param", items=shared_units(v)).placed(at)

    def input(self, at: Span, v: Values) -> Input:
        return Input(kind="input", items=shared_units(v)).placed(at)

    def coordinate(self, at: Span, v: Values) -> Coordinate:
        return Coordinate(kind="coordinate", items=shared_units(v)).placed(at)

    def speed(self, at: Span, v: Values) -> Speed | KeptRate:
        if isinstance(v[0], Reference):
            return KeptRate(kind="kept_rate", rate=v[0]).placed(at)
        return Speed(kind="speed", items=shared_units(v)).placed(at)

    def kept_rate(self, at: Span, v: Values) -> Reference:
        name, index, *primes = v
        return Reference((Segment(str(name), index),), len(primes), at=at)

    def variable(self, at: Span, v: Values) -> Variable:
        order = str(v[1])
        if not order.isdigit() or not 2 <= int(order) <= LIMITS.primes:  # noqa: PLR2004
            self._report.add(
                "MBX1014",
                f"{order[:20]} is no order",
                at,
                help=f"an order is a whole number from 2 to {LIMITS.primes}; order 0 is a "
                "coordinate, order 1 a speed",
            )
            order = "2"
        return Variable(kind="variable", item=v[0], order=int(order)).placed(at)

    def declaration(self, at: Span, v: Values) -> Declaration:
        name, unit, value, bounds, *labels = v
        return Declaration(name=name, unit=unit, value=value, range=bounds, **dict(labels)).placed(
            at
        )

    def binding(self, at: Span, v: Values) -> Binding:
        name, unit, value, *labels = v
        return Binding(name=name, unit=unit, value=value, **dict(labels)).placed(at)

    def let(self, at: Span, v: Values) -> Let:
        return Let(kind="let", items=tuple(v)).placed(at)

    def function(self, at: Span, v: Values) -> Function:
        name, *arguments, value = v
        return Function(
            kind="function", name=str(name), arguments=tuple(map(str, arguments)), value=value
        ).placed(at)

    def range(self, at: Span, v: Values) -> Range:
        return Range(lower=v[0], upper=v[1]).placed(at)

    def description(self, at: Span, v: Values) -> Label:
        return Label(("description", self._text(at, v[0]) or ""))

    def display(self, at: Span, v: Values) -> Label:
        return Label(("latex", self._text(at, v[0]) or ""))


def shared_units(declarations: list[Declaration]) -> tuple[Declaration, ...]:
    """Give each bare name the unit of the declaration it is listed before: `x, y: m`."""
    result: list[Declaration] = []
    unit: str | None = None
    for one in reversed(declarations):
        bare = one.unit is None and one.value is None and one.range is None
        if bare and unit is not None and one.description is None and one.latex is None:
            result.append(one.model_copy(update={"unit": unit}))
        else:
            unit = one.unit
            result.append(one)
    return tuple(reversed(result))
