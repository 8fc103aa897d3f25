"""The rates of coordinates by the momenta, by completing squares.

    p = M q' + c,    q'^T M q'/2 = sum of P_i^2/(2 D_i)

Pivots D are chosen that are seen not to vanish; P_i is what is left of p_i when the coordinates of
the pivots before are eliminated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import written
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.algebra.eliminate import classify
from mbx.formalism.page.algebra.trigonometric_ring import Fractions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Squares", "complete_squares"]

_COORDINATES: Final = 6
"""Coordinates of a model whose rates are solved."""
_LARGEST: Final = 600
"""Operations of M, each as often as printed."""
_ENTRY: Final = 30
"""Operations of a factor or of a pivot."""
_UNPROVED: Final = 3
"""The class of a pivot that may vanish."""


@dataclass(frozen=True, slots=True)
class Squares:
    """A quadratic form as a sum of squares.

    Attributes:
        order: Positions of the coordinates, in the order of their pivots.
        D: The pivots, by position.
        factors: By position, what the rest of the momentum of each pivot before is taken off with.
    """

    order: tuple[int, ...]
    D: dict[int, Node]
    factors: dict[int, dict[int, Node]]


def complete_squares(
    M: Sequence[Sequence[Node]], positive: Collection[Node], constant: Collection[Node]
) -> Squares | None:
    """Return the squares of a symmetric matrix; None if they are too long or may not exist."""
    entries = [x for row in M for x in row]
    if not 0 < len(M) <= _COORDINATES or written(entries) > _LARGEST:
        return None
    try:
        return _complete(M, positive, constant)
    except TooLargeError:
        return None


def _complete(
    M: Sequence[Sequence[Node]], positive: Collection[Node], constant: Collection[Node]
) -> Squares | None:
    fractions = Fractions([x for row in M for x in row])
    S = [[fractions(x) for x in row] for row in M]
    left = list(range(len(M)))
    order: list[int] = []
    D: dict[int, Node] = {}
    factors: dict[int, dict[int, Node]] = {k: {} for k in left}
    while left:
        keys = [_key(fractions, S, k, left, positive, constant) for k in left]
        pivots = [key for key in keys if key is not None]
        if not pivots:
            return None
        i = min(pivots)[-1]
        left.remove(i)
        order.append(i)
        D[i] = fractions.node(S[i][i])
        for j in left:
            if S[j][i] == 0:
                continue
            factor = fractions.reduce(S[j][i] / S[i][i])
            factors[j][i] = fractions.node(factor)
            for k in left:
                S[j][k] = fractions.reduce(S[j][k] - factor * S[i][k])
        if any(written([x]) > _ENTRY for x in (D[i], *(factors[j].get(i, ZERO) for j in left))):
            return None
    return Squares(tuple(order), D, factors)


def _key(
    fractions: Fractions,
    S: Sequence[Sequence[Any]],
    k: int,
    left: Sequence[int],
    positive: Collection[Node],
    constant: Collection[Node],
) -> tuple[int, ...] | None:
    """Return how good a pivot is, its position last; None if it may vanish."""
    pivot = S[k][k]
    if pivot == 0:
        return None
    level, _ = classify(fractions, pivot.numer, positive, constant)
    if level >= _UNPROVED:
        return None
    coupled = sum(1 for j in left if j != k and S[j][k] != 0)
    return level, len(pivot.numer) + len(pivot.denom), coupled, k
