"""Statements from text: what each rule of the grammar's statement part makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mbx.diagnostics import Span, nearest
from mbx.model.bodies import (
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
from mbx.model.document import (
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
from mbx.model.experiments import (
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
    Vary,
)
from mbx.model.expressions import Identifier, Reference, Segment
from mbx.model.kinematics import (
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
from mbx.model.loads import (
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
from mbx.model.metadata import META_KEYS, Ext, Meta, MetaEntry
from mbx.model.values import (
    Binding,
    Coordinate,
    Declaration,
    Function,
    Input,
    KeptRate,
    Let,
    Param,
    Range,
    Speed,
    Variable,
)
from mbx.syntax.expressions import ACTIONS
from mbx.syntax.limits import LIMITS
from mbx.text.strings import BadEscapeError, unquote

if TYPE_CHECKING:
    from mbx.diagnostics import Report
    from mbx.model.base import Node
    from mbx.syntax.parse import Action, Values

__all__ = ["actions"]

_ROTATIONS: Final = (AxisRotation, EulerRotation, QuaternionRotation)
_WORDS: Final = {"true": True, "false": False, "null": None}


class _Label(tuple[str, str]):
    """A description or a display name."""

    __slots__ = ()


class _Singular:
    """`expect singular`, before it is joined to its state."""

    def __init__(self, at: Span, state: Identifier | None) -> None:
        self.at = at
        self.state = state


def actions(report: Report) -> dict[str, Action]:
    """Return what to do on each rule; faults that are no syntax go to `report`."""
    statements = _Statements(report)
    own = {rule: getattr(statements, rule) for rule in dir(_Statements) if not rule.startswith("_")}
    return {**ACTIONS, **own, "for_block": statements.for_, "if_block": statements.if_}


class _Statements:
    """One method a rule of the grammar, named as the rule."""

    def __init__(self, report: Report) -> None:
        self._report = report

    # -- the file ---------------------------------------------------------------------

    def document(self, at: Span, v: Values) -> Document:
        if v and not hasattr(v[0], "kind"):
            v = v[1:]
        else:
            self._report.add(
                "MBX1008",
                "the file does not say its version",
                _begin(at),
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

    # -- repetition -------------------------------------------------------------------

    def for_(self, at: Span, v: Values) -> ForBlock:
        index, first, last, *body = v
        return ForBlock(
            kind="for", index=str(index), first=first, last=last, body=self._block(body)
        ).placed(at)

    def if_(self, at: Span, v: Values) -> IfBlock:
        condition, *body, otherwise = v
        return IfBlock(
            kind="if", condition=condition, body=self._block(body), otherwise=otherwise or ()
        ).placed(at)

    def else_block(self, _at: Span, v: Values) -> tuple[Node, ...]:
        return self._block(v)

    # -- values -----------------------------------------------------------------------

    def param(self, at: Span, v: Values) -> Param:
        return Param(kind="param", items=_shared(v)).placed(at)

    def input(self, at: Span, v: Values) -> Input:
        return Input(kind="input", items=_shared(v)).placed(at)

    def coordinate(self, at: Span, v: Values) -> Coordinate:
        return Coordinate(kind="coordinate", items=_shared(v)).placed(at)

    def speed(self, at: Span, v: Values) -> Speed | KeptRate:
        if isinstance(v[0], Reference):
            return KeptRate(kind="kept_rate", rate=v[0]).placed(at)
        return Speed(kind="speed", items=_shared(v)).placed(at)

    def kept_rate(self, at: Span, v: Values) -> Reference:
        name, index, *primes = v
        return Reference((Segment(str(name), index),), len(primes), at=at)

    def variable(self, at: Span, v: Values) -> Variable:
        order = str(v[1])
        if not order.isdigit() or int(order[:3]) > LIMITS.primes:
            self._report.add(
                "MBX1014",
                f"{order[:20]} is no order",
                at,
                help=f"an order is a whole number up to {LIMITS.primes}",
            )
            order = "0"
        return Variable(kind="variable", item=v[0], order=int(order)).placed(at)

    def declaration(self, at: Span, v: Values) -> Declaration:
        name, unit, value, bounds, *labels = v
        return Declaration(
            name=name, unit=unit, value=value, range=bounds, **self._labels(labels)
        ).placed(at)

    def binding(self, at: Span, v: Values) -> Binding:
        name, unit, value, *labels = v
        return Binding(name=name, unit=unit, value=value, **self._labels(labels)).placed(at)

    def let(self, at: Span, v: Values) -> Let:
        return Let(kind="let", items=tuple(v)).placed(at)

    def function(self, at: Span, v: Values) -> Function:
        name, *arguments, value = v
        return Function(
            kind="function", name=str(name), arguments=tuple(map(str, arguments)), value=value
        ).placed(at)

    def range(self, at: Span, v: Values) -> Range:
        return Range(lower=v[0], upper=v[1]).placed(at)

    def description(self, at: Span, v: Values) -> _Label:
        return _Label(("description", self._text(at, v[0]) or ""))

    def display(self, at: Span, v: Values) -> _Label:
        return _Label(("latex", self._text(at, v[0]) or ""))

    # -- kinematics -------------------------------------------------------------------

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

    # -- bodies and joints ------------------------------------------------------------

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

    # -- loads ------------------------------------------------------------------------

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

    # -- subsystems, hints, states ----------------------------------------------------

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

    def expect_singular(self, at: Span, v: Values) -> _Singular:
        return _Singular(at, v[0])

    def branch(self, at: Span, v: Values) -> Branch:
        return Branch(kind="branch", name=v[0], condition=v[1]).placed(at)

    # -- data -------------------------------------------------------------------------

    def meta(self, at: Span, v: Values) -> Meta:
        return Meta(kind="meta", items=tuple(v)).placed(at)

    def meta_entry(self, at: Span, v: Values) -> MetaEntry:
        key = str(v[0])
        if key not in META_KEYS:
            near = nearest(key, META_KEYS)
            self._report.add(
                "MBX1016",
                f"meta has no '{key}'",
                at,
                help=f"did you mean '{near}'?" if near else "it has " + ", ".join(META_KEYS),
            )
        return MetaEntry(key=key, value=self._text(at, v[1]) or "").placed(at)

    def ext(self, at: Span, v: Values) -> Ext:
        return Ext(kind="ext", key=self._text(at, v[0]) or "ext", value=v[1]).placed(at)

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

    def json_number(self, _at: Span, v: Values) -> int | float:
        number: int | float = json.loads("".join(map(str, v)))
        return number

    def json_word(self, at: Span, v: Values) -> Any:
        word = str(v[0])
        if word not in _WORDS:
            self._report.add(
                "MBX1017",
                f"'{word}' is no JSON value",
                at,
                help="quote it, or write true, false or null",
            )
        return _WORDS.get(word)

    # -- experiments ------------------------------------------------------------------

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

    # -- shared -----------------------------------------------------------------------

    def _text(self, at: Span, literal: Any) -> str | None:
        if literal is None:
            return None
        try:
            return unquote(literal)
        except BadEscapeError as bad:
            start = (literal.start_pos or 0) + bad.offset
            self._report.add(
                "MBX1010",
                f"{bad.escape} is no escape",
                Span(at.source, start, start + 2),
                help=r"the escapes are \" \\ \n \t",
            )
            return ""

    def _labels(self, labels: list[_Label]) -> dict[str, Any]:
        return dict(labels)

    def _block(self, items: Values) -> tuple[Any, ...]:
        """Return the statements of a block, with `expect singular` joined to its state."""
        block: list[Any] = []
        for item in items:
            if not isinstance(item, _Singular):
                block.append(item)
                continue
            where = next(
                (
                    k
                    for k in range(len(block) - 1, -1, -1)
                    if isinstance(block[k], State)
                    and (block[k].name == item.state if item.state else k == len(block) - 1)
                ),
                None,
            )
            if where is None:
                self._report.add(
                    "MBX1018",
                    "'expect singular' belongs to no state",
                    item.at,
                    help="put it behind the state, or name it: expect singular at state NAME",
                )
                continue
            state = block[where]
            span = state.at
            if where == len(block) - 1 and item.state is None:
                span = Span(span.source, span.start, item.at.end)
            block[where] = state.model_copy(update={"singular": True}).placed(span)
        return tuple(block)


def _begin(at: Span) -> Span:
    return Span(at.source, at.start, at.start + 1)


def _shared(declarations: list[Declaration]) -> tuple[Declaration, ...]:
    """Give each bare name the unit of the declaration it is listed before: `x, y: m`."""
    result: list[Declaration] = []
    unit: str | None = None
    for one in reversed(declarations):
        bare = one.unit is None and one.value is None and one.range is None
        if bare and unit is not None and one.description is None and one.latex is None:
            result.append(one.model_copy(update={"unit": unit}))
        else:
            unit = one.unit
            result.append(one)
    return tuple(reversed(result))
