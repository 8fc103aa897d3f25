"""The Gibbs function of a system: its acceleration energy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mbx.expr.build import add, cross, dot, matvec, mul, scale
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from mbx.mechanics.motion import Motion

__all__ = ["gibbs_function"]

_HALF = Fraction(1, 2)


def gibbs_function(motion: Motion) -> Node:
    """Return G = sum of m a . a / 2 + wd . I wd / 2 + wd . (w x I w) (Orsino (A.34)).

    The last term of (A.34), (w . w)(w . I w)/2, holds no accelerations and is left out.
    """
    terms: list[Node] = []
    for moving in motion.elements:
        if moving.m is not ZERO:
            terms.append(scale(_HALF, mul(moving.m, dot(moving.a, moving.a))))
        if moving.turns:
            turning = matvec(moving.inertia, moving.wd)
            terms.append(scale(_HALF, dot(moving.wd, turning)))
            terms.append(dot(moving.wd, cross(moving.w, matvec(moving.inertia, moving.w))))
    return add(*terms) if terms else ZERO
