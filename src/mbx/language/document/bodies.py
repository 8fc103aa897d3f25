"""Mass elements and the joints between them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mbx.language.document.kinematic_statements import NamedValue, Placement, Rotation
from mbx.language.document.node import Block, Closing, Expr, Ident, Name, Node, Ref, Statement, Text

__all__ = [
    "Body",
    "BodyClause",
    "ComClause",
    "FrameClause",
    "InertiaClause",
    "Joint",
    "JointCall",
    "JointClause",
    "MassClause",
    "OmegaClause",
    "Particle",
    "ParticleClause",
    "PointClause",
    "VelocityClause",
]


class JointCall(Node):
    """A joint kind with its sides, named arguments and rotations, as written."""

    joint: Name
    sides: tuple[Placement, ...] = ()
    arguments: tuple[NamedValue, ...] = ()
    rotations: tuple[Rotation, ...] = ()


class MassClause(Statement):
    """`mass m`."""

    kind: Literal["mass"]
    value: Expr


class ComClause(Statement):
    """`com [a, b, c]` in the body's frame, or a point."""

    kind: Literal["com"]
    value: Expr


class InertiaClause(Statement):
    """`inertia J about z`, or a tensor about the mass centre in the body's frame."""

    kind: Literal["inertia"]
    value: Expr
    about: Expr | None = None


class FrameClause(Statement):
    """`frame L rotated y by spin`: where the body's axes point."""

    kind: Literal["frame"]
    placement: Placement


class VelocityClause(Statement):
    """`velocity [u, v, w]` of the mass centre, ground components."""

    kind: Literal["velocity"]
    value: Expr


class OmegaClause(Statement):
    """`omega [p, q, r]`, body components."""

    kind: Literal["omega"]
    value: Expr


class JointClause(Statement):
    """`joint revolute(parent, …)`: the joint that places the body."""

    kind: Literal["joint"]
    call: JointCall
    reaction: Ident | None = None


class PointClause(Statement):
    """`at [x, y, z]`: where a particle is."""

    kind: Literal["at"]
    value: Expr


BodyClause = Annotated[
    MassClause
    | ComClause
    | InertiaClause
    | FrameClause
    | VelocityClause
    | OmegaClause
    | JointClause,
    Field(discriminator="kind"),
]

ParticleClause = Annotated[MassClause | PointClause | VelocityClause, Field(discriminator="kind")]


class Body(Statement):
    """A rigid body, placed by a joint, by frame and com, or by its twist alone."""

    kind: Literal["body"]
    name: Ident
    description: Text | None = None
    clauses: Annotated[tuple[BodyClause, ...], Block] = ()
    closing: Closing = ()


class Particle(Statement):
    """A point mass."""

    kind: Literal["particle"]
    name: Ident
    description: Text | None = None
    clauses: Annotated[tuple[ParticleClause, ...], Block] = ()
    closing: Closing = ()


class Joint(Statement):
    """A joint between two bodies; it closes a loop when both have a place already."""

    kind: Literal["joint"]
    name: Ident
    call: JointCall
    cut: bool = False
    reaction: Ident | None = None
    measure: Ref | None = None
    description: Text | None = None
