"""Joints that close loops, as invariants of order 0 with the wrench that keeps each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.expr.algebra.elimination import vanishes
from mbx.expr.build import add, divide, function, mul, sub
from mbx.expr.matrix import NULL, Vector, cross, dot, matmul, matvec, minus, times, transposed
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.joints import JOINTS
from mbx.system.kinematics.frame_placements import across, holder, placement
from mbx.system.kinematics.rotations import Axis
from mbx.system.system import Row
from mbx.system.world import JointFrames

if TYPE_CHECKING:
    from mbx.language.document.bodies import Joint
    from mbx.language.joints import JointKind
    from mbx.system.lower_expressions import Lowering

__all__ = ["closing_joint", "loop_rows"]

_UNITS: tuple[Vector, Vector, Vector] = (
    (ONE, ZERO, ZERO),
    (ZERO, ONE, ZERO),
    (ZERO, ZERO, ONE),
)


class _Loop:
    """The two sides of a joint: F on the first body, M on the second."""

    def __init__(self, lowering: Lowering, joint: Joint, path: str, part: str) -> None:
        self.F, self.M = (placement(lowering, s) for s in joint.call.sides)
        self.path, self.part = path, part
        back = transposed(self.F.R)
        self.d = matvec(back, minus(self.M.origin.p, self.F.origin.p))
        self.R = matmul(back, self.M.R)
        self.measured = None if joint.measure is None else lowering.scalar(joint.measure)
        self.rate, self.known = lowering.world.rates, lowering.world.known
        self.rows: list[Row] = []

    def moved(self, e: Vector, name: str) -> None:
        """Add: no motion along e, which has components in F."""
        self.add(name, dot(e, self.d), matvec(self.F.R, e), NULL)

    def turned(
        self, a: Vector, b: Vector, name: str, value: Node = ZERO, same: Vector | None = None
    ) -> None:
        """Add: a, fixed in F, and b, fixed in M, keep the cosine between them.

        A right angle between two axes does not determine their senses: `same` is an axis that
        both sides have in common.
        """
        b_F = matvec(self.R, b)
        # d/dt (a . b) = w_FM . (b x a)
        torque = matvec(self.F.R, cross(b_F, a))
        sense = None if same is None else dot(same, matvec(self.R, same))
        self.add(name, sub(dot(a, b_F), value), NULL, torque, sense)

    def add(
        self, name: str, value: Node, force: Vector, torque: Vector, sense: Node | None = None
    ) -> None:
        """Add a row, with the wrench on the second side for a unit multiplier."""
        self.rows.append(
            Row(
                path=f"{self.path}.{name}",
                part=self.part,
                value=value,
                order=0,
                kind="loop",
                wrench=(force, torque),
                joint=None if name == "measure" else self.path,
                sides=(holder(self.F), holder(self.M)),
                point=self.M.origin.p,
                measured=self.measured if name in {"measure", "pitch"} else None,
                sense=sense,
                # nothing moves it, as out of the plane of a planar mechanism
                idle=vanishes(self.rate([value])[0]),
                multiplier_unit="N*m" if force is NULL else "N",
            )
        )

    def ahead(self, q: Node, axis: Axis, written: Any) -> Node:
        """Return by how much q is ahead of the angle about an axis, from -pi to pi.

        So it is smooth wherever it is near zero, however often the joint turns, and is zero
        at whole turns alone; the sine of it would be zero at half turns, too.
        """
        e1, _ = across(axis, written, self.known)
        turned = matvec(self.R, e1)
        sine, cosine = dot(cross(axis.n, e1), turned), dot(e1, turned)
        sq, cq = function("sin", q), function("cos", q)
        return function(
            "atan2",
            sub(mul(sq, cosine), mul(cq, sine)),
            add(mul(cq, cosine), mul(sq, sine)),
        )


def closing_joint(lowering: Lowering, joint: Joint, path: str) -> JointFrames:
    """Return the two sides of a joint that closes a loop, and its directions."""
    F, M = (placement(lowering, s) for s in joint.call.sides)
    arguments = {a.name.base: a.value for a in joint.call.arguments}
    axes = [lowering.inside(F).axis(arguments["axis"]).n] if "axis" in arguments else []
    if "axis2" in arguments:
        axes.append(lowering.inside(M).axis(arguments["axis2"]).n)
    measured = () if joint.measure is None else (lowering.scalar(joint.measure),)
    pitch = lowering.scalar(arguments["pitch"]) if "pitch" in arguments else None
    kind = joint.call.joint
    return JointFrames(path, kind, holder(F), F, M, measured, None, tuple(axes), pitch)


def loop_rows(lowering: Lowering, joint: Joint, path: str, part: str) -> list[Row]:
    """Return the invariants of a joint that closes a loop, idle ones among them."""
    loop = _Loop(lowering, joint, path, part)
    call = joint.call
    arguments = {a.name.base: a.value for a in call.arguments}
    axis = (
        lowering.inside(loop.F).axis(arguments["axis"]) if "axis" in arguments else Axis(_UNITS[2])
    )
    e1, e2 = across(axis, arguments.get("axis"), loop.known)
    n, kind = axis.n, JOINTS[call.joint]
    if kind.shares_point:
        for k, name in enumerate("xyz"):
            loop.moved(_UNITS[k], name)
    if kind.slides:
        loop.moved(e1, "across1")
        loop.moved(e2, "across2")
    if kind.translation == "plane":
        loop.moved(n, "normal")
    if kind.shares_axis:
        loop.turned(e1, n, "tilt1", same=n)
        loop.turned(e2, n, "tilt2", same=n)
    if kind.rotation == "none":
        for k in range(3):
            loop.turned(_UNITS[k], _UNITS[(k + 1) % 3], f"turn{k + 1}", same=_UNITS[k])
    if kind.rotation == "axes":
        second = lowering.inside(loop.M).axis(arguments["axis2"])
        loop.turned(n, second.n, "cross", dot(n, second.n))
    measured = loop.measured
    if kind.threaded:
        _screw(lowering, loop, arguments, axis, measured)
    if measured is not None:
        _measure(loop, kind, axis, arguments.get("axis"), measured)
    return loop.rows


def _screw(
    lowering: Lowering, loop: _Loop, arguments: dict[str, Any], axis: Axis, measured: Node | None
) -> None:
    pitch = lowering.scalar(arguments["pitch"])
    d = dot(axis.n, loop.d)
    if measured is None and pitch is not ZERO:
        value = mul(pitch, loop.ahead(divide(d, pitch), axis, arguments["axis"]))
    else:
        value = d if measured is None else sub(d, mul(pitch, measured))
    along = matvec(loop.F.R, axis.n)
    torque = times(sub(ZERO, pitch), along)
    loop.add("pitch", value, along, torque)


def _measure(loop: _Loop, kind: JointKind, axis: Axis, written: Any, q: Node) -> None:
    """Add the equation that makes a coordinate the motion of the joint.

    Its multiplier is what loads on that coordinate do to the bodies.
    """
    back = times(sub(ZERO, ONE), matvec(loop.F.R, axis.n))
    if "distance" in kind.motion:
        loop.add("measure", sub(q, dot(axis.n, loop.d)), back, NULL)
        return
    loop.add("measure", loop.ahead(q, axis, written), NULL, back)
