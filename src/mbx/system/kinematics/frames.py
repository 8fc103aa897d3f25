"""Frames and points in motion: where they are, how fast they move, in the raw rates.

Monogram notation (`spec/notation.md`): W is the ground, P the frame from which a frame F
is placed. Vectors without another letter have ground components. Everything is an expression of
t, the coordinates, and their rates `q'`, `q''` as symbols of their own; which speeds these
rates are made of is determined later, in `mbx.mechanics`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.matrix import NULL, Matrix, Vector, cross, matmul, matvec, plus, settled, transposed
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.system.kinematics.rotations import NO_ROTATION, Rotation, twice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["GROUND", "Frame", "Point", "free_frame"]


class Point:
    """A point: where it is, its velocity and its acceleration, all seen from the ground.

    `on` is the mass element it is fixed to, "" for the ground, None if that is not known.
    """

    def __init__(
        self,
        p: Vector,
        rate: Callable[[Sequence[Node]], list[Node]],
        on: str | None = None,
    ) -> None:
        """Take the position; the rest follows by differentiation."""
        self.p = p
        self.on = on
        self._rate = rate

    @property
    def within(self) -> tuple[Frame, Vector] | None:
        """The frame in which the point is stated, if in any, and its components there."""
        return None

    @cached_property
    def v(self) -> Vector:
        """The velocity."""
        return settled(tuple(self._rate(self.p)))  # type: ignore[arg-type]

    @cached_property
    def a(self) -> Vector:
        """The acceleration."""
        return settled(tuple(self._rate(self.v)))  # type: ignore[arg-type]


class _FramePoint(Point):
    """A point with the components r in a frame: its motion by the frame's, not by d/dt of p."""

    def __init__(
        self,
        frame: Frame,
        r: Vector,
        rate: Callable[[Sequence[Node]], list[Node]],
        on: str | None,
    ) -> None:
        self._d = settled(matvec(frame.R, r))
        super().__init__(plus(frame.origin.p, self._d), rate, on)
        self._frame, self._r = frame, r

    @property
    def within(self) -> tuple[Frame, Vector]:
        return self._frame, self._r

    @cached_property
    def _rd(self) -> Vector:
        return settled(tuple(self._rate(self._r)))  # type: ignore[arg-type]

    @cached_property
    def v(self) -> Vector:
        frame = self._frame
        # v = v_Fo + w x d + R r'
        return settled(plus(frame.origin.v, cross(frame.w, self._d), matvec(frame.R, self._rd)))

    @cached_property
    def a(self) -> Vector:
        frame, rd = self._frame, self._rd
        turned = plus(cross(frame.al, self._d), cross(frame.w, cross(frame.w, self._d)))
        if rd is NULL:
            return settled(plus(frame.origin.a, turned))
        moved = matvec(frame.R, rd)
        rdd: Vector = tuple(self._rate(rd))  # type: ignore[assignment]
        # a = a_Fo + al x d + w x (w x d) + 2 w x R r' + R r''
        return settled(
            plus(frame.origin.a, turned, twice(cross(frame.w, moved)), matvec(frame.R, rdd))
        )


class Frame:
    """A frame: R_WF, its origin, its angular velocity and acceleration."""

    def __init__(
        self,
        parent: Frame | None,
        origin: Point,
        rotation: Rotation = NO_ROTATION,
        on: str | None = None,
    ) -> None:
        """Take the frame it is turned against, its origin and the rotation."""
        self.parent = parent
        self.origin = origin
        self.rotation = rotation
        self.on = on
        self.R: Matrix = rotation.R if parent is None else matmul(parent.R, rotation.R)

    def at(
        self,
        r: Vector,
        rate: Callable[[Sequence[Node]], list[Node]],
        on: str | None = None,
    ) -> Point:
        """Return the point with the components r in this frame."""
        r = settled(r)
        if r is NULL and on in {None, self.origin.on}:
            return self.origin
        return _FramePoint(self, r, rate, on)

    @cached_property
    def w(self) -> Vector:
        """w_WF_W: the angular velocity in ground components."""
        if self.parent is None:
            return matvec(self.R, self.rotation.w)
        return settled(plus(self.parent.w, matvec(self.R, self.rotation.w)))

    @cached_property
    def w_local(self) -> Vector:
        """w_WF_F: the angular velocity in its local components."""
        if self.parent is None:
            return self.rotation.w
        carried = matvec(transposed(self.rotation.R), self.parent.w_local)
        return settled(plus(carried, self.rotation.w))

    @cached_property
    def al(self) -> Vector:
        """al_WF_W: the angular acceleration in ground components."""
        if self.parent is None:
            return matvec(self.R, self.rotation.wd)
        relative = matvec(self.R, self.rotation.w)
        return settled(
            plus(self.parent.al, cross(self.parent.w, relative), matvec(self.R, self.rotation.wd))
        )

    @cached_property
    def wd_local(self) -> Vector:
        """The rates of the components of w_WF_F."""
        if self.parent is None:
            return self.rotation.wd
        back = transposed(self.rotation.R)
        carried, turned = matvec(back, self.parent.wd_local), matvec(back, self.parent.w_local)
        return settled(plus(carried, cross(turned, self.rotation.w), self.rotation.wd))


def _still(nodes: Sequence[Node]) -> list[Node]:
    return [ZERO for _ in nodes]


GROUND = Frame(None, Point(NULL, _still, ""), NO_ROTATION, "")


def free_frame(path: str, rate: Callable[[Sequence[Node]], list[Node]]) -> Frame:
    """Return a frame of a body, position and axes symbols: `path:p.x`, `path:R.xy` and so on."""
    p: Vector = tuple(symbol(f"{path}:p.{k}") for k in "xyz")  # type: ignore[assignment]
    R: Matrix = tuple(  # type: ignore[assignment]
        tuple(symbol(f"{path}:R.{i}{j}") for j in "xyz") for i in "xyz"
    )
    return Frame(GROUND, Point(p, rate, path), Rotation(R, NULL, NULL), path)
