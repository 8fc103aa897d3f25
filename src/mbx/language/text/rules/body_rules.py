"""Rules for bodies, particles and joints."""

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
    EulerRotation,
    NamedValue,
    Placement,
    QuaternionRotation,
)
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Bodies"]

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
        said: dict[str, Any] = {}
        for key, value in options:
            if key in said:
                self._report.add(
                    "MBX1015", f"'{key}' is said twice of joint '{name}'", at, help="keep one"
                )
            said[key] = value
        return Joint(
            kind="joint", name=name, call=call, description=self._text(at, description), **said
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
