"""Virtual power: what forces and inertia do on varied velocities, positions and time fixed.

The variation is carried forward through the velocities of the mass elements; a power is one
scalar, linear in the virtual speeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, cross, dot, matvec, mul
from mbx.expr.derivatives import along
from mbx.expr.nodes import ZERO, Node, symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.motion import Motion

__all__ = ["active_power", "inertia_power", "virtual_speeds", "virtual_velocities"]


def virtual_speeds(motion: Motion) -> list[Node]:
    """Return a symbol for the variation of each speed, with a name that no model can contain."""
    return [symbol(f"delta {speed.path}") for speed in motion.speeds]


def virtual_velocities(motion: Motion, virtual: Sequence[Node]) -> list[tuple[Vector, Vector]]:
    """Return the variations of v and w of each mass element as the speeds vary."""
    twists = [x for moving in motion.elements for x in (*moving.v, *moving.w)]
    varied = along(twists, dict(zip(motion.u, virtual, strict=True)))
    return [
        ((varied[k], varied[k + 1], varied[k + 2]), (varied[k + 3], varied[k + 4], varied[k + 5]))
        for k in range(0, len(varied), 6)
    ]


def inertia_power(motion: Motion, varied: Sequence[tuple[Vector, Vector]]) -> Node:
    """Return the sum of dv . m a + dw . I wd + (dw x w) . I w, the power against inertia."""
    terms: list[Node] = []
    for moving, (dv, dw) in zip(motion.elements, varied, strict=True):
        if moving.m is not ZERO:
            terms.append(mul(moving.m, dot(dv, moving.a)))
        if moving.turns:
            terms.append(dot(dw, matvec(moving.inertia, moving.wd)))
            terms.append(dot(cross(dw, moving.w), matvec(moving.inertia, moving.w)))
    return add(*terms) if terms else ZERO


def active_power(
    wrenches: Sequence[tuple[Vector, Vector]], varied: Sequence[tuple[Vector, Vector]]
) -> Node:
    """Return the sum of dv . f + dw . t."""
    terms = [
        dot(variation, part)
        for wrench, pair in zip(wrenches, varied, strict=True)
        for part, variation in zip(wrench, pair, strict=True)
    ]
    return add(*terms) if terms else ZERO
