"""Expressions as JSON arrays, for readers without a parser of their own.

A name is a string, a plain number a number or, where its exact text matters, `["Number", text]`;
everything else is an array of a head and operands (spec, chapter 5).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import SourceError
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Junction,
    MaterialPoint,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
    Vector,
)
from mbx.language.limits import LIMITS
from mbx.language.text.expression_rules import parse_reference, parse_unit
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.base.diagnostics import Span

__all__ = ["HEADS", "from_tree", "to_tree"]

_COMPARE: Final = {
    "Less": "<",
    "LessEqual": "<=",
    "Greater": ">",
    "GreaterEqual": ">=",
    "Equal": "==",
    "NotEqual": "!=",
}
_COMPARE_HEAD: Final = dict(zip(_COMPARE.values(), _COMPARE.keys(), strict=True))

_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

HEADS: Final = (
    "Number",
    "Quantity",
    "Add",
    "Subtract",
    "Multiply",
    "Divide",
    "Negate",
    "Power",
    "Group",
    "Vector",
    "Apply",
    "Of",
    "And",
    "Or",
    "Not",
    "If",
    *_COMPARE,
)
"""The heads a tree can have. Subtract and Divide mark one operand of Add and Multiply."""


def _as_written(node: Number) -> Any:
    if node.unit is not None:
        return ["Quantity", node.text, node.unit]
    plain = node.text.isdigit() and str(int(node.text)) == node.text
    return int(node.text) if plain else ["Number", node.text]


def to_tree(node: Expression, number: Callable[[Number], Any] = _as_written) -> Any:
    """Return an expression as nested arrays; `number` converts a number."""

    def sub(inner: Expression) -> Any:
        return to_tree(inner, number)

    match node:
        case Number():
            return number(node)
        case Reference():
            return show(node)
        case Call(function, arguments):
            return ["Apply", function, *map(sub, arguments)]
        case MaterialPoint(point, body):
            return ["Of", sub(point), sub(body)]
        case Sum(terms):
            return ["Add", *(sub(e) if s == "+" else ["Subtract", sub(e)] for s, e in terms)]
        case Product(factors):
            return ["Multiply", *(sub(e) if s == "*" else ["Divide", sub(e)] for s, e in factors)]
        case Negative(x):
            return ["Negate", sub(x)]
        case Power(base, exponent):
            return ["Power", sub(base), sub(exponent)]
        case Group(x):
            return ["Group", sub(x)]
        case Vector(items):
            return ["Vector", *map(sub, items)]
        case Comparison(operator, left, right):
            return [_COMPARE_HEAD[operator], sub(left), sub(right)]
        case Junction(operator, items):
            return [operator.capitalize(), *map(sub, items)]
        case Not(x):
            return ["Not", sub(x)]
        case Conditional(condition, yes, no):
            return ["If", sub(condition), sub(yes), sub(no)]


def from_tree(tree: Any, at: Span | None = None, depth: int = 0) -> Expression:
    """Return the expression that nested arrays spell, or raise `SourceError`."""
    if depth == 0:
        _refuse_large(tree, at)
    if depth > LIMITS.nesting:
        raise SourceError.of("MBX5002", f"nested deeper than {LIMITS.nesting}", at)
    match tree:
        case bool():
            raise _malformed(tree, at)
        case str():
            return replace(parse_reference(tree), at=at)
        case int() | float():
            literal = Number(_check_number(repr(abs(tree)), at), at=at)
            return literal if tree >= 0 else Negative(literal, at=at)
        case [str(head), *operands] if head in HEADS:
            return _node(head, operands, at, depth + 1)
    raise _malformed(tree, at)


def _malformed(tree: Any, at: Span | None) -> SourceError:
    head = tree[0] if isinstance(tree, list) and tree else tree
    return SourceError.of(
        "MBX2106",
        f"no expression tree begins with {str(head)[:40]!r}",
        at,
        help="heads are " + ", ".join(HEADS),
    )


def _check_number(text: str, at: Span | None) -> str:
    """Return a number's text if the text form would read it as that number."""
    if not _NUMBER.fullmatch(text) or len(text) > LIMITS.number_characters:
        raise _malformed(text, at)
    if float(text) > LIMITS.largest_number or (
        text.isdigit() and len(text) > LIMITS.integer_digits
    ):
        raise SourceError.of("MBX5005", f"{text} is outside of the numbers that can be kept", at)
    return text


def _refuse_large(tree: Any, at: Span | None) -> None:
    """Refuse a tree of too many parts before anything is made of it."""
    count, stack = 0, [tree]
    while stack:
        node = stack.pop()
        count += 1
        if isinstance(node, list):
            stack.extend(node)
        if count > LIMITS.expression_nodes:
            raise SourceError.of(
                "MBX5011", f"expression of more than {LIMITS.expression_nodes} parts", at
            )


def _node(head: str, operands: list[Any], at: Span | None, depth: int) -> Expression:
    def sub(tree: Any) -> Expression:
        return from_tree(tree, at, depth)

    match head, operands:
        case "Number", [str(text)]:
            return Number(_check_number(text, at), at=at)
        case "Quantity", [str(text), str(unit)]:
            return Number(_check_number(text, at), parse_unit(unit), at=at)
        case "Add", [first, *rest]:
            return Sum(
                (
                    ("+", sub(first)),
                    *(("-", sub(x[1])) if _marked(x, "Subtract") else ("+", sub(x)) for x in rest),
                ),
                at=at,
            )
        case "Multiply", [first, *rest]:
            return Product(
                (
                    ("*", sub(first)),
                    *(("/", sub(x[1])) if _marked(x, "Divide") else ("*", sub(x)) for x in rest),
                ),
                at=at,
            )
        case "Negate", [x]:
            return Negative(sub(x), at=at)
        case "Power", [base, exponent]:
            return Power(sub(base), sub(exponent), at=at)
        case "Group", [x]:
            return Group(sub(x), at=at)
        case "Vector", [_, *_]:
            return Vector(tuple(map(sub, operands)), at=at)
        case "Apply", [str(function), _, *_] if _NAME.fullmatch(function):
            return Call(function, tuple(map(sub, operands[1:])), at=at)
        case "Of", [point, str(body)]:
            return MaterialPoint(sub(point), parse_reference(body), at=at)
        case (("And" | "Or"), [_, _, *_]):
            return Junction("and" if head == "And" else "or", tuple(map(sub, operands)), at=at)
        case "Not", [x]:
            return Not(sub(x), at=at)
        case "If", [condition, yes, no]:
            return Conditional(sub(condition), sub(yes), sub(no), at=at)
        case _, [left, right] if head in _COMPARE:
            operator: Any = _COMPARE[head]
            return Comparison(operator, sub(left), sub(right), at=at)
    raise _malformed([head, *operands], at)


def _marked(tree: Any, head: str) -> bool:
    return isinstance(tree, list) and len(tree) == 2 and tree[0] == head  # noqa: PLR2004
