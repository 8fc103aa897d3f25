"""The natural view of a model: coordinates, constraints, and both ways between it and the model.

From a state of the model to natural coordinates one evaluates where points and vectors are. The
way back solves the motions of joints for their coordinates, body by body (`Readout`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.kinematics.natural.natural_bodies import Bodies, Equation
from mbx.analyses.kinematics.natural.natural_joints import pair_rows, relation_rows
from mbx.expr.evaluate import evaluate, free_symbols, substitute
from mbx.expr.nodes import ADD, NUMBER, SYMBOL, number
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.build import Matrix, Vector
    from mbx.expr.nodes import Node

__all__ = ["Readout", "View", "view_of"]


_TERMS: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """Coordinates of a joint that follow from where its bodies are."""

    path: str
    unknowns: tuple[Node, ...]
    equations: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class View:
    """A mechanism in natural coordinates.

    Attributes:
        mechanism: The mechanism.
        order: The group of each vertex.
        groups: How many groups there are.
        coordinates: The group of each natural coordinate, and of each coordinate of the model
            that the constraints name.
        equations: All constraints, each with its group.
        frozen: Coordinates that an invariant keeps at a number: inputs that do not move.
        poses: R_WB and the origin of each body.
        readouts: The other coordinates of the model.
    """

    mechanism: Mechanism
    order: Mapping[str, int]
    groups: int
    coordinates: Mapping[Node, int]
    equations: tuple[Equation, ...]
    frozen: Mapping[Node, float]
    poses: Mapping[str, tuple[Matrix, Vector]]
    readouts: tuple[Readout, ...]
    bodies: Bodies

    @cached_property
    def drives(self) -> Mapping[Node, Node]:
        """Drives over time, by symbol; frozen coordinates among them."""
        still = {symbol: number(value) for symbol, value in self.frozen.items()}
        return {**self.mechanism.drives, **still}

    def dimension(self, s: Node) -> str:
        """Return the dimension of a coordinate: of points m, of directions 1."""
        if s in self._dimensions:
            return self._dimensions[s]
        return "1" if str(s.value).rpartition("@")[2][:1] in {"n", "v"} else "m"

    @cached_property
    def _dimensions(self) -> dict[Node, str]:
        return {v.symbol: v.dimension for v in self.mechanism.system.q}

    def natural(self, state: Mapping[str, float], t: float) -> dict[Node, float]:
        """Return the natural coordinates of a state of the model."""
        system = self.mechanism.system
        values = {v.symbol: state[v.path] for v in system.q} | {TIME: t}
        values |= self.mechanism.numbers.values
        coordinates: dict[Node, float] = {s: x for s, x in values.items() if s in self.coordinates}
        nodes: list[Node] = []
        frames = {}
        for element in system.elements:
            if element.frame is not None:
                frames[element.path] = len(nodes)
                nodes += [*element.frame.origin.p, *(x for row in element.R for x in row)]
        numbers = np.array([float(x) for x in evaluate(nodes, values)])
        flat = self.mechanism.space.axes[:, : self.mechanism.space.dimension]
        for kind, entities in (("point", self.bodies.points), ("vector", self.bodies.vectors)):
            for entity in entities:
                body = next(iter(b for b in entity.locals if b), None)
                if body is None:
                    continue
                begin = frames[body]
                p, R = numbers[begin : begin + 3], numbers[begin + 3 : begin + 12].reshape(3, 3)
                components = R @ entity.locals[body] + (p if kind == "point" else 0.0)
                for x, value in zip(entity.nodes, flat.T @ components, strict=True):
                    if x in self.coordinates:
                        coordinates[x] = float(value)
        self._add_alone(coordinates, frames, numbers)
        return coordinates

    def _add_alone(
        self, coordinates: dict[Node, float], frames: Mapping[str, int], numbers: object
    ) -> None:
        """Add unit vectors and points that one body has alone."""
        every = np.asarray(numbers)
        flat = self.mechanism.space.axes[:, : self.mechanism.space.dimension]
        for body, arms in self.bodies.arms.items():
            begin = frames[body]
            p, R = every[begin : begin + 3], every[begin + 3 : begin + 12].reshape(3, 3)
            for nodes, local in arms:
                for x, value in zip(nodes, flat.T @ (R @ local), strict=True):
                    if x in self.coordinates and x not in coordinates:
                        coordinates[x] = float(value)
            pose = self.bodies.poses[body]
            for x, value in zip(pose.base, flat.T @ (p + R @ pose.r), strict=True):
                if x in self.coordinates and x not in coordinates:
                    coordinates[x] = float(value)


def view_of(mechanism: Mechanism, chains: Sequence[Chain] | None = None) -> View:
    """Return the natural view: for the groups of a decomposition, or as a single one."""
    graph = mechanism.graph
    if chains is None:
        order = dict.fromkeys(graph.vertices, 0)
    else:
        order = {v: k for k, chain in enumerate(chains) for v in chain.vertices}
    bodies = Bodies(mechanism, order)
    coordinates = dict(bodies.home)
    for path, symbol in mechanism.alone.items():
        coordinates[symbol] = order[path]
    for pair in mechanism.pairs:
        group = _group(mechanism, pair, order)
        for kind, value in pair_rows(bodies, pair):
            bodies.add(value, kind, pair.path, group)
        if pair.path in mechanism.used:
            group = max(order[v] for v in mechanism.related(pair))
            coordinates |= dict.fromkeys(pair.coordinates, group)
            for kind, value in relation_rows(bodies, pair):
                bodies.add(value, kind, pair.path, group)
            for value in _norms(mechanism, pair):
                bodies.add(value, "unit", pair.path, group)
    poses = {b: pose.whole() for b, pose in bodies.poses.items() if b in order}
    frozen = _invariants(mechanism, bodies, order, poses)
    for symbol in (*mechanism.drives, *frozen):
        coordinates.pop(symbol, None)
    return View(
        mechanism=mechanism,
        order=order,
        groups=1 if chains is None else len(chains),
        coordinates=coordinates,
        equations=tuple(bodies.equations),
        frozen=frozen,
        poses=poses,
        readouts=tuple(_readouts(mechanism, bodies)),
        bodies=bodies,
    )


def _group(mechanism: Mechanism, pair: Pair, order: Mapping[str, int]) -> int:
    return max(order[v] for body in pair.bodies for v in mechanism.vertices_of(body))


def _invariants(
    mechanism: Mechanism,
    bodies: Bodies,
    order: Mapping[str, int],
    poses: Mapping[str, tuple[Matrix, Vector]],
) -> dict[Node, float]:
    """Add invariants; return the coordinates that some of them freeze."""
    put: dict[Node, Node] = {}
    for invariant in mechanism.invariants:
        for s in free_symbols([invariant.value]):
            body, sign, what = s.value.partition(":")
            if sign and body in poses:
                R, p = poses[body]
                letter, _, indices = what.partition(".")
                k = ["xyz".index(x) for x in indices]
                put[s] = p[k[0]] if letter == "p" else R[k[0]][k[1]]
    frozen: dict[Node, float] = {}
    for invariant in mechanism.invariants:
        (value,) = substitute([invariant.value], put)
        still = _frozen(value)
        if still is not None and still[0] in bodies.home and still[0] not in frozen:
            frozen[still[0]] = still[1]
            continue
        if invariant.vertices:
            bodies.add(
                value, "invariant", invariant.path, max(order[v] for v in invariant.vertices)
            )
        elif not set(free_symbols([value])) <= {*mechanism.drives, TIME}:
            raise NotNaturalError(f"'{invariant.path}' ties nothing that natural coordinates know")
    return frozen


def _frozen(value: Node) -> tuple[Node, float] | None:
    """Return the coordinate that an invariant keeps at a number, if it is no more than that."""
    if value.op is SYMBOL:
        return value, 0.0
    if value.op is ADD and len(value.args) == _TERMS and value.args[0].op is SYMBOL:
        return value.args[0], -float(value.value)
    return None


def _norms(mechanism: Mechanism, pair: Pair) -> list[Node]:
    """Return what keeps the quaternion of a joint at unit length."""
    system = mechanism.system
    rows = mechanism.numbers.put(
        [row.value for row in (*system.rows, *system.closed) if row.kind == "norm"]
    )
    return [value for value in rows if set(free_symbols([value])) <= {*pair.coordinates}]


def _readouts(mechanism: Mechanism, bodies: Bodies) -> list[Readout]:
    readouts = []
    for pair in mechanism.pairs:
        if pair.path in mechanism.used or not pair.coordinates or pair.motion is None:
            continue
        rows = [value for _, value in relation_rows(bodies, pair)]
        rows += _norms(mechanism, pair)
        rows = [value for value in rows if value.op is not NUMBER]
        readouts.append(Readout(pair.path, pair.coordinates, tuple(rows)))
    return readouts
