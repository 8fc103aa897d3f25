"""Rules for frames, points, definitions and invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.language.document.kinematic_statements import (
    AxisRotation,
    Define,
    EulerRotation,
    Frame,
    Invariant,
    Placement,
    Point,
    QuaternionRotation,
)
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.document.expressions import Identifier
    from mbx.language.text.parse import Values

__all__ = ["Kinematics"]


class Kinematics(Rules):
    """Rules for frames, points, definitions and invariants."""

    def define(self, at: Span, v: Values) -> Define:
        return Define(kind="define", left=v[0], right=v[1], frame=v[2]).placed(at)

    def invariant(self, at: Span, v: Values) -> Invariant:
        name, left, right, frame, reaction, description = v
        return Invariant(
            kind="invariant",
            name=name,
            left=left,
            right=right,
            frame=frame,
            reaction=reaction,
            description=self._text(at, description),
        ).placed(at)

    def name_label(self, _at: Span, v: Values) -> Identifier:
        identifier: Identifier = v[0]
        return identifier

    def frame(self, at: Span, v: Values) -> Frame:
        return Frame(kind="frame", name=v[0], placement=v[1]).placed(at)

    def point(self, at: Span, v: Values) -> Point:
        return Point(kind="point", name=v[0], value=v[1]).placed(at)

    def placement(self, at: Span, v: Values) -> Placement:
        base, point, *rotations = v
        return Placement(base=base, point=point, rotations=tuple(rotations)).placed(at)

    def rotation_axis(self, at: Span, v: Values) -> AxisRotation:
        return AxisRotation(kind="axis", axis=v[0], angle=v[1]).placed(at)

    def rotation_euler(self, at: Span, v: Values) -> EulerRotation:
        return EulerRotation(kind="euler", sequence=str(v[0]), angles=(v[1], v[2], v[3])).placed(at)

    def rotation_quaternion(self, at: Span, v: Values) -> QuaternionRotation:
        return QuaternionRotation(kind="quaternion", parts=tuple(v)).placed(at)
