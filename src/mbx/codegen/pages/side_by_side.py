"""The pages of two forms next to each other, with what both have marked."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.checked_text import check_text
from mbx.codegen.pages.text_page import TextNotation, break_equation, write_text_page
from mbx.formalism.page.page import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.formalism.equations import Equations

__all__ = ["write_side_by_side"]

_MARK: Final = " = "
_NOTHING: Final = " | "
_INDENT: Final = 2

Item = tuple[str, str]
"""A heading or an equation: its kind and its text."""


def write_side_by_side(left: Equations, right: Equations, width: int) -> list[str]:
    """Return the equations of two forms in two columns; `=` stands between what both have.

    Each page is evaluated as it is printed alone; one that does not hold raises `EquationsError`.
    """
    for equations in (left, right):
        if equations.page is None:
            raise EquationsError(f"{equations.formalism} has no page of {equations.model}")
        lines = write_text_page(equations.signature, equations.page)
        check_text("\n".join(lines), equations, equations.page)
    room = (width - len(_MARK)) // 2
    first, second = list(_items(left)), list(_items(right))
    lines = [_row(left.title, right.title, _NOTHING, room), ""]
    same = 0
    for tag, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            same += sum(kind == "equation" for kind, _ in first[a:b])
            for item in first[a:b]:
                lines += _columns([item], [item], room, _MARK)
        else:
            lines += _columns(first[a:b], second[c:d], room, _NOTHING)
    count = sum(kind == "equation" for kind, _ in (*first, *second))
    text = f"= marks what both forms have: {2 * same} of {count} equations."
    return [*lines, "", *wrap(text, width)]


def _items(equations: Equations) -> Iterator[Item]:
    """Yield the headings and the equations of a page, without numbers."""
    page = equations.page
    assert page is not None  # noqa: S101  asked for with a page only
    write = TextNotation(equations.signature, page)
    for item in page.given:
        for line in item.lines:
            yield from (("equation", write.equation(e.sides)) for e in line.equations)
    for section in page.sections:
        yield "heading", section.title
        for block in section.blocks:
            if isinstance(block, Line):
                yield from (("equation", write.equation(e.sides)) for e in block.equations)


def _columns(left: Sequence[Item], right: Sequence[Item], room: int, mark: str) -> Iterator[str]:
    """Yield two lists of items below each other in their columns."""
    first = [line for item in left for line in _wrapped(item, room)]
    second = [line for item in right for line in _wrapped(item, room)]
    for a, b in zip_longest(first, second, fillvalue=""):
        yield _row(a, b, mark, room)


def _wrapped(item: Item, room: int) -> list[str]:
    kind, text = item
    if kind == "heading":
        return ["", *wrap(text, room)]
    lines = break_equation(text, room + _INDENT)
    return [line[_INDENT:] for line in lines]


def _row(left: str, right: str, mark: str, room: int) -> str:
    """Return a line of both columns; no mark where both are empty."""
    if not left and not right:
        return ""
    return f"{left:<{room}}{mark}{right}".rstrip()
