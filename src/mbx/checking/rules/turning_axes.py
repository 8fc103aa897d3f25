"""Which bodies provably turn about one axis alone, and which mass centres stay put.

A body known to be planar may give its inertia about that axis only; a body that cannot turn
needs none; a mass centre that cannot move needs no mass. What is not proved is not assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import resolve
from mbx.checking.rules.placements import axis_letter
from mbx.language.document.expressions import Expression, Number, Vector, ungroup
from mbx.language.document.kinematic_statements import AxisRotation
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.kinematic_statements import Placement

__all__ = ["Turning", "com_stays", "find_turning", "zero"]

Turning = Literal["none", "x", "y", "z", "any", "unknown"]
"""About which axis a body can turn; unknown where a name in its placing is."""


@dataclass(frozen=True, slots=True)
class _Turnings:
    """What is known so far, and how to see whether an angle moves."""

    context: Context
    known: dict[Symbol, Turning] = field(default_factory=dict)

    def steady(self, expression: Expression, scope: Scope) -> bool:
        """Return whether an expression is provably constant."""
        quiet = replace(self.context, report=Report())
        known = Inference(quiet, scope).of(expression)
        return known.sort != "unknown" and known.order < 0 and not known.timed

    def body(self, symbol: Symbol, parents: Parents) -> Turning:
        clauses = {c.kind: c for c in symbol.node.clauses}
        placing = parents.placing.get(symbol)
        if "joint" in clauses:
            call = clauses["joint"].call
            return self.joint(call, call.sides, symbol.scope)
        if placing is not None:
            return self.joint(placing.call, placing.call.sides[:1], placing.scope)
        if "frame" in clauses:
            return self.placement(clauses["frame"].placement, symbol.scope)
        if "omega" in clauses:
            return _omega(clauses["omega"].value)
        return "none" if "velocity" in clauses else "unknown"

    def joint(self, call: JointCall, sides: tuple[Placement, ...], scope: Scope) -> Turning:
        turning: Turning = "none"
        for side in sides:
            if side.base.path[0].name == "own":
                # the body's own side is turned after the joint: its axes must stay along it
                turning = _both(turning, _many([_rotation(r) for r in side.rotations]))
            else:
                turning = _both(turning, self.placement(side, scope))
        axis = next((a.value for a in call.arguments if a.name.base == "axis"), None)
        kind = JOINTS.get(call.joint)
        if kind is None:
            return "unknown"
        if kind.rotation == "none":
            return turning
        if kind.shares_axis:
            return _both(turning, _letter(axis))
        if kind.rotations == "any":
            return _both(turning, _many([_rotation(r) for r in call.rotations]))
        return "any"

    def placement(self, placement: Placement, scope: Scope) -> Turning:
        name = placement.base.path[0].name
        turning: Turning = "none"
        if not (len(placement.base.path) == 1 and name in {"ground", "own"}):
            base = resolve(placement.base, scope)
            turning = "unknown" if base is None else self.known.get(base.symbol, "unknown")
        for rotation in placement.rotations:
            steady = isinstance(rotation, AxisRotation) and self.steady(rotation.angle, scope)
            if not (steady and turning == "none"):
                turning = _both(turning, _rotation(rotation))
        return turning


def find_turning(context: Context, parents: Parents) -> dict[Symbol, Turning]:
    """Return, for every frame and body, about what it can turn, in its own axes."""
    turnings = _Turnings(context)
    for symbol in context.order:
        if symbol.kind == "frame":
            turnings.known[symbol] = turnings.placement(symbol.node.placement, symbol.scope)
        elif symbol.kind == "body":
            turnings.known[symbol] = turnings.body(symbol, parents)
    return turnings.known


def _omega(value: Expression) -> Turning:
    value = ungroup(value)
    if not isinstance(value, Vector) or len(value.items) != 3:  # noqa: PLR2004
        return "any"
    axes: list[Turning] = ["x", "y", "z"]
    turning = [a for a, e in zip(axes, value.items, strict=True) if not zero(e)]
    if not turning:
        return "none"
    return turning[0] if len(turning) == 1 else "any"


def zero(node: Expression) -> bool:
    """Return whether an expression is the number 0."""
    node = ungroup(node)
    return isinstance(node, Number) and float(node.text) == 0


def _letter(axis: Expression | None) -> Turning:
    letter = None if axis is None else axis_letter(axis)
    return letter if letter in {"x", "y", "z"} else "any"  # type: ignore[return-value]


def _rotation(rotation: Any) -> Turning:
    return _letter(rotation.axis) if isinstance(rotation, AxisRotation) else "any"


def _many(turnings: list[Turning]) -> Turning:
    result: Turning = "none"
    for turning in turnings:
        result = _both(result, turning)
    return result


def _both(a: Turning, b: Turning) -> Turning:
    if "unknown" in {a, b}:
        return "unknown"
    if a in {"none", b}:
        return b
    return a if b == "none" else "any"


def com_stays(symbol: Symbol, context: Context) -> bool:
    """Return whether a body's mass centre provably does not move."""
    clauses = {c.kind: c for c in symbol.node.clauses}
    if "omega" in clauses and "velocity" not in clauses:
        return True
    joint, com = clauses.get("joint"), clauses.get("com")
    turnings = _Turnings(context)
    kind = None if joint is None else JOINTS.get(joint.call.joint)
    if joint is None or kind is None or not kind.shares_point:
        return False
    if not all(_stands(side, symbol.scope, turnings) for side in joint.call.sides):
        return False
    if com is None:
        return True
    position = ungroup(com.value)
    return isinstance(position, Vector) and all(map(zero, position.items))


def _stands(placement: Placement, scope: Scope, turnings: _Turnings) -> bool:
    """Return whether the origin of a placement provably stays where it is on the ground.

    How it is turned does not matter, but of the frames that it is placed in it does.
    """
    while True:
        name = placement.base.path[0].name
        if placement.point is not None and (
            name == "own" or not turnings.steady(placement.point, scope)
        ):
            return False
        if len(placement.base.path) == 1 and name in {"ground", "own"}:
            return True
        base = resolve(placement.base, scope)
        if base is None or base.members or base.symbol.kind != "frame":
            return False
        placement, scope = base.symbol.node.placement, base.symbol.scope
        for rotation in placement.rotations:
            if not (isinstance(rotation, AxisRotation) and turnings.steady(rotation.angle, scope)):
                return False
