"""The SI unit in which the value of an expression is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.language.document.expressions import (
    Call,
    Conditional,
    Group,
    Negative,
    Number,
    Product,
    Reference,
    Sum,
)
from mbx.language.units import per_second, si_unit, usual_unit

if TYPE_CHECKING:
    from mbx.language.document.expressions import Expression

__all__ = ["expression_unit"]

_ANGLES: Final = frozenset({"acos", "asin", "atan", "atan2"})
_KEPT: Final = frozenset({"abs", "max", "min"})
_DECLARED: Final = VARIABLES | {"input", "let", "param"}


def expression_unit(node: Expression, inference: Inference) -> str:
    """Return the unit: that which a name in it declares, else the usual one of its dimension.

    Signs, numbers as factors and further terms of a sum do not change it. Of the two units that
    share a dimension, a reaction is in N*m and what is computed in J.
    """
    dimension = inference.of(node).dimension
    if dimension is None:
        return ""
    while True:
        inner = _inner(node)
        if inner is not None:
            node = inner
            continue
        match node:
            case Call(function) if function in _ANGLES:
                return "rad"
            case Reference(primes=primes):
                target = resolve(node, inference.scope)
                if target is None or target.members or target.symbol.kind not in _DECLARED:
                    return usual_unit(dimension)
                symbol = target.symbol
                if symbol.kind == "let" and symbol.unit is None:
                    node, inference = symbol.node.value, Inference(inference.context, symbol.scope)
                    continue
                return per_second(si_unit(symbol.unit), primes)
        return usual_unit(dimension, energy=True)


def _inner(node: Expression) -> Expression | None:
    """Return a part of an expression that has the same unit, if there is one."""
    match node:
        case Group(x) | Negative(x) | Conditional(yes=x):
            return x
        case Sum(terms):
            return terms[0][1]
        case Call(function, arguments) if function in _KEPT:
            return arguments[0]
        case Product(factors):
            named = [factor for factor in factors if not _is_pure(factor[1])]
            if len(named) == 1 and named[0][0] == "*":
                return named[0][1]
    return None


def _is_pure(node: Expression) -> bool:
    while isinstance(node, Group | Negative):
        node = node.content if isinstance(node, Group) else node.operand
    return isinstance(node, Number) and node.unit is None
