"""The layout of a layered diagram, in which no arrow meets what it does not lead to.

Things stand in columns by their levels. What is taken on to later columns runs past those between
in a lane, which has a node there: one for each source, from which arrows branch off.
A node is a thing and a level: its own level, or that of a column which its lane passes.
K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical system
structures, IEEE Transactions on Systems, Man, and Cybernetics 11, 1981, is the method.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Column", "LayerNode", "heights", "links_of", "order_columns"]

LayerNode = tuple[int, int]
"""A thing, and a level."""
Column = list[LayerNode]
"""Nodes from top to bottom."""
_SWEEPS: Final = 12
_ROUNDS: Final = 200
_STRAIGHT, _ARROW, _BRANCH = 50.0, 1.0, 0.02
"""How much heights are kept along a lane, along an arrow, and where an arrow leaves a lane."""


def links_of(
    levels: Mapping[int, int], needs: Mapping[int, Sequence[int]]
) -> list[tuple[LayerNode, LayerNode]]:
    """Return the links from a column to the next: lanes that go on, and arrows."""
    links: dict[tuple[LayerNode, LayerNode], None] = {}
    for thing, sources in needs.items():
        for source in sources:
            for level in range(levels[source] + 1, levels[thing]):
                links[(source, level - 1), (source, level)] = None
            links[(source, levels[thing] - 1), (thing, levels[thing])] = None
    return list(links)


def order_columns(
    levels: Mapping[int, int], links: Sequence[tuple[LayerNode, LayerNode]]
) -> list[Column]:
    """Return the nodes of each column from top to bottom, with few crossings."""
    nodes = dict.fromkeys([b for _, b in links if levels[b[0]] != b[1]])  # lanes go above
    nodes |= dict.fromkeys(levels.items())
    columns: list[Column] = [[] for _ in range(max(levels.values()) + 1)]
    for node in nodes:
        columns[node[1]].append(node)
    rank = {p: float(k) for column in columns for k, p in enumerate(column)}
    before: dict[LayerNode, list[LayerNode]] = {p: [] for p in rank}
    after: dict[LayerNode, list[LayerNode]] = {p: [] for p in rank}
    for a, b in links:
        before[b].append(a)
        after[a].append(b)
    best, fewest = [list(column) for column in columns], _crossings(columns, links)
    for sweep in range(_SWEEPS):
        neighbours = after if sweep % 2 else before
        for column in columns[::-1] if sweep % 2 else columns:
            middle = {p: _mean([rank[q] for q in neighbours[p]], rank[p]) for p in column}
            column.sort(key=middle.__getitem__)
            rank |= {p: float(k) for k, p in enumerate(column)}
        count = _crossings(columns, links)
        if count < fewest:
            best, fewest = [list(column) for column in columns], count
    return best


def heights(
    columns: Sequence[Column],
    links: Sequence[tuple[LayerNode, LayerNode]],
    margins: Callable[[LayerNode], tuple[float, float]],
) -> dict[LayerNode, float]:
    """Return the height of each node, near those that it is linked with.

    `margins` is what a node takes above and below itself.
    """
    pulls: dict[LayerNode, list[tuple[LayerNode, float]]] = {
        p: [] for column in columns for p in column
    }
    lanes = {b for a, b in links if a[0] == b[0]}
    for a, b in links:
        weight = _STRAIGHT if b in lanes else _BRANCH if a in lanes else _ARROW
        pulls[a].append((b, weight))
        pulls[b].append((a, weight))
    weights = {p: sum(weight for _, weight in pull) or 1.0 for p, pull in pulls.items()}
    y: dict[LayerNode, float] = {}
    for column in columns:
        y |= _apart(column, dict.fromkeys(column, 0.0), weights, margins)
    for k in range(_ROUNDS):
        for column in columns if k % 2 else columns[::-1]:
            wanted = {p: sum(w * y[q] for q, w in pulls[p]) / weights[p] for p in column}
            y |= _apart(column, wanted, weights, margins)
    top = min(y[p] - margins(p)[0] for p in y)
    return {p: value - top for p, value in y.items()}


def _apart(
    column: Column,
    wanted: Mapping[LayerNode, float],
    weights: Mapping[LayerNode, float],
    margins: Callable[[LayerNode], tuple[float, float]],
) -> dict[LayerNode, float]:
    """Return heights nearest to wanted ones, in order and far enough apart.

    It is isotonic regression, by pooling what is out of order.
    """
    offset = 0.0
    offsets: dict[LayerNode, float] = {}
    pools: list[tuple[float, float, list[LayerNode]]] = []
    for p in column:
        offsets[p] = offset + margins(p)[0]
        offset += sum(margins(p))
        mean, weight, pool = wanted[p] - offsets[p], weights[p], [p]
        while pools and pools[-1][0] > mean:
            other, size, before = pools.pop()
            mean = (other * size + mean * weight) / (size + weight)
            weight, pool = size + weight, before + pool
        pools.append((mean, weight, pool))
    return {p: mean + offsets[p] for mean, _, pool in pools for p in pool}


def _mean(values: Sequence[float], without: float) -> float:
    return sum(values) / len(values) if values else without


def _crossings(columns: Sequence[Column], links: Sequence[tuple[LayerNode, LayerNode]]) -> int:
    """Return how many pairs of links cross."""
    rank = {p: k for column in columns for k, p in enumerate(column)}
    gaps: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        gaps.setdefault(a[1], []).append((rank[a], rank[b]))
    count = 0
    for gap in gaps.values():
        ends: list[int] = []
        for _, end in sorted(gap):
            count += len(ends) - bisect_right(ends, end)
            insort(ends, end)
    return count
