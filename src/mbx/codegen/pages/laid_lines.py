"""Equations of a page on the lines of a column: where they break, and what is aligned.

Where a line breaks is measured by the ruler, and is the same in every notation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Final

from mbx.codegen.pages.breakable import BREAK, CLOSERS, OPENERS, flag_tall
from mbx.codegen.pages.ruler import measure
from mbx.expr.nodes import SYMBOL
from mbx.formalism.page.page import is_zero

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.breakable_notation import BreakableNotation
    from mbx.formalism.page.page import Equation, Line, Side

__all__ = ["LaidLine", "LaidRow", "lay_lines"]

_LEFT: Final = 0.3
"""The part of a line that a left side takes if it is aligned with others."""
_INDENT: Final = 16
"""Units by which a line that goes on is moved."""
_BETWEEN: Final = 24
"""Units between two equations on a line."""
_RELATION: Final = -1.0
"""The depth of a sign between sides: a line ends there rather than anywhere else."""
_LAST: Final = 9.0
"""Likewise before `= 0`, which does not stand alone on a line."""
_EARLY: Final = 1 / 3
"""The part of a line that is filled at least."""
_LETTER: Final = 4
"""Units of a letter of a note."""


@dataclass(frozen=True, slots=True)
class LaidRow:
    """A line of print.

    Attributes:
        left: The left side, where it is aligned with others.
        right: What stands behind: the sign and the other sides, or the whole.
        goes_on: Whether the line goes on with the one before.
    """

    left: str
    right: str
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class LaidLine:
    """The lines of print under one number.

    Attributes:
        number: The number.
        rows: The lines of print.
        is_aligned: Whether left sides stand in a column of their own.
    """

    number: int
    rows: tuple[LaidRow, ...]
    is_aligned: bool


@dataclass(frozen=True, slots=True)
class _Pieces:
    """An equation between the places where it may break.

    Attributes:
        texts: What is written.
        widths: Likewise in units.
        depths: How many brackets stand around the beginning of each piece.
        left: How many pieces the left side has.
    """

    texts: tuple[str, ...]
    widths: tuple[int, ...]
    depths: tuple[float, ...]
    left: int

    @property
    def left_width(self) -> int:
        """Units of the left side."""
        return sum(self.widths[: self.left])

    @property
    def width(self) -> int:
        """Units of the whole."""
        return sum(self.widths)


def lay_lines(write: BreakableNotation, lines: Sequence[Line]) -> Iterator[LaidLine]:
    """Yield lines with their rows; lines of one kind that follow each other share a column."""
    pieces = [[_pieces(write, e) for e in line.equations] for line in lines]
    kinds = _kinds(pieces, [_states_zero(line) for line in lines], write.room)
    first = 0
    for kind, group in groupby(kinds):
        last = first + len(list(group))
        lefts = [p.left_width for each in pieces[first:last] for p in each]
        column = max(lefts) if kind else None
        for line, each in zip(lines[first:last], pieces[first:last], strict=True):
            yield _laid(write, line, each, column)
        first = last


def _states_zero(line: Line) -> bool:
    """Return whether a line states that something long is zero, and defines nothing."""
    return all(
        len(e.sides) == 2 and is_zero(e.sides[1]) and not _is_short(e.sides[0])  # noqa: PLR2004
        for e in line.equations
    )


def _is_short(side: Side) -> bool:
    return len(side.parts) == 1 and getattr(side.parts[0], "op", "") == SYMBOL


def _kinds(pieces: Sequence[Sequence[_Pieces]], are_zero: Sequence[bool], room: int) -> list[bool]:
    """Return which lines have their left sides in a column of their own."""
    limit = round(_LEFT * room)
    lefts = [max(p.left_width for p in each) for each in pieces]
    column = max(
        (x for x, zero in zip(lefts, are_zero, strict=True) if x <= limit and not zero), default=0
    )
    return [
        not zero
        and left <= limit
        and all(w <= room - column - _INDENT for p in each for w in p.widths[p.left :])
        for zero, left, each in zip(are_zero, lefts, pieces, strict=True)
    ]


def _pieces(write: BreakableNotation, equation: Equation) -> _Pieces:
    texts = flag_tall(write.equation(equation.sides), write.sums.is_tall).split(BREAK)
    ruled = write.ruler.equation(equation.sides)
    widths = [measure(part) for part in ruled.split(BREAK)]
    assert len(texts) == len(widths)  # noqa: S101  the same walk
    depths = [0.0]
    opened: list[str] = []
    for c in ruled:
        if c in OPENERS:
            opened.append(c)
        elif c in CLOSERS:
            opened.pop()
        elif c == BREAK:
            is_comma = bool(opened) and OPENERS[opened[-1]] == "["
            depths.append(len(opened) - 0.5 * is_comma)
    counts = [write.ruler.side(side).count(BREAK) + 1 for side in equation.sides]
    for start, side in zip(accumulate(counts), equation.sides[1:], strict=False):
        depths[start] = _LAST if is_zero(side) else _RELATION
    return _Pieces(tuple(texts), tuple(widths), tuple(depths), counts[0])


def _laid(
    write: BreakableNotation, line: Line, pieces: Sequence[_Pieces], column: int | None
) -> LaidLine:
    """Return a line; equations stand side by side as far as they fit."""
    rows: list[LaidRow] = []
    room = write.room - (column or 0)
    used = room
    for each in pieces:
        if rows and used + _BETWEEN + each.width <= room:
            last = rows[-1]
            text = last.right + write.between + write.sums.close("".join(each.texts))
            rows[-1] = LaidRow(last.left, text, last.goes_on)
            used += _BETWEEN + each.width
            continue
        if rows:
            last = rows[-1]
            rows[-1] = LaidRow(last.left, last.right + write.stop, last.goes_on)
        new = list(_rows(write, each, column))
        used = each.width - (0 if column is None else each.left_width)
        used = used if len(new) == 1 else room
        rows += new
    if line.note and used + _BETWEEN + _LETTER * len(line.note) <= room:
        last = rows[-1]
        rows[-1] = LaidRow(last.left, last.right + write.remark(line.note), last.goes_on)
    return LaidLine(line.number, tuple(rows), column is not None)


def _rows(write: BreakableNotation, each: _Pieces, column: int | None) -> Iterator[LaidRow]:
    """Yield an equation on lines that fit."""
    begin = 0 if column is None else each.left
    left = write.sums.close("".join(each.texts[:begin]))
    room = write.room - (column or 0)
    goes_on = False
    while begin < len(each.texts):
        end = _end(each, begin, room)
        yield LaidRow(left, write.sums.close("".join(each.texts[begin:end])), goes_on)
        begin, left = end, ""
        room -= 0 if goes_on else _INDENT
        goes_on = True


def _end(each: _Pieces, begin: int, room: int) -> int:
    """Return the end of a line: the last break with the fewest brackets around it."""
    width = 0
    found: list[tuple[float, int, int]] = []
    for k in range(begin, len(each.texts)):
        width += each.widths[k]
        if width > room and found:
            break
        if k + 1 == len(each.texts):
            return k + 1
        found.append((each.depths[k + 1], -(k + 1), width))
    late = [x for x in found if x[2] > room * _EARLY or x[0] == _RELATION] or found
    return -min(late)[1]
