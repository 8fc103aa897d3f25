"""Hinges seen from the point of their joint, and what is across them.

What turns about a hinge does not shift its point, so the columns of its twist stay sparse there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import NULL, UNIT, add, cross, dot, matvec, minus, neg, settled, transposed
from mbx.expr.nodes import NUMBER, ZERO, Node
from mbx.system.kinematics.relative import components, relative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.tree.links import Link, Links
    from mbx.system.kinematics.frames import Frame

__all__ = ["Across", "Hinge", "across", "hinge"]

Rows = list[list[Node]]


@dataclass(frozen=True, eq=False, slots=True)
class Hinge:
    """A hinge, its twist stated at the point of the joint: what turns about it does not shift it.

    Attributes:
        A: Twist of the node against its parent by the rates z', local components.
        Ad: Rates of these entries, the point held on the node.
        over: The whole twist against the parent.
        free: The same where the rates z' are zero.
        drift: Rates of the whole twist without z''.
        e: The mass centre from the point, local components.
    """

    A: Rows
    Ad: Rows
    over: list[Node]
    free: list[Node]
    drift: list[Node]
    e: Vector


def hinge(tree: Links, k: int) -> Hinge:
    """Return the hinge of a link."""
    link, zd = tree.links[k], tree.moves(k)
    s = _point(link)
    A, Ad = _shifted(link.A, s), _shifted(link.Ad, s)
    vr = [row[0] for row in _shifted([[x] for x in link.vr], s)]
    vrd = [row[0] for row in _shifted([[x] for x in link.vrd], s)]
    return Hinge(
        A,
        Ad,
        [add(dot(row, zd), x) for row, x in zip(A, vr, strict=True)],
        vr,
        [add(dot(row, zd), x) for row, x in zip(Ad, vrd, strict=True)],
        settled(minus(link.c, s)),
    )


def _point(link: Link) -> Vector:
    """Return where the joint is on a link, from its origin; that origin where none places it."""
    joint, frame = link.moving.element.joint, link.frame
    if joint is None or frame is None:
        return NULL
    walked: Frame | None = frame
    while walked is not None and walked is not joint.M:
        walked = walked.parent
    if walked is None:
        return components(joint.M.origin, frame)
    seen = relative(frame, joint.M, link.moving.motion.system.rates)
    x, y, z = matvec(transposed(seen.R), seen.r)
    return settled((neg(x), neg(y), neg(z)))


def _shifted(six: Sequence[Sequence[Node]], s: Vector) -> Rows:
    """Return columns of twists at the point s instead of at the origin."""
    if s is NULL:
        return [list(row) for row in six]
    v = [list(row) for row in six[:3]]
    for j in range(len(six[0])):
        w = settled((six[3][j], six[4][j], six[5][j]))
        for i, x in enumerate(cross(w, s)):
            v[i][j] = add(v[i][j], x)
    return [*v, *(list(row) for row in six[3:])]


@dataclass(frozen=True, eq=False, slots=True)
class Across:
    """What a hinge does not let happen.

    Attributes:
        linear: Whether its point does not move at all.
        angular: Whether it does not turn at all.
        own: Columns Z across the hinge beside these, orthogonal to each other, local components;
            None where symbols do not determine them.
    """

    linear: bool
    angular: bool
    own: list[list[Node]] | None


def across(A: Sequence[Sequence[Node]]) -> Across:
    """Return what is across the columns of a hinge."""
    columns = [(settled(_three(c[:3])), settled(_three(c[3:]))) for c in zip(*A, strict=True)]
    linear = [v for v, _ in columns if v is not NULL]
    angular = [w for _, w in columns if w is not NULL]
    if not linear or not angular or all(v is NULL or w is NULL for v, w in columns):
        parts = [_normals(linear), _normals(angular)]
        if all(part is not None for part in parts):
            Z = [[*z, *NULL] for z in parts[0] or ()] + [[*NULL, *z] for z in parts[1] or ()]
            return Across(not linear, not angular, Z)
    return Across(linear=False, angular=False, own=None)


def _three(values: Sequence[Node]) -> Vector:
    a, b, c = values
    return (a, b, c)


def _normals(vectors: list[Vector]) -> list[Vector] | None:
    """Return vectors across one, two or three; none across none, which ground axes are."""
    if len(vectors) in {0, 3}:
        return []
    a = vectors[0]
    if len(vectors) == 2:  # noqa: PLR2004  a plane has one normal
        return [cross(a, vectors[1])]
    axis = next((k for k in range(3) if a[k] is ZERO), None)
    if axis is None:
        if any(x.op is not NUMBER for x in a):
            return None
        axis = min(range(3), key=lambda k: abs(a[k].value))
    normal = cross(a, UNIT[axis])
    return [normal, cross(a, normal)]
