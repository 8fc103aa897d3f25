"""The shapes of bodies: from a hint, else from their points and their inertia.

The equimomental solid of a body has its mass and inertia. With S = tr(J)/2 - J for the second
moments of mass, its half lengths along the axes of S are sqrt(5 S/m) for an ellipsoid,
sqrt(4 S/m) for a flat disc and sqrt(3 S/m) for a thin rod.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.show.drawing.scene import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.show.drawing.scene import Array, Body

__all__ = ["Solid", "around", "distinct", "equimomental", "size_of", "solids_of"]

_FLAT: Final = 2e-3
"""Second moment, as a part of the largest, below which a body has no extent there."""
_ALIKE: Final = 0.02
_PART: Final = 0.6
"""Half length of a solid, as a part of the mechanism, above which it would hide the rest."""
_AMONG: Final = 0.25
"""Likewise of a solid among several."""
_ALONG: Final = 0.9
_END: Final = (0.6, 1.6)
"""Half length of the equimomental rod over the way from pin to mass centre, of a pinned rod."""

Kind = Literal[
    "bar",
    "plate",
    "face",
    "disc",
    "ring",
    "ball",
    "ellipsoid",
    "box",
    "cylinder",
    "cone",
    "line",
    "curve",
    "pin",
    "support",
    "spring",
    "damper",
]


@dataclass(frozen=True, slots=True)
class Solid:
    """A shape in ground coordinates.

    Attributes:
        kind: What it is.
        centre: Its middle.
        R: Directions of its axes, as columns; the last is the axis of discs and cylinders.
        size: Half lengths along these.
        points: Ends of a bar, corners of a plate, points of a curve.
    """

    kind: Kind
    centre: Array
    R: Array = field(default_factory=lambda: np.eye(3))
    size: Array = field(default_factory=lambda: np.zeros(3))
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def extent(self, *ways: Array) -> list[Array]:
        """Return the points of the shape that are farthest in each direction."""
        if len(self.points):
            return list(self.points)
        if self.kind == "cone":
            rim = [self.centre + s * self._reach(way) for way in ways for s in (-1, 1)]
            return [self.centre - self.R[:, 2] * self.size[2], *rim]
        return [self.centre + s * self._reach(way) for way in ways for s in (-1, 1)]

    def _reach(self, way: Array) -> Array:
        local = self.R.T @ way
        if self.kind == "box":
            return np.asarray(self.R @ (np.sign(local) * self.size))
        hollow = self.kind in {"cylinder", "cone"}
        round_ = self.size * [1, 1, 0] if hollow else self.size
        long = float(np.linalg.norm(round_ * local)) or 1.0
        point = self.R @ (round_**2 * local / long)
        if self.kind == "cylinder":
            point = point + self.R[:, 2] * float(np.sign(local[2])) * self.size[2]
        return np.asarray(point)


def around(axis: Array, R: Array) -> Array:
    """Return right-handed axes: the last is `axis`, the first is near an axis of R."""
    across = min((R[:, k] for k in range(3)), key=lambda v: round(abs(float(v @ axis)), 6))
    first = unit(across - axis * float(axis @ across))
    return np.column_stack([first, np.cross(axis, first), axis])


def distinct(points: Sequence[Array], apart: float) -> list[Array]:
    """Return points that are farther apart than a distance."""
    kept: list[Array] = []
    for p in points:
        if all(np.linalg.norm(p - other) > apart for other in kept):
            kept.append(p)
    return kept


def size_of(points: Sequence[Array]) -> float:
    """Return how large the box around points is."""
    if not points:
        return 0.0
    coordinates = np.array(points)
    return float(np.linalg.norm(coordinates.max(axis=0) - coordinates.min(axis=0)))


def equimomental(body: Body) -> Solid | None:
    """Return the solid with the mass and inertia of a body, if these are known."""
    if body.inertia is None or not body.m or body.R is None:
        return None
    if body.about is not None:  # one moment: a disc across its axis
        r = float(np.sqrt(2 * body.inertia[body.about, body.about] / body.m))
        axis = body.R[:, body.about]
        return Solid("disc", body.com, around(axis, body.R), np.array([r, r, 0.0]))
    S = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    values, vectors = np.linalg.eigh(S)
    values = np.clip(values, 0, None)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    if values[0] <= 0:
        return None
    axes = _fix_signs(vectors)
    extents = int((values > _FLAT * values[0]).sum())
    factor = {1: 3, 2: 4, 3: 5}[extents]
    half = np.sqrt(factor * values / body.m)
    half[extents:] = 0.0
    R = body.R @ axes
    if extents == 1:
        step = R[:, 0] * half[0]
        return Solid("bar", body.com, R, half, np.array([body.com - step, body.com + step]))
    return Solid("ellipsoid" if extents == len(half) else "disc", body.com, R, half)


def _fix_signs(vectors: Array) -> Array:
    """Return eigenvectors with signs that do not depend on the machine, right-handed."""
    signed = vectors.copy()
    for k in range(3):
        column = np.round(signed[:, k], 6)
        largest = int(np.argmax(np.abs(column)))
        if column[largest] < 0:
            signed[:, k] = -signed[:, k]
    if np.linalg.det(signed) < 0:
        signed[:, 2] = -signed[:, 2]
    return signed


def solids_of(body: Body, whole: float, *, slides: bool, alone: bool) -> list[Solid]:
    """Return the shapes of a body in a mechanism of a size."""
    if body.shapes:
        return list(body.shapes)
    if body.kind == "particle":
        return []
    apart = 0.02 * whole
    pins = distinct(body.points, apart)
    every = distinct([*pins, body.com], apart)
    solid = equimomental(body)
    if len(every) == 1:
        return [] if slides else _shape_at_point(body, solid, whole if alone else _AMONG * whole)
    if len(pins) == 1 and not slides:
        return _shapes_on_pin(pins[0], body, solid, whole, alone=alone)
    return [_join(every)]


def _join(points: Sequence[Array]) -> Solid:
    """Return a bar where all points are on a line, else a plate."""
    corners = np.array(points)
    centre = corners.mean(axis=0)
    _, singular, axes = np.linalg.svd(corners - centre)
    if singular[1] <= _ALIKE * singular[0]:
        along = (corners - centre) @ axes[0]
        ends = corners[[int(np.argmin(along)), int(np.argmax(along))]]
        return Solid("bar", centre, points=ends)
    return Solid("plate", centre, points=corners)


def _shape_at_point(body: Body, solid: Solid | None, whole: float) -> list[Solid]:
    """Return the shape of a body of which a single point is known."""
    R = np.eye(3) if body.R is None else body.R
    if solid is None:
        r = 0.2 * whole or 1.0
        axis = R[:, 2 if body.about is None else body.about]
        kind: Kind = "disc" if body.inertia is not None and body.about is not None else "box"
        if kind == "disc":
            return [Solid("disc", body.com, around(axis, R), np.array([r, r, 0.0]))]
        return [Solid("box", body.com, R, np.full(3, 0.4 * r))]
    return [_limit_size(solid, whole)]


def _limit_size(solid: Solid, whole: float) -> Solid:
    """Return a shape that does not hide the mechanism it is part of."""
    largest = float(solid.size.max())
    if not whole or largest <= _PART * whole:
        return solid
    factor = _PART * whole / largest
    points = solid.centre + (solid.points - solid.centre) * factor
    return Solid(solid.kind, solid.centre, solid.R, solid.size * factor, points)


def _shapes_on_pin(
    pin: Array, body: Body, solid: Solid | None, whole: float, *, alone: bool
) -> list[Solid]:
    """Return the shape of a body that a single joint carries: a rod, or a solid on a stem."""
    way = body.com - pin
    far, along = float(np.linalg.norm(way)), unit(way)
    bar = Solid("bar", body.com, points=np.array([pin, body.com]))
    if solid is None:
        return [bar]
    half = _half_length(body, along)
    thin = body.about is not None or _thin(solid, along, far)
    if thin and _END[0] * far <= half <= _END[1] * far:
        ends = np.array([pin, body.com + half * along])
        return [Solid("bar", body.com, points=ends)]
    if thin and solid.kind == "bar":  # a rod that is pinned elsewhere
        ends = np.array([pin + min(0.0, far - half) * along, body.com + half * along])
        return [Solid("bar", body.com, points=ends)]
    if body.about is not None and not alone:
        return [bar, _limit_size(solid, 1.2 * far)]
    if solid.size[0] > far and body.about is not None:
        return [solid]
    return [bar, _limit_size(solid, max(whole if alone else _AMONG * whole, 2 * far))]


def _half_length(body: Body, along: Array) -> float:
    """Return half the length of the rod with the second moment of a body along a direction."""
    if body.inertia is None or not body.m or body.R is None:
        return 0.0
    if body.about is not None:
        return float(np.sqrt(3 * body.inertia[body.about, body.about] / body.m))
    local = body.R.T @ along
    S = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    return float(np.sqrt(max(0.0, 3 * float(local @ S @ local) / body.m)))


def _thin(solid: Solid, along: Array, far: float) -> bool:
    """Return whether a solid is a rod along a direction, or is thick but shorter across."""
    if abs(float(solid.R[:, 0] @ along)) < _ALONG:
        return False
    return solid.kind == "bar" or float(solid.size[1]) < _ALONG * far
