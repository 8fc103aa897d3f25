"""Expressions from text: what each rule of the grammar's expression part makes."""

from __future__ import annotations

from typing import Any, Final

from mbx.base.diagnostics import Source, Span
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
from mbx.language.text.parse import Action, Values, parse_or_raise

__all__ = ["ACTIONS", "parse_expression", "parse_identifier", "parse_reference", "parse_unit"]


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
    """Return the unit in its plain spelling, or raise `SourceError`."""
    value: str = parse_or_raise(source or Source("unit", text), "unit", ACTIONS)
    return value
