"""Rods and slots without mass: ties between points that only the equations of a model express."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.build import add, minus, power
from mbx.expr.derivatives import jacobian
from mbx.language.document.expressions import Call, Reference, Sum, ungroup, walk
from mbx.language.document.kinematic_statements import Invariant
from mbx.show.drawing.pose import onto
from mbx.show.drawing.scene import Line, unit
from mbx.system.lower_expressions import Lowering

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.checking.expressions.scope import Scope
    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.show.drawing.pose import Pose
    from mbx.show.drawing.scene import Array
    from mbx.system.system import System
    from mbx.system.world import World

__all__ = ["distances", "nearby", "rods", "slots", "still"]

_STATES: Final = 3
_KEPT: Final = 1e-9
_MOST: Final = 24
"""Points between which rods are looked for."""
_ROUNDING: Final = 1e-6
"""Part of a slope that may remain; states are kept to `pose.CLOSED`."""
_GOLDEN: Final = 0.6180339887498949


def nearby(system: System, pose: Pose) -> Pose:
    """Return states around a pose, the same each time; most break the invariants."""
    changes: dict[Node, Array] = {}
    for k, coordinate in enumerate(system.q):
        here = float(np.ravel(pose.values[coordinate.symbol])[0])
        steps = [0.0, *(((k + 1) * j * _GOLDEN) % 1.0 - 0.5 for j in range(1, _STATES))]
        changes[coordinate.symbol] = here + 0.4 * np.array(steps)
    return pose.with_values(changes)


def rods(
    system: System, pose: Pose, positions: Mapping[str, Vector], particles: Sequence[str]
) -> list[Line]:
    """Return lines between particles, and from them to other points, that keep their length.

    The slope of the squared distance is a combination of those of the invariants, at every
    state that is tried; it may be zero.
    """
    pairs = [
        (a, b)
        for a, b in combinations(positions, 2)
        if (a in particles or b in particles) and len(positions) <= _MOST
    ]
    if not pairs or not system.q:
        return []
    q = [v.symbol for v in system.q]
    apart = [minus(positions[a], positions[b]) for a, b in pairs]
    squares = [add(*(power(x, 2) for x in d)) for d in apart]
    kept = [r.value for r in (*system.rows, *system.closed) if r.order == 0 and r.kind != "norm"]
    states = onto(system, nearby(system, pose), _STATES)
    n = len(q)
    slopes = [x for row in jacobian([*squares, *kept], q) for x in row]
    J = states.many(slopes, _STATES).reshape(_STATES, len(squares) + len(kept), n)
    moves = [x for name in positions for row in jacobian(list(positions[name]), q) for x in row]
    moving = (
        np.abs(states.many(moves, _STATES)).reshape(_STATES, len(positions), -1).max(axis=(0, 2))
    )
    still = {name for name, size in zip(positions, moving, strict=True) if size <= _KEPT}
    lines = []
    for k, (a, b) in enumerate(pairs):
        if a in still and b in still:
            continue
        if all(_is_combination(J[j, k], J[j, len(squares) :]) for j in range(_STATES)):
            p, r = pose.of(positions[a]), pose.of(positions[b])
            if np.linalg.norm(p - r) > _KEPT:
                lines.append(Line("rod", p, r, (a in still, b in still)))
    return lines


def _is_combination(row: Array, rows: Array) -> bool:
    """Return whether a row is a combination of other rows."""
    if not (np.isfinite(row).all() and np.isfinite(rows).all()):
        return False
    size = float(np.linalg.norm(row))
    if size <= _KEPT:
        return True
    if not len(rows):
        return False
    rest = row - np.linalg.lstsq(rows.T, row, rcond=1e-10)[0] @ rows
    return float(np.linalg.norm(rest)) <= _ROUNDING * size


def still(system: System, pose: Pose, positions: Sequence[Vector]) -> list[bool]:
    """Return which points the invariants keep fixed."""
    q = [v.symbol for v in system.q]
    kept = [r.value for r in (*system.rows, *system.closed) if r.order == 0 and r.kind != "norm"]
    if not q or not positions:
        return [not q for _ in positions]
    states = onto(system, nearby(system, pose), _STATES)
    rows = [x for p in positions for x in p]
    slopes = [x for row in jacobian([*rows, *kept], q) for x in row]
    J = states.many(slopes, _STATES).reshape(_STATES, len(rows) + len(kept), len(q))
    return [
        all(
            _is_combination(J[j, 3 * k + i], J[j, len(rows) :])
            for j in range(_STATES)
            for i in range(3)
        )
        for k in range(len(positions))
    ]


def slots(root: Scope, world: World, pose: Pose) -> Iterator[Line]:
    """Yield the lines on which invariants keep points: `dot(P - Q, F.y) = 0`."""
    for scope in root.walk():
        lowering = Lowering(world, scope)
        for node in scope.of(Invariant):
            for side in (ungroup(node.left), ungroup(node.right)):
                slot = _slot(side, lowering, pose)
                if slot is not None:
                    yield slot


def distances(root: Scope, world: World, pose: Pose) -> Iterator[Line]:
    """Yield the rods that invariants put between points: `norm(P - Q) = l`."""
    for scope in root.walk():
        lowering = Lowering(world, scope)
        for node in scope.of(Invariant):
            for side in (node.left, node.right):
                for part in walk(side):
                    if isinstance(part, Call) and part.function in {"norm", "dot"}:
                        yield from _distance(part, lowering, pose)


def _distance(call: Call, lowering: Lowering, pose: Pose) -> Iterator[Line]:
    pairs = [_two_points(each, lowering) for each in call.arguments]
    if None in pairs or pairs[0] is None or any(each != pairs[0] for each in pairs):
        return
    a, b = (pose.of(p) for p in pairs[0])
    if np.linalg.norm(a - b) > _KEPT:
        yield Line("rod", a, b)


def _two_points(node: Any, lowering: Lowering) -> tuple[Vector, Vector] | None:
    """Return the positions of P and Q in `P - Q`."""
    apart = ungroup(node)
    if not isinstance(apart, Sum) or [sign for sign, _ in apart.terms] != ["+", "-"]:
        return None
    points = [ungroup(term) for _, term in apart.terms]
    if not all(isinstance(each, Reference) for each in points):
        return None
    try:
        p, r = (lowering.point(each).p for each in points)
    except (AttributeError, TypeError):  # two vectors, no points
        return None
    return p, r


def _slot(side: Any, lowering: Lowering, pose: Pose) -> Line | None:
    if not isinstance(side, Call) or side.function != "dot":
        return None
    axis = ungroup(side.arguments[1])
    points = _two_points(side.arguments[0], lowering)
    if points is None or not isinstance(axis, Reference) or len(axis.path) == 1:
        return None
    p, r = (pose.of(each) for each in points)
    across = unit(pose.of(lowering.vector(axis)))
    along = (p - r) - across * float(across @ (p - r))
    return Line("slot", r, r + along) if np.linalg.norm(along) > _KEPT else None
