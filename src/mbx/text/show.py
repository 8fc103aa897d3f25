"""A document as canonical .mb text.

One statement a line, blocks indented by two; a body or state on one line where it fits and
has no comments. Long statements are filled to the line width: line breaks have no meaning,
so any space outside quotes may become one.
"""

from __future__ import annotations

import json
import re
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final

from mbx.model import bodies, experiments, kinematics, loads, metadata, values
from mbx.model import document as doc
from mbx.syntax.parse import STATEMENTS
from mbx.syntax.show import show as show_expression
from mbx.text.strings import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.model.base import Node
    from mbx.model.document import Document
    from mbx.model.expressions import Expression, Identifier

__all__ = ["show_document"]

WIDTH: Final = 96
_INDENT: Final = "  "
_LONG_WORD: Final = 200
_TOGETHER: Final = 60
_LETTERS: Final = re.compile(r"[A-Za-z_]+")
_BREAK: Final = re.compile(r" (?![\[A-Za-z])|(?<![0-9]) ")
"""Where a line may break: at any space but the one between a number and its unit."""


class _Word(str):
    """A piece of text that is never broken, such as a quoted text."""

    __slots__ = ()


def show_document(document: Document) -> str:
    """Return the text of a document."""
    lines = [f"//{c}".rstrip() if c else "" for c in document.comments]
    lines += [f"mbx {document.mbx}", ""]
    for k, item in enumerate(document.items):
        # imports stand together; everything else has a blank line before it
        if k and not (isinstance(item, doc.Use) and isinstance(document.items[k - 1], doc.Use)):
            lines.append("")
        lines += _statement(item, "", skip_blank=True)
    if document.closing:
        lines += ["", *_comments(document.closing, "", skip_blank=True)]
    return "\n".join(lines) + "\n"


# -- lines -------------------------------------------------------------------------------


def _comments(comments: Iterable[str], indent: str, *, skip_blank: bool = False) -> list[str]:
    lines = [f"{indent}//{c}".rstrip() if c else "" for c in comments]
    while skip_blank and lines and not lines[0]:
        del lines[0]
    return lines


def _statement(node: Any, indent: str, *, skip_blank: bool = False) -> list[str]:
    lines = _comments(node.comments, indent, skip_blank=skip_blank)
    body = _lines(node, indent)
    if node.remark is not None:
        body[-1] = f"{body[-1]}  //{node.remark}".rstrip()
    return lines + body


def _block(
    head: list[str], items: tuple[Any, ...], closing: tuple[str, ...], indent: str
) -> list[str]:
    inner = indent + _INDENT
    lines = _fill([*head, "{"], indent)
    for k, item in enumerate(items):
        lines += _statement(item, inner, skip_blank=k == 0)
    lines += _comments(closing, inner, skip_blank=not items)
    return [*lines, f"{indent}}}"]


def _fill(words: Iterable[str], indent: str) -> list[str]:
    """Return the words on lines of at most the width, the later ones indented deeper."""
    lines: list[str] = []
    line = indent
    empty = True
    for word in _pieces(words):
        if not empty and len(line) + 1 + len(word) > WIDTH and not _begins_statement(line, word):
            lines.append(line)
            line, empty = indent + _INDENT * 2, True
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line]


def _begins_statement(line: str, word: str) -> bool:
    """Return whether a name at the beginning of a line would be read as a statement."""
    found = _LETTERS.match(word)
    return found is not None and found[0].upper() in STATEMENTS and not line.endswith((",", "{"))


def _pieces(words: Iterable[str]) -> Iterable[str]:
    """Split words at the spaces where a line may break; quoted texts are whole."""
    for word in words:
        if isinstance(word, _Word) or len(word) == 0:
            yield word
            continue
        for piece in _BREAK.split(word):
            if len(piece) <= _LONG_WORD:
                yield piece
            else:
                yield from _shorter(piece)


def _shorter(word: str) -> Iterable[str]:
    """Split an overlong product before its operators."""
    start = 0
    for k, character in enumerate(word):
        if character in "*/" and k - start > _LONG_WORD // 2:
            yield word[start:k]
            start = k
    yield word[start:]


def _text(text: str | None) -> list[str]:
    return [] if text is None else [_Word(quote(text))]


def _e(expression: Expression | Identifier) -> str:
    return show_expression(expression)


def _option(word: str, expression: Expression | Identifier | None) -> list[str]:
    return [] if expression is None else [word, _e(expression)]


def _together(words: list[str]) -> list[str]:
    """Return words that belong together as one, if they are short enough."""
    text = " ".join(words)
    return [_Word(text)] if len(text) <= _TOGETHER else words


def _list(parts: Iterable[list[str]]) -> list[str]:
    """Join lists of words by commas; lines break between them before they break inside."""
    words: list[str] = []
    for part in map(_together, parts):
        if words:
            last = words[-1]
            words[-1] = _Word(f"{last},") if isinstance(last, _Word) else f"{last},"
        words += part
    return words


# -- statements ---------------------------------------------------------------------------


def _lines(node: Node, indent: str) -> list[str]:
    """Return the lines of a statement, without its comments."""
    match node:
        case doc.Model():
            head = ["model", node.name, *_text(node.title)]
            return _block(head, node.body, node.closing, indent)
        case experiments.Experiment():
            head = ["experiment", node.name, "of", node.model, *_text(node.title)]
            return _block(head, node.body, node.closing, indent)
        case doc.ForBlock() | experiments.ForTasks():
            head = ["for", node.index, "in", f"{_e(node.first)}..{_e(node.last)}"]
            return _block(head, node.body, node.closing, indent)
        case doc.IfBlock():
            return _if(node, indent)
        case doc.InlineSubsystem():
            name = _e(node.name)
            bindings = _bindings(node.bindings)
            head = ["subsystem", *_call(name, bindings)] if bindings else ["subsystem", name]
            return _block(head, node.body, node.closing, indent)
        case bodies.Body() | bodies.Particle():
            return _body(node, indent)
        case metadata.Meta():
            return _meta(node, indent)
        case metadata.Ext():
            return _ext(node, indent)
    return _fill(_words(node), indent)


def _if(node: doc.IfBlock, indent: str) -> list[str]:
    lines = _block(["if", _e(node.condition)], node.body, node.closing, indent)
    if not node.otherwise and not node.otherwise_closing:
        return lines
    last = _block(["else"], node.otherwise, node.otherwise_closing, "")
    rest = _block([], node.otherwise, node.otherwise_closing, indent)
    return [*lines[:-1], f"{indent}}} {last[0]}", *rest[1:]]


def _body(node: bodies.Body | bodies.Particle, indent: str) -> list[str]:
    head = [node.kind, _e(node.name), *_text(node.description)]
    plain = not node.closing and all(not c.comments and c.remark is None for c in node.clauses)
    if plain:
        clauses = ["  ".join(_fill(_words(c), "")) for c in node.clauses]
        line = f"{indent}{' '.join(head)} {{ {'  '.join(clauses)} }}"
        if len(line) <= WIDTH or not clauses:
            return [line if clauses else f"{indent}{' '.join(head)} {{ }}"]
    return _block(head, node.clauses, node.closing, indent)


def _meta(node: metadata.Meta, indent: str) -> list[str]:
    entries = [f"{indent}{_INDENT}{e.key} {quote(e.value)}" for e in node.items]
    return [f"{indent}meta {{", *entries, f"{indent}}}"]


def _ext(node: metadata.Ext, indent: str) -> list[str]:
    lines = _json_lines(node.value)
    return [f"{indent}ext {quote(node.key)} {lines[0]}", *(indent + x for x in lines[1:])]


def _json_lines(value: Any) -> list[str]:
    """Return a JSON value as lines, strings quoted as the text form quotes them."""
    match value:
        case dict() if value:
            inner = [(f"{quote(k)}: ", _json_lines(v)) for k, v in value.items()]
            return _json_block("{", "}", inner)
        case list() if value:
            return _json_block("[", "]", [("", _json_lines(v)) for v in value])
        case str():
            return [quote(value)]
    return [json.dumps(value)]


def _json_block(start: str, end: str, inner: list[tuple[str, list[str]]]) -> list[str]:
    if all(len(lines) == 1 for _, lines in inner):
        flat = ", ".join(f"{head}{lines[0]}" for head, lines in inner)
        if len(flat) <= WIDTH // 2:
            return [f"{start}{flat}{end}"]
    result = [start]
    for k, (head, lines) in enumerate(inner):
        comma = "," if k < len(inner) - 1 else ""
        block = [f"{head}{lines[0]}", *lines[1:]]
        block[-1] += comma
        result += [_INDENT + line for line in block]
    return [*result, end]


# -- words of a statement -------------------------------------------------------------------


@singledispatch
def _words(node: Any) -> list[str]:
    """Return a statement as words, in order."""
    raise TypeError(type(node))


def _declaration(d: values.Declaration) -> list[str]:
    name = _e(d.name) if d.unit is None else f"{_e(d.name)}: {d.unit}"
    words = [name, *_option("=", d.value)]
    if d.range is not None:
        words += [_Word(f"in [{_e(d.range.lower)}, {_e(d.range.upper)}]")]
    return [*words, *_labels(d)]


def _labels(d: values.Declaration | values.Binding) -> list[str]:
    display = [] if d.latex is None else _together(["latex", *_text(d.latex)])
    return [*_text(d.description), *display]


@_words.register(values.Param)
@_words.register(values.Input)
@_words.register(values.Coordinate)
@_words.register(values.Speed)
def _(node: Any) -> list[str]:
    return [node.kind, *_list(_declaration(d) for d in node.items)]


@_words.register
def _(node: values.Variable) -> list[str]:
    return ["variable", *_declaration(node.item), "of", "order", str(node.order)]


@_words.register
def _(node: values.KeptRate) -> list[str]:
    return ["speed", _e(node.rate)]


@_words.register
def _(node: values.Let) -> list[str]:
    def one(b: values.Binding) -> list[str]:
        name = _e(b.name) if b.unit is None else f"{_e(b.name)}: {b.unit}"
        return [name, "=", _e(b.value), *_labels(b)]

    return ["let", *_list(map(one, node.items))]


@_words.register
def _(node: values.Function) -> list[str]:
    return ["function", f"{node.name}({', '.join(node.arguments)})", "=", _e(node.value)]


@_words.register
def _(node: kinematics.Define) -> list[str]:
    return ["define", _e(node.left), "=", _e(node.right), *_option("in", node.frame)]


@_words.register
def _(node: kinematics.Invariant) -> list[str]:
    return [
        "invariant",
        *_name(node.name),
        _e(node.left),
        "=",
        _e(node.right),
        *_option("in", node.frame),
        *_option("reaction", node.reaction),
        *_text(node.description),
    ]


def _name(name: Identifier | None) -> list[str]:
    return [] if name is None else [f"{_e(name)}:"]


def _placement(p: kinematics.Placement) -> list[str]:
    words = [_e(p.base), *_option("at", p.point)]
    for rotation in p.rotations:
        words += _rotation(rotation)
    return words


def _rotation(r: Any) -> list[str]:
    match r:
        case kinematics.AxisRotation():
            return ["rotated", _e(r.axis), "by", _e(r.angle)]
        case kinematics.EulerRotation():
            return ["euler", r.sequence, "by", f"({', '.join(map(_e, r.angles))})"]
    parts = ", ".join(f"{_e(p.name)} = {_e(p.value)}" for p in r.parts)
    return [f"quaternion({parts})"]


@_words.register
def _(node: kinematics.Frame) -> list[str]:
    return ["frame", _e(node.name), "=", *_placement(node.placement)]


@_words.register
def _(node: kinematics.Point) -> list[str]:
    return ["point", _e(node.name), "=", _e(node.value)]


@_words.register(bodies.MassClause)
@_words.register(bodies.ComClause)
@_words.register(bodies.PointClause)
@_words.register(bodies.VelocityClause)
@_words.register(bodies.OmegaClause)
@_words.register(loads.Gravity)
def _(node: Any) -> list[str]:
    return [node.kind, _e(node.value)]


@_words.register
def _(node: bodies.InertiaClause) -> list[str]:
    return ["inertia", _e(node.value), *_option("about", node.about)]


@_words.register
def _(node: bodies.FrameClause) -> list[str]:
    return ["frame", *_placement(node.placement)]


def _joint_call(call: bodies.JointCall) -> list[str]:
    parts = [_placement(side) for side in call.sides]
    parts += [[_e(a.name), "=", _e(a.value)] for a in call.arguments]
    parts += [_rotation(r) for r in call.rotations]
    return _call(call.joint, parts)


def _call(name: str, parts: list[list[str]]) -> list[str]:
    words = _list(parts)
    if not words:
        return [f"{name}()"]
    words[0] = _Word(f"{name}({words[0]}")
    words[-1] = _Word(f"{words[-1]})")
    return words


@_words.register
def _(node: bodies.JointClause) -> list[str]:
    return ["joint", *_joint_call(node.call), *_option("reaction", node.reaction)]


@_words.register
def _(node: bodies.Joint) -> list[str]:
    return [
        "joint",
        f"{_e(node.name)}:",
        *_joint_call(node.call),
        *(["cut"] if node.cut else []),
        *_option("reaction", node.reaction),
        *_option("measure", node.measure),
        *_text(node.description),
    ]


@_words.register
def _(node: loads.Force) -> list[str]:
    return [
        "force",
        *_name(node.name),
        _e(node.value),
        "on",
        _e(node.on),
        *_option("at", node.point),
        *_option("from", node.origin),
    ]


@_words.register
def _(node: loads.Torque) -> list[str]:
    return [
        "torque",
        *_name(node.name),
        _e(node.value),
        "on",
        _e(node.on),
        *_option("from", node.origin),
    ]


def _line(line: loads.Between | loads.Along) -> list[str]:
    if isinstance(line, loads.Along):
        return ["on", _e(line.coordinate)]
    return ["between", _e(line.first), "and", _e(line.second)]


@_words.register
def _(node: loads.Spring) -> list[str]:
    return [
        "spring",
        *_name(node.name),
        *_line(node.line),
        "stiffness",
        _e(node.stiffness),
        *_option("rest", node.rest),
    ]


@_words.register
def _(node: loads.Damper) -> list[str]:
    return ["damper", *_name(node.name), *_line(node.line), "damping", _e(node.damping)]


@_words.register(loads.Potential)
@_words.register(loads.Dissipation)
def _(node: Any) -> list[str]:
    return [node.kind, *_name(node.name), _e(node.value)]


@_words.register
def _(node: loads.GeneralizedLoad) -> list[str]:
    head = ["load", *_name(node.name), "on", _e(node.on), *_option("of", node.of)]
    head[-1] += ":"
    return [*head, _e(node.value)]


@_words.register
def _(node: loads.Effective) -> list[str]:
    return ["effective", f"{_e(node.on)}:", _e(node.value)]


def _bindings(bindings: tuple[kinematics.NamedValue, ...]) -> list[list[str]]:
    return [[_e(b.name), "=", _e(b.value)] for b in bindings]


@_words.register
def _(node: doc.Subsystem) -> list[str]:
    def one(i: doc.Instance) -> list[str]:
        bindings = _bindings(i.bindings)
        call = _call(i.model, bindings) if bindings else [i.model]
        return [f"{_e(i.name)}:", *call]

    return ["subsystem", *_list(map(one, node.items))]


@_words.register
def _(node: doc.Independent) -> list[str]:
    return ["independent", *_list([_e(r)] for r in node.items)]


def _assignments(items: tuple[experiments.Assignment, ...]) -> list[str]:
    return _list([_e(a.target), "=", _e(a.value)] for a in items)


@_words.register(experiments.Initial)
@_words.register(experiments.SetValues)
def _(node: Any) -> list[str]:
    return [node.kind, *_assignments(node.items)]


@_words.register
def _(node: doc.State) -> list[str]:
    inner = ["{", *_assignments(node.items), "}"]
    singular = ["expect", "singular"] if node.singular else []
    return ["state", _e(node.name), *inner, *singular]


@_words.register
def _(node: doc.ExpectRank) -> list[str]:
    return ["expect", "rank", _e(node.rank), "at", "state", _e(node.state)]


@_words.register
def _(node: doc.Branch) -> list[str]:
    return ["branch", f"{_e(node.name)}:", _e(node.condition)]


@_words.register
def _(node: doc.Use) -> list[str]:
    alias = [] if node.alias is None else ["as", node.alias]
    return ["use", node.model, *alias, "from", *_text(node.path)]


@_words.register
def _(node: experiments.InitialState) -> list[str]:
    return ["initial", "state", _e(node.state)]


@_words.register
def _(node: experiments.Simulate) -> list[str]:
    return ["simulate", _e(node.first), "..", _e(node.last), *_option("every", node.every)]


@_words.register
def _(node: experiments.Prescribe) -> list[str]:
    motion = [_e(node.motion.target), "=", _e(node.motion.value)]
    return ["prescribe", *motion, "solve", *_list([_e(r)] for r in node.unknowns)]


@_words.register
def _(node: experiments.Hold) -> list[str]:
    return ["hold", *_list([_e(i.target), *_option("=", i.value)] for i in node.items)]


@_words.register
def _(node: experiments.Free) -> list[str]:
    return ["free", *_list([_e(r)] for r in node.items)]


@_words.register
def _(node: experiments.About) -> list[str]:
    return ["about", "state", _e(node.state)]


@_words.register
def _(node: experiments.Vary) -> list[str]:
    bounds = f"[{_e(node.range.lower)}, {_e(node.range.upper)}]"
    return ["vary", _e(node.target), "in", bounds, *_option("steps", node.steps)]


@_words.register
def _(node: experiments.ExpectValue) -> list[str]:
    state = [] if node.state is None else ["at", "state", _e(node.state)]
    source = [] if node.source is None else _together(["source", *_text(node.source)])
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


@_words.register
def _(node: experiments.ExpectEnergy) -> list[str]:
    return ["expect", "energy", "conserved", "within", _e(node.within)]
