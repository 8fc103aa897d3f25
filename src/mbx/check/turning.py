"""Which bodies provably turn about one axis alone, and which mass centres stay put.

A body known to be planar may give its inertia about that axis only; a body that cannot turn
needs none; a mass centre that cannot move needs no mass. What is not proved is not assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mbx.check.places import axis_letter
from mbx.check.scope import resolve
from mbx.model.expressions import Expression, Number, Vector, ungroup
from mbx.model.kinematics import AxisRotation

if TYPE_CHECKING:
    from mbx.check.context import Context
    from mbx.check.scope import Scope, Symbol
    from mbx.check.topology import Parents
    from mbx.model.bodies import JointCall
    from mbx.model.kinematics import Placement

__all__ = ["Turning", "com_stays", "find_turning", "zero"]

Turning = Literal["none", "x", "y", "z", "any", "unknown"]
"""About which axis a body can turn; unknown where a name in its placing is."""

_SAME_AXIS = frozenset({"revolute", "planar", "screw", "cylindrical"})


def find_turning(context: Context, parents: Parents) -> dict[Symbol, Turning]:
    """Return, for every frame and body, about what it can turn seen from the ground."""
    found: dict[Symbol, Turning] = {}
    for symbol in context.order:
        node: Any = symbol.node
        if symbol.kind == "frame":
            found[symbol] = _placement(node.placement, symbol.scope, found)
        elif symbol.kind == "body":
            found[symbol] = _body(symbol, parents, found)
    return found


def _body(symbol: Symbol, parents: Parents, found: dict[Symbol, Turning]) -> Turning:
    clauses = {c.kind: c for c in symbol.node.clauses}
    placing = parents.placing.get(symbol)
    if "joint" in clauses:
        return _joint(clauses["joint"].call, symbol.scope, found)
    if placing is not None:
        return _joint(placing.call, placing.scope, found)
    if "frame" in clauses:
        return _placement(clauses["frame"].placement, symbol.scope, found)
    if "omega" in clauses:
        return _omega(clauses["omega"].value)
    return "none" if "velocity" in clauses else "any"


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


def _joint(call: JointCall, scope: Scope, found: dict[Symbol, Turning]) -> Turning:
    turning: Turning = "none"
    for side in call.sides:
        turning = _both(turning, _placement(side, scope, found))
    axis = next((a.value for a in call.arguments if a.name.base == "axis"), None)
    match call.joint:
        case "fixed" | "prismatic":
            return turning
        case kind if kind in _SAME_AXIS:
            return _both(turning, _letter(axis))
        case "general":
            for rotation in call.rotations:
                turning = _both(turning, _rotation(rotation))
            return turning
    return "any"


def _letter(axis: Expression | None) -> Turning:
    letter = None if axis is None else axis_letter(axis)
    return letter if letter in {"x", "y", "z"} else "any"  # type: ignore[return-value]


def _rotation(rotation: Any) -> Turning:
    return _letter(rotation.axis) if isinstance(rotation, AxisRotation) else "any"


def _both(a: Turning, b: Turning) -> Turning:
    if "unknown" in {a, b}:
        return "unknown"
    if a in {"none", b}:
        return b
    return a if b == "none" else "any"


def _placement(placement: Placement, scope: Scope, found: dict[Symbol, Turning]) -> Turning:
    name = placement.base.path[0].name
    turning: Turning = "none"
    if not (len(placement.base.path) == 1 and name in {"ground", "own"}):
        base = resolve(placement.base, scope)
        turning = "unknown" if base is None else found.get(base.symbol, "any")
    for rotation in placement.rotations:
        turning = _both(turning, _rotation(rotation))
    return turning


def com_stays(symbol: Symbol) -> bool:
    """Return whether a body's mass centre provably does not move."""
    clauses = {c.kind: c for c in symbol.node.clauses}
    if "omega" in clauses and "velocity" not in clauses:
        return True
    joint = clauses.get("joint")
    com = clauses.get("com")
    if joint is None or joint.call.joint not in {"revolute", "spherical", "universal", "fixed"}:
        return False
    at_origin = com is None or (
        isinstance(com.value, Vector) and all(zero(e) for e in com.value.items)
    )
    on_ground = [s for s in joint.call.sides if s.base.path[0].name == "ground"]
    own_moved = any(s.base.path[0].name == "own" and s.point is not None for s in joint.call.sides)
    return at_origin and bool(on_ground) and not own_moved
