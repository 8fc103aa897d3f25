"""Placements, rotations and joints: what they are made of, and how they move."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.quantity import FRAME, RATE, SPEED, TWIST, UNKNOWN, Quantity
from mbx.language.document.expressions import Expression, Group, Negative, Reference
from mbx.language.document.kinematic_statements import (
    AxisRotation,
    EulerRotation,
    Placement,
    QuaternionRotation,
)
from mbx.language.joints import JOINTS, SLOTS
from mbx.language.units import ONE

if TYPE_CHECKING:
    from mbx.checking.expressions.infer import Inference
    from mbx.language.document.bodies import JointCall

__all__ = [
    "axis_letter",
    "check_axis",
    "joint_quantity",
    "placement_quantity",
    "rotation_parts",
    "twist_quantity",
]

_AXES = frozenset({"x", "y", "z"})
_PARTS = ("w", "x", "y", "z")
_ANGLES = 3


def axis_letter(node: Expression) -> str | None:
    """Return which axis a bare x, y or z (or its negative) in an axis slot is."""
    match node:
        case Group(x) | Negative(x):
            return axis_letter(x)
        case Reference((segment,), 0) if segment.index is None and segment.name in _AXES:
            return segment.name
    return None


def check_axis(inference: Inference, node: Expression) -> Quantity:
    """Require a direction; bare x, y, z are axes whatever else has these names."""
    if axis_letter(node) is not None:
        return Quantity("vector", ONE)
    return inference.vector(node, None, "an axis")


def rotation_parts(rotation: Any) -> list[Expression]:
    """Return the expressions of a rotation; a bare letter is an axis and no name."""
    match rotation.kind:
        case "axis":
            letter = axis_letter(rotation.axis) is not None
            return [rotation.angle] if letter else [rotation.axis, rotation.angle]
        case "euler":
            return list(rotation.angles)
    return [p.value for p in rotation.parts]


def _rotation(inference: Inference, rotation: Any) -> list[Quantity]:
    match rotation:
        case AxisRotation():
            return [
                check_axis(inference, rotation.axis),
                inference.scalar(rotation.angle, ONE, "an angle"),
            ]
        case EulerRotation():
            letters = rotation.sequence
            if (
                len(letters) != _ANGLES
                or set(letters) - _AXES
                or any(a == b for a, b in itertools.pairwise(letters))
            ):
                inference.fault(
                    "MBX1030",
                    f"'{letters}' is no sequence of axes",
                    rotation.at,
                    help="three of x, y, z, no two alike in a row: zxy, zyx, zxz …",
                )
            return [inference.scalar(a, ONE, "an angle") for a in rotation.angles]
        case QuaternionRotation():
            names = sorted(p.name.base for p in rotation.parts)
            if names != sorted(_PARTS):
                inference.fault(
                    "MBX1031",
                    "a quaternion has the parts w, x, y and z, each once",
                    rotation.at,
                    help="quaternion(w = …, x = …, y = …, z = …)",
                )
            return [
                inference.scalar(p.value, ONE, "a part of a quaternion") for p in rotation.parts
            ]
    raise TypeError(rotation)


def _joined(parts: list[Quantity]) -> Quantity:
    if any(q.sort == "unknown" for q in parts):
        return UNKNOWN
    return Quantity(
        "frame", None, max((q.order for q in parts), default=-1), any(q.timed for q in parts)
    )


def _base(inference: Inference, reference: Reference, *, in_joint: bool) -> Quantity:
    if reference.path[0].name == "own" and len(reference.path) == 1:
        if not in_joint:
            inference.fault(
                "MBX3116",
                "'own' has a meaning only in a body's joint",
                reference.at,
                help="name the body",
            )
            return UNKNOWN
        return FRAME
    base = inference.reference(reference)
    if base.sort == "twist":
        inference.fault(
            "MBX3106",
            f"'{reference.path[-1].name}' is known by its twist alone, and "
            "nothing can be joined to it or placed on it",
            reference.at,
        )
        return UNKNOWN
    if base.sort not in {"frame", "unknown"}:
        inference.fault(
            "MBX3010",
            f"'{reference.path[-1].name}' is a {base.sort}, and a frame or body is needed here",
            reference.at,
        )
        return UNKNOWN
    return base


def placement_quantity(
    inference: Inference, placement: Placement, *, in_joint: bool = False
) -> Quantity:
    """Return the frame that a placement makes."""
    parts = [_base(inference, placement.base, in_joint=in_joint)]
    if placement.point is not None:
        parts.append(inference.point(placement.point, "a place"))
    for rotation in placement.rotations:
        parts += _rotation(inference, rotation)
    return _joined(parts)


def joint_quantity(inference: Inference, call: JointCall) -> Quantity:
    """Return the frame of a body that a joint places."""
    kind = JOINTS.get(call.joint)
    parts = [placement_quantity(inference, side, in_joint=True) for side in call.sides]
    for rotation in call.rotations:
        parts += _rotation(inference, rotation)
    for argument in call.arguments:
        name = argument.name.base
        if kind is None or name not in SLOTS:
            continue
        slot, dimension = SLOTS[name]
        if slot == "axis":
            parts.append(check_axis(inference, argument.value))
        elif slot == "scalar":
            parts.append(inference.scalar(argument.value, dimension, f"'{name}'"))
        else:
            parts.append(inference.vector(argument.value, dimension, f"'{name}'"))
    return _joined(parts)


def twist_quantity(
    inference: Inference, velocity: Expression | None, omega: Expression | None
) -> Quantity:
    """Check the twist of a body that is known by nothing else."""
    if velocity is not None:
        inference.vector(velocity, SPEED, "a velocity")
    if omega is not None:
        inference.vector(omega, RATE, "an angular velocity")
    return TWIST
