"""Balances of single mass elements: Mb twd + gb = wrench (Orsino (3.11), (3.12), (3.19))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import NULL, cross, matvec, plus, times
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.motion import Motion, Moving

__all__ = ["gyroscopic", "inertia_wrench", "mass_block", "stacked"]


def mass_block(moving: Moving) -> list[list[Node]]:
    """Return blkdiag(m 1, I_BBcm_B): six rows."""
    m, inertia = moving.m, moving.inertia
    rows: list[list[Node]] = [[m if k == j else ZERO for j in range(6)] for k in range(3)]
    rows += [[ZERO, ZERO, ZERO, *inertia[k]] for k in range(3)]
    return rows


def gyroscopic(moving: Moving) -> tuple[Vector, Vector]:
    """Return gb = (0, w x I w)."""
    if not moving.turns:
        return NULL, NULL
    return NULL, cross(moving.w, matvec(moving.inertia, moving.w))


def inertia_wrench(moving: Moving) -> tuple[Vector, Vector]:
    """Return minus the inertia force and torque: m a, and I wd + w x I w."""
    force = NULL if moving.m is ZERO else times(moving.m, moving.a)
    if not moving.turns:
        return force, NULL
    return force, plus(matvec(moving.inertia, moving.wd), gyroscopic(moving)[1])


def stacked(motion: Motion, kept: Sequence[int]) -> tuple[list[list[Node]], list[Node]]:
    """Return Mb and gb of all mass elements, six rows each, of these the kept ones."""
    size = 6 * len(motion.elements)
    Mb = [[ZERO] * size for _ in range(size)]
    gb: list[Node] = []
    for k, moving in enumerate(motion.elements):
        for i, row in enumerate(mass_block(moving)):
            Mb[6 * k + i][6 * k : 6 * k + 6] = row
        force, torque = gyroscopic(moving)
        gb += [*force, *torque]
    return [[Mb[i][j] for j in kept] for i in kept], [gb[i] for i in kept]
