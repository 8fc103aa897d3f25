"""The motion of a frame against a frame that carries it: pose and twist, in local components.

The frames between the two are followed one by one, so that nothing of what carries the base
is in the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import (
    NULL,
    UNIT,
    Matrix,
    Vector,
    cross,
    matmul,
    matvec,
    minus,
    plus,
    settled,
    transposed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.kinematics.frames import Frame, Point

__all__ = ["Relative", "components", "relative"]


@dataclass(frozen=True, slots=True)
class Relative:
    """A frame F against its base P.

    R is R_PF, r the origin of F from that of P in the components of P; v and w are the velocity
    of that origin against P and the angular velocity w_PF, both in the components of F.
    """

    R: Matrix
    r: Vector
    v: Vector
    w: Vector


def relative(frame: Frame, base: Frame, rate: Callable[[Sequence[Node]], list[Node]]) -> Relative:
    """Return how a frame moves against a base, which is among the frames that carry it."""
    chain: list[Frame] = []
    walked: Frame | None = frame
    while walked is not base:
        if walked is None:
            raise ValueError("the base does not carry the frame")
        chain.append(walked)
        walked = walked.parent
    R, r, v, w = UNIT, NULL, NULL, NULL
    for each in reversed(chain):
        step = components(each.origin, each.parent or base)
        if step is not NULL:
            rates: Vector = settled(tuple(rate(step)))  # type: ignore[arg-type]
            v = plus(v, cross(w, step), rates)
            r = plus(r, matvec(R, step))
        back = transposed(each.rotation.R)
        R = matmul(R, each.rotation.R)
        v, w = matvec(back, v), plus(matvec(back, w), each.rotation.w)
    return Relative(R, settled(r), settled(v), settled(w))


def components(point: Point, frame: Frame) -> Vector:
    """Return a point from the origin of a frame, in the components of the frame."""
    if point is frame.origin:
        return NULL
    within = point.within
    if within is not None:
        inside, r = within
        if inside is frame:
            return r
        if inside.origin is frame.origin and inside.R is frame.R:
            return r
    return settled(matvec(transposed(frame.R), minus(point.p, frame.origin.p)))
