"""Where a body is, in the coordinates of its points and unit vectors: X = A Xbar, (45), (46)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.natural.entities import combination, figure
from mbx.expr.build import add, mul, neg, sub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.natural.motion_space import Space
    from mbx.expr.build import Matrix, Vector
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Planar", "Pose", "Spatial", "crossed", "minus"]


@dataclass(frozen=True, slots=True, eq=False)
class Spatial:
    """A body in space: a point of it, and three directions that are no plane.

    Attributes:
        base: Coordinates of the point.
        r: The point in the body's components.
        directions: Coordinates of the directions.
        inverse: Xbar^-1, of the directions in the body's components.
    """

    base: tuple[Node, ...]
    r: Array
    directions: tuple[tuple[Node, ...], ...]
    inverse: Array

    def vector(self, v: Array) -> tuple[Node, ...]:
        """Return a vector that is fixed to the body."""
        factors = self.inverse @ v
        return tuple(combination(factors, [d[i] for d in self.directions]) for i in range(3))

    def point(self, r: Array) -> tuple[Node, ...]:
        """Return a point that is fixed to the body."""
        moved = self.vector(r - self.r)
        return tuple(add(a, b) for a, b in zip(self.base, moved, strict=True))

    def whole(self) -> tuple[Matrix, Vector]:
        """Return A = R_WB and the origin."""
        columns = [self.vector(e) for e in np.eye(3)]
        x, y, z = zip(*columns, strict=True)
        return (x, y, z), self.point(np.zeros(3))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, eq=False)
class Planar:
    """A body in a plane: a point of it, and the cosine and sine of its angle."""

    space: Space
    body: str
    base: tuple[Node, ...]
    r: Array
    c: Node
    s: Node

    def _flat(self, v: Array) -> Array:
        flat: Array = self.space.bodies[self.body][:, :2].T @ v
        return flat

    def vector(self, v: Array) -> tuple[Node, ...]:
        """Return a vector that is fixed to the body, in the plane."""
        a, b = self._flat(v)
        return combination([a, -b], [self.c, self.s]), combination([b, a], [self.c, self.s])

    def point(self, r: Array) -> tuple[Node, ...]:
        """Return a point that is fixed to the body, in the plane."""
        moved = self.vector(r - self.r)
        return tuple(add(a, b) for a, b in zip(self.base, moved, strict=True))

    def whole(self) -> tuple[Matrix, Vector]:
        """Return R_WB and the origin, in space."""
        axes, mine = self.space.axes, self.space.bodies[self.body]
        cosine = np.outer(axes[:, 0], mine[:, 0]) + np.outer(axes[:, 1], mine[:, 1])
        sine = np.outer(axes[:, 1], mine[:, 0]) - np.outer(axes[:, 0], mine[:, 1])
        still = np.outer(axes[:, 2], mine[:, 2])
        R = tuple(
            tuple(
                add(combination([cosine[i, j], sine[i, j]], [self.c, self.s]), figure(still[i, j]))
                for j in range(3)
            )
            for i in range(3)
        )
        x, y = self.point(np.zeros(3))
        height = self.space.heights[self.body]
        p = tuple(
            add(combination(axes[i, :2], [x, y]), figure(height * axes[i, 2])) for i in range(3)
        )
        return R, p  # type: ignore[return-value]


Pose = Spatial | Planar


def minus(a: Sequence[Node], b: Sequence[Node]) -> tuple[Node, ...]:
    """Return a difference, of two or three components."""
    return tuple(sub(x, y) for x, y in zip(a, b, strict=True))


def crossed(a: Sequence[Node], b: Sequence[Node]) -> tuple[Node, ...]:
    """Return the vector product: one number in a plane, three in space."""
    if len(a) == 2:  # noqa: PLR2004
        return (sub(mul(a[0], b[1]), mul(a[1], b[0])),)
    return tuple(add(mul(a[i], b[j]), neg(mul(a[j], b[i]))) for i, j in ((1, 2), (2, 0), (0, 1)))
