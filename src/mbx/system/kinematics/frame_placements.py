"""Placements and joints as frames in motion, and which twists are rates of placements.

With f(q, q', t) a component of the velocity, or of the angular velocity in local components,

    Gam_k = d/dt df/dq'_k - df/dq_k

is zero for velocities that are rates of positions (Orsino (A.6)), and is dw/dq'_k x w for angular
velocities of rotations.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbx.checking.rules.placements import axis_letter
from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.algebra.identity import is_zero
from mbx.expr.build import (
    NULL,
    Vector,
    add,
    cross,
    dot,
    matvec,
    minus,
    mul,
    plus,
    power,
    sub,
    times,
)
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate, free_symbols, substitute
from mbx.expr.nodes import ONE, SYMBOL, ZERO, Node
from mbx.language.document.expressions import Vector as Bracket
from mbx.language.document.expressions import ungroup
from mbx.language.document.kinematic_statements import (
    AxisRotation,
    EulerRotation,
    QuaternionRotation,
)
from mbx.language.joints import MOTIONS
from mbx.system.kinematics.frames import (
    GROUND,
    Axis,
    Frame,
    Rotation,
    about_axis,
    by_quaternion,
    inverse,
)
from mbx.system.world import Element, JointFrames

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.language.document.bodies import JointCall
    from mbx.language.document.expressions import Expression
    from mbx.language.document.kinematic_statements import Placement
    from mbx.system.lower_expressions import Lowering
    from mbx.system.system import System


__all__ = [
    "across",
    "body_frame",
    "holder",
    "joint_motion",
    "not_integrable",
    "placement",
    "placing_joint",
    "side",
]


def not_integrable(system: System) -> list[str]:
    """Return the elements with inertia whose twists are not proved to be rates of a placement.

    Those that name a speed without a rate are left out: it has no coordinate to derive by.
    """
    rates = {v.rate for v in system.q}
    without = {v.symbol for v in system.u} - rates - set(system.defined)
    paths = []
    for element in system.elements:
        if element.placed:
            continue
        v, w = _in_rates(system, element)
        if without.isdisjoint(free_symbols([*v, *w])) and not (
            _affine(system, v, w) and all(map(is_zero, _curvature(system, element, v, w)))
        ):
            paths.append(element.path)
    return paths


def _affine(system: System, v: Vector, w: Vector) -> bool:
    """Return whether a twist is affine in rates; abs(x') has no curvature and is no rate."""
    try:
        split([*v, *w], [q.rate for q in system.q])
    except NotAffineError:
        return False
    return True


def _in_rates(system: System, element: Element) -> tuple[Vector, Vector]:
    """Return velocity and angular velocity, declared speeds replaced by their definitions."""
    six = substitute([*element.com.v, *(element.w_local or (ZERO,) * 3)], system.defined)
    return (six[0], six[1], six[2]), (six[3], six[4], six[5])


def _curvature(system: System, element: Element, v: Vector, w: Vector) -> Iterator[Node]:
    """Yield what is zero if the twist is integrable, as far as mass and inertia notice it."""
    if element.m not in (None, ZERO):
        for gamma in _hamel(system, v):
            yield from gamma
    inertia = element.inertia
    if inertia is None or element.w_local is None:
        return
    partials = zip(*jacobian(w, [q.rate for q in system.q]), strict=True)
    for gamma, (a, b, c) in zip(_hamel(system, w), partials, strict=True):
        yield from matvec(inertia, minus(gamma, cross((a, b, c), w)))


def _hamel(system: System, f: Vector) -> Iterator[Vector]:
    """Yield Gam_k of a vector, coordinate by coordinate."""
    partials = jacobian(f, [q.rate for q in system.q])
    slopes = jacobian(f, [q.symbol for q in system.q])
    rows = [system.rates(row) for row in partials]
    for k in range(len(system.q)):
        x, y, z = (sub(rows[i][k], slopes[i][k]) for i in range(3))
        yield x, y, z


_UNITS: tuple[Vector, Vector, Vector] = (
    (ONE, ZERO, ZERO),
    (ZERO, ONE, ZERO),
    (ZERO, ZERO, ONE),
)
_LETTERS = "xyz"


def _rotations(lowering: Lowering, frame: Frame, rotation: Any) -> list[Rotation]:
    """Return the elementary rotations that a rotation as written is made of."""
    here = lowering.inside(frame)
    match rotation:
        case AxisRotation():
            return [about_axis(here.axis(rotation.axis), here.motion(rotation.angle))]
        case EulerRotation():
            return [
                about_axis(Axis(_UNITS[_LETTERS.index(letter)]), here.motion(angle))
                for letter, angle in zip(rotation.sequence, rotation.angles, strict=True)
            ]
        case QuaternionRotation():
            parts = {p.name.base: here.motion(p.value) for p in rotation.parts}
            values = [parts[name] for name in ("w", "x", "y", "z")]
            if any(rate is not ZERO for _, rate, _ in values):
                square = add(*(power(v[0], 2) for v in values))
                lowering.world.norms.setdefault(sub(square, ONE), lowering.scope.prefix)
            return [by_quaternion(values)]
    raise TypeError(rotation)


def _turned(lowering: Lowering, frame: Frame, rotations: Any, on: str | None) -> Frame:
    for rotation in rotations:
        for each in _rotations(lowering, frame, rotation):
            steady = each.w is NULL
            frame = Frame(frame, frame.origin, each, on if steady else None)
            on = frame.on
    return frame


def placement(lowering: Lowering, written: Placement, base: Frame | None = None) -> Frame:
    """Return the frame that a placement makes."""
    if base is None:
        base = _base(lowering, written)
    frame = base
    if written.point is not None:
        point = lowering.inside(base).point(written.point)
        frame = Frame(base, point, on=base.on if point.on == base.on else None)
    return _turned(lowering, frame, written.rotations, frame.on)


def _base(lowering: Lowering, written: Placement) -> Frame:
    value = lowering.of(written.base)
    if isinstance(value, Element):
        if value.frame is None:
            raise TypeError(value.path)
        return value.frame
    frame: Frame = value
    return frame


def holder(frame: Frame | None) -> str | None:
    """Return the mass element that carries a frame; None for the ground."""
    while frame is not None:
        if frame.on:
            return frame.on
        frame = frame.parent
    return None


def side(call: JointCall, *, of_body: bool) -> Placement | None:
    """Return the side of a joint inside of a body: its own, or the other one."""
    for each in call.sides:
        if (each.base.path[0].name == "own") == of_body:
            return each
    return None


def body_frame(lowering: Lowering, M: Frame, offset: Placement | None, on: str) -> Frame:
    """Return the body's frame from that of its side of the joint."""
    if offset is None or (offset.point is None and not offset.rotations):
        return Frame(M, M.at(NULL, lowering.world.rates, on), on=on)
    # the offset as seen from the body itself, then turned round
    alone = placement(lowering, offset, GROUND)
    total = alone
    chain: list[Rotation] = []
    while total is not GROUND and total.parent is not None:
        chain.append(total.rotation)
        total = total.parent
    rate = lowering.world.rates
    frame = M
    for rotation in chain:
        frame = Frame(frame, M.origin, inverse(rotation, rate), None)
    r = alone.origin.p
    back: Vector = tuple(x for x in times(_minus_one(), r))  # type: ignore[assignment]
    return Frame(frame, frame.at(back, rate, on), on=on)


def _minus_one() -> Node:
    return sub(ZERO, ONE)


def across(
    axis: Axis, written: Expression | None, known: Mapping[Node, float]
) -> tuple[Vector, Vector]:
    """Return two directions across an axis, right-handed with it; letters run cyclically."""
    letter = None if written is None else axis_letter(written)
    if letter is not None:
        k = _LETTERS.index(letter)
        return _UNITS[(k + 1) % 3], _UNITS[(k + 2) % 3]
    n = axis.n
    # a direction that is not along n: the unit vector of its least component, as far as values
    # are known, else of one that is structurally 0, else y; whether it degenerates is seen at
    # a state
    if all(symbol in known for symbol in free_symbols(n)):
        sizes = [abs(float(x)) for x in evaluate(n, known)]
        k = sizes.index(min(sizes))
    else:
        k = next((i for i in range(3) if n[i] is ZERO), 1)
    e1 = cross(_UNITS[k], n)
    if n[k] is not ZERO:
        e1 = times(power(dot(e1, e1), Fraction(-1, 2)), e1)
    e2 = cross(n, e1)
    return e1, e2


def joint_motion(
    lowering: Lowering, call: JointCall, F: Frame
) -> tuple[Frame, tuple[Node, ...], tuple[Vector, ...]]:
    """Return the frame M that a joint makes of F, the coordinates that move it, and its axes."""
    here = lowering.inside(F)
    arguments = {a.name.base: a.value for a in call.arguments}
    axis = here.axis(arguments["axis"]) if "axis" in arguments else Axis(_UNITS[2])
    rate = lowering.world.rates
    r: Vector = NULL
    rotations: list[Rotation] = []
    axes: tuple[Vector, ...] = (axis.n,) if "axis" in arguments else ()
    match call.joint:
        case "revolute":
            rotations = [about_axis(axis, here.motion(arguments["angle"]))]
        case "prismatic":
            r = times(here.scalar(arguments["distance"]), axis.n)
        case "screw":
            angle = here.motion(arguments["angle"])
            r = times(mul(here.scalar(arguments["pitch"]), angle[0]), axis.n)
            rotations = [about_axis(axis, angle)]
        case "cylindrical":
            r = times(here.scalar(arguments["distance"]), axis.n)
            rotations = [about_axis(axis, here.motion(arguments["angle"]))]
        case "universal":
            first = about_axis(axis, here.motion(arguments["angle"]))
            between = Frame(F, F.origin, first)
            second = lowering.inside(between).axis(arguments["axis2"])
            axes = (axis.n, second.n)
            rotations = [first, about_axis(second, here.motion(arguments["angle2"]))]
        case "planar":
            e1, e2 = across(axis, arguments["axis"], lowering.world.known)
            r = plus(times(here.scalar(arguments["x"]), e1), times(here.scalar(arguments["y"]), e2))
            rotations = [about_axis(axis, here.motion(arguments["angle"]))]
        case "free" | "general":
            if "move" in arguments:
                r = here.components(arguments["move"])
    M = Frame(F, F.at(r, rate, None))
    for rotation in rotations:
        M = Frame(M, M.origin, rotation)
    if call.rotations:
        M = _turned(lowering, M, call.rotations, None)
    return M, tuple(_moving(here, call)), axes


def _moving(here: Lowering, call: JointCall) -> Iterator[Node]:
    """Yield the motions of a joint that are coordinates and nothing else."""
    written: list[Expression] = []
    for argument in call.arguments:
        if argument.name.base in MOTIONS:
            written.append(argument.value)
        elif argument.name.base == "move":
            move = ungroup(argument.value)
            written += move.items if isinstance(move, Bracket) else ()
    for rotation in call.rotations:
        if isinstance(rotation, AxisRotation):
            written.append(rotation.angle)
        elif isinstance(rotation, EulerRotation):
            written += rotation.angles
    for each in written:
        value = here.scalar(each)
        if value.op is SYMBOL and here.world.orders.get(value.value) == 0:
            yield value


def placing_joint(
    lowering: Lowering, call: JointCall, F: Frame, path: str, reaction: str | None, parent: Any
) -> JointFrames:
    """Return a joint that places a body."""
    M, coordinates, axes = joint_motion(lowering, call, F)
    return JointFrames(path, call.joint, parent, F, M, coordinates, reaction, axes)
