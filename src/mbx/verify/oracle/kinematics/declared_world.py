"""What a linked model declares, by name: levels, values, variables, joints, loads.

Only names are looked up here; nothing is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mbx.language.document.document import InlineSubsystem
from mbx.language.document.kinematic_statements import Define, Invariant, QuaternionRotation
from mbx.language.document.load_statements import Effective, Gravity
from mbx.language.document.node import nodes_of
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Expression, Reference
    from mbx.linking.link import Linked

__all__ = ["Level", "Named", "PlacingJoint", "World", "clause", "segment", "survey"]

_VALUES: Final = frozenset({"param", "input", "let", "coordinate", "speed"})
_NAMED: Final = frozenset({"frame", "point", "body", "particle", "joint", "invariant"})
_ACTING: Final = frozenset(
    {"force", "torque", "spring", "damper", "potential", "dissipation", "load", "effective"}
)
_ORDERS: Final = {"coordinate": 0, "speed": 1}
_STEPS: Final = frozenset({"angle", "angle2", "distance", "x", "y", "move"})


@dataclass(eq=False)
class Level:
    """The names of a model or subsystem."""

    path: str
    parent: Level | None
    names: dict[str, Named] = field(default_factory=dict)
    below: dict[str, Level] = field(default_factory=dict)
    bindings: dict[str, Expression] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """Return the path of a name of this level."""
        return f"{self.path}{name}"


@dataclass(eq=False)
class Named:
    """Something that has a name: what it is, what declares it, and where.

    `order` is that of a variable; `column` its position among the unknowns.
    """

    path: str
    kind: str
    node: Any
    level: Level
    order: int = -1
    column: int = -1


@dataclass(eq=False)
class PlacingJoint:
    """The joint that places a body: its call, the level it is written in, its two sides."""

    body: Named
    call: JointCall
    level: Level
    path: str
    reaction: str | None


@dataclass(eq=False)
class World:
    """Everything that a model states, each statement with its level."""

    root: Level
    variables: list[Named] = field(default_factory=list)
    elements: list[Named] = field(default_factory=list)
    frames: list[Named] = field(default_factory=list)
    inputs: list[Named] = field(default_factory=list)
    placing: dict[Named, PlacingJoint] = field(default_factory=dict)
    loops: list[Named] = field(default_factory=list)
    definitions: list[tuple[str, Define, Level]] = field(default_factory=list)
    invariants: list[tuple[str, Invariant, Level]] = field(default_factory=list)
    gravity: list[tuple[Gravity, Level]] = field(default_factory=list)
    loads: list[tuple[str, Any, Level]] = field(default_factory=list)
    quaternions: list[tuple[str, QuaternionRotation, Level]] = field(default_factory=list)
    joints: dict[str, Named | PlacingJoint] = field(default_factory=dict)
    """Joints by their paths, placing joints without a name by that of their body."""


def segment(part: Any) -> str:
    """Return a part of a path as text."""
    return part.name if part.index is None else f"{part.name}[{part.index.text}]"


def clause(named: Named, kind: str) -> Any:
    """Return a clause of a body or particle, or None."""
    return next((c for c in named.node.clauses if c.kind == kind), None)


def find(level: Level, reference: Reference) -> tuple[Named, tuple[str, ...]]:
    """Return what a reference names, and the members behind it."""
    parts = [segment(part) for part in reference.path]
    for k, part in enumerate(parts):
        if part in level.names:
            return level.names[part], tuple(parts[k + 1 :])
        if part not in level.below:
            break
        level = level.below[part]
    raise OracleRefusal("there is no such name", ".".join(parts), reference.at)


def survey(linked: Linked) -> World:
    """Return what a linked model declares."""
    world = World(Level("", None))
    joints: list[Named] = []
    _fill(world, world.root, linked.model.body, joints)
    _sort_joints(world, joints)
    for level, statement in _walk(world.root, linked.model.body):
        where = level.full(str(getattr(statement, "name", None) or statement.kind))
        world.quaternions += [
            (where, node, level)
            for node in nodes_of(statement)
            if isinstance(node, QuaternionRotation)
        ]
    for column, variable in enumerate(world.variables):
        variable.column = column
    return world


def _walk(level: Level, body: tuple[Any, ...]) -> Iterator[tuple[Level, Any]]:
    for statement in body:
        if isinstance(statement, InlineSubsystem):
            yield from _walk(level.below[str(statement.name)], statement.body)
        else:
            yield level, statement


def _fill(world: World, level: Level, body: tuple[Any, ...], joints: list[Named]) -> None:
    for statement in body:
        if isinstance(statement, InlineSubsystem):
            child = Level(level.full(f"{statement.name}."), level)
            child.bindings = {str(b.name): b.value for b in statement.bindings}
            level.below[str(statement.name)] = child
            _fill(world, child, statement.body, joints)
        elif statement.kind in _VALUES:
            for item in statement.items:
                _declare(world, level, str(item.name), statement.kind, item)
        elif statement.kind == "variable":
            name = str(statement.item.name)
            _declare(world, level, name, "variable", statement.item, statement.order)
        elif isinstance(statement, Define):
            path = level.full(f"definition({len(world.definitions) + 1})")
            world.definitions.append((path, statement, level))
        elif isinstance(statement, Gravity):
            world.gravity.append((statement, level))
        elif statement.kind in _ACTING:
            _acting(world, level, statement)
        elif statement.kind in _NAMED:
            _named(world, level, statement, joints)


def _acting(world: World, level: Level, statement: Any) -> None:
    name = None if isinstance(statement, Effective) else statement.name
    path = level.full(str(name or f"{statement.kind}({len(world.loads) + 1})"))
    world.loads.append((path, statement, level))


def _declare(
    world: World, level: Level, name: str, kind: str, item: Any, order: int | None = None
) -> None:
    named = Named(level.full(name), kind, item, level)
    level.names[name] = named
    named.order = _ORDERS.get(kind, -1) if order is None else order
    if named.order >= 0:
        world.variables.append(named)
    elif kind == "input":
        world.inputs.append(named)


def _named(world: World, level: Level, statement: Any, joints: list[Named]) -> None:
    if isinstance(statement, Invariant):
        name = str(statement.name or f"invariant({len(world.invariants) + 1})")
        world.invariants.append((level.full(name), statement, level))
        if statement.reaction is not None:
            _reaction(level, str(statement.reaction), level.full(name), "multiplier", statement)
        if statement.name is None:
            return
    named = Named(level.full(str(statement.name)), statement.kind, statement, level)
    level.names[str(statement.name)] = named
    if statement.kind in {"body", "particle"}:
        world.elements.append(named)
        joint = next((c for c in statement.clauses if c.kind == "joint"), None)
        if joint is not None:
            placing = PlacingJoint(named, joint.call, level, named.path, None)
            if joint.reaction is not None:
                placing.reaction = level.full(str(joint.reaction))
                _reaction(level, str(joint.reaction), named.path, "wrench", joint)
            world.placing[named] = placing
            world.joints[named.path] = placing
    elif statement.kind == "frame":
        world.frames.append(named)
    elif statement.kind == "joint":
        joints.append(named)
        if statement.reaction is not None:
            _reaction(level, str(statement.reaction), named.path, "wrench", statement)


def _reaction(level: Level, name: str, of: str, kind: str, node: Any) -> None:
    """Declare a reaction: its node is the path of what it belongs to."""
    level.names[name] = Named(level.full(name), kind, (of, node), level)


def _sort_joints(world: World, joints: list[Named]) -> None:
    """Distinguish joints that place a body from those that close a loop (spec 2.10, 2.11)."""
    ordered = sorted(joints, key=lambda joint: not _moves(joint.node.call))
    for joint in ordered:
        base = joint.node.call.sides[1].base
        body = None if base.path[0].name == "ground" else find(joint.level, base)[0]
        if body is not None and _waits(world, body):
            named = joint.node.reaction
            reaction = None if named is None else joint.level.full(str(named))
            placing = PlacingJoint(body, joint.node.call, joint.level, joint.path, reaction)
            world.placing[body] = placing
            world.joints[joint.path] = placing
        else:
            world.loops.append(joint)
            world.joints[joint.path] = joint
    world.loops.sort(key=joints.index)


def _waits(world: World, body: Named) -> bool:
    """Return whether a body has no pose so far."""
    placed = ("frame", "velocity", "omega")
    return (
        body.kind == "body"
        and body not in world.placing
        and not any(clause(body, kind) for kind in placed)
    )


def _moves(call: JointCall) -> bool:
    return bool(call.rotations) or any(a.name.base in _STEPS for a in call.arguments)
