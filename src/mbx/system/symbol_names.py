"""The symbols of a system: time, variables and their rates, parameters, inputs, reactions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.derivatives import along
from mbx.expr.nodes import ONE, Node, symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TIME", "Rates", "rate_symbol"]

TIME = symbol("t")


def rate_symbol(name: str, order: int) -> Node:
    """Return the symbol of a rate: the name with primes behind it."""
    return symbol(name + "'" * order)


@dataclass(slots=True)
class Rates:
    """What the time derivative of each symbol is: the next symbol of its row, or nothing.

    Calling it differentiates expressions along the motion.
    """

    direction: dict[Node, Node] = field(default_factory=lambda: {TIME: ONE})

    def follow(self, name: str, highest: int) -> None:
        """Make a symbol and its rates up to an order known as functions of time."""
        for order in range(highest):
            self.direction[rate_symbol(name, order)] = rate_symbol(name, order + 1)

    def __call__(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the time derivatives of expressions."""
        return along(nodes, self.direction)
