"""Axes with names on a page, and vectors as sums along them.

The axes of a body are unit vectors by their components in the ground, `ex_crank = [cos(th1),
sin(th1)]`; those of a body whose components are long stand along the axes of a body before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import NULL, add, matvec, mul, neg, plus, times, transposed
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Literal, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.formalism.page.bodies import Plane
    from mbx.formalism.page.page_builder import PageBuilder, Sided

__all__ = ["NamedAxes"]

_LETTERS: Final = ("ex", "ey", "ez")
_COLUMN: Final = 9
"""Operations of a unit vector that is written by its components in the ground."""
_COMPARED: Final = 120
"""Operations of a vector that is compared along several axes."""
_LONGEST: Final = 150
"""Operations of a vector that is written."""
_TRIED: Final = 1500
"""Operations of a vector of which a short form is looked for."""


@dataclass(slots=True)
class _Triad:
    """Axes and the names of those that a page uses."""

    word: str
    R: Matrix
    names: dict[int, Node]


class NamedAxes:
    """The axes of a page; their names are written before the first use."""

    def __init__(self, page: PageBuilder, plane: Plane | None) -> None:
        """Begin with the axes of the ground, which have no names."""
        self.page = page
        self.plane = plane
        self._triads: list[_Triad] = []

    def add(self, word: str, R: Matrix | None) -> None:
        """Let vectors be written along axes."""
        if R is None or any(each.R is R for each in self._triads):
            return
        if all(x in {ZERO, ONE, neg(ONE)} for row in R for x in row):
            return
        self._triads.append(_Triad(word, R, {}))

    def components(self, v: Vector) -> tuple[Node, ...]:
        """Return the components in the ground, two in a plane."""
        if self.plane is None:
            return tuple(v)
        return v[self.plane.first], v[self.plane.second]

    @staticmethod
    def is_nothing(side: Sided) -> bool:
        """Return whether a side is zero."""
        return all(
            part is ZERO if isinstance(part, Node) else all(x is ZERO for x in part.entries)
            for part in literal(side).parts
        )

    def side(self, v: Vector) -> Sided:
        """Return a vector that has ground components along the axes in which it is shortest."""
        if v is NULL:
            return self.components(v)
        if written(v) > _TRIED:
            raise TooLargeError("a vector is too long to be read")
        own = tidy(v)
        best: tuple[_Triad | None, Sequence[Node]] = (None, own)
        least = cost(own)
        if written(v) <= _COMPARED:
            for each in self._triads:
                along = tidy(matvec(transposed(each.R), v))
                size = cost(along) + sum(1 for x in along if x is not ZERO) - 1
                if size < least:
                    best, least = (each, along), size
        chosen, shown = best
        _check(shown)
        if chosen is None:
            return self.components((shown[0], shown[1], shown[2]))
        return self.along(chosen, shown)

    def along_axes(self, R: Matrix | None, entries: Sequence[Node]) -> Sided:
        """Return a vector by its components along some axes."""
        _check(entries)
        if R is None:
            a, b, c = entries
            return self.components((a, b, c))
        triad = next((each for each in self._triads if each.R is R), None)
        if triad is None:
            a, b, c = tidy(matvec(R, (entries[0], entries[1], entries[2])))
            _check((a, b, c))
            return self.components((a, b, c))
        return self.along(triad, entries)

    def along(self, triad: _Triad, entries: Sequence[Node]) -> Sided:
        """Return a sum of components times unit vectors."""
        parts: list[Node] = []
        fixed: Vector = NULL
        for k, x in enumerate(entries):
            column = (triad.R[0][k], triad.R[1][k], triad.R[2][k])
            if x is ZERO:
                continue
            if all(y.op is NUMBER for y in column):
                fixed = plus(fixed, times(x, column))
            else:
                parts.append(mul(x, self._axis(triad, k)))
        if not parts:
            return self.components(fixed)
        if all(x is ZERO for x in self.components(fixed)):
            return Side((add(*parts),))
        return Side((add(*parts), Literal(self.components(fixed))))

    def _axis(self, triad: _Triad, k: int) -> Node:
        """Return the name of a unit vector."""
        same = next(
            (e for e in self._triads if k in e.names and _column(e, k) == _column(triad, k)), None
        )
        if same is not None:
            return same.names[k]
        if k not in triad.names:
            meaning = f"{_LETTERS[k][1]} axis of {triad.word}"
            name = self.page.name(_LETTERS[k], triad.word, is_vector=True, meaning=meaning)
            column = self._column(triad, _column(triad, k))
            triad.names[k] = name
            self.page.equal(name, column)
        return triad.names[k]

    def _column(self, triad: _Triad, column: Vector) -> Sided:
        """Return a unit vector, along axes before it where that is shorter."""
        shown = tidy(column)
        if cost(shown) <= _COLUMN:
            return self.components((shown[0], shown[1], shown[2]))
        best, least = None, cost(shown)
        for other in self._triads[: self._triads.index(triad)]:
            turned = matvec(transposed(other.R), column)
            if written(turned) > _TRIED:
                continue
            entries = tidy(turned)
            if cost(entries) < least:
                best, least = (other, entries), cost(entries)
        if best is None:
            _check(shown)
            return self.components((shown[0], shown[1], shown[2]))
        _check(best[1])
        return self.along(*best)


def _column(triad: _Triad, k: int) -> Vector:
    return triad.R[0][k], triad.R[1][k], triad.R[2][k]


def _check(nodes: Sequence[Node]) -> None:
    """Raise `TooLargeError` where nobody would read a vector."""
    if written(nodes) > _LONGEST:
        raise TooLargeError("a vector is too long to be read")


def literal(side: Sided) -> Side:
    """Return a side that can be added to others."""
    if isinstance(side, Side):
        return side
    return Side((side,)) if isinstance(side, Node) else Side((Literal(tuple(side)),))
