"""What mathematics is written in: LaTeX and MathML say the same with their own marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.term_layout import Sum

__all__ = ["Aligned", "Block", "Formula", "Heading", "Notation", "Row", "Said"]


class Notation(Protocol):
    """A way to write mathematics; what it returns can be put into what it takes in."""

    @property
    def width(self) -> int:
        """How many characters of plain text fit on a line."""

    def name(self, path: str) -> str:
        """Return a symbol."""

    def matrix(self, name: str, symbol: str = "") -> str:
        """Return the name of a matrix, given its own name in LaTeX if it has one."""

    def constant(self, name: str) -> str:
        """Return the zero or a unit matrix: `0`, `1`, `1_3`."""

    def words(self, text: str) -> str:
        """Return words that stand inside of a formula."""

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        """Return a matrix by its entries."""

    def times(self, factors: Sequence[str]) -> str:
        """Return a product of matrices."""

    def plus(self, terms: Sequence[tuple[int, str]], *, goes_on: bool = False) -> str:
        """Return a sum of matrices, each with its sign; one that goes on begins with a sign."""

    def raised(self, base: str, mark: str) -> str:
        """Return a matrix with a mark at its upper right: `T`, `+`, `1/2`."""

    def held(self, inside: str) -> str:
        """Return something in brackets that grow with it."""

    def magnitudes(self, inside: str) -> str:
        """Return a matrix between bars."""

    def null(self, inside: str) -> str:
        """Return the null space of a matrix."""

    def rows(self, inside: str, span: str) -> str:
        """Return some rows of a matrix; a span is `1..3, 5`."""

    def entry(self, matrix: str, places: Sequence[str]) -> str:
        """Return an entry of a matrix."""

    def equal(self, left: str, right: str) -> str:
        """Return that two things are equal."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in a notation."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence: words as they are, not yet escaped, and formulas."""

    parts: tuple[str | Formula, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of aligned equations; without a left side it goes on with the one before."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Aligned:
    """Equations below each other."""

    rows: tuple[Row, ...]


Block = Heading | Said | Aligned
