"""Loads, as wrenches on mass elements, energies and generalized forces."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import label, resolve
from mbx.expr.build import (
    NULL,
    Vector,
    cross,
    divide,
    dot,
    matvec,
    minus,
    mul,
    neg,
    plus,
    power,
    scale,
    sub,
    times,
    transposed,
)
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.document.expressions import Reference, walk
from mbx.system.kinematics.frames import Point
from mbx.system.lower_expressions import Lowering
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Effective, Energy, Force, Generalized
from mbx.system.world import Element

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Scope
    from mbx.language.document.expressions import Expression
    from mbx.system.world import World

__all__ = ["Loads", "lower_loads", "spread_gravity"]

_HALF = Fraction(1, 2)
_POINTS = frozenset({"body", "particle", "frame", "point"})


@dataclass(slots=True)
class Loads:
    """All loads of a system."""

    forces: list[Force] = field(default_factory=list)
    generalized: list[Generalized] = field(default_factory=list)
    potentials: list[Energy] = field(default_factory=list)
    dissipations: list[Energy] = field(default_factory=list)
    effective: list[Effective] = field(default_factory=list)
    spans: dict[str, Any] = field(default_factory=dict)


def spread_gravity(root: Scope, world: World) -> None:
    """Give every mass element the gravity of its level, or of the nearest above it."""

    def visit(scope: Scope, above: Vector | None) -> None:
        for statement in scope.statements:
            if statement.kind == "gravity":
                above = Lowering(world, scope).vector(statement.value)
        for symbol in scope.symbols.values():
            if symbol.kind in {"body", "particle"}:
                world.elements[symbol.path].gravity = above
        for child in scope.children.values():
            visit(child, above)

    visit(root, None)


def lower_loads(root: Scope, world: World) -> Loads:
    """Return the loads of all levels."""
    loads = Loads()
    counts: dict[str, int] = {}
    for scope in root.walk():
        lowering = Lowering(world, scope)
        for statement in scope.statements:
            handler = _HANDLERS.get(statement.kind)
            if handler is None:
                continue
            name = getattr(statement, "name", None)
            if name is None:
                base = f"{scope.prefix}{statement.kind}"
                counts[base] = counts.get(base, 0) + 1
                path = f"{base}({counts[base]})"
            else:
                path = f"{scope.prefix}{label(name)}"
            loads.spans[path] = statement.at
            handler(loads, lowering, statement, path)
    return loads


def _target(lowering: Lowering, node: Any) -> Any:
    """Return the mass element that a load is on, or the ground's frame."""
    value = lowering.of(node)
    return lowering.world.elements[str(value.on)] if isinstance(value, Point) else value


def _wrench(
    lowering: Lowering, path: str, target: Any, force: Vector, point: Point | None, torque: Vector
) -> Force | None:
    """Return force and torque as a wrench at the mass centre; None if the ground takes it."""
    if not isinstance(target, Element):
        return None
    local: Vector = torque
    if target.frame is not None:
        if point is not None and force is not NULL:
            arm = minus(point.p, target.com.p)
            torque = plus(torque, cross(arm, force))
        local = matvec(transposed(target.frame.R), torque)
    return Force(path=path, part=lowering.scope.prefix, on=target.path, force=force, torque=local)


def _force(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    force = lowering.vector(node.value)
    target = _target(lowering, node.on)
    point = None if node.point is None else lowering.point(node.point)
    other = None if node.origin is None else _target(lowering, node.origin)
    if point is None and other is not None and isinstance(target, Element) and target.placed:
        point = target.com  # the opposite acts at the same point
    opposite = times(neg(ONE), force)
    for body, value in ((target, force), (other, opposite)):
        wrench = None if body is None else _wrench(lowering, path, body, value, point, NULL)
        if wrench is not None:
            loads.forces.append(wrench)


def _torque(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    torque = lowering.vector(node.value)
    other = None if node.origin is None else _target(lowering, node.origin)
    opposite = times(neg(ONE), torque)
    for body, value in ((_target(lowering, node.on), torque), (other, opposite)):
        wrench = None if body is None else _wrench(lowering, path, body, NULL, None, value)
        if wrench is not None:
            loads.forces.append(wrench)


def _line(lowering: Lowering, node: Any) -> tuple[Node, tuple[Point, Point] | None]:
    """Return the length along a line, and its ends if it has any."""
    if node.line.kind == "along":
        return lowering.scalar(node.line.coordinate), None
    ends = (lowering.point(node.line.first), lowering.point(node.line.second))
    d = minus(ends[1].p, ends[0].p)
    return power(dot(d, d), _HALF), ends


def _pair(
    lowering: Lowering, path: str, ends: tuple[Point, Point] | None, length: Node, pull: Node
) -> tuple[Force, ...] | None:
    """Return a pull between two points as wrenches, if both are on known elements."""
    if ends is None or ends[0].on is None or ends[1].on is None:
        return None
    along = times(divide(pull, length), minus(ends[1].p, ends[0].p))
    forces = []
    for point, force in ((ends[0], along), (ends[1], times(neg(ONE), along))):
        if point.on:
            target = lowering.world.elements[point.on]
            wrench = _wrench(lowering, path, target, force, point, NULL)
            if wrench is not None:
                forces.append(wrench)
    return tuple(forces)


def _names(world: World, values: list[Node], level: int) -> bool:
    """Return whether values name a coordinate (level 0), or a rate or speed (level 1)."""
    known = {rate_symbol(path, level - k) for path, k in world.orders.items() if k <= level}
    return not known.isdisjoint(free_symbols(values))


def _energy(lowering: Lowering, path: str, value: Node, forces: Any, ends: Any) -> Energy:
    part, between = lowering.scope.prefix, ends is not None
    return Energy(path=path, part=part, value=value, forces=forces, between=between)


def _spring(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    length, ends = _line(lowering, node)
    if ends is not None and length is ZERO:
        return  # between a point and itself nothing is stretched
    rest = ZERO if node.rest is None else lowering.scalar(node.rest)
    k = lowering.scalar(node.stiffness)
    stretch = sub(length, rest)
    value = scale(_HALF, mul(k, power(stretch, 2)))
    # where stiffness or rest change along a coordinate, the energy has further slopes than the pull
    whole = not _names(lowering.world, [k, rest], 0)
    forces = _pair(lowering, path, ends, length, mul(k, stretch)) if whole else None
    loads.potentials.append(_energy(lowering, path, value, forces, ends))


def _damper(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    length, ends = _line(lowering, node)
    if ends is not None and length is ZERO:
        return  # likewise
    c = lowering.scalar(node.damping)
    if ends is None:
        (rate,) = lowering.world.rates([length])
    else:
        d = minus(ends[1].p, ends[0].p)
        rate = divide(dot(d, minus(ends[1].v, ends[0].v)), length)
    value = scale(_HALF, mul(c, power(rate, 2)))
    whole = not _names(lowering.world, [c], 1)
    forces = _pair(lowering, path, ends, length, mul(c, rate)) if whole else None
    loads.dissipations.append(_energy(lowering, path, value, forces, ends))


def _written(lowering: Lowering, node: Any, path: str) -> Energy:
    """Return an energy that is written out.

    If it names bodies, or points on them, it acts on these, as a spring between points does: a
    load on the coordinates of their joints has other reactions.
    """
    between = True if _names_points(lowering.scope, node.value) else None
    return _energy(lowering, path, lowering.scalar(node.value), None, between)


def _names_points(scope: Scope, value: Expression) -> bool:
    """Return whether an expression names bodies, particles, frames or points, also by a `let`."""
    left, seen = [(value, scope)], set()
    while left:
        node, here = left.pop()
        for part in walk(node):
            target = resolve(part, here) if isinstance(part, Reference) else None
            if target is None or target.symbol in seen:
                continue
            seen.add(target.symbol)
            if target.symbol.kind in _POINTS:
                return True
            if target.symbol.kind == "let":
                left.append((target.symbol.node.value, target.symbol.scope))
    return False


def _potential(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    loads.potentials.append(_written(lowering, node, path))


def _dissipation(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    loads.dissipations.append(_written(lowering, node, path))


def _generalized(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    of = None
    if node.of is not None:
        of = lowering.scope.prefix + ".".join(label(s) for s in node.of.path)
    loads.generalized.append(
        Generalized(
            path=path,
            part=lowering.scope.prefix,
            on=lowering.scalar(node.on),
            value=lowering.scalar(node.value),
            of=of,
        )
    )


def _effective(loads: Loads, lowering: Lowering, node: Any, path: str) -> None:
    loads.effective.append(
        Effective(
            path=path,
            part=lowering.scope.prefix,
            on=lowering.scalar(node.on),
            value=lowering.scalar(node.value),
        )
    )


_HANDLERS = {
    "force": _force,
    "torque": _torque,
    "spring": _spring,
    "damper": _damper,
    "potential": _potential,
    "dissipation": _dissipation,
    "load": _generalized,
    "effective": _effective,
}
