"""Rules for statements: the file and its levels, bodies, joints, kinematics, loads, experiments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Span, suggestion
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
from mbx.language.document.metadata import META_KEYS, Ext, Meta, MetaEntry
from mbx.language.text.expression_rules import Rules, Singular

if TYPE_CHECKING:
    from mbx.language.document.node import Node
    from mbx.language.text.parse import Values


__all__ = ["Bodies", "Data", "Experiments", "Files", "Kinematics", "Levels", "Loads"]

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
