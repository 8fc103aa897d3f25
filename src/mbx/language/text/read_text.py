"""A document from .mb text, with its comments joined to the statements they belong to.

A comment behind a statement is its remark; one above it, or inside it, is a line before it;
one with no statement after it closes the block. A blank line is kept as an empty comment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report, Source, Span
from mbx.language.document.node import tidy
from mbx.language.text.expression_rules import ACTIONS, ValueRules
from mbx.language.text.parse import run
from mbx.language.text.statement_rules import (
    Bodies,
    Data,
    Experiments,
    Files,
    Kinematics,
    Levels,
    Loads,
)

if TYPE_CHECKING:
    from mbx.language.document.document import Document
    from mbx.language.text.parse import Action
    from mbx.language.text.scan import Comment

__all__ = ["attach", "read_text"]


_BLANK: Final = re.compile(r"\n[ \t\r]*\n")

_BLOCKS: Final = {
    "model": (("body", "closing"),),
    "experiment": (("body", "closing"),),
    "body": (("clauses", "closing"),),
    "particle": (("clauses", "closing"),),
    "inline_subsystem": (("body", "closing"),),
    "for": (("body", "closing"),),
    "if": (("body", "closing"), ("otherwise", "otherwise_closing")),
}
"""The blocks of each kind of statement: where the statements are, where the end comments."""


def attach(document: Document, comments: list[Comment], text: str) -> Document:
    """Return the document with the comments of its text."""
    head: list[Comment] = []
    rest = comments
    if document.at is not None:
        # what stands before the version line belongs to the file
        head = [c for c in comments if c.start < document.at.start]
        rest = comments[len(head) :]
    items, closing = _join(document.items, rest, text)
    items = tuple(_apart(item) for item in items)
    lines = tuple(_line(c) for c in head)
    return document.model_copy(
        update={"comments": lines, "items": items, "closing": closing}
    ).placed(document.at)


def _apart(item: Any) -> Any:
    """Return an item of the file without the blank line before it, which is always there."""
    lines = tidy(item.comments, first=True)
    return item if lines == item.comments else _with(item, comments=lines)


def _line(comment: Comment) -> str:
    return comment.text or " "


def _join(
    items: tuple[Any, ...], comments: list[Comment], text: str
) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Join comments to the statements of one block; return them and the closing comments."""
    placed: list[Any] = []
    k = 0
    end = -1
    for item in items:
        above: list[str] = []
        while k < len(comments) and comments[k].start < item.at.start:
            comment = comments[k]
            k += 1
            if placed and placed[-1].remark is None and "\n" not in text[end : comment.start]:
                placed[-1] = _with(placed[-1], remark=_line(comment))
            else:
                above += _gap(text, end, comment.start, bool(placed or above))
                above.append(_line(comment))
            end = comment.end
        above += _gap(text, end, item.at.start, bool(placed or above))
        inside = []
        while k < len(comments) and comments[k].start < item.at.end:
            inside.append(comments[k])
            k += 1
        item, loose = _inside(item, inside, text)  # noqa: PLW2901  the same item with comments
        lines = tuple(above + [_line(c) for c in loose])
        placed.append(_with(item, comments=lines) if lines else item)
        end = item.at.end
    closing: list[str] = []
    for comment in comments[k:]:
        if (
            placed
            and not closing
            and placed[-1].remark is None
            and ("\n" not in text[end : comment.start])
        ):
            placed[-1] = _with(placed[-1], remark=_line(comment))
        else:
            closing += _gap(text, end, comment.start, bool(closing))
            closing.append(_line(comment))
        end = comment.end
    return tuple(placed), tuple(closing)


def _gap(text: str, end: int, start: int, wanted: bool) -> list[str]:  # noqa: FBT001
    return [""] if wanted and end >= 0 and _BLANK.search(text, end, start) else []


def _with(item: Any, **update: Any) -> Any:
    return item.model_copy(update=update)


def _inside(item: Any, comments: list[Comment], text: str) -> tuple[Any, list[Comment]]:
    """Join comments inside a statement to its blocks; return it and those that fit none."""
    blocks = _BLOCKS.get(item.kind)
    if not comments or blocks is None:
        return item if blocks is None else _blocks(item, [], text, blocks), comments
    return _blocks(item, comments, text, blocks), []


def _blocks(
    item: Any, comments: list[Comment], text: str, blocks: tuple[tuple[str, str], ...]
) -> Any:
    update: dict[str, Any] = {}
    for field, closing in blocks:
        inner = getattr(item, field)
        mine = comments
        if field == "body" and item.kind == "if" and item.else_at is not None:
            mine = [c for c in comments if c.start < item.else_at]
        comments = comments[len(mine) :]
        update[field], update[closing] = _join(inner, mine, text)
    return _with(item, **update)


def read_text(source: Source, report: Report) -> Document | None:
    """Return the document that a text spells; none if it has faults, which `report` has."""
    faults = Report()
    parsed = run(source, "document", actions(faults), faults)
    if not parsed.tokens and faults.only("MBX1008"):
        _empty(source, report)
        return None
    report.extend(faults)
    document: Document | None = parsed.value
    if document is None:
        return None
    return attach(document, parsed.comments, source.text)


def _empty(source: Source, report: Report) -> None:
    report.add(
        "MBX1001",
        "there is no model in the file",
        Span(source, 0, 0),
        help="write one: model NAME { … }",
    )


_GROUPS: Final = (Files, ValueRules, Kinematics, Bodies, Loads, Levels, Data, Experiments)


def actions(report: Report) -> dict[str, Action]:
    """Return what to do on each rule; faults that are no syntax go to `report`.

    Each class of rules has one method a rule, named as the rule; a method takes
    the span of what it was made from and the values of its parts.
    """
    methods: dict[str, Action] = {}
    for group in _GROUPS:
        rules = group(report)
        methods.update({name: getattr(rules, name) for name in vars(group) if name[0] != "_"})
    return {**ACTIONS, **methods}
