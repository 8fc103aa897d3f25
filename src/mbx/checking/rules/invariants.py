"""Invariants (constraints) and effective rows: their orders, and what they may contain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import article
from mbx.checking.context import Context, describe
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.quantity import LENGTH, Quantity, fits
from mbx.checking.expressions.scope import VARIABLES, Scope, resolve
from mbx.language.document.expressions import (
    Call,
    Expression,
    Group,
    MaterialPoint,
    Negative,
    Number,
    Product,
    Reference,
    Sum,
    Vector,
    children,
    ungroup,
    walk,
)
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.document.load_statements import Effective
from mbx.language.document.node import expressions_of

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Symbol

__all__ = ["check_effective", "check_invariants", "equation_quantity"]


_NO_REACTIONS = frozenset(
    {"define", "invariant", "frame", "point", "potential", "body", "particle", "joint", "branch"}
)


def equation_quantity(node: Invariant | Define, inference: Inference) -> Quantity:
    """Return what the two sides of an equation are."""
    left, right = inference.of(node.left), inference.of(node.right)
    if "unknown" in {left.sort, right.sort}:
        return Quantity("unknown", None)
    order, timed = max(left.order, right.order), left.timed or right.timed
    if {left.sort, right.sort} == {"point", "vector"} and (
        isinstance(ungroup(node.left), Vector) or isinstance(ungroup(node.right), Vector)
    ):
        return Quantity("vector", LENGTH, order, timed)
    if left.sort != right.sort and not _zero_side(node, left, right):
        inference.fault("MBX4031", f"the two sides are {left.sort} and {right.sort}", node.at)
        return Quantity("unknown", None)
    sort = right.sort if left.sort == "scalar" and right.sort != "scalar" else left.sort
    if sort not in {"scalar", "vector", "point"}:
        inference.fault("MBX4031", f"a {sort} cannot be set equal", node.at)
        return Quantity("unknown", None)
    if not fits(left.dimension, right.dimension):
        inference.mismatch(
            "MBX4112",
            f"the two sides have the dimensions {describe(left.dimension)} and "
            f"{describe(right.dimension)}",
            node.at,
        )
    dimension = left.dimension if left.dimension is not None else right.dimension
    return Quantity("vector" if sort == "point" else sort, dimension, order, timed)


def _zero_side(node: Any, left: Quantity, right: Quantity) -> bool:
    """Return whether a vector is set to a bare 0."""
    pairs = ((node.left, right), (node.right, left))
    return any(_is_zero(e) and q.sort == "vector" for e, q in pairs)


def _is_zero(node: Expression) -> bool:
    node = ungroup(node)
    return isinstance(node, Number) and node.unit is None and float(node.text) == 0


def check_invariants(context: Context) -> None:
    """Check equations, and where reactions may be named."""
    reactive = _reactive(context)
    for scope in context.root.walk():
        inference = Inference(context, scope)
        for node in scope.of((Invariant, Define)):
            quantity = equation_quantity(node, inference)
            if node.frame is not None and inference.reference(node.frame).sort not in {
                "frame",
                "unknown",
            }:
                inference.fault(
                    "MBX3010", f"'{node.frame.path[-1].name}' is no frame or body", node.frame.at
                )
            if quantity.sort == "unknown":
                continue
            if isinstance(node, Define):
                _define(node, quantity, inference)
            else:
                _invariant(node, quantity, inference)
        _reactions(scope, inference, reactive)


def _invariant(node: Invariant, quantity: Quantity, inference: Inference) -> None:
    if quantity.order < 0:
        inference.fault(
            "MBX4011",
            "the invariant names no variable",
            node.at,
            help="it holds or fails whatever the model does",
        )
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if _is_zero(other) or _zero_vector(other):
            _loose_velocity(side, node, inference)


def _zero_vector(node: Expression) -> bool:
    node = ungroup(node)
    return isinstance(node, Vector) and all(map(_is_zero, node.items))


def _loose_velocity(side: Expression, node: Invariant, inference: Inference) -> None:
    """Warn where the velocity of a point that is on no body is set to zero."""
    expression = ungroup(side)
    if isinstance(expression, Call) and expression.function == "dot":
        candidates = expression.arguments
    else:
        candidates = (expression,)
    for candidate in candidates:
        call = ungroup(candidate)
        if not (isinstance(call, Call) and call.function == "velocity" and call.arguments):
            continue
        argument = call.arguments[0]
        if isinstance(argument, MaterialPoint) or _on_body(argument, inference):
            continue
        inference.context.report.add(
            "MBX4014",
            "the velocity of a point that is on no body is set to zero",
            node.at,
            severity="warning",
            help="for rolling, take the body's material point there: velocity(P of B)",
        )


def _on_body(argument: Expression, inference: Inference) -> bool:
    """Return whether a point is fixed to one body: its origin or com, moved along its axes."""
    bodies = set()
    for node in _references(argument):
        target = resolve(node, inference.scope, inference.context.report)
        if target is None:
            return True
        if target.symbol.kind in {"body", "particle"}:
            bodies.add(target.symbol)
        elif target.symbol.kind in {*VARIABLES, "point", "frame"}:
            if target.symbol.kind != "point":
                return False
            if not _on_body(
                target.symbol.node.value, Inference(inference.context, target.symbol.scope)
            ):
                return False
    return len(bodies) <= 1


def _references(node: Expression) -> list[Reference]:
    return [
        n
        for n in walk(node)
        if isinstance(n, Reference) and n.path[0].name not in {"ground", "t", "pi"}
    ]


def _define(node: Define, quantity: Quantity, inference: Inference) -> None:
    if quantity.order < 1:
        inference.fault(
            "MBX4018",
            "the definition names no rate and no speed",
            node.at,
            help="a relation between coordinates is an invariant",
        )


def _reactive(context: Context) -> set[Symbol]:
    """Return the reactions, and the lets that are made of them."""
    symbols: set[Symbol] = set()
    for symbol in context.order:
        if symbol.kind == "reaction" or (
            symbol.kind == "let" and _names(symbol.node.value, symbol.scope, symbols)
        ):
            symbols.add(symbol)
    return symbols


def _names(expression: Expression, scope: Scope, wanted: set[Symbol]) -> Reference | None:
    """Return the first reference in an expression to any of the wanted symbols."""
    for node in walk(expression):
        if isinstance(node, Reference):
            target = resolve(node, scope)
            if target is not None and target.symbol in wanted:
                return node
    return None


def _reactions(scope: Scope, inference: Inference, reactive: set[Symbol]) -> None:
    """Report reactions named where only loads may name them."""
    if not reactive:
        return
    for statement in scope.statements:
        if statement.kind not in _NO_REACTIONS:
            continue
        for expression in expressions_of(statement):
            named = _names(expression, scope, reactive)
            if named is not None:
                inference.fault(
                    "MBX3041",
                    f"reaction '{named.path[-1].name}' is named in {article(statement.kind)}",
                    named.at,
                    help="loads may depend on reactions, nothing else",
                )


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
    target = resolve(node, scope)
    if target is None:
        return 0
    symbol = target.symbol
    if symbol.kind == "let":
        return known.get(symbol, 0)
    return int(symbol.kind in VARIABLES and symbol.order + node.primes >= _SECOND)
