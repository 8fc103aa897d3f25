"""Expressions as text, in the form that the grammar reads back as the same tree."""

from __future__ import annotations

from typing import Final

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

__all__ = ["show", "show_identifier"]

# How tightly each kind of node holds together; an operand of a lower level than required
# needs parentheses. Trees that were parsed have them as Group nodes; trees built elsewhere may not.
_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(10)

_LEVEL: Final = {
    Conditional: _CONDITIONAL,
    Not: _NOT,
    Comparison: _COMPARE,
    Sum: _SUM,
    Product: _PRODUCT,
    Negative: _UNARY,
    Power: _POWER,
    MaterialPoint: _CONDITIONAL,
}


def show(expression: Expression | Identifier) -> str:
    """Return the text of an expression or of a declared name."""
    if isinstance(expression, Identifier):
        return show_identifier(expression)
    return _show(expression)


def show_identifier(identifier: Identifier) -> str:
    """Return the text of a declared name."""
    if identifier.index is None:
        return identifier.base
    if identifier.last is None:
        return f"{identifier.base}[{_show(identifier.index)}]"
    return f"{identifier.base}[{_show(identifier.index)}..{_show(identifier.last)}]"


def _level(node: Expression) -> int:
    if isinstance(node, Junction):
        return _OR if node.operator == "or" else _AND
    return _LEVEL.get(type(node), _ATOM)


def _at(node: Expression, level: int) -> str:
    """Return the text of an operand, in parentheses if its level is lower than required."""
    text = _show(node)
    return text if _level(node) >= level else f"({text})"


def _show(node: Expression) -> str:
    match node:
        case Number(text, unit):
            return _number(text, unit)
        case Reference(path, primes):
            return ".".join(map(_segment, path)) + "'" * primes
        case Call(function, arguments):
            return f"{function}({', '.join(map(_show, arguments))})"
        case MaterialPoint(point, body):
            return f"{_show(point)} of {_show(body)}"
        case Sum(terms):
            first = _at(terms[0][1], _PRODUCT)
            return first + "".join(f" {s} {_at(e, _PRODUCT)}" for s, e in terms[1:])
        case Product(factors):
            first = _at(factors[0][1], _UNARY)
            return first + "".join(f"{s}{_at(e, _UNARY)}" for s, e in factors[1:])
        case Negative(operand):
            return f"-{_at(operand, _UNARY)}"
        case Power(base, exponent):
            return f"{_at(base, _ATOM)}^{_at(exponent, _UNARY)}"
        case Group(content):
            return f"({_show(content)})"
        case Vector(items):
            return f"[{', '.join(_at(i, _CONDITIONAL) for i in items)}]"
        case Comparison(operator, left, right):
            return f"{_at(left, _SUM)} {operator} {_at(right, _SUM)}"
        case Junction(operator, items):
            return f" {operator} ".join(_at(i, _level(node) + 1) for i in items)
        case Not(operand):
            return f"not {_at(operand, _NOT)}"
        case Conditional(condition, yes, no):
            return f"if {_show(condition)} then {_show(yes)} else {_show(no)}"


def _number(text: str, unit: str | None) -> str:
    if unit is None:
        return text
    return f"{text} {unit}" if unit.isidentifier() else f"{text} [{unit}]"


def _segment(segment: Segment) -> str:
    return segment.name if segment.index is None else f"{segment.name}[{_show(segment.index)}]"
