"""Frames and points in motion: where they are, how fast they move, in the raw rates.

Monogram notation (`spec/notation.md`): W is the ground, P the frame from which a frame F
is placed. Vectors without another letter have ground components. Everything is an expression of
t, the coordinates, and their rates `q'`, `q''` as symbols of their own; which speeds these
rates are made of is determined later, in `mbx.mechanics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.build import (
    NULL,
    UNIT,
    Matrix,
    Vector,
    add,
    cross,
    divide,
    function,
    matmul,
    matvec,
    minus,
    mul,
    neg,
    plus,
    power,
    scale,
    settled,
    sub,
    times,
    transposed,
)
from mbx.expr.nodes import ONE, ZERO, Node, symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = [
    "GROUND",
    "NO_ROTATION",
    "Axis",
    "Frame",
    "Point",
    "Rotation",
    "about_axis",
    "by_quaternion",
    "free_frame",
    "inverse",
    "twice",
]

_PLUS = frozenset({(0, 2), (1, 0), (2, 1)})  # where [n]x has plus signs


@dataclass(frozen=True)
class Rotation:
    """A rotation of F against P: R_PF, and w_PF_F with its component rates."""

    R: Matrix
    w: Vector
    wd: Vector


NO_ROTATION = Rotation(UNIT, NULL, NULL)


@dataclass(frozen=True)
class Axis:
    """A direction of unit length, perhaps moving in the frame in which it is stated."""

    n: Vector
    nd: Vector = NULL
    ndd: Vector = NULL


def about_axis(axis: Axis, angle: tuple[Node, Node, Node]) -> Rotation:
    """Return the rotation by an angle, given with its two rates, about an axis."""
    a, ad, add_ = angle
    if a is ZERO and ad is ZERO and add_ is ZERO:
        return NO_ROTATION
    n = axis.n
    s, c = function("sin", a), function("cos", a)
    v = sub(ONE, c)
    rows = []
    for i in range(3):
        row = []
        for j in range(3):
            # Rodrigues: R = c 1 + (1 - c) n n^T + s [n]x
            entry = mul(v, n[i], n[j])
            if i == j:
                entry = c if n[i] is ZERO else ONE if n[i] in (ONE, neg(ONE)) else add(c, entry)
            else:
                k = 3 - i - j
                sign = 1 if (i, j) in _PLUS else -1
                entry = add(entry, scale(sign, mul(s, n[k])))
            row.append(entry)
        rows.append(tuple(row))
    R: Matrix = tuple(rows)  # type: ignore[assignment]
    w, wd = times(ad, n), times(add_, n)
    if axis.nd is not NULL or axis.ndd is not NULL:
        # w_PF_F = a' n + sin a n' - (1 - cos a) n x n', and its component rates
        nd, ndd = axis.nd, axis.ndd
        side, side_d = cross(n, nd), cross(n, ndd)
        w = plus(w, times(s, nd), times(neg(v), side))
        wd = plus(
            wd,
            times(ad, nd),
            times(mul(c, ad), nd),
            times(s, ndd),
            times(neg(mul(s, ad)), side),
            times(neg(v), side_d),
        )
    return Rotation(R, settled(w), settled(wd))


def by_quaternion(e: Sequence[tuple[Node, Node, Node]]) -> Rotation:
    """Return the rotation by the unit quaternion (w, x, y, z), each with its two rates.

    R_PF p = p + 2 w (v x p) + 2 v x (v x p); w_PF_F = 2 (w v' - w' v - v x v').

    A constant quaternion is divided by its norm, for its digits end: R = 1 + 2 (...) / |q|^2 is
    a rotation whatever they are, so that rows which depend on each other do so exactly.
    """
    (w0, w1, w2), *parts = e
    v: Vector = tuple(x[0] for x in parts)  # type: ignore[assignment]
    vd: Vector = tuple(x[1] for x in parts)  # type: ignore[assignment]
    vdd: Vector = tuple(x[2] for x in parts)  # type: ignore[assignment]
    columns = []
    for k in range(3):
        unit = UNIT[k]
        once = cross(v, unit)
        columns.append(plus(unit, twice(times(w0, once)), twice(cross(v, once))))
    if all(rate is ZERO for part in e for rate in part[1:]):
        square = add(*(power(part[0], 2) for part in e))
        columns = [
            plus(unit, times(divide(ONE, square), minus(column, unit)))
            for unit, column in zip(UNIT, columns, strict=True)
        ]
    R = transposed(tuple(columns))  # type: ignore[arg-type]
    w = twice(plus(times(w0, vd), times(neg(w1), v), cross(vd, v)))
    wd = twice(plus(times(w0, vdd), times(neg(w2), v), cross(vdd, v)))
    return Rotation(R, settled(w), settled(wd))


def twice(a: Vector) -> Vector:
    """Return two times a vector."""
    return (scale(2, a[0]), scale(2, a[1]), scale(2, a[2]))


def inverse(rotation: Rotation, rate: Callable[[Sequence[Node]], list[Node]]) -> Rotation:
    """Return the rotation of P against F."""
    if rotation is NO_ROTATION:
        return rotation
    w = settled(tuple(neg(x) for x in matvec(rotation.R, rotation.w)))  # type: ignore[arg-type]
    wd = NULL if w is NULL else settled(tuple(rate(w)))  # type: ignore[arg-type]
    return Rotation(transposed(rotation.R), w, wd)


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
