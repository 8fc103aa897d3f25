"""Where frames, bodies and points are, and how they move (spec 2.7 to 2.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.language.document import expressions as x
from mbx.language.document.kinematic_statements import AxisRotation, EulerRotation
from mbx.verify.oracle.kinematics.declared_world import Named, PlacingJoint, clause, find
from mbx.verify.oracle.kinematics.oracle_geometry import (
    Pose,
    Vec,
    added,
    along,
    cross,
    dot,
    in_axes,
    minus,
    moved_back,
    rate_of_turn,
    scaled,
    turned,
    turned_by_quaternion,
)
from mbx.verify.oracle.numbers import jets
from mbx.verify.oracle.numbers.jets import Jet
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Expression
    from mbx.language.document.kinematic_statements import Placement, QuaternionRotation, Rotation
    from mbx.verify.oracle.kinematics.declared_world import Level
    from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
    from mbx.verify.oracle.kinematics.oracle_geometry import Three

Quaternion = tuple[Any, Any, Any, Any]

__all__ = [
    "GROUND",
    "AbsoluteError",
    "Slot",
    "arguments_of",
    "as_unit",
    "base_pose",
    "by_twist",
    "centre",
    "centre_in_body",
    "direction",
    "named_point",
    "placed",
    "point_rate",
    "pose",
    "rate",
    "second_side",
    "turning",
]


class AbsoluteError(Exception):
    """A vector in body components names something outside of the body."""


@dataclass(frozen=True, eq=False)
class Slot:
    """Where a bracket stands: in a pose, in ground, or in components of a body."""

    pose: Pose | None = None
    local: bool = False
    owner: Named | None = None


GROUND: Final = Slot()


# -- frames and bodies --------------------------------------------------------------------------


def by_twist(e: Evaluator, named: Named) -> bool:
    """Return whether a body or particle is known by its velocity alone."""
    if named.kind == "particle":
        return clause(named, "at") is None
    return named not in e.world.placing and clause(named, "frame") is None


def pose(e: Evaluator, named: Named) -> Pose:
    """Return where a frame or a body is."""
    if named not in e.poses:
        if named.kind == "frame":
            e.poses[named] = placed(e, named.node.placement, named.level)
        elif named in e.world.placing:
            e.poses[named] = _jointed(e, e.world.placing[named])
        elif named.kind == "body" and clause(named, "frame") is not None:
            e.poses[named] = _framed(e, named)
        else:
            raise OracleRefusal("it has no place", named.path, named.node.at)
    return e.poses[named]


def _framed(e: Evaluator, named: Named) -> Pose:
    """Return the pose of a body by frame: its origin is its mass centre if this is a point."""
    frame = placed(e, clause(named, "frame").placement, named.level)
    com = e.value(clause(named, "com").value, named.level, Slot(frame))
    if isinstance(com, Vec):
        return frame
    return Pose(frame.axes, e.as_point(com, Slot(frame), clause(named, "com").value))


def base_pose(e: Evaluator, base: x.Reference, level: Level) -> Pose:
    """Return the pose of ground, a frame or a body."""
    if base.path[0].name == "ground" and len(base.path) == 1:
        return e.ground
    named, _ = find(level, base)
    return pose(e, named)


def placed(e: Evaluator, placement: Placement, level: Level) -> Pose:
    """Return a placement: from its base to a point, then turned."""
    return _offset(e, base_pose(e, placement.base, level), placement, level)


def _offset(e: Evaluator, base: Pose, placement: Placement, level: Level) -> Pose:
    p = base.p
    if placement.point is not None:
        p = e.point(placement.point, level, Slot(base))
    axes = _rotated(e, base, placement.rotations, level)
    return Pose(axes, p)


def _rotated(
    e: Evaluator, base: Pose, rotations: Iterable[Rotation], level: Level
) -> tuple[Three, Three, Three]:
    """Return axes after rotations, each about axes that those before it have turned."""
    axes = base.axes
    for rotation in rotations:
        if isinstance(rotation, AxisRotation):
            angle = e.scalar(rotation.angle, level)
            axes = turned(e.m, axes, direction(e, rotation.axis, level, Pose(axes, base.p)), angle)
        elif isinstance(rotation, EulerRotation):
            for letter, angle_of in zip(rotation.sequence, rotation.angles, strict=True):
                angle = e.scalar(angle_of, level)
                axes = turned(e.m, axes, "xyz".index(letter) + 1, angle)
        else:
            w, a, b, c = _of_unit_length(e, quaternion_parts(e, rotation, level))
            axes = turned_by_quaternion(axes, w, (a, b, c))
    return axes


def quaternion_parts(e: Evaluator, rotation: QuaternionRotation, level: Level) -> Quaternion:
    """Return the four parts of a quaternion."""
    parts = {str(part.name): e.scalar(part.value, level) for part in rotation.parts}
    return parts["w"], parts["x"], parts["y"], parts["z"]


def _of_unit_length(e: Evaluator, parts: Quaternion) -> Quaternion:
    """Return a quaternion that does not change, divided by its norm; any other as it is."""
    w, a, b, c = parts
    if not all(isinstance(x, Jet) and x.n == jets.ENDLESS for x in parts):
        return parts
    norm = e.m.sqrt(w * w + a * a + b * b + c * c)
    return w / norm, a / norm, b / norm, c / norm


def direction(e: Evaluator, axis: Expression, level: Level, frame: Pose) -> Three | int:
    """Return an axis: 1 to 3 for x, y, z, negative for their negatives, or a unit vector.

    The vector's components are along the axes of the frame that it stands in.
    """
    node, sign = x.ungroup(axis), 1
    if isinstance(node, x.Negative):
        node, sign = x.ungroup(node.operand), -1
    if isinstance(node, x.Reference) and len(node.path) == 1 and not node.primes:
        letter = node.path[0].name
        if letter in {"x", "y", "z"} and node.path[0].index is None:
            return sign * ("xyz".index(letter) + 1)
    v = components(e, axis, level, frame)
    return scaled(v, e.m.one / e.m.sqrt(dot(v, v)))


def components(e: Evaluator, node: Expression, level: Level, frame: Pose) -> Three:
    """Return a vector's components along the axes of the frame that it stands in."""
    try:
        return e.vector(node, level, Slot(local=True))
    except AbsoluteError:
        return in_axes(frame.axes, e.vector(node, level, Slot(frame)))


# -- joints -------------------------------------------------------------------------------------


def arguments_of(call: JointCall) -> dict[str, Expression]:
    """Return the named arguments of a joint."""
    return {str(argument.name): argument.value for argument in call.arguments}


def as_unit(e: Evaluator, n: Three | int) -> Three:
    """Return an axis as a vector."""
    if not isinstance(n, int):
        return n
    unit = e.m.one if n > 0 else -e.m.one
    a, b, c = (unit if k == abs(n) else e.m.zero for k in (1, 2, 3))
    return (a, b, c)


def _jointed(e: Evaluator, joint: PlacingJoint) -> Pose:
    """Return the pose of a body that a joint places."""
    M = second_side(e, joint)
    side = _side_on_body(e, joint)
    return M if side is None else moved_back(M, side)


def _side_on_body(e: Evaluator, joint: PlacingJoint) -> Pose | None:
    """Return where the joint is on the body it places, in the body's components."""
    side = joint.call.sides[1] if len(joint.call.sides) > 1 else None
    if side is None or (side.point is None and not side.rotations):
        return None
    p = e.ground.p
    local = Slot(local=True, owner=joint.body)
    try:
        if side.point is not None:
            p = e.point(side.point, joint.level, local)
        axes = _rotated(e, e.ground, side.rotations, joint.level)
    except AbsoluteError:
        raise OracleRefusal(
            "the body's side of its joint names something outside of it", joint.path, side.at
        ) from None
    return Pose(axes, p)


def second_side(e: Evaluator, joint: PlacingJoint) -> Pose:
    """Return the pose of a placing joint's second side; a joint that lets go has a small motion."""
    F = placed(e, joint.call.sides[0], joint.level)
    M = joint_motion(e, joint.call, joint.level, F)
    if joint.path not in e.virtual:
        return M
    s, r = e.small_motion(e.virtual[joint.path])
    x_, y, z = (added(axis, cross(r, axis)) for axis in M.axes)
    return Pose((x_, y, z), added(M.p, s))


def joint_motion(e: Evaluator, call: JointCall, level: Level, F: Pose) -> Pose:
    """Return M from the motion of a joint: moved in F's axes, then turned."""
    arguments = arguments_of(call)
    axes, move = F.axes, None

    def number(name: str) -> Any:
        return e.scalar(arguments[name], level)

    n = direction(e, arguments["axis"], level, F) if "axis" in arguments else 0
    match call.joint:
        case "revolute" | "cylindrical" | "screw":
            axes = turned(e.m, axes, n, number("angle"))
            if call.joint == "cylindrical":
                move = scaled(as_unit(e, n), number("distance"))
            elif call.joint == "screw":
                move = scaled(as_unit(e, n), number("pitch") * number("angle"))
        case "prismatic":
            move = scaled(as_unit(e, n), number("distance"))
        case "universal":
            axes = turned(e.m, axes, n, number("angle"))
            second = direction(e, arguments["axis2"], level, Pose(axes, F.p))
            axes = turned(e.m, axes, second, number("angle2"))
        case "planar":
            if not isinstance(n, int):
                raise OracleRefusal("a planar joint has the axis x, y or z", at=call.at)
            parts = [e.m.zero] * 3
            parts[abs(n) % 3], parts[(abs(n) + 1) % 3] = number("x"), number("y")
            move = (parts[0], parts[1], parts[2])
            axes = turned(e.m, axes, n, number("angle"))
        case "spherical" | "free" | "general":
            if "move" in arguments:
                move = components(e, arguments["move"], level, F)
            axes = _rotated(e, F, call.rotations, level)
    return Pose(axes, F.p if move is None else added(F.p, along(F.axes, move)))


# -- points and rates ---------------------------------------------------------------------------


def centre_in_body(e: Evaluator, named: Named) -> Three:
    """Return the mass centre of a body in body components."""
    com = clause(named, "com")
    if com is None:
        return e.ground.p
    return e.vector(com.value, named.level, Slot(local=True, owner=named))


def centre(e: Evaluator, named: Named) -> Three:
    """Return where the mass centre of a body, or a particle, is."""
    if named not in e.centres:
        if named.kind == "particle":
            e.centres[named] = e.point(clause(named, "at").value, named.level)
        else:
            here, com = pose(e, named), clause(named, "com")
            e.centres[named] = (
                here.p if com is None else e.point(com.value, named.level, Slot(here))
            )
    return e.centres[named]  # type: ignore[no-any-return]


def named_point(e: Evaluator, named: Named) -> Three:
    """Return where a named point is."""
    if named not in e.centres:
        e.centres[named] = e.point(named.node.value, named.level)
    return e.centres[named]  # type: ignore[no-any-return]


def _rates(e: Evaluator, parts: Callable[[Evaluator], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the rates of scalars that an evaluation gives."""
    if e.motion.tag == 0:
        return tuple(jets.ddt(part) for part in parts(e))
    later = e.later()
    return tuple(e.small_part(part, later.motion.tag) for part in parts(later))


def rate(e: Evaluator, node: Expression, level: Level) -> Any:
    """Return ddt of a scalar or vector."""
    if isinstance(e.value(node, level), Vec):
        a, b, c = _rates(e, lambda evaluator: evaluator.vector(node, level))
        return Vec((a, b, c))
    (value,) = _rates(e, lambda evaluator: (evaluator.scalar(node, level),))
    return value


def com_velocity(e: Evaluator, named: Named) -> Three:
    """Return the velocity of a mass centre."""
    if by_twist(e, named):
        velocity = clause(named, "velocity")
        return e.ground.p if velocity is None else e.vector(velocity.value, named.level)
    a, b, c = _rates(e, lambda evaluator: centre(evaluator, named))
    return (a, b, c)


def spin(e: Evaluator, named: Named) -> Three:
    """Return the angular velocity of a frame or body, in ground; of a twist in body components."""
    if named.kind == "body" and by_twist(e, named):
        omega = clause(named, "omega")
        # the clause's brackets are in the body's axes, and so are the components that come out
        return e.ground.p if omega is None else e.vector(omega.value, named.level)
    return _spin_of(e, lambda evaluator: pose(evaluator, named))


def _spin_of(e: Evaluator, where: Callable[[Evaluator], Pose]) -> Three:
    nine = _rates(e, lambda evaluator: tuple(c for axis in where(evaluator).axes for c in axis))
    slopes = (nine[0:3], nine[3:6], nine[6:9])
    return rate_of_turn(where(e).axes, slopes, Jet((e.m.half,)))


def turning(e: Evaluator, node: Expression, level: Level) -> Three:
    """Return omega(B)."""
    reference = x.ungroup(node)
    if isinstance(reference, x.Reference):
        if reference.path[0].name == "ground":
            return e.ground.p
        return spin(e, find(level, reference)[0])
    raise OracleRefusal("omega takes a name", at=node.at)


def point_rate(e: Evaluator, node: Expression, level: Level, times: int) -> Three:
    """Return the velocity or acceleration of a point, or of a body's material point there."""
    if isinstance(node, x.MaterialPoint):
        body, _ = find(level, node.body)
        return _material(e, node.point, body, level, times)
    value = e.value(node, level)
    if isinstance(value, Named) and by_twist(e, value):
        return com_rate(e, value, times)
    if times == 1:
        a, b, c = _rates(e, lambda evaluator: evaluator.point(node, level))
    else:
        a, b, c = _rates(e, lambda evaluator: point_rate(evaluator, node, level, times - 1))
    return (a, b, c)


def com_rate(e: Evaluator, named: Named, times: int) -> Three:
    """Return the velocity or acceleration of a mass centre."""
    if times == 1:
        return com_velocity(e, named)
    a, b, c = _rates(e, lambda evaluator: com_velocity(evaluator, named))
    return (a, b, c)


def spin_rate(e: Evaluator, named: Named) -> Three:
    """Return the angular acceleration, or the rates of the components of a twist's omega."""
    a, b, c = _rates(e, lambda evaluator: spin(evaluator, named))
    return (a, b, c)


def _material(e: Evaluator, node: Expression, body: Named, level: Level, times: int) -> Three:
    """Return v + w x r, or a + w' x r + w x (w x r), with r from the mass centre to the point."""
    if body.kind == "particle":
        return com_rate(e, body, times)
    r = minus(e.point(node, level), centre(e, body))
    w = spin(e, body)
    if times == 1:
        return added(com_velocity(e, body), cross(w, r))
    turn = added(cross(spin_rate(e, body), r), cross(w, cross(w, r)))
    return added(com_rate(e, body, 2), turn)
