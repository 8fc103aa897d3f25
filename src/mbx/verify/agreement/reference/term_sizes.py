"""How large the terms of the equations of motion are, and what rounding alone may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.step_kinds import expression_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Points

__all__ = ["UNKNOWN", "Sizes", "even_out", "median", "with_rounding"]

ALIKE: Final = 8.0
"""Times the bounds of entries, which are in quadrature: the terms of a form may round alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Magnitudes at N states of n speeds and m invariants; bounds are zero where unknown.

    Attributes:
        terms: |M| |ud| + |h| + |Fc| of each row, (N, n); None where mechanics has no M and h.
        largest: The largest of all terms at each state, no less than where all accelerations are
            as large as the largest, (N,).
        ud: What rounding may move of the accelerations, (N, n).
        data: What rounding of the numbers of the model alone may move of them, (N, n): no
            algorithm in many digits leaks the rest.
        Fc: What it may move of the generalized constraint forces, (N, n).
        invariants: What it leaves of A ud + b, (N, m).
    """

    terms: Array | None
    largest: Array
    ud: Array
    data: Array
    Fc: Array
    invariants: Array


UNKNOWN: Final = Sizes(None, np.zeros(0), *(np.zeros((0, 0)) for _ in range(4)))
"""Before any form has been run."""


def median(stack: Array) -> Array:
    """Return medians over the first index, of what is finite; zero where nothing is."""
    known = np.isfinite(stack)
    filled = np.where(known.any(axis=0), np.where(known, stack, np.nan), 0.0)
    return np.asarray(np.nanmedian(filled, axis=0))


def even_out(ud: Array, points: Points) -> Array:
    """Return accelerations that are all as large as the largest, or as a speed squared, or 1.

    Terms that cancel leave their rounding where all accelerations are zero.
    """
    largest = np.abs(ud).max(axis=1, keepdims=True, initial=1.0)
    squared = (points.u**2).max(axis=1, keepdims=True, initial=0.0)
    return np.broadcast_to(np.maximum(largest, squared), ud.shape)


def with_rounding(
    steps: Sequence[Step], at: Mapping[Node, Array], digits: Mapping[Node, Array], count: int
) -> list[tuple[Array, Array]]:
    """Return matrices of expressions at states, and bounds of the rounding of their entries.

    `digits` are the errors of symbols.
    """
    values = {node: np.broadcast_to(value, count) for node, value in at.items()}
    pairs = expression_values(steps, values, digits, count)
    return [(value, ALIKE * bound) for value, bound in pairs]
