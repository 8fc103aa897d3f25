"""Statements as words, in the order they are written."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from mbx.language.document import (
    bodies,
    declarations,
    experiments,
    kinematic_statements,
    load_statements,
)
from mbx.language.document import document as doc
from mbx.language.text.expression_text import show as show_expression
from mbx.language.text.fill import Word, listed, quoted, together

if TYPE_CHECKING:
    from mbx.language.document.expressions import Expression, Identifier

__all__ = ["call_words", "named_values", "words_of"]


def _e(expression: Expression | Identifier) -> str:
    return show_expression(expression)


def _option(word: str, expression: Expression | Identifier | None) -> list[str]:
    return [] if expression is None else [word, _e(expression)]


@singledispatch
def words_of(node: Any) -> list[str]:
    """Return a statement as words, in order."""
    raise TypeError(type(node))


def _declaration(d: declarations.Declaration) -> list[str]:
    name = _e(d.name) if d.unit is None else f"{_e(d.name)}: {d.unit}"
    words = [name, *_option("=", d.value)]
    if d.range is not None:
        words += [Word(f"in [{_e(d.range.lower)}, {_e(d.range.upper)}]")]
    return [*words, *_labels(d)]


def _labels(d: declarations.Declaration | declarations.Binding) -> list[str]:
    display = [] if d.latex is None else together(["latex", *quoted(d.latex)])
    return [*quoted(d.description), *display]


@words_of.register(declarations.Param)
@words_of.register(declarations.Input)
@words_of.register(declarations.Coordinate)
@words_of.register(declarations.Speed)
def _(node: Any) -> list[str]:
    return [node.kind, *listed(_declaration(d) for d in node.items)]


@words_of.register
def _(node: declarations.Variable) -> list[str]:
    return ["variable", *_declaration(node.item), "of", "order", str(node.order)]


@words_of.register
def _(node: declarations.KeptRate) -> list[str]:
    return ["speed", _e(node.rate)]


@words_of.register
def _(node: declarations.Let) -> list[str]:
    def item_words(b: declarations.Binding) -> list[str]:
        name = _e(b.name) if b.unit is None else f"{_e(b.name)}: {b.unit}"
        return [name, "=", _e(b.value), *_labels(b)]

    return ["let", *listed(map(item_words, node.items))]


@words_of.register
def _(node: declarations.Function) -> list[str]:
    return ["function", f"{node.name}({', '.join(node.arguments)})", "=", _e(node.value)]


@words_of.register
def _(node: kinematic_statements.Define) -> list[str]:
    return ["define", _e(node.left), "=", _e(node.right), *_option("in", node.frame)]


@words_of.register
def _(node: kinematic_statements.Invariant) -> list[str]:
    return [
        "invariant",
        *_name(node.name),
        _e(node.left),
        "=",
        _e(node.right),
        *_option("in", node.frame),
        *_option("reaction", node.reaction),
        *quoted(node.description),
    ]


def _name(name: Identifier | None) -> list[str]:
    return [] if name is None else [f"{_e(name)}:"]


def _placement(p: kinematic_statements.Placement) -> list[str]:
    words = [_e(p.base), *_option("at", p.point)]
    for rotation in p.rotations:
        words += _rotation(rotation)
    return words


def _rotation(r: Any) -> list[str]:
    match r:
        case kinematic_statements.AxisRotation():
            return ["rotated", _e(r.axis), "by", _e(r.angle)]
        case kinematic_statements.EulerRotation():
            return ["euler", r.sequence, "by", f"({', '.join(map(_e, r.angles))})"]
    parts = ", ".join(f"{_e(p.name)} = {_e(p.value)}" for p in r.parts)
    return [f"quaternion({parts})"]


@words_of.register
def _(node: kinematic_statements.Frame) -> list[str]:
    return ["frame", _e(node.name), "=", *_placement(node.placement)]


@words_of.register
def _(node: kinematic_statements.Point) -> list[str]:
    return ["point", _e(node.name), "=", _e(node.value)]


@words_of.register(bodies.MassClause)
@words_of.register(bodies.ComClause)
@words_of.register(bodies.PointClause)
@words_of.register(bodies.VelocityClause)
@words_of.register(bodies.OmegaClause)
@words_of.register(load_statements.Gravity)
def _(node: Any) -> list[str]:
    return [node.kind, _e(node.value)]


@words_of.register
def _(node: bodies.InertiaClause) -> list[str]:
    return ["inertia", _e(node.value), *_option("about", node.about)]


@words_of.register
def _(node: bodies.FrameClause) -> list[str]:
    return ["frame", *_placement(node.placement)]


def _joint_call(call: bodies.JointCall) -> list[str]:
    parts = [_placement(side) for side in call.sides]
    parts += [[_e(a.name), "=", _e(a.value)] for a in call.arguments]
    parts += [_rotation(r) for r in call.rotations]
    return call_words(call.joint, parts)


def call_words(name: str, parts: list[list[str]]) -> list[str]:
    """Return `name(part, part)` as words."""
    words = listed(parts)
    if not words:
        return [f"{name}()"]
    words[0] = Word(f"{name}({words[0]}")
    words[-1] = Word(f"{words[-1]})")
    return words


@words_of.register
def _(node: bodies.JointClause) -> list[str]:
    return ["joint", *_joint_call(node.call), *_option("reaction", node.reaction)]


@words_of.register
def _(node: bodies.Joint) -> list[str]:
    return [
        "joint",
        f"{_e(node.name)}:",
        *_joint_call(node.call),
        *(["cut"] if node.cut else []),
        *_option("reaction", node.reaction),
        *_option("measure", node.measure),
        *quoted(node.description),
    ]


@words_of.register
def _(node: load_statements.Force) -> list[str]:
    return [
        "force",
        *_name(node.name),
        _e(node.value),
        "on",
        _e(node.on),
        *_option("at", node.point),
        *_option("from", node.origin),
    ]


@words_of.register
def _(node: load_statements.Torque) -> list[str]:
    return [
        "torque",
        *_name(node.name),
        _e(node.value),
        "on",
        _e(node.on),
        *_option("from", node.origin),
    ]


def _line(line: load_statements.Between | load_statements.Along) -> list[str]:
    if isinstance(line, load_statements.Along):
        return ["on", _e(line.coordinate)]
    return ["between", _e(line.first), "and", _e(line.second)]


@words_of.register
def _(node: load_statements.Spring) -> list[str]:
    return [
        "spring",
        *_name(node.name),
        *_line(node.line),
        "stiffness",
        _e(node.stiffness),
        *_option("rest", node.rest),
    ]


@words_of.register
def _(node: load_statements.Damper) -> list[str]:
    return ["damper", *_name(node.name), *_line(node.line), "damping", _e(node.damping)]


@words_of.register(load_statements.Potential)
@words_of.register(load_statements.Dissipation)
def _(node: Any) -> list[str]:
    return [node.kind, *_name(node.name), _e(node.value)]


@words_of.register
def _(node: load_statements.GeneralizedLoad) -> list[str]:
    head = ["load", *_name(node.name), "on", _e(node.on), *_option("of", node.of)]
    head[-1] += ":"
    return [*head, _e(node.value)]


@words_of.register
def _(node: load_statements.Effective) -> list[str]:
    return ["effective", f"{_e(node.on)}:", _e(node.value)]


def named_values(bindings: tuple[kinematic_statements.NamedValue, ...]) -> list[list[str]]:
    """Return each `name = value` as words."""
    return [[_e(b.name), "=", _e(b.value)] for b in bindings]


@words_of.register
def _(node: doc.Subsystem) -> list[str]:
    def item_words(i: doc.Instance) -> list[str]:
        bindings = named_values(i.bindings)
        call = call_words(i.model, bindings) if bindings else [i.model]
        return [f"{_e(i.name)}:", *call]

    return ["subsystem", *listed(map(item_words, node.items))]


@words_of.register
def _(node: doc.Independent) -> list[str]:
    return ["independent", *listed([_e(r)] for r in node.items)]


def _assignments(items: tuple[experiments.Assignment, ...]) -> list[str]:
    return listed([_e(a.target), "=", _e(a.value)] for a in items)


@words_of.register(experiments.Initial)
@words_of.register(experiments.SetValues)
def _(node: Any) -> list[str]:
    return [node.kind, *_assignments(node.items)]


@words_of.register
def _(node: doc.State) -> list[str]:
    inner = ["{", *_assignments(node.items), "}"]
    singular = ["expect", "singular"] if node.singular else []
    return ["state", _e(node.name), *inner, *singular]


@words_of.register
def _(node: doc.ExpectRank) -> list[str]:
    return ["expect", "rank", _e(node.rank), "at", "state", _e(node.state)]


@words_of.register
def _(node: doc.Branch) -> list[str]:
    return ["branch", f"{_e(node.name)}:", _e(node.condition)]


@words_of.register
def _(node: doc.Use) -> list[str]:
    alias = [] if node.alias is None else ["as", node.alias]
    return ["use", node.model, *alias, "from", *quoted(node.path)]


@words_of.register
def _(node: experiments.InitialState) -> list[str]:
    return ["initial", "state", _e(node.state)]


@words_of.register
def _(node: experiments.Simulate) -> list[str]:
    return ["simulate", _e(node.first), "..", _e(node.last), *_option("every", node.every)]


@words_of.register
def _(node: experiments.Tolerance) -> list[str]:
    return ["tolerance", _e(node.value)]


@words_of.register
def _(node: experiments.Prescribe) -> list[str]:
    motion = [_e(node.motion.target), "=", _e(node.motion.value)]
    return ["prescribe", *motion, "solve", *listed([_e(r)] for r in node.unknowns)]


@words_of.register
def _(node: experiments.Hold) -> list[str]:
    return ["hold", *listed([_e(i.target), *_option("=", i.value)] for i in node.items)]


@words_of.register
def _(node: experiments.Free) -> list[str]:
    return ["free", *listed([_e(r)] for r in node.items)]


@words_of.register
def _(node: experiments.About) -> list[str]:
    return ["about", "state", _e(node.state)]


@words_of.register
def _(node: experiments.Vary) -> list[str]:
    bounds = f"[{_e(node.range.lower)}, {_e(node.range.upper)}]"
    return ["vary", _e(node.target), "in", bounds, *_option("steps", node.steps)]


@words_of.register
def _(node: experiments.ExpectValue) -> list[str]:
    state = [] if node.state is None else ["at", "state", _e(node.state)]
    source = [] if node.source is None else together(["source", *quoted(node.source)])
    return [
        "expect",
        _e(node.quantity),
        *_option("at", node.time),
        *state,
        "=",
        _e(node.value),
        "within",
        _e(node.within),
        *source,
    ]


@words_of.register
def _(node: experiments.ExpectEnergy) -> list[str]:
    return ["expect", "energy", "conserved", "within", _e(node.within)]
