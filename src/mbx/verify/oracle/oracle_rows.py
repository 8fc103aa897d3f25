"""The equations that a motion keeps: invariants, definitions, loops, norms of quaternions.

Each row is its left minus its right side as a scalar along the motion. Its length is its
order, and its gradient is its row of A.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mbx.verify.oracle.kinematics import oracle_poses
from mbx.verify.oracle.kinematics.declared_world import Named, find
from mbx.verify.oracle.kinematics.oracle_geometry import (
    Point,
    Pose,
    Vec,
    added,
    along,
    cross,
    dot,
    in_axes,
    minus,
    scaled,
)
from mbx.verify.oracle.numbers.jet_scalars import value_of
from mbx.verify.oracle.numbers.jets import ENDLESS, Jet, NonlinearError, OrderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.language.document.kinematic_statements import Define, Invariant
    from mbx.verify.oracle.kinematics.declared_world import Level
    from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
    from mbx.verify.oracle.kinematics.oracle_geometry import Three

__all__ = ["Row", "linear_definitions", "rows"]

_AXES: Final = ("x", "y", "z")
_ROUNDING: Final = 1e-30


@dataclass(frozen=True, slots=True)
class Row:
    """One scalar equation: what it is called, what it comes from, what owns it."""

    label: str
    kind: str
    value: Jet
    owner: str

    def order(self, highest: int) -> int:
        """Return the order of the equation where the unknown rates have this one."""
        return highest + 1 - self.value.n


def rows(e: Evaluator, *, lower: bool = False) -> list[Row]:
    """Return all equations at a state; those that name no variable are left out.

    With `lower`, those whose order is too high for the motion are left out, too.
    """
    equations: list[Row] = []
    for part in _parts(e):
        try:
            equations += part()
        except (OrderError, NonlinearError):
            if not lower:
                raise
    return [row for row in equations if row.value.n != ENDLESS and not _empty(e, row)]


def linear_definitions(e: Evaluator) -> set[str]:
    """Return the definitions that are linear in rates and speeds; the motion has these unknown."""
    linear = set()
    for path, node, level in e.world.definitions:
        try:
            _equation(e, path, "definition", node, level)
        except (NonlinearError, OrderError):  # or of an order above that of speeds
            continue
        linear.add(path)
    return linear


def _parts(e: Evaluator) -> Iterator[Callable[[], list[Row]]]:
    for path, node, level in e.world.invariants:
        yield partial(_equation, e, path, "invariant", node, level)
    for path, define, level in e.world.definitions:
        yield partial(_equation, e, path, "definition", define, level)
    yield partial(_norms, e)
    for joint in e.world.loops:
        yield partial(_loop, e, joint)


def _empty(e: Evaluator, row: Row) -> bool:
    """Return whether a row of a loop does not change: its bodies move in one plane."""
    last = len(e.world.variables)
    return (
        row.kind == "loop"
        and all(_nothing(x) for x in row.value.c[1:])
        and all(_nothing(x) for k, x in row.value.g.items() if k < last)
    )


def _nothing(x: Any) -> bool:
    """Return whether a number is zero, or rounding in at least 50 digits of lengths and turns."""
    return abs(float(x)) < _ROUNDING


def _equation(
    e: Evaluator, path: str, kind: str, node: Invariant | Define, level: Level
) -> list[Row]:
    frame = None if node.frame is None else oracle_poses.base_pose(e, node.frame, level)
    slot = oracle_poses.Slot(frame)
    left, right = e.value(node.left, level, slot), e.value(node.right, level, slot)
    if isinstance(left, Jet) and isinstance(right, Jet):
        return [Row(path, kind, left - right, path)]
    where = any(isinstance(side, (Point, Named)) for side in (left, right))
    gap = minus(_three(e, left, slot, where=where), _three(e, right, slot, where=where))
    if frame is not None:
        gap = in_axes(frame.axes, gap)
    return [
        Row(f"{path}.{name}", kind, entry, path) for name, entry in zip(_AXES, gap, strict=True)
    ]


def _three(e: Evaluator, value: Any, slot: oracle_poses.Slot, *, where: bool) -> Three:
    """Return one side of a vector equation; next to a point, a bracket is a point of its slot."""
    if isinstance(value, Vec):
        return added(slot.pose.p, value.v) if where and slot.pose is not None else value.v
    if isinstance(value, Point):
        return value.p
    if isinstance(value, Named):
        return oracle_poses.centre(e, value)
    return e.ground.p


def _norms(e: Evaluator) -> list[Row]:
    """Return the norms of quaternions."""
    norms = []
    for k, (_, node, level) in enumerate(e.world.quaternions, start=1):
        parts = oracle_poses.quaternion_parts(e, node, level)
        total = -e.m.one
        for part in parts:
            total = total + part * part
        norms.append(Row(level.full(f"norm({k})"), "norm", total, ""))
    return norms


# -- loops --------------------------------------------------------------------------------------


def _sides(e: Evaluator, joint: Named) -> tuple[Pose, Pose]:
    first, second = joint.node.call.sides
    return oracle_poses.placed(e, first, joint.level), oracle_poses.placed(e, second, joint.level)


def _loop(e: Evaluator, joint: Named) -> list[Row]:
    """Return the equations of a joint between two bodies that both have a pose (spec 2.11)."""
    F, still = _sides(e, joint)
    M = still
    if joint.path in e.virtual:
        s, r = e.small_motion(e.virtual[joint.path])
        a, b, c = (added(axis, cross(r, axis)) for axis in M.axes)
        M = Pose((a, b, c), added(M.p, s))
    equations = [
        Row(f"{joint.path}.{name}", "loop", value, joint.path)
        for name, value in _constraints(e, joint, F, M)
    ]
    if joint.node.measure is not None:
        q, _ = find(joint.level, joint.node.measure)
        value = _measured(e, joint, F, still, e.motion.variable(q, 0))
        equations.append(Row(f"{joint.path}.measure", "measure", value, ""))
    return equations


def _constraints(e: Evaluator, joint: Named, F: Pose, M: Pose) -> Iterator[tuple[str, Any]]:
    call = joint.node.call
    arguments = oracle_poses.arguments_of(call)
    gap = minus(M.p, F.p)
    kind = call.joint
    if kind in {"fixed", "revolute", "universal", "spherical"}:
        yield from zip(_AXES, in_axes(F.axes, gap), strict=True)
    if kind in {"fixed", "prismatic"}:
        yield from _same_axes(F, M)
    if kind in {"fixed", "spherical"}:
        return
    n, e1, e2 = _triad(e, joint, F)
    if kind == "universal":
        second = oracle_poses.as_unit(
            e, oracle_poses.direction(e, arguments["axis2"], joint.level, M)
        )
        still = dot(n, second)
        yield "tilt", dot(along(F.axes, n), along(M.axes, second)) - still
        return
    if kind in {"prismatic", "screw", "cylindrical"}:
        yield "across1", dot(gap, along(F.axes, e1))
        yield "across2", dot(gap, along(F.axes, e2))
    if kind in {"revolute", "screw", "cylindrical", "planar"}:
        axis = along(M.axes, n)
        yield "tilt1", dot(axis, along(F.axes, e1))
        yield "tilt2", dot(axis, along(F.axes, e2))
    if kind == "planar":
        yield "off", dot(gap, along(F.axes, n))
    if kind == "screw":
        yield "advance", _advance(e, joint, F, M)


def _same_axes(F: Pose, M: Pose) -> Iterator[tuple[str, Any]]:
    """Yield that two frames have the same axes: the skew part of R_FM is zero."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        yield f"turn{k + 1}", dot(F.axes[j], M.axes[i]) - dot(F.axes[i], M.axes[j])


def _triad(e: Evaluator, joint: Named, F: Pose) -> tuple[Three, Three, Three]:
    """Return the axis and two directions across it, in components of either side."""
    arguments = oracle_poses.arguments_of(joint.node.call)
    n = oracle_poses.as_unit(e, oracle_poses.direction(e, arguments["axis"], joint.level, F))
    least = min(range(3), key=lambda k: abs(float(value_of(n[k]))))
    e1 = cross(e.ground.axes[least], n)
    e1 = scaled(e1, e.m.one / e.m.sqrt(dot(e1, e1)))
    return n, e1, cross(n, e1)


def _turn(e: Evaluator, joint: Named, F: Pose, M: Pose) -> tuple[Any, Any]:
    """Return sine and cosine of the angle of a joint about its axis."""
    _, e1, e2 = _triad(e, joint, F)
    moved = along(M.axes, e1)
    return dot(moved, along(F.axes, e2)), dot(moved, along(F.axes, e1))


def _advance(e: Evaluator, joint: Named, F: Pose, M: Pose) -> Any:
    """Return how far a screw is off, on the turn where it is nearest."""
    arguments = oracle_poses.arguments_of(joint.node.call)
    pitch = e.scalar(arguments["pitch"], joint.level)
    n, _, _ = _triad(e, joint, F)
    distance = dot(minus(M.p, F.p), along(F.axes, n))
    angle = e.m.atan2(*_turn(e, joint, F, M))
    lead = pitch * Jet((2 * e.m.field.pi,))
    if value_of(lead) == 0:
        return distance
    turns = round(float(value_of(distance - pitch * angle) / value_of(lead)))
    return distance - pitch * angle - lead * e.m.constant(turns)


def _measured(e: Evaluator, joint: Named, F: Pose, M: Pose, q: Any) -> Any:
    """Return the measure minus the motion of a joint; of an angle the sine of that."""
    if joint.node.call.joint == "prismatic":
        n, _, _ = _triad(e, joint, F)
        return q - dot(minus(M.p, F.p), along(F.axes, n))
    s, c = _turn(e, joint, F, M)
    return e.m.call("sin", q) * c - e.m.call("cos", q) * s
