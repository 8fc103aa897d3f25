"""Forms that invert the inertia matrix: refusal where it is singular everywhere.

Everywhere means at all unit quaternions: with others R is no rotation, and an inertia matrix
of which one half is derived may gain a rank.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import vanishes
from mbx.expr.build import add, mul, power
from mbx.expr.evaluate import evaluate, free_symbols, substitute
from mbx.expr.nodes import ONE, ZERO, Node, number
from mbx.system.kinematics.solve_rates import independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.system.system import System

__all__ = ["is_singular", "of_its_size", "refuse_singular"]

_TURNING: Final = frozenset({"1", ""})
"""Units of variables that are near 1 whatever the size of a model is."""


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
    return independent(of_its_size(M, system))[1]


def of_its_size(rows: Sequence[Sequence[Node]], system: System) -> list[list[Node]]:
    """Return a matrix in which random numbers near 1 stand for values near those of the model.

    Numbers in it have their size; next to these, a mass of 1e24 kg must not be sampled near 1 kg.
    """
    sizes: dict[Node, float] = {}
    for item in (*system.parameters, *system.inputs):
        if item.value is None:
            continue
        try:
            (value,) = evaluate([item.value], sizes)
        except (ArithmeticError, KeyError, ValueError):  # of symbols that have no value
            continue
        sizes[item.symbol] = float(value)
    sizes |= {
        v.symbol: v.start for v in system.q if v.start is not None and v.dimension not in _TURNING
    }
    factors = {
        node: mul(number(abs(size)), node)
        for node, size in sizes.items()
        if size and isfinite(size)
    }
    return [substitute(row, factors) for row in rows]


def _to_unit_length(system: System) -> dict[Node, Node]:
    """Return the parts of quaternions, each over the length of its quaternion."""
    coordinates = {v.symbol for v in system.q}
    factors: dict[Node, Node] = {}
    for row in (*system.rows, *system.closed):
        if row.kind != "norm":
            continue
        shorten = power(add(row.value, ONE), Fraction(-1, 2))
        parts = coordinates.intersection(free_symbols([row.value]))
        scaled = {q: mul(q, shorten) for q in parts}
        if vanishes(substitute([row.value], scaled)[0]):  # not where a part is a function
            factors |= scaled
    return factors
