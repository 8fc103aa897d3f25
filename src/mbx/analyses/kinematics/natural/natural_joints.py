"""The equations of joints, in natural coordinates and in those of the model.

What bodies share needs no equation. A slide is a vector product, (4), (50b); an angle about an
axis is the rows of (48a) in a plane and of (50a) in space, there right-handed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.natural.body_poses import crossed, minus
from mbx.analyses.kinematics.natural.entities import combination, figure
from mbx.analyses.kinematics.natural.natural_bodies import angle_between, still
from mbx.analyses.kinematics.natural.pairs import turning
from mbx.expr.build import add, dot, mul, neg, sub
from mbx.expr.nodes import ZERO
from mbx.language.joints import JOINTS
from mbx.numerics.tolerances import SAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.kinematics.natural.natural_bodies import Bodies
    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["pair_rows", "relation_rows"]

_PLANE: Final = 2


def pair_rows(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield the equations of a pair beyond what its bodies share, each with its kind."""
    kind, first, second = JOINTS[pair.kind], pair.first, pair.second
    first_pose, second_pose = bodies.poses[first.body], bodies.poses[second.body]
    plane = bodies.space.dimension == _PLANE
    if kind.slides:
        n = first_pose.vector(first.R @ pair.axes[0])
        apart = minus(second_pose.point(second.r), first_pose.point(first.r))
        for value in crossed(apart, n):
            yield "slide", value
    if kind.threaded and pair.motion is None:
        yield from _threaded(bodies, pair)
    if kind.translation == "plane" and not plane:
        n = first_pose.vector(first.R @ pair.axes[0])
        yield "plane", dot(minus(second_pose.point(second.r), first_pose.point(first.r)), n)
    if kind.rotation == "axes":
        a, b = (
            first_pose.vector(first.R @ pair.axes[0]),
            second_pose.vector(second.R @ pair.axes[1]),
        )
        yield "angle", sub(dot(a, b), figure(float(pair.axes[0] @ pair.axes[1])))
    if kind.rotation == "none" and pair.path not in bodies.carried.values():
        yield from _unturned(bodies, pair)


def _unturned(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield that the second body of a pair does not turn against the first."""
    first, second = pair.first, pair.second
    first_pose, second_pose = bodies.poses[first.body], bodies.poses[second.body]
    if bodies.space.dimension == _PLANE:
        axes = [bodies.space.bodies[body][:, :2] for body in (first.body, second.body)]
        a, u = bodies.arms.get(first.body, [(first_pose.vector(axes[0][:, 0]), axes[0][:, 0])])[0]
        b, v = bodies.arms.get(second.body, [(second_pose.vector(axes[1][:, 0]), axes[1][:, 0])])[0]
        (ux, uy), (vx, vy) = axes[0].T @ u, axes[1].T @ v
        size = float(np.hypot(ux, uy) * np.hypot(vx, vy))
        angle = angle_between(bodies, pair) + np.arctan2(vy, vx) - np.arctan2(uy, ux)
        if abs(np.sin(angle)) >= abs(np.cos(angle)):  # (4): regular where the angle is right
            yield "angle", sub(dot(a, b), figure(size * float(np.cos(angle))))
        else:
            yield "angle", sub(crossed(a, b)[0], figure(size * float(np.sin(angle))))
        return
    middle = still(pair)
    for k in range(3):
        a = first_pose.vector(first.R @ middle[:, k])
        b = second_pose.vector(second.R[:, (k + 1) % 3])
        yield "angle", dot(a, b)


def relation_rows(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield how the motion of a pair follows from its coordinates."""
    if pair.motion is None:
        raise TypeError(pair.path)
    kind = JOINTS[pair.kind]
    closing = kind.threaded and not pair.placing
    direct = kind.shape == ("axis",) and kind.translation != "plane"
    if (direct and "angle" in kind.motion) or closing:
        yield from _turning(bodies, pair)
    if (direct and "distance" in kind.motion) or closing:
        first, second = pair.first, pair.second
        first_pose, second_pose = bodies.poses[first.body], bodies.poses[second.body]
        n = first_pose.vector(first.R @ pair.axes[0])
        apart = minus(second_pose.point(second.r), first_pose.point(first.r))
        along = combination(pair.axes[0], pair.motion[1])
        yield "distance driver", sub(dot(apart, n), along)
    if not direct and not closing:
        yield from _whole(bodies, pair)


def _threaded(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield that a screw turns by its way along the axis over its pitch."""
    first, second = pair.first, pair.second
    first_pose, second_pose = bodies.poses[first.body], bodies.poses[second.body]
    n = first_pose.vector(first.R @ pair.axes[0])
    way = dot(minus(second_pose.point(second.r), first_pose.point(first.r)), n)
    if not pair.pitch:
        yield "slide", way
        return
    x, y, z = (figure(float(a)) for a in pair.axes[0])
    motion = turning((x, y, z), mul(figure(1 / pair.pitch), way), pair.pitch)
    yield from _turning(bodies, replace(pair, motion=motion))


def _turning(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield the rows that introduce the angle about an axis."""
    if pair.motion is None:
        raise TypeError(pair.path)
    first, n = pair.first, pair.axes[0]
    pose = bodies.poses[first.body]
    d, v, across = _arm(bodies, pair, n)
    size = float(np.linalg.norm(across))
    e = across / size
    turned = [combination(e, row) for row in pair.motion[0]]  # R_FM e
    cosine, sine = combination(e, turned), combination(np.cross(n, e), turned)
    e_W = pose.vector(first.R @ e)
    if bodies.space.dimension == _PLANE:
        f_W = pose.vector(first.R @ np.cross(n, e))
        for k in range(2):
            moved = add(mul(cosine, e_W[k]), mul(sine, f_W[k]))
            yield "angle driver", sub(d[k], mul(figure(size), moved))
        return
    n_W = pose.vector(first.R @ n)
    yield "angle driver", sub(dot(d, e_W), mul(figure(size), cosine))
    along = float(v @ n)
    for a, b, c in zip(crossed(e_W, d), n_W, crossed(e_W, n_W), strict=True):
        rest = add(mul(figure(size), sine, b), mul(figure(along), c))
        yield "angle driver", add(a, neg(rest))


def _arm(bodies: Bodies, pair: Pair, n: Array) -> tuple[Sequence[Node], Array, Array]:
    """Return the direction of the second body that turns best, in M, and its part across."""
    second = pair.second
    best: tuple[Sequence[Node], Array, Array] | None = None
    arms = bodies.arms.get(second.body)
    if arms is None:
        pose = bodies.poses[second.body]
        arms = [(pose.vector(second.R[:, k]), second.R[:, k]) for k in range(3)]
    for nodes, local in arms:
        v = second.R.T @ local
        across = v - (v @ n) * n
        part = float(np.linalg.norm(across) / np.linalg.norm(v))
        if best is None or part > float(np.linalg.norm(best[2]) / np.linalg.norm(best[1])) + SAME:
            best = nodes, v, across
    if best is None:
        raise TypeError(second.body)
    return best


def _whole(bodies: Bodies, pair: Pair) -> Iterator[tuple[str, Node]]:
    """Yield the whole pose of the second side, from the first side and the coordinates."""
    if pair.motion is None:
        raise TypeError(pair.path)
    R, r = pair.motion
    first, second = pair.first, pair.second
    first_pose, second_pose = bodies.poses[first.body], bodies.poses[second.body]
    directions = [first_pose.vector(first.R[:, k]) for k in range(3)]
    for nodes, local in bodies.arms[second.body]:
        v = second.R.T @ local
        turned = [combination(v, row) for row in R]
        for k, x in enumerate(nodes):
            yield "driver", sub(x, dot(turned, [d[k] for d in directions]))
    kind = JOINTS[pair.kind]
    apart_by_kind = kind.translation in {"plane", "any"} or kind.threaded  # even where r is zero
    if apart_by_kind or any(x is not ZERO for x in r):
        apart = minus(second_pose.point(second.r), first_pose.point(first.r))
        for k, x in enumerate(apart):
            yield "driver", sub(x, dot(r, [d[k] for d in directions]))
