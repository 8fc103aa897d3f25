"""A metric of twists that does not depend on units: v v + rho^2 w w, rho a radius of gyration.

Where the columns of a hinge move and turn its link at once, orthogonality in plain components
takes a metre for as much as a radian, and digits are lost by the square of lengths over a metre.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mbx.expr.build import divide, power, total
from mbx.expr.nodes import ONE, ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.links import Link

__all__ = ["diagonal", "rho_square"]


def rho_square(link: Link, A: Sequence[Sequence[Node]]) -> Node:
    """Return rho^2 = tr J / m of a link; one where no column of a hinge moves and turns it."""
    mixed = any(
        any(x is not ZERO for x in column[:3]) and any(x is not ZERO for x in column[3:])
        for column in zip(*A, strict=True)
    )
    trace = total([link.J[k][k] for k in range(3)])
    return divide(trace, link.m) if mixed and trace is not ZERO and link.m is not ZERO else ONE


def diagonal(square: Node, kept: Sequence[int], *, root: bool = False) -> list[list[Node]]:
    """Return the metric in some of the six rows of a twist, or its root."""
    turning = power(square, Fraction(1, 2)) if root else square
    return [[(ONE if i < 3 else turning) if i == j else ZERO for j in kept] for i in kept]  # noqa: PLR2004  linear
