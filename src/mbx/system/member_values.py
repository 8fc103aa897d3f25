"""Values of expressions: members, comparisons, and the motion of material points."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbx.expr.build import choose, less, mul, power
from mbx.expr.matrix import Vector, cross, dot, minus, plus, times
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.document.expressions import Expression, Negative, ungroup
from mbx.system.kinematics.frames import Frame, Point

if TYPE_CHECKING:
    from mbx.system.world import Element

__all__ = [
    "Value",
    "Wrench",
    "chosen",
    "compared",
    "is_negative",
    "is_vector",
    "material_motion",
    "member",
    "norm",
    "point_of",
    "scaled",
]

_LETTERS = {"x": 0, "y": 1, "z": 2}

Value = Any
"""Node, Vector, Point, Frame, Element, Wrench or a tensor (tuple of rows), by its sort."""


@dataclass(frozen=True, slots=True)
class Wrench:
    """The reaction of a joint, as symbols."""

    force: Vector
    torque: Vector


def material_motion(point: Point, body: Element | Frame, *, second: bool) -> Vector:
    """Return velocity or acceleration of the point of a body that is at a position now."""
    base = point_of(body)
    arm = minus(point.p, base.p)
    if second:
        w = body.w
        return plus(base.a, cross(body.al, arm), cross(w, cross(w, arm)))
    return plus(base.v, cross(body.w, arm))


def point_of(value: Value) -> Point:
    """Return the point that a value is, or that stands for it."""
    if isinstance(value, Frame):
        return value.origin
    point: Point = value if isinstance(value, Point) else value.com
    return point


def is_vector(value: Value) -> bool:
    """Return whether a term of a vector sum is no bare 0."""
    return isinstance(value, tuple)


def is_negative(node: Expression) -> bool:
    """Return whether an axis is written with a minus."""
    node = ungroup(node)
    return isinstance(node, Negative) != (isinstance(node, Negative) and is_negative(node.operand))


def scaled(factor: Node, value: Value) -> Value:
    """Return a scalar times a scalar or a vector."""
    return times(factor, value) if isinstance(value, tuple) else mul(factor, value)


def chosen(condition: Node, yes: Value, no: Value) -> Value:
    """Return one of two scalars or vectors, by a condition."""
    if isinstance(yes, Node):
        return choose(condition, yes, no)
    return tuple(choose(condition, a, b) for a, b in zip(yes, no, strict=True))


def compared(operator: str, a: Node, b: Node) -> Node:
    """Return a comparison as 1 or 0."""
    match operator:
        case "<":
            return less(a, b)
        case ">":
            return less(b, a)
        case "<=":
            return choose(less(b, a), ZERO, ONE)
        case ">=":
            return choose(less(a, b), ZERO, ONE)
    different = choose(less(a, b), ONE, less(b, a))
    return different if operator == "!=" else choose(different, ZERO, ONE)


def norm(v: Vector) -> Node:
    """Return the length of a vector."""
    return power(dot(v, v), Fraction(1, 2))


def member(value: Value, names: list[str]) -> Value:
    """Return members of members of a value: axes, origins, components."""
    for name in names:
        if isinstance(value, Wrench):
            value = value.force if name == "force" else value.torque
        elif isinstance(value, tuple):
            value = value[_LETTERS[name]]
        elif name in _LETTERS:
            k = _LETTERS[name]
            R = value.R
            value = (R[0][k], R[1][k], R[2][k])
        elif not isinstance(value, Point):  # a particle is the point that is its mass centre
            value = value.origin if name == "origin" else value.com
    return value
