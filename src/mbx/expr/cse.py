"""Shared parts as definitions: what a large result is printed with."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from mbx.expr.evaluate import free_symbols, ordered, rebuild
from mbx.expr.nodes import ADD, CHOOSE, FUNCTION, POWER, PRODUCT, Node, symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["definitions"]


def definitions(
    nodes: Sequence[Node], prefix: str = "z"
) -> tuple[list[tuple[Node, Node]], list[Node]]:
    """Return names for what is used more than once, each in terms of earlier names, and nodes.

    Conditions and numbers times a node get no name.
    """
    graph = ordered(nodes)
    named = _shared(graph, nodes)
    taken = {s.value for s in free_symbols(nodes)}
    names = (symbol(n) for k in count(1) if (n := f"{prefix}{k}") not in taken)
    named_nodes: list[tuple[Node, Node]] = []
    new: dict[Node, Node] = {}
    for node in graph:
        new[node] = rebuild(node, [new[a] for a in node.args])
        if node in named:
            name = next(names)
            named_nodes.append((name, new[node]))
            new[node] = name
    return named_nodes, [new[node] for node in nodes]


def _shared(graph: Sequence[Node], nodes: Sequence[Node]) -> set[Node]:
    """Return the operations that would be written more than once."""
    uses = dict.fromkeys(graph, 0)
    conditions: set[Node] = set()
    for node in nodes:
        uses[node] += 1
    shared: set[Node] = set()
    for node in reversed(graph):
        nameable = node.op in {ADD, PRODUCT, POWER, FUNCTION, CHOOSE} and node not in conditions
        if nameable and uses[node] > 1:
            shared.add(node)
        if node.op is CHOOSE:
            conditions.add(node.args[0])
            if node in conditions:
                conditions.update(node.args)
        for a in node.args:
            uses[a] += 1 if node in shared else uses[node]
    return shared
