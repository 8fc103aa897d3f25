"""A matrix of equations as the page shows it: simplified entries in the names of the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import safe_text
from mbx.base.errors import EquationsError, UnknownResultError
from mbx.codegen.notation.display import display
from mbx.codegen.notation.latex.latex_notation import notation
from mbx.codegen.notation.plain import plain
from mbx.codegen.targets.text import matrix_lines
from mbx.expr.algebra.shorten import shortened
from mbx.expr.evaluate import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.codegen.notation.display import Display
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step

__all__ = ["Entry", "ShownMatrix", "shown_matrix"]

_LONGEST: Final = 900
"""Characters of a matrix that the shell shows unprinted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a matrix: its text, its LaTeX, and the expression behind them."""

    text: str
    latex: str
    node: Node

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return the text, cut where it is long."""
        return self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]} ..."

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


@dataclass(frozen=True, eq=False)
class ShownMatrix:
    """A matrix of equations, as `mbx convert --format text` shows it.

    `M[0, 1]` is an entry, and so is `M["x'", "theta'"]`, by the labels of row and column; of a
    column, one index is enough. `str(M)` is the text of the page. Where entries are long, parts of
    them have names, which `parts` explains.
    """

    step: Step
    shown: Display

    @property
    def name(self) -> str:
        """What the page calls it."""
        return self.step.name

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        rows = self.step.entries
        return len(rows), len(rows[0]) if rows else 0

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the rows."""
        return self.step.row_labels

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels of the columns."""
        return self.step.column_labels

    @cached_property
    def parts(self) -> dict[str, Entry]:
        """Names of parts that entries have, and what they are, in order."""
        wanted = set(free_symbols([node for row in self.step.entries for node in row]))
        found: dict[str, Entry] = {}
        for name, value in reversed(self.shown.parts):
            if name in wanted:
                wanted |= set(free_symbols([value]))
                found[str(name.value)] = self._entry(value)
        return dict(reversed(found.items()))

    def __len__(self) -> int:
        """Return how many rows it has."""
        return self.shape[0]

    def __getitem__(self, place: Any) -> Entry:
        """Return an entry by row and column, which are numbers from 0 or labels."""
        rows, columns = self.shape
        if not isinstance(place, tuple):
            if columns != 1:
                message = f"'{self.name}' is {rows} by {columns}: an entry has a row and a column"
                raise EquationsError(message)
            place = (place, 0)
        i, j = place
        row, column = _index(i, self.rows, rows), _index(j, self.columns, columns)
        return self._entry(self.step.entries[row][column])

    def __iter__(self) -> Iterator[tuple[Entry, ...]]:
        """Yield the rows."""
        for row in self.step.entries:
            yield tuple(map(self._entry, row))

    def __str__(self) -> str:
        """Return the text of the page."""
        before = [f"  {name} = {entry}" for name, entry in self.parts.items()]
        lines = [*(["with", *before] if before else []), *matrix_lines(self.step, self.shown, "")]
        return "\n".join(safe_text(line).rstrip() for line in lines)

    def __repr__(self) -> str:
        """Return the text of the page, or the size of a matrix that is large."""
        text = str(self)
        if len(text) <= _LONGEST:
            return text
        return f"<ShownMatrix {self.name}: {self.shape[0]} by {self.shape[1]}; print() shows it>"

    def _repr_latex_(self) -> str:
        write = notation(self.shown)
        left = write.matrix(self.step.name, self.step.symbol)
        grid = write.grid([[entry.latex for entry in row] for row in self])
        where = [f"{write.name(name)} = {part.latex}" for name, part in self.parts.items()]
        text = " \\\\\n".join([write.equal(left, grid), *where])
        return f"$$\\begin{{gathered}}\n{text}\n\\end{{gathered}}$$"

    def _entry(self, node: Node) -> Entry:
        terms = self.shown.layout(node)
        return Entry(plain(terms), notation(self.shown).sum(terms), node)


def _index(place: Any, labels: tuple[str, ...], count: int) -> int:
    if isinstance(place, str):
        if place not in labels:
            raise UnknownResultError(place, labels)
        return labels.index(place)
    number: int = place.__index__()
    if not -count <= number < count:
        message = f"there is no entry {number}: there are {count}"
        raise IndexError(message)
    return number


def shown_matrix(equations: Equations, meaning: str) -> ShownMatrix:
    """Return a result that a form writes as expressions, as the page shows it."""
    shown = display(equations)
    step = equations.step(equations.results[meaning])
    name = shown.names[step.name]
    for line in shown.lines:
        if line.step.name == name and line.step.op == "define":
            return ShownMatrix(line.step, shown)
    rows = tuple(tuple(shortened(row)) for row in step.entries)  # the page shows zero or unity
    return ShownMatrix(replace(step, name=meaning, entries=rows), shown)
