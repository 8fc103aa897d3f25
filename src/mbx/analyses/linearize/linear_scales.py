"""Sizes that come from a model: its length, and how large its variables are.

A search in metres and radians finds neither the rest of a micromechanism nor that of a planet:
its steps, and what it takes for small, have to be in proportion to the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.expr.evaluate import evaluate_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Variable

__all__ = ["Scales"]


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """Sizes of the coordinates and speeds of a system, in SI units.

    Attributes:
        length: The size of the mechanism.
        q, u: Of each coordinate and of each speed: the length where its unit has metres, else 1.
    """

    length: float
    q: Array
    u: Array

    @classmethod
    def of(cls, residual: Residual, values: Mapping[Node, Any]) -> Scales:
        """Return the sizes of a system at a state."""
        length = _length(residual, values)
        system = residual.system
        q, u = (np.array([_size(v, length) for v in x]) for x in (system.q, residual.moving.speeds))
        return cls(length, q.astype(float), u.astype(float))


def _size(v: Variable, length: float) -> float:
    return length if v.dimension == "m" or v.dimension.startswith("m/") else 1.0


def _length(residual: Residual, values: Mapping[Node, Any]) -> float:
    """Return the largest distance in a mechanism, or else the largest range or start of a length.

    It is 1 m where nothing has a length.
    """
    points: list[Node] = []
    for element in residual.system.elements:
        if element.placed:
            points += element.com.p
        if element.frame is not None:
            points += element.frame.origin.p
    coordinates = evaluate_arrays(residual.moving.express(points), values)
    positions = np.array([float(np.ravel(x)[0]) for x in coordinates]).reshape(-1, 3)
    positions = positions[np.isfinite(positions).all(axis=1)]
    apart = float((positions.max(axis=0) - positions.min(axis=0)).max()) if len(positions) else 0.0
    return max([apart, *_lengths(residual.system.q)]) or 1.0


def _lengths(variables: Iterable[Variable]) -> Iterable[float]:
    for v in variables:
        if v.dimension == "m":
            if v.start is not None:
                yield abs(v.start)
            if v.range is not None:
                yield (v.range[1] - v.range[0]) / 2
