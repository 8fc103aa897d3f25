"""Balances of single mass elements: Mb twd + gb = wrench (Orsino (3.11), (3.12), (3.19))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.matrix import NULL, cross, matvec, plus, times
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from mbx.expr.matrix import Vector
    from mbx.mechanics.motion import Moving

__all__ = ["gyroscopic", "inertia_wrench", "mass_block"]


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
