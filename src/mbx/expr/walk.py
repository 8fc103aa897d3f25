"""The traversal that every pass uses: each node once, after what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mbx.expr.nodes import Node

__all__ = ["free_symbols", "ordered"]


def ordered(nodes: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """Return the nodes of a graph, each after its arguments; those that are known are left out."""
    order: dict[Node, None] = {}
    stack: list[Node | None] = [*nodes]
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:  # the arguments of the node below it are done
            order[stack.pop()] = None  # type: ignore[index]
        elif node not in order and node not in known:
            args = node.args
            if args:
                stack += (node, None, *args[::-1])
            else:
                order[node] = None
    return list(order)


def free_symbols(nodes: Iterable[Node]) -> list[Node]:
    """Return the symbols of a graph by name, whole numbers in names by size."""
    symbols = [node for node in ordered(nodes) if node.op == "symbol"]
    return sorted(symbols, key=lambda node: node.order)
