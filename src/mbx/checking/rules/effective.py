"""Known models: affine in the highest rates, MBX4021."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.checking.expressions.scope import VARIABLES, Scope, resolve
from mbx.language.document.expressions import (
    Expression,
    Group,
    Negative,
    Number,
    Product,
    Reference,
    Sum,
    children,
)
from mbx.language.document.load_statements import Effective

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol

__all__ = ["check_effective"]

_SECOND = 2


def check_effective(context: Context) -> None:
    """Check that effective forces contain accelerations to the first power only."""
    known: dict[Symbol, int] = {}
    if any(True for scope in context.root.walk() for _ in scope.of(Effective)):
        for symbol in context.order:  # each after those it is made of
            if symbol.kind == "let":
                known[symbol] = _degree(symbol.node.value, symbol.scope, known)
    for scope in context.root.walk():
        for node in scope.of(Effective):
            if _degree(node.value, scope, known) > 1:
                context.report.add(
                    "MBX4021",
                    "the effective force is not affine in the highest rates",
                    node.at,
                    help="accelerations may be added and multiplied by what does not contain them",
                )


def _degree(node: Expression, scope: Scope, known: dict[Symbol, int]) -> int:
    """Return 0 without accelerations, 1 where affine in them, 2 otherwise."""
    match node:
        case Number():
            return 0
        case Reference():
            return _reference(node, scope, known)
        case Group(x) | Negative(x):
            return _degree(x, scope, known)
        case Sum(terms):
            return max(_degree(e, scope, known) for _, e in terms)
        case Product(factors):
            below = [_degree(e, scope, known) for s, e in factors if s == "/"]
            above = [_degree(e, scope, known) for s, e in factors if s == "*"]
            return 2 if any(below) else min(2, sum(above))
    return 2 if any(_degree(c, scope, known) for c in children(node)) else 0


def _reference(node: Reference, scope: Scope, known: dict[Symbol, int]) -> int:
    if node.path[0].name in {"t", "pi", "ground"}:
        return 0
    found = resolve(node, scope)
    if found is None:
        return 0
    symbol = found.symbol
    if symbol.kind == "let":
        return known.get(symbol, 0)
    return int(symbol.kind in VARIABLES and symbol.order + node.primes >= _SECOND)
