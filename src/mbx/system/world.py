"""What is built while a linked model is read: frames, points, mass elements, and members."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbx.expr.build import Vector, choose, cross, dot, less, minus, mul, plus, power, times
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.document.expressions import Expression, Negative, ungroup
from mbx.system.kinematics.frames import Frame, Point
from mbx.system.symbol_names import Rates

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Symbol
    from mbx.expr.build import Matrix
    from mbx.system.system import Row


__all__ = [
    "Element",
    "JointFrames",
    "Value",
    "World",
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


@dataclass(frozen=True, slots=True)
class JointFrames:
    """A joint that places a body, or closes a loop: its sides, and the symbols of its motion.

    `coordinates` are those motions that are coordinates and nothing else; of a joint that closes
    a loop, the one that measures it. `axes` are its directions: the first in the components of
    F, a second one, which a universal joint has, in those of M. `pitch` is that of a screw that
    closes a loop.
    """

    path: str
    kind: str
    parent: str | None
    F: Frame
    M: Frame
    coordinates: tuple[Node, ...]
    reaction: str | None
    axes: tuple[Vector, ...] = ()
    pitch: Node | None = None


@dataclass(slots=True, kw_only=True)
class Element:
    """A body or a particle.

    Attributes:
        path: Its name as the whole model sees it.
        part: Prefix of the subsystem it belongs to.
        kind: body or particle.
        m: Its mass, None if unspecified.
        inertia: About the mass centre, in its own axes; None of a particle or if unspecified.
        frame: Its frame; None of a particle, or if only its twist is known.
        com: Its mass centre: position (where known), velocity, acceleration.
        w_local: Its angular velocity, local components; None if it cannot turn.
        wd_local: Rates of these components.
        joint: The joint that places it, if one does.
        carrier: The element on whose frame or point it is placed, where no joint places it.
        gravity: The acceleration of gravity on it.
        placed: Whether its position is known.
    """

    path: str
    part: str
    kind: str
    m: Node | None
    inertia: Matrix | None
    frame: Frame | None
    com: Point
    twist: Vector | None = None
    twist_rate: Vector | None = None
    joint: JointFrames | None = None
    carrier: str | None = None
    gravity: Vector | None = None
    placed: bool = True

    @property
    def w_local(self) -> Vector | None:
        """The angular velocity in its local components."""
        return self.twist if self.frame is None else self.frame.w_local

    @property
    def wd_local(self) -> Vector | None:
        """The rates of the components of the angular velocity."""
        return self.twist_rate if self.frame is None else self.frame.wd_local

    @property
    def R(self) -> Matrix:  # noqa: N802  a rotation matrix
        """R_WB."""
        if self.frame is None:
            raise TypeError(self.path)
        return self.frame.R

    @property
    def w(self) -> Vector:
        """The angular velocity in ground components; if only its twist is known, in its own."""
        if self.frame is None:
            if self.twist is None:
                raise TypeError(self.path)
            return self.twist
        return self.frame.w

    @property
    def al(self) -> Vector:
        """The angular acceleration in ground components."""
        if self.frame is None:
            raise TypeError(self.path)
        return self.frame.al

    @property
    def origin(self) -> Point:
        """The body's origin."""
        return self.com if self.frame is None else self.frame.origin


@dataclass(slots=True)
class World:
    """Everything named so far, and how symbols move in time.

    Attributes:
        rates: How symbols move.
        values: What each name stands for.
        elements: Mass elements, each after what carries it.
        norms: Norms of quaternions that are invariants, with the level that needs them.
        orders: Orders of the variables.
        known: Values of parameters, for choices that numbers make.
        highest: Order up to which rates are followed.
        varied: Parameters that something is differentiated by: they keep their symbols.
        accelerated: Whether the model itself uses accelerations.
        relaxed: Reactions of placing joints that loads depend on, and joints that are to let go.
        auxiliary: The invariants that such joints get.
        opened: Whether every joint is let go: then bodies that joints place have symbols of
            their own for where they are (`mbx.system.kinematics.opened`).
    """

    rates: Rates = field(default_factory=Rates)
    values: dict[Symbol, Any] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    norms: dict[Node, str] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)
    known: dict[Node, float] = field(default_factory=dict)
    highest: int = 3
    varied: set[Symbol] = field(default_factory=set)
    accelerated: bool = False
    relaxed: set[str] = field(default_factory=set)
    auxiliary: list[Row] = field(default_factory=list)
    opened: bool = False


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
