"""Vectors and poses whose components are scalars along a motion.

A pose has its three axes and its origin, in ground components. Rotations are body-fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from mbx.verify.oracle.numbers import jets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.verify.oracle.numbers.jet_scalars import Arithmetic, Scalar
    from mbx.verify.oracle.numbers.jets import Jet

__all__ = [
    "Point",
    "Pose",
    "Three",
    "Vec",
    "added",
    "along",
    "cross",
    "dot",
    "in_axes",
    "minus",
    "moved_back",
    "rate_of_turn",
    "rates",
    "scaled",
    "turned",
    "turned_by_quaternion",
]

Three: TypeAlias = tuple[Any, Any, Any]
"""Three scalars."""


@dataclass(frozen=True, slots=True)
class Vec:
    """A vector, ground components."""

    v: Three


@dataclass(frozen=True, slots=True)
class Point:
    """A point, by its coordinates in ground."""

    p: Three


@dataclass(frozen=True, slots=True)
class Pose:
    """A frame: its axes as columns, and its origin, in ground components."""

    axes: tuple[Three, Three, Three]
    p: Three


def added(a: Three, b: Three) -> Three:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Three, b: Three) -> Three:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scaled(a: Three, s: Scalar) -> Three:
    """Return s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a: Three, b: Three) -> Any:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Three, b: Three) -> Three:
    """Return the vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def along(axes: Sequence[Three], v: Three) -> Three:
    """Return the vector that has components v along the axes."""
    return added(added(scaled(axes[0], v[0]), scaled(axes[1], v[1])), scaled(axes[2], v[2]))


def in_axes(axes: Sequence[Three], v: Three) -> Three:
    """Return the components of a vector along the axes."""
    return (dot(axes[0], v), dot(axes[1], v), dot(axes[2], v))


def rates(v: Three) -> Three:
    """Return the rates of three jets."""
    return (jets.ddt(v[0]), jets.ddt(v[1]), jets.ddt(v[2]))


def rate_of_turn(axes: Sequence[Three], slopes: Sequence[Three], half: Jet) -> Three:
    """Return the angular velocity of axes with these rates: half the sum of e x e'."""
    turns = [cross(e, d) for e, d in zip(axes, slopes, strict=True)]
    return scaled(added(added(turns[0], turns[1]), turns[2]), half)


def turned(
    m: Arithmetic, axes: tuple[Three, Three, Three], n: Three | int, angle: Scalar
) -> tuple[Three, Three, Three]:
    """Return axes turned about an axis, 1 to 3 or its negative, or about a unit vector n.

    Components of n are along the axes. Rodrigues: e cos a + n x e sin a + n (n . e)(1 - cos a).
    """
    if isinstance(n, int) and n < 0:
        n, angle = -n, -angle
    s, c = m.call("sin", angle), m.call("cos", angle)
    if isinstance(n, int):
        k = n - 1
        i, j = (k + 1) % 3, (k + 2) % 3
        result = list(axes)
        result[i] = added(scaled(axes[i], c), scaled(axes[j], s))
        result[j] = minus(scaled(axes[j], c), scaled(axes[i], s))
        return (result[0], result[1], result[2])
    N = along(axes, n)
    rest = m.one - c
    x, y, z = (
        added(added(scaled(e, c), scaled(cross(N, e), s)), scaled(N, n[k] * rest))
        for k, e in enumerate(axes)
    )
    return (x, y, z)


def turned_by_quaternion(
    axes: tuple[Three, Three, Three], w: Scalar, v: Three
) -> tuple[Three, Three, Three]:
    """Return axes turned by R p = p + 2 w (v x p) + 2 v x (v x p)."""
    V = along(axes, v)
    w2 = w + w

    def turn(e: Three) -> Three:
        first = cross(V, e)
        second = cross(V, first)
        return added(e, added(scaled(first, w2), added(second, second)))

    return (turn(axes[0]), turn(axes[1]), turn(axes[2]))


def moved_back(pose: Pose, side: Pose) -> Pose:
    """Return the body's pose where `pose` is that of a side, and `side` is the side in the body."""
    rows = list(zip(*side.axes, strict=True))
    x, y, z = (along(pose.axes, row) for row in rows)
    axes = (x, y, z)
    return Pose(axes, minus(pose.p, along(axes, side.p)))
