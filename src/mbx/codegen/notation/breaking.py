"""Long sums on lines that fit: broken at terms, inside of brackets where a term is too long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from mbx.codegen.notation.plain import plain
from mbx.codegen.notation.term_layout import Group, Sum, Term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.term_layout import Factor
    from mbx.expr.nodes import Number

__all__ = ["Marks", "broken"]

_LONG: Final = 3
"""A bracket is opened that takes more than this part of a line."""
_EARLY: Final = 0.4
"""The part of a line that is filled at least, as far as terms allow."""
_SIGN: Final = 3  # characters of a sign and its spaces


class Marks(Protocol):
    """What a notation writes of a sum."""

    def signed_term(self, term: Term, *, first: bool) -> str:
        """Return a term with its sign; the first has none if it is positive."""

    def lead(self, term: Term, *, first: bool) -> str:
        """Return likewise what stands before a bracket; a factor of one is left out."""

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with the power it is raised to."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is not broken; `depth` is the number of brackets around its beginning."""

    text: str
    size: int
    depth: int


def broken(value: Sum, marks: Marks, width: int) -> Iterator[str]:
    """Yield a sum in lines of about that many characters of plain text."""
    rest = _pieces(value, marks, width, 0)
    while rest:
        count = _filled(rest, width)
        yield "".join(piece.text for piece in rest[:count])
        rest = rest[count:]


def _filled(pieces: Sequence[_Piece], width: int) -> int:
    """Return how many pieces the next line takes: it ends where the fewest brackets are open."""
    ends: list[tuple[int, int]] = []
    length = 0
    for k, piece in enumerate(pieces):
        if k and length + piece.size > width:
            late = [end for end in ends if end[1] > _EARLY * width] or ends[-1:]
            best = min(late, key=lambda end: (pieces[end[0]].depth, -end[0]))
            return best[0]
        length += piece.size
        ends.append((k + 1, length))
    return len(pieces)


def _pieces(value: Sum, marks: Marks, width: int, depth: int) -> list[_Piece]:
    found: list[_Piece] = []
    for k, term in enumerate(value.terms):
        size = _size(term)
        opened = _opened(term, width) if size > width else ()
        if opened:
            found += _opened_term(term, opened, marks, width, depth, first=k == 0)
        else:
            found.append(_Piece(marks.signed_term(term, first=k == 0), size, depth))
    return found


def _size(term: Term) -> int:
    return len(plain(Sum((term,)))) + _SIGN


def _opened(term: Term, width: int) -> tuple[Factor, ...]:
    """Return the brackets of a term that are long."""
    return tuple(
        factor
        for factor in term.above
        if isinstance(factor.atom, Group)
        and len(factor.atom.inside.terms) > 1
        and len(plain(factor.atom.inside)) > width // _LONG
    )


def _opened_term(
    term: Term, opened: Sequence[Factor], marks: Marks, width: int, depth: int, *, first: bool
) -> list[_Piece]:
    """Return the pieces of a term: what is short of it in front, then its long brackets."""
    short = Term(term.number, tuple(f for f in term.above if f not in opened), term.below)
    lead, size = marks.lead(short, first=first), _size(short)
    run: list[_Piece] = []
    for factor in opened:
        if not isinstance(factor.atom, Group):
            continue
        inner = _pieces(factor.atom.inside, marks, width, depth + 1)
        inner[0] = _Piece(lead + marks.opening + inner[0].text, size + 1 + inner[0].size, depth)
        inner[-1] = replace(inner[-1], text=inner[-1].text + marks.closing(factor.exponent))
        if run:  # two brackets side by side stay on a line
            joint = inner.pop(0)
            run[-1] = replace(
                run[-1], text=run[-1].text + joint.text, size=run[-1].size + joint.size
            )
        run += inner
        lead, size = "", 0
    return run
