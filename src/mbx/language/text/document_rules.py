"""Rules for the file and its levels: version, imports, models, repetition, data, experiments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Span, suggestion
from mbx.language.document.document import (
    FORMAT_VERSION,
    Branch,
    Document,
    ExpectRank,
    ForBlock,
    IfBlock,
    Independent,
    InlineSubsystem,
    Instance,
    Model,
    State,
    Subsystem,
    Use,
)
from mbx.language.document.experiments import (
    About,
    Assignment,
    ExpectEnergy,
    ExpectValue,
    Experiment,
    ForTasks,
    Free,
    Hold,
    HoldItem,
    Initial,
    InitialState,
    Prescribe,
    SetValues,
    Simulate,
    Tolerance,
    Vary,
)
from mbx.language.document.kinematic_statements import NamedValue
from mbx.language.document.metadata import META_KEYS, Ext, Meta, MetaEntry
from mbx.language.text.expression_rules import Rules, Singular

if TYPE_CHECKING:
    from mbx.language.document.node import Node
    from mbx.language.text.parse import Values

__all__ = ["Data", "Experiments", "Files", "Levels"]


class Files(Rules):
    """Rules for the file."""

    def document(self, at: Span, v: Values) -> Document:
        if v and not hasattr(v[0], "kind"):
            v = v[1:]
        else:
            self._report.add(
                "MBX1008",
                "the file does not say its version",
                Span(at.source, at.start, at.start + 1),
                help=f"begin with 'mbx {FORMAT_VERSION}'",
            )
        return Document(mbx=1, items=tuple(v)).placed(at)

    def version(self, at: Span, v: Values) -> str:
        text = str(v[0])
        if text != str(FORMAT_VERSION):
            self._report.add(
                "MBX1009",
                f"version {text} of the format is not known here",
                at,
                help=f"this mbx reads version {FORMAT_VERSION}",
            )
        return text

    def use(self, at: Span, v: Values) -> Use:
        name, alias, path = v
        return Use(
            kind="use", model=str(name), alias=alias and str(alias), path=self._text(at, path) or ""
        ).placed(at)

    def model(self, at: Span, v: Values) -> Model:
        name, title, *body = v
        return Model(
            kind="model", name=str(name), title=self._text(at, title), body=self._block(body)
        ).placed(at)

    def for_block(self, at: Span, v: Values) -> ForBlock:
        index, first, last, *body = v
        return ForBlock(
            kind="for", index=str(index), first=first, last=last, body=self._block(body)
        ).placed(at)

    def if_block(self, at: Span, v: Values) -> IfBlock:
        condition, *body, last = v
        start, otherwise = last or (None, ())
        made = IfBlock(kind="if", condition=condition, body=self._block(body), otherwise=otherwise)
        return made.placed(at).divided(start)

    def else_block(self, at: Span, v: Values) -> tuple[int, tuple[Node, ...]]:
        return at.start, self._block(v)


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


_WORDS: Final = {"true": True, "false": False, "null": None}


class Data(Rules):
    """Rules for meta and ext."""

    def meta(self, at: Span, v: Values) -> Meta:
        return Meta(kind="meta", items=tuple(v)).placed(at)

    def meta_entry(self, at: Span, v: Values) -> MetaEntry:
        key = str(v[0])
        if key not in META_KEYS:
            self._report.add(
                "MBX1016",
                f"meta has no '{key}'",
                at,
                help=suggestion(key, META_KEYS) or "it has " + ", ".join(META_KEYS),
            )
        return MetaEntry(key=key, value=self._text(at, v[1]) or "").placed(at)

    def ext(self, at: Span, v: Values) -> Ext:
        return Ext(kind="ext", key=self._text(at, v[0]) or "", value=v[1]).placed(at)

    def json_object(self, at: Span, v: Values) -> dict[str, Any]:
        value: dict[str, Any] = dict(v)
        if len(value) < len(v):
            self._report.add("MBX2004", "a key stands twice in one object", at, help="keep one")
        return value

    def json_pair(self, at: Span, v: Values) -> tuple[str, Any]:
        return (self._text(at, v[0]) or "", v[1])

    def json_array(self, _at: Span, v: Values) -> list[Any]:
        return v

    def json_string(self, at: Span, v: Values) -> str:
        return self._text(at, v[0]) or ""

    def json_number(self, at: Span, v: Values) -> int | float:
        text = "".join(map(str, v))
        try:
            number: int | float = json.loads(text)
        except json.JSONDecodeError:
            self._no_json(at, text)
            return 0
        return number

    def json_word(self, at: Span, v: Values) -> Any:
        word = str(v[0])
        if word not in _WORDS:
            self._no_json(at, word)
        return _WORDS.get(word)

    def _no_json(self, at: Span, word: str) -> None:
        self._report.add(
            "MBX1017",
            f"'{word}' is no JSON value",
            at,
            help="quote it, or write a number, true, false or null",
        )


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
