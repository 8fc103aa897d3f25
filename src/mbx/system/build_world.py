"""Names to symbols, frames, points and mass elements, each after what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import VARIABLES, binding_of, label, resolve
from mbx.checking.rules.placements import axis_letter
from mbx.expr.build import NULL
from mbx.expr.nodes import ZERO, number
from mbx.expr.nodes import symbol as kernel_symbol
from mbx.language.document.expressions import Call, Reference, ungroup, walk
from mbx.language.document.expressions import Vector as Bracket
from mbx.language.document.node import expressions_of
from mbx.linking.expand import bare
from mbx.system.kinematics.frame_placements import (
    body_frame,
    holder,
    placement,
    placing_joint,
    side,
)
from mbx.system.kinematics.frames import Frame, Point, free_frame
from mbx.system.kinematics.relax import relax
from mbx.system.lower_expressions import Lowering
from mbx.system.world import Element, JointFrames, World, Wrench

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.expr.build import Matrix
    from mbx.expr.nodes import Node
    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Expression

__all__ = ["bound_to", "build_world"]

_LETTERS = "xyz"
_LOADS = frozenset({"force", "torque", "damper", "dissipation", "load", "effective", "spring"})


def build_world(
    context: Context,
    parents: Parents,
    highest: int,
    let_go: Collection[str] = (),
    *,
    opened: bool = False,
) -> World:
    """Return the symbols, frames and mass elements of a checked model.

    The joints in `let_go` are released, and those whose reactions a load depends on. Where the
    world is `opened`, all are: the bodies they place have symbols of their own.
    """
    world = World(highest=highest, opened=opened)
    world.known = {
        kernel_symbol(s.path): float(v) for s, v in context.values.items() if s.kind == "param"
    }
    world.relaxed = _relaxed(context) | set(let_go)
    _scan(context, world)
    for symbol in context.order:
        if symbol.kind in VARIABLES:
            world.rates.follow(symbol.path, highest)
            world.orders[symbol.path] = symbol.order
        elif symbol.kind == "input" and bound_to(symbol, world) is None:
            world.rates.follow(symbol.path, highest)
    for symbol in context.order:
        value = _value(symbol, world, context, parents)
        if value is not None:
            world.values[symbol] = value
    return world


def _relaxed(context: Context) -> set[str]:
    """Return the reactions of joints that a load depends on."""
    paths: set[str] = set()
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind in _LOADS:
                paths |= _reactions_in(expressions_of(statement), scope)
    return paths


def _scan(context: Context, world: World) -> None:
    """Note the parameters that something is differentiated by, and calls of acceleration."""
    for scope in context.root.walk():
        for statement in scope.statements:
            for expression in expressions_of(statement):
                for node in walk(expression):
                    if not isinstance(node, Call):
                        continue
                    if node.function == "acceleration":
                        world.accelerated = True
                    elif node.function == "diff":
                        by = ungroup(node.arguments[1])
                        target = resolve(by, scope) if isinstance(by, Reference) else None
                        if target is not None and target.symbol.kind == "param":
                            world.varied.add(target.symbol)


def _reactions_in(expressions: Iterable[Expression], scope: Scope) -> set[str]:
    paths: set[str] = set()
    for expression in expressions:
        for node in walk(expression):
            target = resolve(node, scope) if isinstance(node, Reference) else None
            if target is None:
                continue
            if target.symbol.kind == "reaction" and target.symbol.node.kind == "joint":
                paths.add(target.symbol.path)
            elif target.symbol.kind == "let":
                paths |= _reactions_in([target.symbol.node.value], target.symbol.scope)
    return paths


def _value(symbol: Symbol, world: World, context: Context, parents: Parents) -> Any:
    lowering = Lowering(world, symbol.scope)
    node = symbol.node
    match symbol.kind:
        case "param" | "input":
            return _value_or_symbol(symbol, world, context)
        case "let":
            return (
                lowering.of(node.value)
                if node.unit is None
                else lowering.in_unit(node.value, node.unit)
            )
        case "frame":
            frame = placement(lowering, node.placement)
            _settle(world, frame, frame.origin)
            return frame
        case "point":
            return lowering.point(node.value)
        case "body" | "particle":
            element = _element(symbol, lowering, parents)
            world.elements[symbol.path] = element
            _settle(world, element.frame, element.com)
            return element.com if symbol.kind == "particle" else element
        case "reaction":
            return _reaction(symbol, context)
    return None


def _settle(world: World, frame: Frame | None, point: Point) -> None:
    """Work out how a frame and a point move, while what carries them is just worked out.

    Computed later, from the last body of a long chain, it would recurse along the whole chain.
    Accelerations wait, unless the model itself uses some.
    """
    _ = point.v
    if frame is not None:
        _ = frame.w, frame.w_local
    if world.accelerated:
        _ = point.a
        if frame is not None:
            _ = frame.al, frame.wd_local


def _value_or_symbol(symbol: Symbol, world: World, context: Context) -> Node:
    """Return a parameter or input: its symbol, or what its parent binds it to."""
    if symbol.unit == "integer" and symbol in context.values:
        return number(int(context.values[symbol]))
    bound = bound_to(symbol, world)
    if bound is not None:
        return Lowering(world, bound[1]).in_unit(bound[0], symbol.unit)
    return kernel_symbol(symbol.path)


def bound_to(symbol: Symbol, world: World) -> tuple[Expression, Scope] | None:
    """Return what stands for a parameter or input of a part; None if its symbol does."""
    bound = binding_of(symbol)
    return None if bound is None or bare(bound[0]) or symbol in world.varied else bound


def _reaction(symbol: Symbol, context: Context) -> Any:
    if symbol.node.kind == "joint":
        names = [[f"{symbol.path}.{k}.{x}" for x in _LETTERS] for k in ("force", "torque")]
        force, torque = (tuple(kernel_symbol(n) for n in row) for row in names)
        return Wrench(force, torque)  # type: ignore[arg-type]
    if context.quantities[symbol].sort == "vector":
        return tuple(kernel_symbol(f"{symbol.path}.{x}") for x in _LETTERS)
    return kernel_symbol(symbol.path)


def _element(symbol: Symbol, lowering: Lowering, parents: Parents) -> Element:
    clauses = {c.kind: c for c in symbol.node.clauses}
    common: dict[str, Any] = {
        "path": symbol.path,
        "part": symbol.scope.prefix,
        "kind": symbol.kind,
        "m": lowering.scalar(clauses["mass"].value) if "mass" in clauses else None,
    }
    if "velocity" in clauses or "omega" in clauses:
        return _by_twist(symbol, lowering, clauses, common)
    if symbol.kind == "particle":
        point = lowering.point(clauses["at"].value)
        com = _same_point(point, symbol.path, lowering)
        return Element(**common, inertia=None, frame=None, com=com, carrier=point.on or None)
    frame, joint = _frame(symbol, lowering, clauses, parents)
    com = _com(symbol, lowering, clauses, frame)
    written = None if "com" not in clauses else ungroup(clauses["com"].value)
    carrier = None if joint is not None else holder(frame.parent)
    if joint is None and written is not None and not isinstance(written, Bracket):
        if lowering.inside(frame).point(written).on != carrier:
            carrier = None  # its axes and its position depend on different carriers
        frame = Frame(frame, com, on=symbol.path)
    inertia = _inertia(lowering.inside(frame), clauses.get("inertia"))
    return Element(**common, inertia=inertia, frame=frame, com=com, joint=joint, carrier=carrier)


def _same_point(point: Point, on: str, lowering: Lowering) -> Point:
    """Return the same point as the mass centre of an element."""
    return _Known(point, on, lowering)


class _Known(Point):
    """A point that moves as another point does."""

    def __init__(self, other: Point, on: str, lowering: Lowering) -> None:
        super().__init__(other.p, lowering.world.rates, on)
        self._other = other

    @property
    def within(self) -> Any:
        return self._other.within

    @property
    def v(self) -> Any:
        return self._other.v

    @property
    def a(self) -> Any:
        return self._other.a


class _Moving(Point):
    """A point of which only the velocity is known."""

    def __init__(self, v: Any, on: str, lowering: Lowering) -> None:
        super().__init__(NULL, lowering.world.rates, on)
        self.__dict__["v"] = v


def _by_twist(
    symbol: Symbol, lowering: Lowering, clauses: dict[str, Any], common: dict[str, Any]
) -> Element:
    velocity, omega = clauses.get("velocity"), clauses.get("omega")
    v = NULL if velocity is None else lowering.vector(velocity.value)
    w = NULL if omega is None else lowering.vector(omega.value)
    wd = lowering.world.rates(w)
    return Element(
        **common,
        inertia=_inertia(lowering, clauses.get("inertia")),
        frame=None,
        com=_Moving(v, symbol.path, lowering),
        twist=w if symbol.kind == "body" else None,
        twist_rate=(wd[0], wd[1], wd[2]) if symbol.kind == "body" else None,
        placed=False,
    )


def _frame(
    symbol: Symbol, lowering: Lowering, clauses: dict[str, Any], parents: Parents
) -> tuple[Frame, JointFrames | None]:
    if "joint" in clauses:
        call: JointCall = clauses["joint"].call
        other_side, body_side = side(call, of_body=False), side(call, of_body=True)
        reaction = clauses["joint"].reaction
        return _jointed(
            symbol, lowering, call, other_side, body_side, f"{symbol.path}.joint", reaction
        )
    placing = parents.placing.get(symbol)
    if placing is not None:
        here = Lowering(lowering.world, placing.scope)
        first, second = placing.call.sides
        path = f"{placing.scope.prefix}{label(placing.joint.name)}"
        return _jointed(symbol, here, placing.call, first, second, path, placing.joint.reaction)
    frame = placement(lowering, clauses["frame"].placement)
    origin = frame.at(NULL, lowering.world.rates, symbol.path)
    return Frame(frame, origin, on=symbol.path), None


def _jointed(
    symbol: Symbol,
    lowering: Lowering,
    call: JointCall,
    first: Any,
    second: Any,
    path: str,
    reaction: Any,
) -> tuple[Frame, JointFrames]:
    F = placement(lowering, first)
    name = None if reaction is None else f"{lowering.scope.prefix}{label(reaction)}"
    joint = placing_joint(lowering, call, F, path, name, holder(F))
    M = joint.M
    if lowering.world.opened:
        return free_frame(symbol.path, lowering.world.rates), joint
    if not lowering.world.relaxed.isdisjoint({name, path}):
        M = relax(lowering.world, lowering.scope.prefix, joint)
    return body_frame(lowering, M, second, symbol.path), joint


def _com(symbol: Symbol, lowering: Lowering, clauses: dict[str, Any], frame: Frame) -> Point:
    if "com" not in clauses:
        return frame.at(NULL, lowering.world.rates, symbol.path)
    written = ungroup(clauses["com"].value)
    point = lowering.inside(frame).point(written)
    return point if point.on == symbol.path else _same_point(point, symbol.path, lowering)


def _inertia(lowering: Lowering, clause: Any) -> Matrix | None:
    if clause is None:
        return None
    if clause.about is not None:
        J = lowering.scalar(clause.value)
        k = _LETTERS.index(axis_letter(clause.about) or "z")
        rows = [[J if i == j == k else ZERO for j in range(3)] for i in range(3)]
        return tuple(tuple(row) for row in rows)  # type: ignore[return-value]
    value: Matrix = lowering.of(clause.value)
    return value
