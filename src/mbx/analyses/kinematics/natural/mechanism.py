"""A model as a mechanism: its pairs, its invariants, what is driven, and the graph of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.analyses.kinematics.groups.structural_graph import Graph, Tie
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError, Numbers
from mbx.analyses.kinematics.natural.motion_space import Frame, space_of
from mbx.analyses.kinematics.natural.pairs import pairs_of
from mbx.base.diagnostics import suggestion
from mbx.expr.algebra.blocks import matching
from mbx.expr.evaluate import free_symbols
from mbx.language.joints import JOINTS
from mbx.system.kinematics.opened import opened_invariants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.analyses.kinematics.natural.motion_space import Space
    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.nodes import Node
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["Mechanism", "TyingInvariant", "mechanism_of"]


@dataclass(frozen=True, slots=True, eq=False)
class TyingInvariant:
    """An invariant, in positions of bodies and coordinates, with the vertices that it ties."""

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
        invariants: Its invariants.
        used: Pairs whose coordinates are named: by a driver, an invariant or another joint.
        alone: Coordinates that no joint brings in, by path.
        frames: Where bodies are that joints tie, and none places.
    """

    system: System
    numbers: Numbers
    pairs: tuple[Pair, ...]
    space: Space
    drives: Mapping[Node, Node]
    invariants: tuple[TyingInvariant, ...]
    used: frozenset[str]
    alone: Mapping[str, Node]
    frames: Mapping[str, Frame]

    @cached_property
    def bodies(self) -> list[str]:
        """The bodies that joints place, as the model lists them."""
        return [pair.second.body for pair in self.pairs if pair.placing]

    def freedoms(self, pair: Pair) -> int:
        """Return the grade k of a pair."""
        count = pair.freedoms
        return (
            min(self.space.B, len(pair.coordinates)) if count is None else min(count, self.space.B)
        )

    def stated_motions(self, pair: Pair) -> int:
        """Return how many motions of a pair the model itself states."""
        return max(self.freedoms(pair) - len(pair.coordinates), 0) if pair.placing else 0

    def related(self, pair: Pair) -> tuple[str, ...]:
        """Return what the motion of a pair ties: its bodies, and those whose motion it names."""
        vertices = dict.fromkeys(self._vertices(pair))
        for s in _named(pair):
            if s not in pair.coordinates:
                vertices |= dict.fromkeys(self.brought.get(s, ()))
        return tuple(vertices)

    @cached_property
    def graph(self) -> Graph:
        """The structural graph."""
        vertices = dict.fromkeys(self.bodies, self.space.B) | dict.fromkeys(self.alone, 1)
        ties = []
        for pair in self.pairs:
            tied, related = self._vertices(pair), self.related(pair)
            k, stated = self.freedoms(pair), self.stated_motions(pair)
            driven = sum(s in self.drives for s in pair.coordinates)
            apart = len(related) > len(tied) and pair.freedoms is not None
            along = tied if apart else related
            mine = 0 if apart else driven
            ties.append(Tie(pair.path, along, self.space.B - k, k, mine, pair.kind))
            if stated or (
                apart and driven
            ):  # what the model states of its motion, not of its geometry
                more = driven if apart else 0
                ties.append(Tie(pair.path, related, stated, -1, more, "motion"))
        ties += [
            Tie(invariant.path, invariant.vertices, 1, -1, 0, "invariant")
            for invariant in self.invariants
        ]
        ties += [
            Tie(path, (path,), 0, -1, 1, "driver")
            for path, symbol in self.alone.items()
            if symbol in self.drives
        ]
        return Graph(self.space.B, vertices, tuple(tie for tie in ties if tie.vertices))

    def _vertices(self, pair: Pair) -> tuple[str, ...]:
        return tuple(dict.fromkeys(v for body in pair.bodies for v in self.vertices_of(body)))

    def vertices_of(self, body: str) -> tuple[str, ...]:
        """Return a body, or the coordinates that state its pose if no joint places it."""
        if body in self._jointed:
            return (body,)
        element = next(element for element in self.system.elements if element.path == body)
        nodes = [*element.origin.p, *(x for row in element.R for x in row)]
        return tuple(dict.fromkeys(v for s in free_symbols(nodes) for v in self.brought.get(s, ())))

    @cached_property
    def _jointed(self) -> frozenset[str]:
        return frozenset(self.bodies)

    @cached_property
    def brought(self) -> dict[Node, tuple[str, ...]]:
        """The vertices that have to be known for each coordinate to be."""
        return _brought(self.pairs, self.alone)


def _named(pair: Pair) -> list[Node]:
    """Return what the motion of a pair names."""
    if pair.motion is None:
        return []
    return free_symbols([*pair.motion[1], *(x for row in pair.motion[0] for x in row)])


def _brought(pairs: Iterable[Pair], alone: Mapping[str, Node]) -> dict[Node, tuple[str, ...]]:
    brought: dict[Node, tuple[str, ...]] = {s: (path,) for path, s in alone.items()}
    for pair in pairs:  # the motion of a pair names coordinates of those before it alone
        related = [v for s in _named(pair) if s not in pair.coordinates for v in brought.get(s, ())]
        brought |= dict.fromkeys(pair.coordinates, tuple(dict.fromkeys([*pair.bodies, *related])))
    return brought


def mechanism_of(
    linked: Linked, system: System, drives: Mapping[str, Node], values: Mapping[str, float]
) -> Mechanism:
    """Return the mechanism of a model whose motions at some paths are prescribed over time."""
    _require_positions(system)
    numbers = Numbers(system, values)
    pairs = tuple(pairs_of(system, numbers))
    frames = _frames(system, pairs, numbers)
    space = space_of(pairs, frames)
    by_path = {v.path: v.symbol for v in system.q}
    for path in drives:
        if path not in by_path:
            hint = suggestion(path, sorted(by_path), "; ")
            raise NotNaturalError(f"there is no coordinate '{path}' to drive{hint}")
    driven = {by_path[path]: numbers.put([value])[0] for path, value in drives.items()}
    pair_of = {s: pair for pair in pairs for s in pair.coordinates}
    for pair in pairs:
        _refuse(pair)
    alone = {v.path: v.symbol for v in system.q if v.symbol not in pair_of}
    bodies = {pair.second.body for pair in pairs if pair.placing}
    brought = _brought(pairs, alone)
    invariants, named = _norms(system, numbers, alone), set(driven)
    for row in opened_invariants(linked):
        (value,) = numbers.put([row.value])
        symbols = free_symbols([value])
        named |= {s for s in symbols if s in pair_of}
        touched = [s.value.partition(":")[0] for s in symbols if ":" in s.value]
        tied = [v for s in symbols for v in brought.get(s, ())]
        vertices = dict.fromkeys([*(b for b in touched if b in bodies), *tied])
        invariants.append(TyingInvariant(row.path, value, tuple(vertices)))
    used = _used(pairs, pair_of, named)
    return Mechanism(system, numbers, pairs, space, driven, tuple(invariants), used, alone, frames)


def _require_positions(system: System) -> None:
    """Refuse rows of velocities, unless they define a speed that moves no coordinate."""
    rows = [row for row in system.rows if row.order > 0 and not row.idle]
    moving = set(free_symbols(system.qd.values()))
    free = [v.symbol for v in system.u if v.base is None and v.symbol not in moving]
    named = [set(free_symbols([row.value])) for row in rows]
    matched = matching([[k for k, s in enumerate(free) if s in symbols] for symbols in named])
    for k, row in enumerate(rows):
        if k not in matched:
            raise NotNaturalError(
                f"'{row.path}' is no invariant of positions: structural groups close those alone"
            )


def _frames(system: System, pairs: Iterable[Pair], numbers: Numbers) -> dict[str, Frame]:
    """Return where bodies are that joints tie, and none places."""
    placed = {pair.second.body for pair in pairs if pair.placing}
    elements = {element.path: element for element in system.elements}
    frames: dict[str, Frame] = {}
    for pair in pairs:
        for body in pair.bodies:
            if body not in placed and body not in frames:
                R = numbers.put([x for row in elements[body].R for x in row])
                p = numbers.put(elements[body].origin.p)
                frames[body] = Frame((R[:3], R[3:6], R[6:]), p)
    return frames


def _norms(system: System, numbers: Numbers, alone: Mapping[str, Node]) -> list[TyingInvariant]:
    """Return what keeps quaternions that no joint brings in at unit length."""
    paths = {s: path for path, s in alone.items()}
    norms = []
    for row in (*system.rows, *system.closed):
        symbols = free_symbols([row.value])
        if row.kind == "norm" and symbols and all(s in paths for s in symbols):
            (value,) = numbers.put([row.value])
            norms.append(TyingInvariant(row.path, value, tuple(paths[s] for s in symbols)))
    return norms


def _refuse(pair: Pair) -> None:
    most = pair.freedoms
    if (
        pair.placing
        and most is not None
        and pair.kind != "spherical"
        and len(pair.coordinates) > most
    ):
        names = ", ".join(f"'{s.value}'" for s in pair.coordinates)
        raise NotNaturalError(f"the joint of '{pair.path}' moves with {names}: more than it can")


def _used(pairs: Iterable[Pair], pair_of: Mapping[Node, Pair], named: set[Node]) -> frozenset[str]:
    """Return the pairs whose motion has to be written in their coordinates."""
    used: set[str] = set()
    pairs = list(pairs)
    queue = [pair_of[s] for s in named if s in pair_of]
    for pair in pairs:
        k = pair.freedoms
        short = pair.placing and k is not None and len(pair.coordinates) < k
        if short or JOINTS[pair.kind].threaded or (k is None and pair.kind != "free"):
            queue.append(pair)
    while queue:
        pair = queue.pop()
        if pair.path in used or pair.motion is None:
            continue
        used.add(pair.path)
        queue += [pair_of[s] for s in _named(pair) if s in pair_of]
    return frozenset(used)
