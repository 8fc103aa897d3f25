"""Where the things of a layered diagram stand, so that no arrow meets what it does not lead to.

Things stand in columns by their levels. What is taken on to later columns runs past those between
in a lane, which has a place of its own there: one for each source, from which arrows branch off.
A place is a thing and a level: its own, or that of a column which its lane passes.
K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical system
structures, IEEE Transactions on Systems, Man, and Cybernetics 11, 1981, is the method.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Column", "Place", "heights", "links_of", "ordered"]

Place = tuple[int, int]
"""A thing, and a level."""
Column = list[Place]
"""Places from top to bottom."""
_SWEEPS: Final = 12
_ROUNDS: Final = 200
_STRAIGHT, _ARROW, _BRANCH = 50.0, 1.0, 0.02
"""How much heights are kept along a lane, along an arrow, and where one leaves a lane."""


def links_of(
    levels: Mapping[int, int], needs: Mapping[int, Sequence[int]]
) -> list[tuple[Place, Place]]:
    """Return what leads from a column to the next: lanes that go on, and arrows."""
    found: dict[tuple[Place, Place], None] = {}
    for thing, sources in needs.items():
        for source in sources:
            for level in range(levels[source] + 1, levels[thing]):
                found[(source, level - 1), (source, level)] = None
            found[(source, levels[thing] - 1), (thing, levels[thing])] = None
    return list(found)


def ordered(levels: Mapping[int, int], links: Sequence[tuple[Place, Place]]) -> list[Column]:
    """Return the places of each column from top to bottom, with few crossings."""
    places = dict.fromkeys([b for _, b in links if levels[b[0]] != b[1]])  # lanes go above
    places |= dict.fromkeys(levels.items())
    columns: list[Column] = [[] for _ in range(max(levels.values()) + 1)]
    for place in places:
        columns[place[1]].append(place)
    rank = {p: float(k) for column in columns for k, p in enumerate(column)}
    before: dict[Place, list[Place]] = {p: [] for p in rank}
    after: dict[Place, list[Place]] = {p: [] for p in rank}
    for a, b in links:
        before[b].append(a)
        after[a].append(b)
    best, fewest = [list(one) for one in columns], _crossings(columns, links)
    for sweep in range(_SWEEPS):
        beside = after if sweep % 2 else before
        for column in columns[::-1] if sweep % 2 else columns:
            middle = {p: _mean([rank[q] for q in beside[p]], rank[p]) for p in column}
            column.sort(key=middle.__getitem__)
            rank |= {p: float(k) for k, p in enumerate(column)}
        count = _crossings(columns, links)
        if count < fewest:
            best, fewest = [list(one) for one in columns], count
    return best


def heights(
    columns: Sequence[Column],
    links: Sequence[tuple[Place, Place]],
    room: Callable[[Place], tuple[float, float]],
) -> dict[Place, float]:
    """Return how far down each place is, near what it is linked with.

    `room` is what a place takes above and below itself.
    """
    pulls: dict[Place, list[tuple[Place, float]]] = {p: [] for one in columns for p in one}
    lanes = {b for a, b in links if a[0] == b[0]}
    for a, b in links:
        weight = _STRAIGHT if b in lanes else _BRANCH if a in lanes else _ARROW
        pulls[a].append((b, weight))
        pulls[b].append((a, weight))
    weights = {p: sum(weight for _, weight in some) or 1.0 for p, some in pulls.items()}
    y: dict[Place, float] = {}
    for column in columns:
        y |= _apart(column, dict.fromkeys(column, 0.0), weights, room)
    for k in range(_ROUNDS):
        for column in columns if k % 2 else columns[::-1]:
            wanted = {p: sum(w * y[q] for q, w in pulls[p]) / weights[p] for p in column}
            y |= _apart(column, wanted, weights, room)
    top = min(y[p] - room(p)[0] for p in y)
    return {p: value - top for p, value in y.items()}


def _apart(
    column: Column,
    wanted: Mapping[Place, float],
    weights: Mapping[Place, float],
    room: Callable[[Place], tuple[float, float]],
) -> dict[Place, float]:
    """Return heights nearest to wanted ones, in order and far enough apart.

    It is isotonic regression, by pooling what is out of order.
    """
    offset = 0.0
    offsets: dict[Place, float] = {}
    pools: list[tuple[float, float, list[Place]]] = []
    for p in column:
        offsets[p] = offset + room(p)[0]
        offset += sum(room(p))
        mean, weight, some = wanted[p] - offsets[p], weights[p], [p]
        while pools and pools[-1][0] > mean:
            other, size, before = pools.pop()
            mean = (other * size + mean * weight) / (size + weight)
            weight, some = size + weight, before + some
        pools.append((mean, weight, some))
    return {p: mean + offsets[p] for mean, _, some in pools for p in some}


def _mean(values: Sequence[float], without: float) -> float:
    return sum(values) / len(values) if values else without


def _crossings(columns: Sequence[Column], links: Sequence[tuple[Place, Place]]) -> int:
    """Return how many pairs of links cross."""
    place_of = {p: k for column in columns for k, p in enumerate(column)}
    gaps: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        gaps.setdefault(a[1], []).append((place_of[a], place_of[b]))
    count = 0
    for some in gaps.values():
        ends: list[int] = []
        for _, end in sorted(some):
            count += len(ends) - bisect_right(ends, end)
            insort(ends, end)
    return count
