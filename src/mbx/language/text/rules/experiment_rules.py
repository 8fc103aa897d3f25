"""Rules for experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.language.document.experiments import (
    About,
    ExpectEnergy,
    ExpectValue,
    Experiment,
    ForTasks,
    Free,
    Hold,
    HoldItem,
    InitialState,
    Prescribe,
    SetValues,
    Simulate,
    Tolerance,
    Vary,
)
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Experiments"]


class Experiments(Rules):
    """Rules for experiments."""

    def experiment(self, at: Span, v: Values) -> Experiment:
        name, model, title, *body = v
        return Experiment(
            kind="experiment",
            name=str(name),
            model=str(model),
            title=self._text(at, title),
            body=tuple(body),
        ).placed(at)

    def set_values(self, at: Span, v: Values) -> SetValues:
        return SetValues(kind="set", items=tuple(v)).placed(at)

    def initial_state(self, at: Span, v: Values) -> InitialState:
        return InitialState(kind="initial_state", state=v[0]).placed(at)

    def simulate(self, at: Span, v: Values) -> Simulate:
        return Simulate(kind="simulate", first=v[0], last=v[1], every=v[2]).placed(at)

    def tolerance(self, at: Span, v: Values) -> Tolerance:
        return Tolerance(kind="tolerance", value=v[0]).placed(at)

    def prescribe(self, at: Span, v: Values) -> Prescribe:
        return Prescribe(kind="prescribe", motion=v[0], unknowns=tuple(v[1:])).placed(at)

    def hold(self, at: Span, v: Values) -> Hold:
        return Hold(kind="hold", items=tuple(v)).placed(at)

    def hold_item(self, at: Span, v: Values) -> HoldItem:
        return HoldItem(target=v[0], value=v[1]).placed(at)

    def free(self, at: Span, v: Values) -> Free:
        return Free(kind="free", items=tuple(v)).placed(at)

    def about(self, at: Span, v: Values) -> About:
        return About(kind="about", state=v[0]).placed(at)

    def vary(self, at: Span, v: Values) -> Vary:
        return Vary(kind="vary", target=v[0], range=v[1], steps=v[2]).placed(at)

    def expect_value(self, at: Span, v: Values) -> ExpectValue:
        quantity, moment, value, within, source = v
        return ExpectValue(
            kind="expect_value",
            quantity=quantity,
            value=value,
            within=within,
            source=self._text(at, source),
            **(moment or {}),
        ).placed(at)

    def moment_time(self, _at: Span, v: Values) -> dict[str, Any]:
        return {"time": v[0]}

    def moment_state(self, _at: Span, v: Values) -> dict[str, Any]:
        return {"state": v[0]}

    def expect_energy(self, at: Span, v: Values) -> ExpectEnergy:
        return ExpectEnergy(kind="expect_energy", within=v[0]).placed(at)

    def for_tasks(self, at: Span, v: Values) -> ForTasks:
        index, first, last, *body = v
        return ForTasks(
            kind="for", index=str(index), first=first, last=last, body=tuple(body)
        ).placed(at)
