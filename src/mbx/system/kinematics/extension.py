"""Unknowns of variables of every order by those of the speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.evaluate import substitute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node

__all__ = ["Extension"]


@dataclass(frozen=True, slots=True)
class Extension:
    """All unknowns by those of the speeds, x = E x_u + e, and what variables are at a state.

    Attributes:
        E: A row for each unknown, first those of the speeds.
        e: The rest.
        known: Declared variables and their rates that belong to the state, by symbol.
        unknown: Those of the unknown order.
    """

    E: list[list[Node]]
    e: list[Node]
    known: dict[Node, Node]
    unknown: tuple[Node, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all declared variables and rates, those of the state first."""
        return tuple(str(symbol.value) for symbol in (*self.known, *self.unknown))

    def at_state(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions in what a state gives."""
        return substitute(nodes, self.known)

    def matrix(self, rows: Sequence[Sequence[Node]]) -> list[list[Node]]:
        """Return the rows of a matrix in what a state gives."""
        return [self.at_state(row) for row in rows]
