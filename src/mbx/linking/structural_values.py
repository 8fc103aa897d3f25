"""Whole numbers and conditions known before anything is expanded.

Bounds of `for`, conditions of `if` and indices are made of structural parameters, loop
indices and numbers. Nothing else is evaluated here, and no value grows large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mbx.base.errors import SourceError
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Junction,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
)

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span

__all__ = ["LARGEST", "Structure", "condition", "whole"]

Structure = Mapping[str, int]
"""Values of structural parameters and loop indices."""

LARGEST: Final = 1_000_000


def _fault(message: str, at: Span | None, remedy: str | None = None) -> SourceError:
    return SourceError.of("MBX3021", message, at, help=remedy)


def whole(node: Expression, structure: Structure) -> int:
    """Return the whole number that an expression means, or raise `SourceError`."""
    value = _whole(node, structure)
    if abs(value) > LARGEST:
        raise SourceError.of("MBX5009", f"a whole number beyond {LARGEST}", node.at)
    return value


def _whole(node: Expression, structure: Structure) -> int:
    match node:
        case Number(text, None) if text.isdigit():
            return int(text)
        case Reference((segment,), 0) if segment.index is None and segment.name in structure:
            return structure[segment.name]
        case Reference(path):
            raise _fault(
                f"'{path[0].name}' is no whole number known here",
                node.at,
                "declare it as 'param NAME: integer = …' or use a loop index",
            )
        case Group(x):
            return whole(x, structure)
        case Negative(x):
            return -whole(x, structure)
        case Sum(terms):
            return sum(whole(e, structure) * (1 if s == "+" else -1) for s, e in terms)
        case Product(factors):
            value = 1
            for sign, factor in factors:
                part = whole(factor, structure)
                if sign == "*":
                    value *= part
                elif part == 0 or value % part:
                    raise _fault("the division leaves a remainder", node.at)
                else:
                    value //= part
                if abs(value) > LARGEST:
                    raise SourceError.of("MBX5009", f"a whole number beyond {LARGEST}", node.at)
            return value
        case Power(base, exponent):
            b, e = whole(base, structure), whole(exponent, structure)
            if e < 0 or (abs(b) > 1 and e > 20):  # noqa: PLR2004  2^20 is beyond LARGEST
                raise SourceError.of("MBX5009", f"a whole number beyond {LARGEST}", node.at)
            return int(b**e)
        case Conditional(c, yes, no):
            return whole(yes if condition(c, structure) else no, structure)
        case Call("min" | "max" as function, arguments):
            values = [whole(a, structure) for a in arguments]
            return min(values) if function == "min" else max(values)
    raise _fault("not a whole number", node.at, "use whole numbers, + - * / and ^")


_COMPARE = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
}


def condition(node: Expression, structure: Structure) -> bool:
    """Return whether a condition on whole numbers holds, or raise `SourceError`."""
    match node:
        case Group(x):
            return condition(x, structure)
        case Comparison(operator, left, right):
            return bool(_COMPARE[operator](whole(left, structure), whole(right, structure)))
        case Junction("and", items):
            return all(condition(i, structure) for i in items)
        case Junction(_, items):
            return any(condition(i, structure) for i in items)
        case Not(x):
            return not condition(x, structure)
    raise SourceError.of(
        "MBX3023",
        "not a condition on whole numbers",
        node.at,
        help="compare structural parameters, as in n > 1",
    )
