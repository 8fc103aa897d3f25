"""Frames, points, definitions and invariants."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mbx.language.document.node import Expr, Ident, Name, Node, Ref, Statement, Text

__all__ = [
    "AxisRotation",
    "Define",
    "EulerRotation",
    "Frame",
    "Invariant",
    "NamedValue",
    "Placement",
    "Point",
    "QuaternionRotation",
    "Rotation",
]


class NamedValue(Node):
    """`name = value` between parentheses."""

    name: Ident
    value: Expr


class AxisRotation(Node):
    """`rotated axis by angle`, body-fixed."""

    kind: Literal["axis"]
    axis: Expr
    angle: Expr


class EulerRotation(Node):
    """`euler zxy by (psi, phi, th)` is Rz(psi) Rx(phi) Ry(th)."""

    kind: Literal["euler"]
    sequence: Name
    angles: tuple[Expr, Expr, Expr]


class QuaternionRotation(Node):
    """`quaternion(w = …, x = …, y = …, z = …)`, from the body to the base."""

    kind: Literal["quaternion"]
    parts: Annotated[tuple[NamedValue, ...], Field(min_length=1)]


Rotation = Annotated[AxisRotation | EulerRotation | QuaternionRotation, Field(discriminator="kind")]


class Placement(Node):
    """A frame said from another one: moved to a point, then rotated, left to right."""

    base: Ref
    point: Expr | None = None
    rotations: tuple[Rotation, ...] = ()


class Frame(Statement):
    """A named frame."""

    kind: Literal["frame"]
    name: Ident
    placement: Placement


class Point(Statement):
    """A named point."""

    kind: Literal["point"]
    name: Ident
    value: Expr


class Define(Statement):
    """A relation between rates and quasi-velocities, explicit or implicit."""

    kind: Literal["define"]
    left: Expr
    right: Expr
    frame: Ref | None = None


class Invariant(Statement):
    """An equation the motion keeps, of any order; written once, at its own order."""

    kind: Literal["invariant"]
    name: Ident | None = None
    left: Expr
    right: Expr
    frame: Ref | None = None
    reaction: Ident | None = None
    description: Text | None = None
