"""Joints: what they connect and what each kind takes; bodies that provably turn about one axis.

A body known to be planar may give its inertia about that axis only; a body that cannot turn needs
none; a mass centre that cannot move needs no mass. What is not proved is not assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from mbx.base.diagnostics import Report, Span, suggestion
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import Scope, Symbol, label, resolve
from mbx.checking.rules.placements import axis_letter
from mbx.language.document.bodies import Body, Joint, Particle
from mbx.language.document.expressions import Expression, Number, Vector, ungroup
from mbx.language.document.kinematic_statements import AxisRotation
from mbx.language.joints import JOINTS, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.checking.context import Context
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Reference
    from mbx.language.document.kinematic_statements import Placement


__all__ = [
    "Parents",
    "PlacingJoint",
    "Turning",
    "check_bodies",
    "check_call",
    "com_stays",
    "find_parents",
    "find_turning",
    "placed_by",
    "zero",
]

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


def check_call(call: JointCall, *, in_body: bool, placing: bool, report: Report) -> bool:
    """Check kind, sides and arguments of a joint; return whether it makes sense."""
    before = len(report.errors)
    kind = JOINTS.get(call.joint)
    if kind is None:
        report.add(
            "MBX3110",
            f"there is no joint '{call.joint}'",
            call.at,
            help=suggestion(call.joint, JOINTS) or "joints are " + ", ".join(JOINTS),
        )
        return False
    _arguments(call, kind, report)
    _sides(call, report, in_body=in_body)
    _complete(call, kind, report, placing=placing)
    return len(report.errors) == before


def _arguments(call: JointCall, kind: JointKind, report: Report) -> None:
    known = (*kind.shape, *kind.motion)
    seen: set[str] = set()
    for argument in call.arguments:
        name = argument.name.base
        if name not in known:
            takes = "it takes " + ", ".join(known) if known else "it takes none"
            report.add(
                "MBX3111",
                f"joint '{call.joint}' has no argument '{name}'",
                argument.at,
                help=suggestion(name, known) or takes,
            )
        elif name in seen:
            report.add("MBX3113", f"'{name}' is said twice", argument.at, help="keep one")
        seen.add(name)
    if kind.rotations == "none" and call.rotations:
        report.add(
            "MBX3111",
            f"joint '{call.joint}' takes no rotation of its own",
            call.rotations[0].at,
            help="rotate a side: A at p rotated x by a",
        )
    elif kind.rotations == "one" and len(call.rotations) > 1:
        report.add(
            "MBX3113",
            "the rotation is said twice",
            call.rotations[1].at,
            help="one euler or quaternion; for more use a general joint",
        )


def _sides(call: JointCall, report: Report, *, in_body: bool) -> None:
    own_sides = [s for s in call.sides if s.base.path[0].name == "own"]
    count = len(call.sides) - len(own_sides)
    expected = 1 if in_body else 2
    if own_sides and not in_body:
        report.add(
            "MBX3116",
            "'own' has a meaning only in a body's joint",
            own_sides[0].at,
            help="name the body",
        )
    elif count != expected or len(own_sides) > 1:
        what = "one other body" if in_body else "two bodies"
        report.add(
            "MBX3114",
            f"this joint joins {what}, and {count} {'is' if count == 1 else 'are'} named",
            call.at,
        )


def _complete(call: JointCall, kind: JointKind, report: Report, *, placing: bool) -> None:
    arguments = {a.name.base for a in call.arguments}
    missing = [n for n in kind.shape if n not in arguments]
    if placing:
        missing += [n for n in kind.motion if n not in arguments and call.joint != "general"]
        if kind.rotations == "one" and not call.rotations:
            missing.append("a rotation (euler … or quaternion(…))")
        if call.joint == "general" and not call.rotations and "move" not in arguments:
            missing.append("move or rotations")
    for name in missing:
        turned = call.joint == "general" and any(side.rotations for side in call.sides)
        report.add(
            "MBX3112",
            f"joint '{call.joint}' needs {name}",
            call.at,
            help="write a comma before 'rotated': general(ground, rotated z by a)"
            if turned
            else None,
        )
    moved: Span | None = None
    if not placing and not kind.constrains:
        report.add(
            "MBX3117",
            f"joint '{call.joint}' closes no loop",
            call.at,
            help="say what stays equal with invariants",
        )
        return
    if not placing:
        for argument in call.arguments:
            if argument.name.base in kind.motion:
                moved = argument.at
        if call.rotations:
            moved = call.rotations[0].at
    if moved is not None:
        report.add(
            "MBX3115",
            f"joint '{call.joint}' closes a loop: how far it moves follows from the bodies",
            moved,
            help="leave it out; 'measure q' names it",
        )


_WAYS = {
    "joint": "joint",
    "frame": "frame",
    "com": "",
    "velocity": "twist",
    "omega": "twist",
    "at": "frame",
}


@dataclass(frozen=True, slots=True)
class PlacingJoint:
    """A joint statement that places its second body."""

    joint: Joint
    scope: Scope

    @property
    def call(self) -> JointCall:
        """The joint's kind, sides and arguments."""
        return self.joint.call


@dataclass(slots=True)
class Parents:
    """Which joints place which bodies, and which close loops."""

    placing: dict[Symbol, PlacingJoint] = field(default_factory=dict)
    loops: list[tuple[Joint, Scope]] = field(default_factory=list)


def placed_by(node: Body | Particle) -> list[str]:
    """Return the ways in which the clauses of a body place it."""
    ways = [_WAYS.get(c.kind, "") for c in node.clauses]
    joints = [w for w in ways if w == "joint"]
    return joints + sorted({w for w in ways if w and w != "joint"})


def _mass_elements(root: Scope) -> Iterator[Symbol]:
    return (s for s in root.all_symbols() if s.kind in {"body", "particle"})


def _target(reference: Reference, scope: Scope) -> Symbol | None:
    here = scope
    for segment in reference.path:
        name = label(segment)
        if name in here.children:
            here = here.children[name]
        else:
            return here.symbols.get(name)
    return None


def find_parents(root: Scope, report: Report) -> Parents:
    """Sort the joint statements into those that place a body and those that close a loop."""
    parents = Parents()
    unplaced = {
        s for s in _mass_elements(root) if isinstance(s.node, Body) and not placed_by(s.node)
    }
    for scope in root.walk():
        for joint in scope.of(Joint):
            sides = joint.call.sides
            second = _target(sides[1].base, scope) if len(sides) > 1 else None
            placing = second in unplaced and second not in parents.placing
            good = check_call(joint.call, in_body=False, placing=placing, report=report)
            if len(sides) > 1 and sides[0].base == sides[1].base:
                report.add(
                    "MBX3105",
                    f"joint '{joint.name}' joins '{sides[0].base.path[-1].name}' to itself",
                    joint.at,
                    help="name another body",
                )
            elif placing and second is not None and good:
                parents.placing[second] = PlacingJoint(joint, scope)
            elif good:
                parents.loops.append((joint, scope))
    return parents


def check_bodies(root: Scope, parents: Parents, report: Report) -> None:
    """Check that each mass element is placed in exactly one way."""
    for symbol in _mass_elements(root):
        node: Any = symbol.node
        _clauses_once(node, symbol, report)
        ways = placed_by(node)
        if symbol in parents.placing:
            ways.append("joint")
        if not ways:
            report.add(
                "MBX3104",
                f"{symbol.kind} '{symbol.name}' has no place",
                symbol.at,
                help="give it a joint, or frame and com, or velocity and omega"
                if symbol.kind == "body"
                else "say where it is: at [x, y, z]",
            )
        elif len(ways) > 1:
            report.add(
                "MBX3103",
                f"{symbol.kind} '{symbol.name}' is placed twice: by {' and by '.join(ways)}",
                symbol.at,
                help="keep one",
            )
        for clause in node.clauses:
            if clause.kind == "joint":
                check_call(clause.call, in_body=True, placing=True, report=report)


def _clauses_once(node: Any, symbol: Symbol, report: Report) -> None:
    seen: set[str] = set()
    for clause in node.clauses:
        if clause.kind in seen and clause.kind != "joint":
            report.add(
                "MBX3109",
                f"'{clause.kind}' is said twice of {symbol.kind} '{symbol.name}'",
                clause.at,
                help="keep one",
            )
        seen.add(clause.kind)
