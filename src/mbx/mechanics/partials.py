"""Partial velocities: how the twists depend on the speeds, and forces projected on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.derivatives import jacobian, pullback
from mbx.expr.nodes import ZERO, Node
from mbx.expr.subs import substitute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Vector
    from mbx.mechanics.motion import Motion, Moving

__all__ = ["accelerations_without_rates", "partial_velocities", "project"]


def project(
    motion: Motion,
    wrenches: Sequence[tuple[Vector, Vector]],
    elements: Sequence[Moving] | None = None,
    u: Sequence[Node] | None = None,
) -> list[Node]:
    """Return the generalized forces of wrenches on the mass elements, all or some of them.

    F_r = sum_i v_i,r . f_i + w_i,r . t_i with the partial velocities v_i,r = dv_i/du_r; the
    force has ground components, the torque the element's own. The sum is never written out:
    one sweep backwards over the graph of the velocities is the transposed recursion.
    """
    outputs: list[Node] = []
    weights: list[Node] = []
    chosen = motion.elements if elements is None else elements
    for moving, (force, torque) in zip(chosen, wrenches, strict=True):
        for speeds, values in ((moving.v, force), (moving.w, torque)):
            for speed, value in zip(speeds, values, strict=True):
                if speed is not ZERO and value is not ZERO:
                    outputs.append(speed)
                    weights.append(value)
    return pullback(outputs, weights, motion.u if u is None else u)


def partial_velocities(motion: Motion) -> list[list[Node]]:
    """Return J: three rows of v and three of w for each mass element, a column a speed."""
    rows = [x for moving in motion.elements for x in (*moving.v, *moving.w)]
    return jacobian(rows, motion.u)


def accelerations_without_rates(motion: Motion) -> list[Node]:
    """Return jb: what is left of the rates of the twists where all ud are zero."""
    rows = [x for moving in motion.elements for x in (*moving.a, *moving.wd)]
    return substitute(rows, dict.fromkeys(motion.ud, ZERO))
