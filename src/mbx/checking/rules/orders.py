"""How high the rates may be that a statement names: MBX4045.

A placement is a function of coordinates and time, a twist is at most of their rates, and a load
is at most of accelerations. A definition has the order of a declared variable that it names, and
at most that of rates where it names none. Beyond that, an equation of motion names rates that no
state gives and that nothing solves for. Orders are those of the text, as orders of invariants are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.checking.rules.placements import axis_letter, rotation_parts
from mbx.language.document.expressions import Expression, Reference, Vector, ungroup, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.kinematic_statements import Placement

__all__ = ["check_orders"]

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


def _define(node: Any) -> Iterator[_Part]:
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
    "define": _define,
    "branch": _branch,
}
"""What each kind of statement is made of; that a potential names no rates has its own code."""
