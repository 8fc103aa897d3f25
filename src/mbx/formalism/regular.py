"""Forms that invert the inertia matrix: refusal where it is singular everywhere.

Everywhere means at all unit quaternions: with others R is no rotation, and an inertia matrix
of which one half is derived may gain a rank.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mbx.errors import NotApplicableError
from mbx.expr.build import add, mul, power
from mbx.expr.elimination import vanishes
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols
from mbx.system.solve_rates import independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.system.system import System

__all__ = ["is_singular", "refuse_singular"]


def refuse_singular(M: list[list[Node]], labels: Sequence[str], system: System) -> None:
    """Refuse an inertia matrix that is singular everywhere, naming what has no inertia."""
    free = [label for label, row in zip(labels, M, strict=True) if all(x is ZERO for x in row)]
    if free:
        raise NotApplicableError(
            f"the inertia matrix is singular: no inertia behind {', '.join(free)}"
        )
    kept = _regular_part(M, system)
    if len(kept) < len(M):
        free = [label for k, label in enumerate(labels) if k not in kept]
        raise NotApplicableError(
            f"the inertia matrix is singular: no inertia of its own behind {', '.join(free)}"
        )


def is_singular(M: list[list[Node]], system: System) -> bool:
    """Return whether an inertia matrix is singular everywhere."""
    return len(_regular_part(M, system)) < len(M)


def _regular_part(M: list[list[Node]], system: System) -> list[int]:
    """Return the columns of a largest regular block."""
    unit = _to_unit_length(system)
    if unit:
        M = [substitute(row, unit) for row in M]
    return independent(M)[1]


def _to_unit_length(system: System) -> dict[Node, Node]:
    """Return the parts of quaternions, each over the length of its quaternion."""
    coordinates = {v.symbol for v in system.q}
    found: dict[Node, Node] = {}
    for row in (*system.rows, *system.closed):
        if row.kind != "norm":
            continue
        shorten = power(add(row.value, ONE), Fraction(-1, 2))
        parts = coordinates.intersection(free_symbols([row.value]))
        scaled = {q: mul(q, shorten) for q in parts}
        if vanishes(substitute([row.value], scaled)[0]):  # not where a part is a function
            found |= scaled
    return found
