"""What holds bodies in addition to joints: springs, and invariants between named points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.build import NULL
from mbx.show.drawing.massless_ties import rods, still
from mbx.show.drawing.scene import Body, Line
from mbx.system.lower_expressions import Lowering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.checking.expressions.scope import Scope
    from mbx.show.drawing.pose import Pose
    from mbx.show.drawing.scene import Array, Scene
    from mbx.system.system import System
    from mbx.system.world import World

__all__ = ["body_at", "by_points", "hold_particles", "springs"]

_SAME: Final = 1e-7
"""Points nearer than this coincide."""


def springs(root: Scope, world: World, pose: Pose, scene: Scene) -> None:
    """Add the springs and dampers between points, and those on the distance of a slider."""
    for scope in root.walk():
        lowering = Lowering(world, scope)
        for statement in scope.statements:
            if statement.kind not in {"spring", "damper"}:
                continue
            if statement.line.kind == "along":
                symbol = lowering.scalar(statement.line.coordinate)
                scene.lines += _along(statement.kind, symbol, scene)
                continue
            ends = [lowering.point(e) for e in (statement.line.first, statement.line.second)]
            a, b = (pose.of(e.p) for e in ends)
            scene.lines.append(Line(statement.kind, a, b, (ends[0].on == "", ends[1].on == "")))
            for end, position in zip(ends, (a, b), strict=True):
                if end.on in scene.bodies:
                    scene.bodies[end.on].points.append(position)


def _along(kind: Any, symbol: Any, scene: Scene) -> Iterator[Line]:
    """Yield the spring or damper on a coordinate that is the distance of a slider."""
    for joint in scene.joints:
        measure = joint.measures.get("distance")
        if measure is not None and measure.symbol is symbol:
            yield Line(kind, joint.p, joint.q, (joint.first is None, False))


def body_at(path: str, kind: str, points: list[Array]) -> Body:
    """Return a body that is known by its twist, with positions from another source."""
    middle = np.mean(points, axis=0)
    return Body(path, kind, middle, middle, centred=False)


def by_points(root: Scope, system: System, world: World, pose: Pose, scene: Scene) -> None:
    """Put bodies known by their twists where the named points of their parts are."""
    parts = {path.rpartition(".")[0] + "." for path in scene.placeless if "." in path}
    owners = {part: [p for p in world.elements if p.startswith(part)] for part in parts}
    nodes: list[tuple[str, Any]] = []
    for scope in root.walk():
        bodies = owners.get(scope.prefix, [])
        points = [world.values[s] for s in scope.symbols.values() if s.kind == "point"]
        if len(bodies) == 1 and points:
            positions = [pose.of(p.p) for p in points]
            body = body_at(bodies[0], world.elements[bodies[0]].kind, positions)
            body.points = positions
            scene.placeless.remove(bodies[0])
            scene.bodies[bodies[0]] = body
            scene.marks = [m for m in scene.marks if not m.name.startswith(scope.prefix)]
            if len(points) == 1:  # a position without an orientation
                body.kind = "particle"
                scene.spots[bodies[0]] = points[0].p
            else:
                nodes += [(bodies[0], p.p) for p in points]
    _pins(nodes, system, pose, scene)


def _pins(nodes: list[tuple[str, Any]], system: System, pose: Pose, scene: Scene) -> None:
    """Add pins where points of two such bodies coincide, and where a point is fixed."""
    positions = [pose.of(p) for _, p in nodes]
    fixed = still(system, pose, [p for _, p in nodes])
    for k, (path, _) in enumerate(nodes):
        near = [j for j in range(len(nodes)) if np.linalg.norm(positions[k] - positions[j]) < _SAME]
        meets = any(nodes[j][0] != path for j in near)
        if (fixed[k] or meets) and near[0] == k:
            scene.pins.append((positions[k], fixed[k]))


def hold_particles(system: System, world: World, pose: Pose, scene: Scene) -> None:
    """Add the rods that hold particles which nothing else holds."""
    free = [p for p, b in scene.bodies.items() if b.kind == "particle" and p not in scene.carried]
    spots = {path: world.elements[path].com.p for path in free} | scene.spots
    if not free:
        return
    positions: dict[str, Any] = {"": NULL}
    positions |= {path: spots[path] for path in free}
    for path, body in scene.bodies.items():
        if body.kind == "body" and body.centred:
            positions[path] = world.elements[path].origin.p
    for symbol, value in world.values.items():
        if symbol.kind == "point" and value.p not in positions.values():
            positions[symbol.path] = value.p
    known = [(line.a, line.b) for line in scene.lines if line.kind == "rod"]
    for rod in rods(system, pose, positions, free):
        same = any(_on(rod.a, list(ends)) and _on(rod.b, list(ends)) for ends in known)
        bodies = scene.bodies.values()
        if not same and not any(_on(rod.a, b.points) and _on(rod.b, b.points) for b in bodies):
            scene.lines.append(rod)


def _on(p: Array, points: Sequence[Array]) -> bool:
    return any(float(np.linalg.norm(p - q)) < _SAME for q in points)
