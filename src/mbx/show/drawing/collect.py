"""The scene of a model at a pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.checking.expressions.known_values import fill_values
from mbx.checking.expressions.scope import label
from mbx.checking.run_rules import examine
from mbx.expr.build import NULL
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import symbol as symbol_of
from mbx.show.drawing.hinted import solid_of
from mbx.show.drawing.holding_elements import body_at, by_points, hold_particles, springs
from mbx.show.drawing.marks.label_text import variable_label
from mbx.show.drawing.massless_ties import distances, nearby, slots
from mbx.show.drawing.pose import DrawError
from mbx.show.drawing.scene import Body, Line, Mark, Scene
from mbx.show.drawing.seen_joints import Named, joint_of
from mbx.system.build_world import build_world
from mbx.system.kinematics.frame_placements import holder, placement
from mbx.system.kinematics.frames import GROUND
from mbx.system.lower_expressions import Lowering
from mbx.system.system_loads import spread_gravity
from mbx.system.world import Element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.language.document.bodies import JointCall
    from mbx.linking.link import Linked
    from mbx.show.drawing.drawing_hints import Hints
    from mbx.show.drawing.pose import Pose
    from mbx.show.drawing.scene import Array
    from mbx.show.drawing.seen_joints import Names
    from mbx.system.kinematics.frames import Frame
    from mbx.system.system import System
    from mbx.system.world import World

__all__ = ["collect"]

_STATES: Final = 3
_SAME: Final = 1e-9
_CANDIDATES: Final = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


def collect(linked: Linked, system: System, pose: Pose, hints: Hints) -> Scene:
    """Return what there is to see of a model."""
    report = Report()
    context, parents = examine(linked, report)
    if context is None or not report.ok:
        raise SourceError(report)
    fill_values(context)
    world = build_world(context, parents, 3)
    spread_gravity(context.root, world)
    scene = Scene(system.title or system.name, system.name, hidden=hints.hide)
    _bodies(world, pose, scene)
    _refuse_unknown(scene, pose)
    names = _names(system)
    for joint, track in _joints(context, parents, world, pose, names):
        scene.joints.append(joint)
        if track is not None:
            scene.tracks.append(track)
        for side, position in ((joint.first, joint.p), (joint.second, joint.q)):
            if side in scene.bodies:
                scene.bodies[side].points.append(position)
    states = nearby(system, pose)
    _marks(context.root, world, pose, states, scene)
    springs(context.root, world, pose, scene)
    by_points(context.root, system, world, pose, scene)
    if hints.rods:
        scene.lines += distances(context.root, world, pose)
        hold_particles(system, world, pose, scene)
    scene.gravity = _gravity(world, pose)
    scene.normal = _normal(world, system, states, scene.gravity)
    if scene.normal is not None:  # in space a point across from an axis is on a plane
        scene.lines += slots(context.root, world, pose)
    if not hints.marks:
        scene.marks.clear()
    lowering = Lowering(world, context.root)
    for shape in hints.shapes:
        body = None if shape.of is None else world.elements.get(shape.of)
        if shape.of is not None and body is None:
            raise DrawError(f"there is no body '{shape.of}' to draw a {shape.shape} for")
        if shape.shape in {"spring", "damper"}:
            ends = solid_of(shape, lowering, body, pose, names).points
            scene.lines.append(Line(shape.shape, *ends))  # type: ignore[arg-type]
            continue
        solid = solid_of(shape, lowering, body, pose, names)
        if shape.of is None or body is None:
            scene.shapes.append(solid)
            continue
        if shape.of not in scene.bodies:  # known by its twist alone: the hint gives its position
            scene.placeless.remove(shape.of)
            scene.bodies[shape.of] = body_at(shape.of, body.kind, [solid.centre])
        scene.bodies[shape.of].shapes.append(solid)
    return scene


def _refuse_unknown(scene: Scene, pose: Pose) -> None:
    """Raise an error where a position is no number."""
    for body in scene.bodies.values():
        good = np.isfinite(body.com).all() and (body.R is None or np.isfinite(body.R).all())
        if good:
            continue
        if pose.missing:
            wanted = ", ".join(f"'{path}'" for path in pose.missing)
            raise DrawError(f"'{body.path}' has no place: there is no value for {wanted}")
        raise DrawError(f"'{body.path}' has no place at this state")


def _names(system: System) -> Names:
    names = {
        coordinate.symbol: Named(
            variable_label(coordinate.path, coordinate.latex),
            coordinate.dimension,
            coordinate.range,
            moves=True,
        )
        for coordinate in system.q
    }
    for parameter in system.parameters:
        known = Named(
            variable_label(parameter.path, parameter.latex),
            parameter.dimension,
            parameter.range,
            moves=False,
        )
        names[parameter.symbol] = known
    return names


def _bodies(world: World, pose: Pose, scene: Scene) -> None:
    for path, element in world.elements.items():
        if not element.placed:
            scene.placeless.append(path)
            continue
        com = pose.of(element.com.p)
        origin = pose.of(element.origin.p)
        body = Body(path, element.kind, com, origin)
        body.m = _number(element.m, pose)
        if element.frame is not None:
            body.R = pose.matrix(element.frame.R)
        if element.inertia is not None:
            inertia = pose.matrix(element.inertia)
            if np.isfinite(inertia).all():
                body.inertia = inertia
                body.about = _about(inertia)
        scene.bodies[path] = body


def _about(inertia: Array) -> int | None:
    """Return the axis of the only moment that is not zero."""
    size = np.abs(inertia) > _SAME * np.abs(inertia).max(initial=1e-300)
    kept = np.argwhere(size)
    return int(kept[0][0]) if len(kept) == 1 and kept[0][0] == kept[0][1] else None


def _number(node: Any, pose: Pose) -> float | None:
    value = None if node is None else float(pose.of([node])[0])
    return value if value is not None and np.isfinite(value) else None


def _joints(
    context: Context, parents: Parents, world: World, pose: Pose, names: Names
) -> Iterator[Any]:
    """Yield the joints of the tree, then those that close loops."""
    for symbol in context.order:
        element = world.elements.get(symbol.path)
        if symbol.kind != "body" or element is None or element.joint is None:
            continue
        connection = element.joint
        call, scope = _call(symbol, parents)
        sides = (_side(connection.F, names), symbol.path)
        yield joint_of(
            Lowering(world, scope),
            call,
            (connection.F, connection.M),
            sides,
            pose,
            names,
            connection.path,
        )
    for joint, scope in parents.loops:
        lowering = Lowering(world, scope)
        F, M = (placement(lowering, side) for side in joint.call.sides)
        path = f"{scope.prefix}{label(joint.name)}"
        closing, track = joint_of(
            lowering, joint.call, (F, M), (_side(F, names), _side(M, names)), pose, names, path
        )
        closing.closes = True
        yield closing, track


def _side(frame: Frame, names: Names) -> str | None:
    """Return the body that carries a frame, None for the ground, "" where nothing does."""
    body = holder(frame)
    if body is not None:
        return body
    nodes = [*frame.origin.p, *(x for row in frame.R for x in row)]
    moves = any(s in names and names[s].moves for s in free_symbols(nodes))
    return "" if moves else None


def _call(symbol: Symbol, parents: Parents) -> tuple[JointCall, Scope]:
    for clause in symbol.node.clauses:
        if clause.kind == "joint":
            return clause.call, symbol.scope
    placing = parents.placing[symbol]
    return placing.call, placing.scope


def _marks(root: Scope, world: World, pose: Pose, states: Pose, scene: Scene) -> None:
    """Add named points and frames, and see which bodies points are fixed to."""
    fixed = _Fixed(world, states, scene)
    for scope in root.walk():
        for symbol in scope.symbols.values():
            value = world.values.get(symbol)
            if symbol.kind == "point" and value is not None:
                p = pose.of(value.p)
                scene.marks.append(Mark(symbol.path, p))
                on = value.on or fixed.to(value.p)
                if on in scene.bodies:
                    scene.bodies[on].points.append(p)
            elif symbol.kind == "frame" and value is not None and value is not GROUND:
                scene.marks.append(Mark(symbol.path, pose.of(value.origin.p), pose.matrix(value.R)))
    for path, body in scene.bodies.items():
        if body.kind == "particle":
            on = world.elements[path].carrier or fixed.to(world.elements[path].com.p)
            if on in scene.bodies and on != path:
                scene.bodies[on].points.append(body.com)
                scene.carried.add(path)


class _Fixed:
    """Finds the body that a point is fixed to, by how both move."""

    def __init__(self, world: World, states: Pose, scene: Scene) -> None:
        self.states = states
        paths = [p for p, b in scene.bodies.items() if b.R is not None][:200]
        self.paths = paths
        nodes = [
            x
            for path in paths
            for x in (
                *world.elements[path].origin.p,
                *(y for row in world.elements[path].R for y in row),
            )
        ]
        values = states.many(nodes, _STATES).reshape(_STATES, len(paths), 12)
        self.origins, self.R = values[:, :, :3], values[:, :, 3:].reshape(_STATES, len(paths), 3, 3)

    def to(self, p: Any) -> str | None:
        """Return the body that a point does not move in; None if it moves in all, or in none."""
        here = self.states.many(list(p), _STATES)
        if np.abs(here - here[0]).max() <= _SAME:
            return None
        for k, path in enumerate(self.paths):
            components = np.einsum("kij,ki->kj", self.R[:, k], here - self.origins[:, k])
            if np.abs(components - components[0]).max() <= _SAME:
                return path
        return None


def _gravity(world: World, pose: Pose) -> Array | None:
    for element in world.elements.values():
        if element.gravity is not None and isinstance(element, Element):
            g = pose.of(element.gravity)
            if np.isfinite(g).all() and np.linalg.norm(g) > _SAME:
                return g
    return None


def _normal(world: World, system: System, states: Pose, gravity: Array | None) -> Array | None:
    """Return the normal of the plane of all motion, if there is such a plane.

    Of two, that across gravity is taken, then that along z, y, x.
    """
    rates: dict[Any, Array] = {}
    for k, variable in enumerate((*system.q, *system.u)):
        steps = np.array([((k + 3) * j * 0.7548776662466927) % 1.0 - 0.4 for j in (1, 2, 3)])
        rates.setdefault(variable.rate, steps)
        if variable in system.u:
            rates[variable.symbol] = steps
    rates |= {symbol_of(variable.path + "'"): np.zeros(_STATES) for variable in system.inputs}
    moving = states.with_values(rates)
    nodes = [
        x
        for element in world.elements.values()
        for x in (*element.com.v, *(element.w if element.kind == "body" else NULL))
    ]
    if not nodes:
        return None
    twists = moving.many(nodes, _STATES).reshape(_STATES, -1, 2, 3)
    if not np.isfinite(twists).all():
        return None
    v, w = twists[:, :, 0], twists[:, :, 1]
    size_v, size_w = max(float(np.abs(v).max()), 1e-9), max(float(np.abs(w).max()), 1e-9)
    good = []
    for axis in np.array(_CANDIDATES):
        flat = np.abs(v @ axis).max() <= _SAME * size_v
        turned = np.abs(w - (w @ axis)[..., None] * axis).max() <= _SAME * size_w
        if flat and turned:
            good.append(axis)
    if gravity is not None:
        good.sort(key=lambda axis: abs(float(axis @ gravity)) > _SAME)
    return good[0] if good else None
