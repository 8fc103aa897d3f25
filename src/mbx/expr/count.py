"""Operations that a graph costs when every node is computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.evaluate import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.nodes import Node

__all__ = ["operations"]


def operations(nodes: Iterable[Node]) -> dict[str, int]:
    """Return how many additions, products, divisions, powers and functions a graph needs.

    A change of sign is part of the addition that it stands in.
    """
    counts = {"add": 0, "mul": 0, "div": 0, "pow": 0, "function": 0}
    for node in ordered(nodes):
        match node.op:
            case "add":
                counts["add"] += len(node.args) - (0 if node.value else 1)
            case "product":
                counts["mul"] += 1
            case "scale":
                counts["mul"] += node.value != -1
            case "power":
                _power(node, counts)
            case "function" | "choose" | "less":
                counts["function"] += 1
    return counts


def _power(node: Node, counts: dict[str, int]) -> None:
    exponent = node.value
    if exponent.__class__ is not int:
        counts["pow"] += 1
        return
    counts["div"] += exponent < 0
    size = abs(exponent)
    counts["mul"] += size.bit_length() + size.bit_count() - 2
