"""Invariants (constraints), effective rows, and how high the rates in a statement may be.

MBX4045: a placement is a function of coordinates and time, a twist is at most of their rates, and a
load is at most of accelerations. A definition has the order of a declared variable that it names,
and at most that of rates where it names none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report, article
from mbx.checking.context import Context, describe
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.quantity import LENGTH, Quantity, fits
from mbx.checking.expressions.scope import VARIABLES, Scope, resolve
from mbx.checking.rules.placements import axis_letter, rotation_parts
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
    from collections.abc import Callable, Iterator

    from mbx.checking.expressions.scope import Symbol
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.kinematic_statements import Placement


__all__ = ["check_effective", "check_invariants", "check_orders", "equation_quantity"]

_POSITION: Final = 0
_TWIST: Final = 1
_LOAD: Final = 2

_NAMED: Final = {
    _POSITION: "coordinates, parameters, inputs and time",
    _TWIST: "speeds, the rates of coordinates and what has a lower order",
    _LOAD: "accelerations and what has a lower order",
}

_Part = tuple[str, Expression, int]
"""What a part of a statement is, how it is written, and the highest order it may have."""


def check_orders(context: Context) -> None:
    """Check that no statement names rates of a higher order than its equations can have."""
    quiet = replace(context, report=Report())  # other rules report other faults
    for scope in context.root.walk():
        inference = Inference(quiet, scope)
        for statement in scope.statements:
            parts = _PARTS.get(statement.kind)
            if parts is None:
                continue
            declared = _declared(statement, scope) if statement.kind == "define" else 0
            for what, written, most in parts(statement):
                highest = max(most, declared)
                if _is_body(written, scope):
                    continue  # reported where that body is placed
                quantity = inference.of(written)
                if quantity.sort != "unknown" and quantity.order > highest:
                    context.report.add(
                        "MBX4045",
                        f"{what} is of order {quantity.order}, and at most {highest} has a meaning",
                        written.at,
                        help=f"use {_NAMED[most]}",
                    )


def _declared(statement: Any, scope: Scope) -> int:
    """Return the highest order with which a variable is declared that a statement names."""
    pending = [(statement.left, scope), (statement.right, scope)]
    highest = 0
    while pending:
        written, here = pending.pop()
        for node in walk(written):
            target = resolve(node, here) if isinstance(node, Reference) else None
            if target is None:
                continue
            if target.symbol.kind in VARIABLES:
                highest = max(highest, target.symbol.order)
            elif target.symbol.kind == "let":
                pending.append((target.symbol.node.value, target.symbol.scope))
    return highest


def _is_body(written: Expression, scope: Scope) -> bool:
    target = resolve(written, scope) if isinstance(written, Reference) else None
    return target is not None and target.symbol.kind == "body" and not target.members


def _mass_element(node: Any) -> Iterator[_Part]:
    for clause in node.clauses:
        match clause.kind:
            case "velocity" | "omega":
                yield f"the {clause.kind} of '{node.name}'", clause.value, _TWIST
            case "at":
                yield f"the place of '{node.name}'", clause.value, _POSITION
            case "com" if not isinstance(ungroup(clause.value), Vector):
                yield f"the mass centre of '{node.name}'", clause.value, _POSITION
            case "frame":
                yield from _placement(f"the frame of '{node.name}'", clause.placement)
            case "joint":
                yield from _call(f"the joint of '{node.name}'", clause.call)


def _joint(node: Any) -> Iterator[_Part]:
    return _call("the joint" if node.name is None else f"the joint '{node.name}'", node.call)


def _call(what: str, call: JointCall) -> Iterator[_Part]:
    for side in call.sides:
        yield from _placement(what, side)
    for rotation in call.rotations:
        yield from ((what, part, _POSITION) for part in rotation_parts(rotation))
    for argument in call.arguments:
        if axis_letter(argument.value) is None or argument.name.base != "axis":
            yield what, argument.value, _POSITION


def _placement(what: str, placement: Placement) -> Iterator[_Part]:
    if placement.base.path[0].name != "own":
        yield what, placement.base, _POSITION
    if placement.point is not None:
        yield what, placement.point, _POSITION
    for rotation in placement.rotations:
        yield from ((what, part, _POSITION) for part in rotation_parts(rotation))


def _spring(node: Any) -> Iterator[_Part]:
    yield from _ends("spring", node.line)
    yield "the stiffness of a spring", node.stiffness, _POSITION
    if node.rest is not None:
        yield "the rest of a spring", node.rest, _POSITION


def _damper(node: Any) -> Iterator[_Part]:
    yield from _ends("damper", node.line)
    yield "the damping of a damper", node.damping, _TWIST


def _ends(what: str, line: Any) -> Iterator[_Part]:
    if line.kind == "between":
        yield f"an end of a {what}", line.first, _POSITION
        yield f"an end of a {what}", line.second, _POSITION


def _force(node: Any) -> Iterator[_Part]:
    yield "the force", node.value, _LOAD
    if node.point is not None:
        yield "where the force acts", node.point, _LOAD


def _value(what: str, most: int) -> Callable[[Any], Iterator[_Part]]:
    def parts(node: Any) -> Iterator[_Part]:
        yield what, node.value, most

    return parts


def _define_parts(node: Any) -> Iterator[_Part]:
    yield "the definition", node.left, _TWIST
    yield "the definition", node.right, _TWIST


def _branch(node: Any) -> Iterator[_Part]:
    yield f"the condition of branch '{node.name}'", node.condition, _TWIST


_PARTS: Final[dict[str, Callable[[Any], Iterator[_Part]]]] = {
    "body": _mass_element,
    "particle": _mass_element,
    "joint": _joint,
    "gravity": _value("gravity", _TWIST),
    "force": _force,
    "torque": _value("the torque", _LOAD),
    "spring": _spring,
    "damper": _damper,
    "dissipation": _value("the dissipation", _TWIST),
    "load": _value("the load", _LOAD),
    "effective": _value("the effective force", _LOAD),
    "define": _define_parts,
    "branch": _branch,
}
"""What each kind of statement is made of; that a potential names no rates has its own code."""


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
