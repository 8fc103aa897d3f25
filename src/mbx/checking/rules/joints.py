"""Joints: what they connect, and what each kind takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, Span, suggestion
from mbx.checking.expressions.scope import Scope, Symbol, label
from mbx.language.document.bodies import Body, Joint, Particle
from mbx.language.joints import JOINTS, JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Reference

__all__ = ["Parents", "PlacingJoint", "check_bodies", "check_call", "find_parents", "placed_by"]


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
