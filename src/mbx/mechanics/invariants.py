"""Invariants at every level, with their Jacobians and biases.

A u + b0 = 0   at the level of velocity (order 0, and order 1 if affine)
A ud + b = 0   at the level of acceleration
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import vanishes
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Row

__all__ = ["Levels", "levels"]

_SECOND: Final = 2


@dataclass(frozen=True)
class Levels:
    """Invariants of a motion, level by level.

    Attributes:
        rows: What they are.
        position: Order-0 invariants, also those that the kinematics keeps by itself.
        velocity: Order-0 and order-1 invariants at velocity level, one for each row of order
            0 or 1.
        acceleration: All invariants of order 2 or less at acceleration level.
    """

    motion: Motion
    rows: tuple[Row, ...]
    position: tuple[Node, ...]
    velocity: tuple[Node, ...]
    acceleration: tuple[Node, ...]

    @cached_property
    def A(self) -> list[list[Node]]:  # noqa: N802  the letter of every text
        """Derivatives of inv[2] by ud; for nonlinear velocity invariants, Chetaev's rule."""
        return jacobian(self.acceleration, self.motion.ud)

    @cached_property
    def b(self) -> list[Node]:
        """What is left of the invariants where all ud are zero."""
        return substitute(self.acceleration, dict.fromkeys(self.motion.ud, ZERO))


def levels(motion: Motion, *, rates: bool = False) -> Levels:
    """Return the invariants of a motion.

    With `rates`, for a motion in the rates of all coordinates: left-over definitions are
    evaluated afterwards, and invariants that the kinematics in speeds keeps are there again.
    """
    system = motion.system
    rows = tuple(r for r in system.rows if not (rates and r.kind == "definition"))
    if rates:
        rows = (*system.closed, *rows)
    holonomic = [r.value for r in rows if r.order == 0]
    first = dict(zip(_ids(rows, 0), motion.rate(holonomic), strict=True))
    affine = motion.express([r.value for r in rows if r.order == 1])
    first |= dict(zip(_ids(rows, 1), affine, strict=True))
    velocity = [first[id(r)] for r in rows if r.order <= 1]
    if motion.replaced:
        # what the definitions make true by themselves would be a row of rounding
        velocity = [ZERO if vanishes(value) else value for value in velocity]
    second = dict(zip([id(r) for r in rows if r.order <= 1], motion.rate(velocity), strict=True))
    values = motion.express([r.value for r in rows if r.order == _SECOND])
    second |= dict(zip(_ids(rows, _SECOND), values, strict=True))
    kept = () if rates else tuple(r.value for r in system.closed)
    low = tuple(r for r in rows if r.order <= _SECOND)
    return Levels(
        motion,
        low,
        (*holonomic, *kept),
        tuple(velocity),
        tuple(second[id(r)] for r in low),
    )


def _ids(rows: tuple[Row, ...], order: int) -> list[int]:
    return [id(r) for r in rows if r.order == order]
