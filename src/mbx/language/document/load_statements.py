"""Loads, and models that are already known."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mbx.language.document.node import Expr, Ident, Node, Ref, Statement

__all__ = [
    "Along",
    "Between",
    "Damper",
    "Dissipation",
    "Effective",
    "Force",
    "GeneralizedLoad",
    "Gravity",
    "Potential",
    "Spring",
    "Torque",
]


class Gravity(Statement):
    """The acceleration that acts on every mass element at and below this level."""

    kind: Literal["gravity"]
    value: Expr


class Force(Statement):
    """A force on a body at a point; the opposite acts on the other body if one is named."""

    kind: Literal["force"]
    name: Ident | None = None
    value: Expr
    on: Ref
    point: Expr | None = None
    origin: Ref | None = None


class Torque(Statement):
    """A torque on a body; the opposite acts on the other body if one is named."""

    kind: Literal["torque"]
    name: Ident | None = None
    value: Expr
    on: Ref
    origin: Ref | None = None


class Between(Node):
    """Along the line between two points."""

    kind: Literal["between"]
    first: Expr
    second: Expr


class Along(Node):
    """Along a coordinate."""

    kind: Literal["along"]
    coordinate: Ref


Line = Annotated[Between | Along, Field(discriminator="kind")]


class Spring(Statement):
    """A linear spring, relaxed at `rest` (zero unless given)."""

    kind: Literal["spring"]
    name: Ident | None = None
    line: Line
    stiffness: Expr
    rest: Expr | None = None


class Damper(Statement):
    """A linear damper."""

    kind: Literal["damper"]
    name: Ident | None = None
    line: Line
    damping: Expr


class Potential(Statement):
    """A potential energy."""

    kind: Literal["potential"]
    name: Ident | None = None
    value: Expr


class Dissipation(Statement):
    """A dissipation function of the rates (Rayleigh)."""

    kind: Literal["dissipation"]
    name: Ident | None = None
    value: Expr


class GeneralizedLoad(Statement):
    """`load on q': e`; with `of`, the non-ideal part of an invariant's own action."""

    kind: Literal["load"]
    name: Ident | None = None
    on: Ref
    of: Ref | None = None
    value: Expr


class Effective(Statement):
    """`effective x: e`: active minus inertia force conjugate to x, as a known model gives it."""

    kind: Literal["effective"]
    on: Ref
    value: Expr
