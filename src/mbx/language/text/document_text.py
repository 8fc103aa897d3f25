"""A document as canonical .mb text.

One statement a line, blocks indented by two; a body or state on one line where it fits and
has no comments. Long statements are filled to the line width: line breaks have no meaning,
so any space outside quotes may become one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mbx.language.document import bodies, experiments, metadata
from mbx.language.document import document as doc
from mbx.language.text.expression_text import show as show_expression
from mbx.language.text.fill import INDENT, WIDTH, fill, quoted
from mbx.language.text.scan import quote
from mbx.language.text.words import call_words, named_values, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.language.document.document import Document
    from mbx.language.document.node import Node

__all__ = ["show_document"]


_LONG: Final = 9_000


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
    # an overlong comment is not indented: it must fit into a line that can be read again
    lines = [f"{indent if len(c) < _LONG else ''}//{c}".rstrip() if c else "" for c in comments]
    while skip_blank and lines and not lines[0]:
        del lines[0]
    return lines


def _statement(node: Any, indent: str, *, skip_blank: bool = False) -> list[str]:
    lines = _comments(node.comments, indent, skip_blank=skip_blank)
    body = _lines(node, indent)
    if node.remark is not None:
        if len(node.remark) > _LONG:
            return [*lines, f"//{node.remark}", *body]
        body[-1] = f"{body[-1]}  //{node.remark}".rstrip()
    return lines + body


def _block(
    head: list[str], items: tuple[Any, ...], closing: tuple[str, ...], indent: str
) -> list[str]:
    inner = indent + INDENT
    lines = fill([*head, "{"], indent)
    for k, item in enumerate(items):
        lines += _statement(item, inner, skip_blank=k == 0)
    lines += _comments(closing, inner, skip_blank=not items)
    return [*lines, f"{indent}}}"]


# -- statements ---------------------------------------------------------------------------


def _lines(node: Node, indent: str) -> list[str]:
    """Return the lines of a statement, without its comments."""
    match node:
        case doc.Model():
            head = ["model", node.name, *quoted(node.title)]
            return _block(head, node.body, node.closing, indent)
        case experiments.Experiment():
            head = ["experiment", node.name, "of", node.model, *quoted(node.title)]
            return _block(head, node.body, node.closing, indent)
        case doc.ForBlock() | experiments.ForTasks():
            head = [
                "for",
                node.index,
                "in",
                f"{show_expression(node.first)}..{show_expression(node.last)}",
            ]
            return _block(head, node.body, node.closing, indent)
        case doc.IfBlock():
            return _if(node, indent)
        case doc.InlineSubsystem():
            name = show_expression(node.name)
            bindings = named_values(node.bindings)
            head = ["subsystem", *call_words(name, bindings)] if bindings else ["subsystem", name]
            return _block(head, node.body, node.closing, indent)
        case bodies.Body() | bodies.Particle():
            return _body(node, indent)
        case metadata.Meta():
            return _meta(node, indent)
        case metadata.Ext():
            return _ext(node, indent)
    return fill(words_of(node), indent)


def _if(node: doc.IfBlock, indent: str) -> list[str]:
    lines: list[str] = []
    start = "if"
    while True:
        lines += _block([start, show_expression(node.condition)], node.body, node.closing, indent)
        if not node.otherwise and not node.otherwise_closing:
            return lines
        del lines[-1]  # its brace stands before `else`
        another = _another_if(node)
        if another is None:
            return lines + _block(["} else"], node.otherwise, node.otherwise_closing, indent)
        node, start = another, "} else if"


def _another_if(node: doc.IfBlock) -> doc.IfBlock | None:
    """Return the choice that follows `else` without a block of its own; none if no one does."""
    match node.otherwise:
        case (doc.IfBlock() as inner,) if not (
            inner.comments or inner.remark is not None or node.otherwise_closing
        ):
            return inner
    return None


def _body(node: bodies.Body | bodies.Particle, indent: str) -> list[str]:
    head = [node.kind, show_expression(node.name), *quoted(node.description)]
    plain = not node.closing and all(not c.comments and c.remark is None for c in node.clauses)
    if plain:
        clauses = ["  ".join(fill(words_of(c), "")) for c in node.clauses]
        line = f"{indent}{' '.join(head)} {{ {'  '.join(clauses)} }}"
        if len(line) <= WIDTH or not clauses:
            return [line if clauses else f"{indent}{' '.join(head)} {{ }}"]
    return _block(head, node.clauses, node.closing, indent)


def _meta(node: metadata.Meta, indent: str) -> list[str]:
    entries = [f"{indent}{INDENT}{e.key} {quote(e.value)}" for e in node.items]
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
        result += [INDENT + line for line in block]
    return [*result, end]
