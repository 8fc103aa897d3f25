"""Rules for the statements of a model: bodies, joints, kinematics, loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.language.document.bodies import (
    Body,
    ComClause,
    FrameClause,
    InertiaClause,
    Joint,
    JointCall,
    JointClause,
    MassClause,
    OmegaClause,
    Particle,
    PointClause,
    VelocityClause,
)
from mbx.language.document.expressions import Identifier, Reference
from mbx.language.document.kinematic_statements import (
    AxisRotation,
    Define,
    EulerRotation,
    Frame,
    Invariant,
    NamedValue,
    Placement,
    Point,
    QuaternionRotation,
)
from mbx.language.document.load_statements import (
    Along,
    Between,
    Damper,
    Dissipation,
    Effective,
    Force,
    GeneralizedLoad,
    Gravity,
    Potential,
    Spring,
    Torque,
)
from mbx.language.text.expression_rules import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Bodies", "Kinematics", "Loads"]


_ROTATIONS: Final = (AxisRotation, EulerRotation, QuaternionRotation)


class Bodies(Rules):
    """Rules for bodies, particles and joints."""

    def body(self, at: Span, v: Values) -> Body:
        name, description, *clauses = v
        return Body(
            kind="body", name=name, description=self._text(at, description), clauses=tuple(clauses)
        ).placed(at)

    def particle(self, at: Span, v: Values) -> Particle:
        name, description, *clauses = v
        return Particle(
            kind="particle",
            name=name,
            description=self._text(at, description),
            clauses=tuple(clauses),
        ).placed(at)

    def mass_clause(self, at: Span, v: Values) -> MassClause:
        return MassClause(kind="mass", value=v[0]).placed(at)

    def com_clause(self, at: Span, v: Values) -> ComClause:
        return ComClause(kind="com", value=v[0]).placed(at)

    def at_clause(self, at: Span, v: Values) -> PointClause:
        return PointClause(kind="at", value=v[0]).placed(at)

    def inertia_clause(self, at: Span, v: Values) -> InertiaClause:
        return InertiaClause(kind="inertia", value=v[0], about=v[1]).placed(at)

    def frame_clause(self, at: Span, v: Values) -> FrameClause:
        return FrameClause(kind="frame", placement=v[0]).placed(at)

    def velocity_clause(self, at: Span, v: Values) -> VelocityClause:
        return VelocityClause(kind="velocity", value=v[0]).placed(at)

    def omega_clause(self, at: Span, v: Values) -> OmegaClause:
        return OmegaClause(kind="omega", value=v[0]).placed(at)

    def joint_clause(self, at: Span, v: Values) -> JointClause:
        return JointClause(kind="joint", call=v[0], reaction=v[1]).placed(at)

    def joint(self, at: Span, v: Values) -> Joint:
        name, call, *options, description = v
        fields: dict[str, Any] = {}
        for key, value in options:
            if key in fields:
                self._report.add(
                    "MBX1015", f"'{key}' is said twice of joint '{name}'", at, help="keep one"
                )
            fields[key] = value
        return Joint(
            kind="joint", name=name, call=call, description=self._text(at, description), **fields
        ).placed(at)

    def cut_option(self, _at: Span, _v: Values) -> tuple[str, bool]:
        return ("cut", True)

    def reaction_option(self, _at: Span, v: Values) -> tuple[str, Identifier]:
        return ("reaction", v[0])

    def measure_option(self, _at: Span, v: Values) -> tuple[str, Reference]:
        return ("measure", v[0])

    def joint_call(self, at: Span, v: Values) -> JointCall:
        kind, *arguments = v
        return JointCall(
            joint=str(kind),
            sides=tuple(a for a in arguments if isinstance(a, Placement)),
            arguments=tuple(a for a in arguments if isinstance(a, NamedValue)),
            rotations=tuple(a for a in arguments if isinstance(a, _ROTATIONS)),
        ).placed(at)

    def argument(self, at: Span, v: Values) -> NamedValue:
        return NamedValue(name=Identifier(str(v[0]), v[1], at=at), value=v[2]).placed(at)


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


class Loads(Rules):
    """Rules for loads and known models."""

    def gravity(self, at: Span, v: Values) -> Gravity:
        return Gravity(kind="gravity", value=v[0]).placed(at)

    def force(self, at: Span, v: Values) -> Force:
        name, value, on, point, origin = v
        return Force(
            kind="force", name=name, value=value, on=on, point=point, origin=origin
        ).placed(at)

    def torque(self, at: Span, v: Values) -> Torque:
        name, value, on, origin = v
        return Torque(kind="torque", name=name, value=value, on=on, origin=origin).placed(at)

    def spring(self, at: Span, v: Values) -> Spring:
        name, line, stiffness, rest = v
        return Spring(kind="spring", name=name, line=line, stiffness=stiffness, rest=rest).placed(
            at
        )

    def damper(self, at: Span, v: Values) -> Damper:
        return Damper(kind="damper", name=v[0], line=v[1], damping=v[2]).placed(at)

    def span_points(self, at: Span, v: Values) -> Between:
        return Between(kind="between", first=v[0], second=v[1]).placed(at)

    def span_coordinate(self, at: Span, v: Values) -> Along:
        return Along(kind="along", coordinate=v[0]).placed(at)

    def potential(self, at: Span, v: Values) -> Potential:
        return Potential(kind="potential", name=v[0], value=v[1]).placed(at)

    def dissipation(self, at: Span, v: Values) -> Dissipation:
        return Dissipation(kind="dissipation", name=v[0], value=v[1]).placed(at)

    def load(self, at: Span, v: Values) -> GeneralizedLoad:
        return GeneralizedLoad(kind="load", name=v[0], on=v[1], of=v[2], value=v[3]).placed(at)

    def effective(self, at: Span, v: Values) -> Effective:
        return Effective(kind="effective", on=v[0], value=v[1]).placed(at)
