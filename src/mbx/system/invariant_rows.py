"""Invariants and definitions as rows, and those of joints that close loops, with their wrenches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.infer import Inference, multiplier_unit
from mbx.checking.expressions.scope import label
from mbx.expr.algebra.elimination import NotAffineError, split, vanishes
from mbx.expr.build import (
    NULL,
    Vector,
    add,
    cross,
    divide,
    dot,
    function,
    matmul,
    matvec,
    minus,
    mul,
    sub,
    times,
    transposed,
)
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.joints import JOINTS
from mbx.system.kinematics.frame_placements import across, holder, placement
from mbx.system.kinematics.frames import Axis
from mbx.system.kinematics.solve_rates import somewhere
from mbx.system.lower_expressions import Lowering
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Row
from mbx.system.world import Element, JointFrames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.checking.context import Context
    from mbx.checking.rules.joints import Parents
    from mbx.language.document.bodies import Joint
    from mbx.language.joints import JointKind
    from mbx.system.world import World


__all__ = ["closing_joint", "declared_rows", "loop_rows", "rows_of"]

_TINY = 1e-9


def declared_rows(context: Context, world: World) -> tuple[list[Row], dict[str, Any]]:
    """Return a row for each component of invariants and definitions, and their spans."""
    rows: list[Row] = []
    spans: dict[str, Any] = {}
    for scope in context.root.walk():
        counts = {"invariant": 0, "definition": 0}
        for node in scope.of((Invariant, Define)):
            kind = "invariant" if isinstance(node, Invariant) else "definition"
            counts[kind] += 1
            name = getattr(node, "name", None)
            path = f"{scope.prefix}{label(name) if name else f'{kind}({counts[kind]})'}"
            equation = list(_equation(node, kind, path, Lowering(world, scope), context))
            spans |= dict.fromkeys([row.path for row in equation], node.at)
            rows += equation
    return rows, spans


def rows_of(context: Context, parents: Parents, world: World) -> tuple[list[Row], dict[str, Any]]:
    """Return all invariants and definitions, a row for each component."""
    rows, spans = declared_rows(context, world)
    for joint, scope in parents.loops:
        path = f"{scope.prefix}{label(joint.name)}"
        named = path if joint.reaction is None else scope.prefix + label(joint.reaction)
        loop = [
            row if row.joint is None else replace(row, joint=named)
            for row in loop_rows(Lowering(world, scope), joint, path, scope.prefix)
        ]
        spans |= dict.fromkeys([row.path for row in loop], joint.at)
        rows += loop
    variables = [rate_symbol(name, 0) for name, order in world.orders.items() if order == 0]
    norms = [(value, part) for value, part in world.norms.items() if _moves(value, variables)]
    for k, (value, part) in enumerate(norms):
        rows.append(
            Row(
                path=f"{part}norm({k + 1})",
                part=part,
                value=value,
                order=0,
                kind="norm",
                multiplier_unit="J",
            )
        )
    return [*rows, *world.auxiliary], spans


def _moves(value: Node, variables: list[Node]) -> bool:
    """Return whether any variable changes a value: the norm of (cos a, sin a, 0, 0) is 1."""
    return any(abs(slope) > _TINY for slope in somewhere(gradient(value, variables)))


def _equation(
    node: Invariant | Define, kind: Any, path: str, lowering: Lowering, context: Context
) -> Iterator[Row]:
    inference = Inference(context, lowering.scope)
    left, right = inference.of(node.left), inference.of(node.right)
    if "unknown" in {left.sort, right.sort}:
        raise TypeError(path)  # a fault, which would have been reported
    order = max(left.order, right.order)
    part = lowering.scope.prefix
    reaction = getattr(node, "reaction", None)
    unit = multiplier_unit(node, inference)
    symbol = None
    if reaction is not None:
        declared = lowering.scope.symbols[label(reaction)]
        symbol = lowering.world.values[declared]
    if left.sort == right.sort == "scalar":
        value = sub(lowering.scalar(node.left), lowering.scalar(node.right))
        row = _row(path, part, value, order, kind, symbol, lowering)
        yield replace(row, multiplier_unit=unit)
        return
    here = lowering
    if node.frame is not None:
        frame = lowering.of(node.frame)
        if isinstance(frame, Element):
            frame = frame.frame
        here = lowering.inside(frame)
    components = _difference(node, here, of_points="point" in {left.sort, right.sort})
    for k, letter in enumerate("xyz"):
        component = None if symbol is None else symbol[k]
        row = _row(f"{path}.{letter}", part, components[k], order, kind, component, lowering)
        yield replace(row, multiplier_unit=unit)


def _difference(node: Invariant | Define, here: Lowering, *, of_points: bool) -> Any:
    """Return left minus right in the components of the frame of the equation."""
    if of_points:  # a bracket is a position from the origin of that frame
        apart = minus(here.point(node.left).p, here.point(node.right).p)
        return matvec(transposed(here.frame.R), apart)
    a, b = here.components(node.left), here.components(node.right)
    return minus(a, b)


def _row(
    path: str, part: str, value: Node, order: int, kind: Any, reaction: Any, lowering: Lowering
) -> Row:
    if kind == "invariant" and vanishes(value):
        value = ZERO  # it holds by itself: what rounding leaves of it is no invariant
    highest = [s for s in free_symbols([value]) if _order_of(s, lowering) == order and order > 0]
    affine = True
    if highest:
        try:
            split([value], highest)
        except NotAffineError:
            affine = False
    return Row(
        path=path, part=part, value=value, order=order, kind=kind, reaction=reaction, affine=affine
    )


def _order_of(symbol: Node, lowering: Lowering) -> int:
    """Return the order of a variable or rate; -1 of anything else."""
    name: str = symbol.value
    base = name.rstrip("'")
    known = lowering.world.orders.get(base)
    return -1 if known is None else known + len(name) - len(base)


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
