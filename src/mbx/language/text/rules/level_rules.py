"""Rules for subsystems, hints and states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.language.document.document import (
    Branch,
    ExpectRank,
    Independent,
    InlineSubsystem,
    Instance,
    State,
    Subsystem,
)
from mbx.language.document.experiments import Assignment, Initial
from mbx.language.document.kinematic_statements import NamedValue
from mbx.language.text.rules.rule_base import Rules, Singular

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Levels"]


class Levels(Rules):
    """Rules for subsystems, hints and states."""

    def subsystem(self, at: Span, v: Values) -> Subsystem:
        return Subsystem(kind="subsystem", items=tuple(v)).placed(at)

    def inline_subsystem(self, at: Span, v: Values) -> InlineSubsystem:
        name, *rest = v
        return InlineSubsystem(
            kind="inline_subsystem",
            name=name,
            bindings=tuple(r for r in rest if isinstance(r, NamedValue)),
            body=self._block([r for r in rest if not isinstance(r, NamedValue)]),
        ).placed(at)

    def instance(self, at: Span, v: Values) -> Instance:
        name, model, *bindings = v
        return Instance(name=name, model=str(model), bindings=tuple(bindings)).placed(at)

    def independent(self, at: Span, v: Values) -> Independent:
        return Independent(kind="independent", items=tuple(v)).placed(at)

    def initial(self, at: Span, v: Values) -> Initial:
        return Initial(kind="initial", items=tuple(v)).placed(at)

    def assignment(self, at: Span, v: Values) -> Assignment:
        return Assignment(target=v[0], value=v[1]).placed(at)

    def state(self, at: Span, v: Values) -> State:
        name, *items = v
        return State(kind="state", name=name, items=tuple(items)).placed(at)

    def expect_rank(self, at: Span, v: Values) -> ExpectRank:
        return ExpectRank(kind="expect_rank", rank=v[0], state=v[1]).placed(at)

    def expect_singular(self, at: Span, v: Values) -> Singular:
        return Singular(at, v[0])

    def branch(self, at: Span, v: Values) -> Branch:
        return Branch(kind="branch", name=v[0], condition=v[1]).placed(at)
