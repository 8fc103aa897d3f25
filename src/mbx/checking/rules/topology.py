"""How bodies hang together: MBX31xx.

A body has one place: by a joint in it, by a joint of its own statement that says how far it
has moved, by frame and com, or by its twist. Joints between placed bodies close loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import Scope, Symbol, label
from mbx.checking.rules.joint_calls import check_call
from mbx.language.document.bodies import Body, Joint, Particle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.base.diagnostics import Report
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Reference

__all__ = ["Parents", "PlacingJoint", "check_bodies", "find_parents", "placed_by"]

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
    """A joint of its own statement that places its second body."""

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
    """Return the ways in which a body's own clauses place it."""
    ways = [_WAYS.get(c.kind, "") for c in node.clauses]
    found = [w for w in ways if w == "joint"]
    return found + sorted({w for w in ways if w and w != "joint"})


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
            places = second in unplaced and second not in parents.placing
            good = check_call(joint.call, in_body=False, places=places, report=report)
            if len(sides) > 1 and sides[0].base == sides[1].base:
                report.add(
                    "MBX3105",
                    f"joint '{joint.name}' joins '{sides[0].base.path[-1].name}' to itself",
                    joint.at,
                    help="name another body",
                )
            elif places and second is not None and good:
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
                check_call(clause.call, in_body=True, places=True, report=report)


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
