"""A joint as it is written: its kind, its sides and its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report, Span, suggestion
from mbx.language.joints import JOINTS, JointKind

if TYPE_CHECKING:
    from mbx.language.document.bodies import JointCall

__all__ = ["check_call"]


def check_call(call: JointCall, *, in_body: bool, places: bool, report: Report) -> bool:
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
    _complete(call, kind, report, places=places)
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
    own = [s for s in call.sides if s.base.path[0].name == "own"]
    others = len(call.sides) - len(own)
    expected = 1 if in_body else 2
    if own and not in_body:
        report.add(
            "MBX3116", "'own' has a meaning only in a body's joint", own[0].at, help="name the body"
        )
    elif others != expected or len(own) > 1:
        what = "one other body" if in_body else "two bodies"
        report.add(
            "MBX3114",
            f"this joint joins {what}, and {others} {'is' if others == 1 else 'are'} named",
            call.at,
        )


def _complete(call: JointCall, kind: JointKind, report: Report, *, places: bool) -> None:
    given = {a.name.base for a in call.arguments}
    missing = [n for n in kind.shape if n not in given]
    if places:
        missing += [n for n in kind.motion if n not in given and call.joint != "general"]
        if kind.rotations == "one" and not call.rotations:
            missing.append("a rotation (euler … or quaternion(…))")
        if call.joint == "general" and not call.rotations and "move" not in given:
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
    if not places and not kind.constrains:
        report.add(
            "MBX3117",
            f"joint '{call.joint}' closes no loop",
            call.at,
            help="say what stays equal with invariants",
        )
        return
    if not places:
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
