"""Rules for names, values and expressions, and what all rules of the grammar share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Source, Span
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
from mbx.language.document.document import State
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Identifier,
    Junction,
    MaterialPoint,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Segment,
    Sum,
    Vector,
)
from mbx.language.limits import LIMITS
from mbx.language.text.parse import Action, Values, parse_or_raise
from mbx.language.text.scan import BadEscapeError, unquote

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report
    from mbx.language.text.parse import Values

__all__ = [
    "ACTIONS",
    "Label",
    "Rules",
    "Singular",
    "ValueRules",
    "parse_expression",
    "parse_identifier",
    "parse_reference",
    "parse_unit",
]


class Label(tuple[str, str]):
    """A description or a display name."""

    __slots__ = ()


class Singular:
    """`expect singular`, before it is joined to its state."""

    def __init__(self, at: Span, state: Identifier | None) -> None:
        """Keep the span, and the state if it is named."""
        self.at = at
        self.state = state


class Rules:
    """A group of rules; faults that are no syntax go to the report."""

    def __init__(self, report: Report) -> None:
        """Keep the report."""
        self._report = report

    def _text(self, at: Span, literal: Any) -> str | None:
        if literal is None:
            return None
        try:
            return unquote(literal)
        except BadEscapeError as bad:
            start = (literal.start_pos or 0) + bad.offset
            self._report.add(
                "MBX1010",
                f"{bad.escape} is no escape",
                Span(at.source, start, start + 2),
                help=r"the escapes are \" \\ \n \t",
            )
            return ""

    def _block(self, items: Values) -> tuple[Any, ...]:
        """Return the statements of a block, with `expect singular` joined to its state."""
        block: list[Any] = []
        for item in items:
            if isinstance(item, Singular):
                self._join(item, block)
            else:
                block.append(item)
        return tuple(block)

    def _join(self, item: Singular, block: list[Any]) -> None:
        last = len(block) - 1
        where = next(
            (
                k
                for k in range(last, -1, -1)
                if isinstance(block[k], State)
                and (block[k].name == item.state if item.state else k == last)
            ),
            None,
        )
        if where is None:
            self._report.add(
                "MBX1018",
                "'expect singular' belongs to no state",
                item.at,
                help="put it behind the state, or name it: expect singular at state NAME",
            )
            return
        state = block[where]
        span = state.at
        if where == last and item.state is None:
            span = Span(span.source, span.start, item.at.end)
        block[where] = state.model_copy(update={"singular": True}).placed(span)


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
    for item in reversed(declarations):
        bare = item.unit is None and item.value is None and item.range is None
        if bare and unit is not None and item.description is None and item.latex is None:
            result.append(item.model_copy(update={"unit": unit}))
        else:
            unit = item.unit
            result.append(item)
    return tuple(reversed(result))


def _reference(at: Span, items: Values) -> Reference:
    path = tuple(item for item in items if isinstance(item, Segment))
    return Reference(path, len(items) - len(path), at=at)


def _sum(at: Span, items: Values) -> Sum:
    signs: list[Any] = ["+", *map(str, items[1::2])]
    return Sum(tuple(zip(signs, items[::2], strict=True)), at=at)


def _product(at: Span, items: Values) -> Product:
    signs: list[Any] = ["*", *map(str, items[1::2])]
    return Product(tuple(zip(signs, items[::2], strict=True)), at=at)


def _number(at: Span, items: Values) -> Number:
    return Number(str(items[0]), items[1], at=at)


def _comparison(at: Span, items: Values) -> Comparison:
    operator: Any = str(items[1])
    return Comparison(operator, items[0], items[2], at=at)


def _identifier(at: Span, items: Values) -> Identifier:
    name, index = items
    if isinstance(index, tuple):
        return Identifier(str(name), index[0], index[1], at=at)
    return Identifier(str(name), index, at=at)


def _words(_at: Span, items: Values) -> str:
    return "".join(map(str, items))


def _unit_factor(_at: Span, items: Values) -> str:
    base, power = items
    return str(base) if power is None else f"{base}^{power}"


def _unit_power(_at: Span, items: Values) -> str:
    text = "".join(map(str, items))
    return f"({text})" if "/" in text else text


ACTIONS: Final[dict[str, Action]] = {
    "conditional": lambda at, v: Conditional(v[0], v[1], v[2], at=at),
    "disjunction": lambda at, v: Junction("or", tuple(v), at=at),
    "conjunction": lambda at, v: Junction("and", tuple(v), at=at),
    "not_": lambda at, v: Not(v[0], at=at),
    "comparison": _comparison,
    "sum": _sum,
    "product": _product,
    "negative": lambda at, v: Negative(v[-1], at=at),
    "power": lambda at, v: Power(v[0], v[1], at=at),
    "group": lambda at, v: Group(v[0], at=at),
    "vector": lambda at, v: Vector(tuple(v), at=at),
    "call": lambda at, v: Call(str(v[0]), tuple(v[1:]), at=at),
    "material_point": lambda at, v: MaterialPoint(v[0], v[1], at=at),
    "number": _number,
    "unit_word": lambda _at, v: str(v[0]),
    "reference": _reference,
    "segment": lambda _at, v: Segment(str(v[0]), v[1]),
    "index": lambda _at, v: v[0],
    "index_range": lambda _at, v: (v[0], v[1]),
    "identifier": _identifier,
    "unit": _words,
    "unit_factor": _unit_factor,
    "unit_power": _unit_power,
}


def parse_expression(text: str, source: Source | None = None) -> Expression:
    """Return the expression that `text` spells, or raise `SourceError`."""
    value: Expression = parse_or_raise(source or Source("expression", text), "expression", ACTIONS)
    return value


def parse_reference(text: str, source: Source | None = None) -> Reference:
    """Return the reference that `text` spells, or raise `SourceError`."""
    value: Reference = parse_or_raise(source or Source("reference", text), "reference", ACTIONS)
    return value


def parse_identifier(text: str, source: Source | None = None) -> Identifier:
    """Return the declared name that `text` spells, or raise `SourceError`."""
    value: Identifier = parse_or_raise(source or Source("identifier", text), "identifier", ACTIONS)
    return value


def parse_unit(text: str, source: Source | None = None) -> str:
    """Return the unit in its plain form, or raise `SourceError`."""
    value: str = parse_or_raise(source or Source("unit", text), "unit", ACTIONS)
    return value
