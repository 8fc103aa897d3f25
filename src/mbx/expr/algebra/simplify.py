"""Shorter expressions for display: rewriting that never grows an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NoValueError
from mbx.expr.algebra.polynomial import (
    EMPTY,
    flat,
    from_polynomial,
    polynomial_product,
    polynomial_sum,
)
from mbx.expr.algebra.trigonometry import gather
from mbx.expr.count import operations
from mbx.expr.evaluate import ordered, rebuild

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.algebra.polynomial import Polynomial
    from mbx.expr.nodes import Node

__all__ = ["simplify"]

_WORK: Final = 50  # terms and nodes handled, as a multiple of the budget


def simplify(nodes: Sequence[Node], budget: int = 2000) -> list[Node]:
    """Return nodes of the same values and no more operations.

    A part is opened to a polynomial while that has no more terms than the budget.
    """
    work = _Rewriting(budget)
    for node in ordered(nodes):
        work.add(node)
    new = [work.best[node] for node in nodes]
    return new if cost(new) < cost(nodes) else list(nodes)


def cost(nodes: Sequence[Node]) -> int:
    """Return the number of operations, of all kinds together."""
    return sum(operations(nodes).values())


class _Rewriting:
    """What is known of each node: its polynomial, and its best form."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.left = _WORK * budget
        self.polynomials: dict[Node, Polynomial] = {}
        self.best: dict[Node, Node] = {}

    def add(self, node: Node) -> None:
        """Find polynomial and best form of a node whose arguments were added before."""
        try:
            best = rebuild(node, [self.best[a] for a in node.args])
        except NoValueError:  # shorter arguments show that it has no value: it stays as it is
            self.best[node], self.polynomials[node] = node, flat(node)
            return
        polynomial = self._opened(node)
        if polynomial is None:
            polynomial = flat(best)
        elif self._affordable(len(polynomial) + len(ordered([best]))):
            short = from_polynomial(gather(polynomial))
            best = short if cost([short]) < cost([best]) else best
        self.best[node] = best
        self.polynomials[node] = polynomial

    def _affordable(self, amount: int) -> bool:
        """Whether there is still time for so much work, which is then taken as done."""
        self.left -= amount
        return self.left >= 0

    def _opened(self, node: Node) -> Polynomial | None:
        """Return the polynomial of a node, or nothing if it is an atom or has too many terms."""
        parts = [self.polynomials[a] for a in node.args]
        match node.op:
            case "add":
                constant: Polynomial = {EMPTY: node.value} if node.value else {}
                opened = polynomial_sum([(1, part) for part in [*parts, constant]])
                return opened if len(opened) <= self.budget else None
            case "scale":
                return polynomial_sum([(node.value, parts[0])])
            case "product":
                return self._product(parts)
            case "power" if node.value.__class__ is int and node.value > 0:
                return self._product(parts * node.value) if node.value <= self.budget else None
        return None

    def _product(self, parts: list[Polynomial]) -> Polynomial | None:
        result: Polynomial = {EMPTY: 1}
        for part in parts:
            size = len(result) * len(part)
            if size > self.budget or not self._affordable(size):
                return None
            result = polynomial_product(result, part)
        return result
