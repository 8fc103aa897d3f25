"""The matrices of a sweep: written link by link, read by the links before or behind.

Entries that are numbers are read as numbers, also where a sweep is written a second time inside
of an implicit step, whose program does not know the matrices around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.nodes import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram

__all__ = ["Writer"]

Rows = list[list["Node"]]


@dataclass(frozen=True, slots=True)
class Writer:
    """A program, and what has been written so far, by name."""

    program: NamedProgram
    known: dict[str, Rows] = field(default_factory=dict)

    def on(self, program: NamedProgram) -> Writer:
        """Return the same, going on in another program."""
        return Writer(program, self.known)

    def put(self, name: str, rows: Sequence[Sequence[Node]], meaning: str = "") -> Rows:
        """Add a matrix of expressions of what was read before; return it as others read it."""
        self.program.derived(name, rows, meaning)
        return self.note(name, [[x if x.op is NUMBER else None for x in row] for row in rows])

    def column(self, name: str, entries: Sequence[Node], meaning: str = "") -> list[Node]:
        """Add a column; return it as others read it."""
        return [row[0] for row in self.put(name, [[x] for x in entries], meaning)]

    def note(self, name: str, seen: Sequence[Sequence[Node | None]]) -> Rows:
        """Note a matrix of the program by what is known of its entries; return it."""
        named = self.program.entries(name, (len(seen), len(seen[0])))
        self.known[name] = [
            [symbol if x is None else x for symbol, x in zip(*pair, strict=True)]
            for pair in zip(named, seen, strict=True)
        ]
        return self.known[name]

    def rows(
        self, name: str, arg: str, at: range, seen: Sequence[Node], meaning: str = ""
    ) -> list[Node]:
        """Add some rows of a column, of which zeros are known; return them."""
        self.program.rows(name, arg, at, meaning)
        zeros = [[x if x.op is NUMBER else None] for x in seen]
        return [row[0] for row in self.note(name, zeros)]

    def get(self, name: str) -> Rows:
        """Return the entries of a matrix."""
        known = self.known[name]
        self.program.entries(name, (len(known), len(known[0])))
        return known

    def vector(self, name: str) -> list[Node]:
        """Return the entries of a column."""
        return [row[0] for row in self.get(name)]
