"""Rotations in motion: matrix, and angular velocity with its rates, in the new components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import add, divide, function, mul, neg, power, scale, sub
from mbx.expr.matrix import (
    NULL,
    UNIT,
    Matrix,
    Vector,
    cross,
    matvec,
    minus,
    plus,
    settled,
    times,
    transposed,
)
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["NO_ROTATION", "Axis", "Rotation", "about_axis", "by_quaternion", "inverse", "twice"]

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
