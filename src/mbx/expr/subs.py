"""Substitution: a graph rebuilt with some nodes replaced by others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import choose, function, less, mul, power, scale, total
from mbx.expr.nodes import ZERO, Node, number
from mbx.expr.walk import ordered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["rebuild", "substitute"]


def rebuild(node: Node, args: Sequence[Node]) -> Node:
    """Return the operation of a node on other arguments, in canonical form."""
    match node.op:
        case "add":
            parts = [a for a in args if a is not ZERO]
            if node.value:
                parts.append(number(node.value))
            return total(parts) if parts else ZERO
        case "scale":
            return scale(node.value, args[0])
        case "product":
            return mul(*args)
        case "power":
            return power(args[0], node.value)
        case "function":
            return function(node.value, *args)
        case "less":
            return less(*args)
        case "choose":
            return choose(*args)
    return node


def substitute(nodes: Sequence[Node], replaced: Mapping[Node, Node]) -> list[Node]:
    """Return nodes with nodes below them replaced, all at once."""
    new: dict[Node, Node] = {}
    for node in ordered(nodes):
        other = replaced.get(node)
        if other is not None:
            new[node] = other
        elif all(new[a] is a for a in node.args):
            new[node] = node
        else:
            new[node] = rebuild(node, [new[a] for a in node.args])
    return [new[node] for node in nodes]
