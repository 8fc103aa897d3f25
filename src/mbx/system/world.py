"""What is built while a linked model is read: symbols, frames, points and mass elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.system.symbol_names import Rates

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Symbol
    from mbx.expr.matrix import Matrix, Vector
    from mbx.expr.nodes import Node
    from mbx.system.kinematics.frames import Frame, Point
    from mbx.system.system import Row

__all__ = ["Element", "JointFrames", "World"]


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
