"""The one traversal that every pass uses: each node once, after what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mbx.expr.nodes import Node

__all__ = ["free_symbols", "ordered"]


def ordered(nodes: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """Return the nodes of a graph, each after its arguments; those that are known are left out."""
    # a node is made after its arguments, so its serial is larger than theirs
    seen: set[Node] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node not in seen and node not in known:
            seen.add(node)
            stack.extend(node.args)
    return sorted(seen, key=lambda node: node.serial)


def free_symbols(nodes: Iterable[Node]) -> list[Node]:
    """Return the symbols of a graph, oldest first."""
    return [node for node in ordered(nodes) if node.op == "symbol"]
