"""What equations cost: operations of their straight line, every part computed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mbx.expr.count import operations
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import POWER, PRODUCT, SCALE, Node
from mbx.numerics.execute.straight_line import own_values, straight_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.formalism.equations import Equations

__all__ = ["Counts", "cost", "counted"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Operations; `function` are sines, cosines, roots and all that is no arithmetic."""

    add: int
    mul: int
    div: int
    function: int

    @property
    def arithmetic(self) -> int:
        """Additions, multiplications and divisions."""
        return self.add + self.mul + self.div


def cost(
    equations: Equations,
    results: Iterable[str] = ("ud",),
    *,
    baked: bool = True,
    at: Mapping[Node, Any] | None = None,
) -> Counts:
    """Return the operations that results cost; `baked` puts in the values of parameters.

    With values of all symbols `at` a regular state, steps that depend on a rank are counted
    for the rank that they have there.
    """
    values = own_values(equations.signature) if baked else {}
    lines = straight_line(equations, results, values, at)
    return counted(node for rows in lines.values() for row in rows for node in row)


def counted(nodes: Iterable[Node]) -> Counts:
    """Return the operations of a graph; a reciprocal that is used once is part of a division."""
    nodes = list(nodes)
    tally = operations(nodes)
    return Counts(
        add=tally["add"],
        mul=tally["mul"] - _quotients(nodes),
        div=tally["div"],
        function=tally["function"] + tally["pow"],
    )


def _quotients(nodes: list[Node]) -> int:
    """Return how many products are divisions because one of their factors is a reciprocal."""
    every = ordered(nodes)
    uses = Counter(a for node in every for a in node.args)
    uses.update(nodes)
    return sum(
        any(uses[a] == 1 and _is_reciprocal(a) for a in node.args)
        for node in every
        if node.op is PRODUCT or (node.op is SCALE and node.value != -1)
    )


def _is_reciprocal(node: Node) -> bool:
    return node.op is POWER and node.value.__class__ is int and node.value < 0
