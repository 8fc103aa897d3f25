"""A model as a mechanism: its pairs, its invariants, what is driven, and the graph of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.diagnostics import nearest
from mbx.expr.walk import free_symbols
from mbx.groups.graph import Graph, Tie
from mbx.groups.numbers import NotNaturalError, Numbers
from mbx.groups.pairs import FREEDOMS, pairs_of
from mbx.groups.space import space_of
from mbx.system.opened import opened_invariants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.expr.nodes import Node
    from mbx.groups.pairs import Pair
    from mbx.groups.space import Space
    from mbx.link.linked import Linked
    from mbx.system.system import System

__all__ = ["Mechanism", "Said", "mechanism_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """An invariant, in places of bodies and coordinates, with the vertices that it ties."""

    path: str
    value: Node
    vertices: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """What a model ties together.

    Attributes:
        system: The model.
        numbers: Values of its parameters.
        pairs: Its joints.
        space: The plane it moves in, or space.
        drives: Given motions, expressions of time by the symbol of their coordinate.
        said: Its invariants.
        used: Pairs whose coordinates are named: by a driver, an invariant or another joint.
        alone: Coordinates that no joint brings in, by path.
    """

    system: System
    numbers: Numbers
    pairs: tuple[Pair, ...]
    space: Space
    drives: Mapping[Node, Node]
    said: tuple[Said, ...]
    used: frozenset[str]
    alone: Mapping[str, Node]

    @cached_property
    def bodies(self) -> list[str]:
        """The bodies that joints place, as the model lists them."""
        return [one.second.body for one in self.pairs if one.placing]

    def freedoms(self, pair: Pair) -> int:
        """Return the grade k of a pair."""
        found = FREEDOMS.get(pair.kind)
        return min(self.space.B, len(pair.own)) if found is None else min(found, self.space.B)

    def given(self, pair: Pair) -> int:
        """Return how many motions of a pair are given: driven, or said by the model."""
        driven = sum(s in self.drives for s in pair.own)
        return driven + (self.freedoms(pair) - len(pair.own) if self._fewer(pair) else 0)

    def _fewer(self, pair: Pair) -> bool:
        return pair.placing and len(pair.own) < self.freedoms(pair)

    @cached_property
    def graph(self) -> Graph:
        """The structural graph."""
        vertices = dict.fromkeys(self.bodies, self.space.B) | dict.fromkeys(self.alone, 1)
        ties = []
        for pair in self.pairs:
            tied = self._vertices(pair)
            k = self.freedoms(pair)
            ties.append(Tie(pair.path, tied, self.space.B - k, k, self.given(pair), pair.kind))
        ties += [Tie(one.path, one.vertices, 1, -1, 0, "invariant") for one in self.said]
        ties += [
            Tie(path, (path,), 0, -1, 1, "driver")
            for path, symbol in self.alone.items()
            if symbol in self.drives
        ]
        return Graph(self.space.B, vertices, tuple(tie for tie in ties if tie.vertices))

    def _vertices(self, pair: Pair) -> tuple[str, ...]:
        return tuple(dict.fromkeys(v for body in pair.bodies for v in self.vertices_of(body)))

    def vertices_of(self, body: str) -> tuple[str, ...]:
        """Return a body, or the coordinates that say where it is if no joint places it."""
        if body in self._jointed:
            return (body,)
        element = next(one for one in self.system.elements if one.path == body)
        nodes = [*element.origin.p, *(x for row in element.R for x in row)]
        return _tied(free_symbols(nodes), self._brought, self.alone)

    @cached_property
    def _jointed(self) -> frozenset[str]:
        return frozenset(self.bodies)

    @cached_property
    def _brought(self) -> dict[Node, tuple[str, ...]]:
        return {s: pair.bodies for pair in self.pairs for s in pair.own}


def _tied(
    symbols: Iterable[Node], brought: Mapping[Node, tuple[str, ...]], alone: Mapping[str, Node]
) -> tuple[str, ...]:
    paths = {s: path for path, s in alone.items()}
    found: dict[str, None] = {}
    for s in symbols:
        if s in brought:
            found |= dict.fromkeys(brought[s])
        elif s in paths:
            found[paths[s]] = None
    return tuple(found)


def mechanism_of(
    linked: Linked, system: System, drives: Mapping[str, Node], given: Mapping[str, float]
) -> Mechanism:
    """Return the mechanism of a model whose motions at some paths are given over time."""
    numbers = Numbers(system, given)
    pairs = tuple(pairs_of(system, numbers))
    space = space_of(pairs)
    by_path = {v.path: v.symbol for v in system.q}
    for path in drives:
        if path not in by_path:
            near = nearest(path, sorted(by_path))
            hint = f"; did you mean '{near}'?" if near else ""
            raise NotNaturalError(f"there is no coordinate '{path}' to drive{hint}")
    driven = {by_path[path]: numbers.put([value])[0] for path, value in drives.items()}
    own = {s: pair for pair in pairs for s in pair.own}
    for pair in pairs:
        _refuse(pair)
    alone = {v.path: v.symbol for v in system.q if v.symbol not in own}
    bodies = {pair.second.body for pair in pairs if pair.placing}
    said, named = [], set(driven)
    for row in opened_invariants(linked):
        (value,) = numbers.put([row.value])
        symbols = free_symbols([value])
        named |= {s for s in symbols if s in own}
        touched = [s.value.partition(":")[0] for s in symbols if ":" in s.value]
        tied = _tied(symbols, {s: p.bodies for s, p in own.items()}, alone)
        vertices = dict.fromkeys([*(b for b in touched if b in bodies), *tied])
        said.append(Said(row.path, value, tuple(vertices)))
    used = _used(pairs, own, named)
    return Mechanism(system, numbers, pairs, space, driven, tuple(said), used, alone)


def _refuse(pair: Pair) -> None:
    if pair.kind == "screw" and not pair.placing:
        raise NotNaturalError(
            f"'{pair.path}' closes a loop by a screw, which points and unit vectors do not say"
        )
    most = FREEDOMS.get(pair.kind)
    if pair.placing and most is not None and pair.kind != "spherical" and len(pair.own) > most:
        names = ", ".join(f"'{s.value}'" for s in pair.own)
        raise NotNaturalError(f"the joint of '{pair.path}' moves with {names}: more than it can")


def _used(pairs: Iterable[Pair], own: Mapping[Node, Pair], named: set[Node]) -> frozenset[str]:
    """Return the pairs whose motion has to be written in their coordinates."""
    found: set[str] = set()
    pairs = list(pairs)
    queue = [own[s] for s in named if s in own]
    for pair in pairs:
        k = FREEDOMS.get(pair.kind)
        short = pair.placing and k is not None and len(pair.own) < k
        if short or pair.kind == "screw" or (k is None and pair.kind != "free"):
            queue.append(pair)
    while queue:
        pair = queue.pop()
        if pair.path in found or pair.motion is None:
            continue
        found.add(pair.path)
        nodes = [*pair.motion[1], *(x for row in pair.motion[0] for x in row)]
        queue += [own[s] for s in free_symbols(nodes) if s in own]
    return frozenset(found)
