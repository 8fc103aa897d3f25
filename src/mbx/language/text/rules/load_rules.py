"""Rules for loads and known models."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Loads"]


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
