"""Points and unit vectors that bodies share, and the directions that make up a body.

Two bodies have a point in common at a revolute, spherical or universal joint, and in space a
unit vector at a joint with an axis; these have their coordinates once (natural coordinates).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.build import add, mul
from mbx.expr.nodes import ZERO, number
from mbx.language.joints import JOINTS
from mbx.numerics.tolerances import SAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Entity", "combination", "figure", "shared_points", "shared_vectors"]

_EXACT: Final = 1e-14
"""What differs by less from a whole number is that number: it is the rounding of a rotation."""


@dataclass(slots=True, eq=False)
class Entity:
    """A point or a unit vector, and where it is on each body that has it.

    `nodes` are its coordinates, once they are known to be symbols, numbers or expressions.
    """

    name: str
    locals: dict[str, Array]
    nodes: tuple[Node, ...] = ()
    made: list[str] = field(default_factory=list)


def figure(value: float) -> Node:
    """Return a number as a node, whole where it is so but for rounding."""
    near = round(value)
    return number(near) if abs(value - near) < _EXACT else number(float(value))


def combination(factors: Iterable[float], nodes: Sequence[Node]) -> Node:
    """Return a sum of nodes with factors."""
    parts = [
        mul(figure(a), x) for a, x in zip(factors, nodes, strict=True) if figure(a) is not ZERO
    ]
    return add(*parts) if parts else ZERO


def shared_points(pairs: Sequence[Pair]) -> list[Entity]:
    """Return the points that bodies have in common, one for each position."""
    entities: list[Entity] = []
    for pair in pairs:
        if JOINTS[pair.kind].shares_point:
            ends = [(pair.first.body, pair.first.r), (pair.second.body, pair.second.r)]
            _join(entities, pair.path, ends)
    return entities


def shared_vectors(pairs: Sequence[Pair]) -> list[Entity]:
    """Return the directions that bodies have in common, and those of universal joints."""
    entities: list[Entity] = []
    for pair in pairs:
        first, second = pair.first, pair.second
        if JOINTS[pair.kind].shares_axis:
            n = pair.axes[0]
            _join(entities, pair.path, [(first.body, first.R @ n), (second.body, second.R @ n)])
        elif JOINTS[pair.kind].rotation == "axes":
            _join(entities, f"{pair.path}:1", [(first.body, first.R @ pair.axes[0])])
            _join(entities, f"{pair.path}:2", [(second.body, second.R @ pair.axes[1])])
    return entities


def _join(entities: list[Entity], name: str, ends: Sequence[tuple[str, Array]]) -> None:
    """Add an entity on some bodies, merged with those that have its position on one of them."""
    mine = [
        entity
        for entity in entities
        if any(
            body in entity.locals and np.abs(entity.locals[body] - r).max() < SAME
            for body, r in ends
        )
    ]
    joined = Entity(name, {})
    for entity in mine:
        joined.locals |= entity.locals
        entities.remove(entity)
    if mine:
        joined.name = mine[0].name
    for body, r in ends:
        joined.locals.setdefault(body, r)
    entities.append(joined)
