"""The constraints of closed loops as a text writes them, with the loop closed.

A closing joint is the gap between its two sides, in axes that move. Where the loop is closed, the
turning of these axes adds nothing to the rate of the gap: what is left is the relative velocity of
the two points along the constrained directions. At consistent states the rows are those of
`mbx.mechanics.invariants`; away from them they differ by multiples of the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import NULL, add, cross, dot, minus
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO, Node
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from mbx.expr.build import Vector
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Row
    from mbx.system.world import JointFrames

__all__ = ["ShortRows", "short_rows"]


@dataclass(frozen=True, slots=True)
class ShortRows:
    """Constraints with their loops closed.

    Attributes:
        velocity: What is zero at the level of velocity; None of rows of higher order.
        A: Derivatives of the rates by those of the speeds.
        b: What is left of the rates where those of the speeds are zero.
    """

    velocity: tuple[Node | None, ...]
    A: tuple[tuple[Node, ...], ...]
    b: tuple[Node, ...]


def short_rows(levels: Levels) -> ShortRows:
    """Return the constraints of a motion with the loops closed."""
    motion = levels.motion
    loops = {loop.path: loop for loop in motion.system.loops}
    low = iter(levels.velocity)
    velocity: list[Node | None] = []
    acceleration: list[Node] = []
    for row, full in zip(levels.rows, levels.acceleration, strict=True):
        first = next(low) if row.order <= 1 else None
        loop = loops.get(row.path.rpartition(".")[0])
        closed = None if loop is None else _close(motion, row, loop)
        if closed is None:
            velocity.append(first)
            acceleration.append(full)
        else:
            velocity.append(closed[0])
            acceleration.append(closed[1])
    A = jacobian(acceleration, motion.ud)
    b = substitute(acceleration, dict.fromkeys(motion.ud, ZERO))
    return ShortRows(tuple(velocity), tuple(map(tuple, A)), tuple(b))


def _close(motion: Motion, row: Row, loop: JointFrames) -> tuple[Node, Node] | None:
    """Return a row of a closing joint at the levels of velocity and acceleration."""
    if row.kind != "loop" or row.wrench is None or row.measured is not None:
        return None
    force, torque = row.wrench
    F, M = loop.F, loop.M
    meets = JOINTS[loop.kind].shares_point
    carried: Vector = NULL if meets else cross(F.w, minus(M.origin.p, F.origin.p))
    along = dot(force, minus(minus(M.origin.v, F.origin.v), carried))
    [velocity] = motion.express([add(along, dot(torque, minus(M.w, F.w)))])
    if not meets or force is NULL:
        return velocity, motion.rate([velocity])[0]
    [acceleration] = motion.express([dot(force, minus(M.origin.a, F.origin.a))])
    return velocity, acceleration
