"""The direction of view onto a mechanism: straight onto its plane, or from above on a side."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.scene import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.show.drawing.scene import Array

__all__ = ["View", "along", "choose", "direction"]

_STRAIGHT: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, -1.0, 0.0), "z": (0.0, 0.0, 1.0)}
"""The side from which each axis is viewed, so that the other two point right and up."""
_AZIMUTHS: Final = (35, -35, 55, -55, 20, -20, 70, -70, 125, -125, 145, -145)
_ELEVATIONS: Final = (22, 30, 14)
_USUAL: Final = 0.006
"""How much better a view must be for each step that it is further from the usual view."""
_FEW: Final = 60
"""Points and bars that a view is chosen by."""
_NEAR: Final = 0.14
"""Part of the size of a drawing at which points begin to meet."""
_LEAN: Final = 0.3
"""Part of a direction that must be in the paper for it to point up."""
_EQUAL: Final = 1e-9
"""Difference of views that is rounding."""


@dataclass(slots=True)
class View:
    """An orthographic view: directions to the right, up and towards the eye, and a scale."""

    right: Array
    up: Array
    toward: Array
    scale: float = 1.0
    middle: tuple[float, float] = (0.0, 0.0)
    paper: tuple[float, float] = (0.0, 0.0)
    flat: bool = False
    back: float = 0.0
    front: float = 0.0
    axes: Array = field(default_factory=lambda: np.zeros((2, 3)))

    def at(self, p: Array) -> tuple[float, float]:
        """Return where on the paper a point is, in pixels; y points down."""
        x = (float(self.right @ p) - self.middle[0]) * self.scale + self.paper[0]
        y = -(float(self.up @ p) - self.middle[1]) * self.scale + self.paper[1]
        return x, y

    def vector(self, v: Array) -> tuple[float, float]:
        """Return a vector on the paper, in pixels."""
        return float(self.right @ v) * self.scale, -float(self.up @ v) * self.scale

    def depth(self, p: Array) -> float:
        """Return how near to the eye a point is."""
        return float(self.toward @ p)

    def fading(self, p: Array) -> float:
        """Return how far back a point is, from 0 to 1."""
        if self.flat or self.front - self.back <= 0:
            return 0.0
        return min(1.0, max(0.0, (self.front - self.depth(p)) / (self.front - self.back)))

    def fit(self, points: Sequence[Array], area: tuple[float, float, float, float]) -> None:
        """Scale and move so that points fill an area: left, top, right, bottom."""
        left, top, right, bottom = area
        x = [float(self.right @ p) for p in points] or [0.0]
        y = [float(self.up @ p) for p in points] or [0.0]
        z = [self.depth(p) for p in points] or [0.0]
        wide, high = max(x) - min(x), max(y) - min(y)
        scales = [
            space / size for space, size in ((right - left, wide), (bottom - top, high)) if size > 0
        ]
        self.scale = min(scales, default=1.0)
        self.middle = ((max(x) + min(x)) / 2, (max(y) + min(y)) / 2)
        self.paper = ((left + right) / 2, (top + bottom) / 2)
        self.back, self.front = min(z), max(z)


def along(axis: str, up: Array | None) -> View:
    """Return the view along an axis of ground, with a direction up if it is across the axis."""
    toward = np.array(_STRAIGHT[axis])
    usual = np.array((0.0, 1.0, 0.0) if axis == "z" else (0.0, 0.0, 1.0))
    if up is not None:
        flat = up - toward * float(toward @ up)
        if np.linalg.norm(flat) > _LEAN * np.linalg.norm(up):
            usual = unit(flat)
    return View(np.cross(usual, toward), usual, toward)


def direction(azimuth: float, elevation: float, up: Array | None) -> View:
    """Return the view from an azimuth about the vertical and an elevation, in degrees."""
    top = np.array((0.0, 0.0, 1.0)) if up is None else unit(up)
    k = int(np.argmax(np.round(np.abs(top), 6)))
    first = np.roll(np.array((1.0, 0.0, 0.0)), (k + 1) % 3)
    first = unit(first - top * float(top @ first))
    second = np.cross(top, first)
    a, e = np.radians(azimuth), np.radians(elevation)
    level = np.cos(a) * first + np.sin(a) * second
    toward = np.cos(e) * level + np.sin(e) * top
    right = unit(np.cross(top, level))
    return View(right, np.cross(toward, right), toward)


def choose(points: Sequence[Array], bars: Sequence[tuple[Array, Array]], up: Array | None) -> View:
    """Return the view of a spatial mechanism in which least of it hides the rest."""
    best, least = direction(_AZIMUTHS[0], _ELEVATIONS[0], up), np.inf
    for j, azimuth in enumerate(_AZIMUTHS):
        for k, elevation in enumerate(_ELEVATIONS):
            view = direction(azimuth, elevation, up)
            bad = _hidden(view, points[:_FEW], bars[:_FEW]) + _USUAL * (j + k)
            if bad < least - _EQUAL:
                best, least = view, bad
    return best


def _hidden(view: View, points: Sequence[Array], bars: Sequence[tuple[Array, Array]]) -> float:
    """Return how much a view hides: points that meet, bars that cross or are seen end on."""
    flat = np.array([(view.right @ p, view.up @ p) for p in points]).reshape(-1, 2)
    size = float(np.abs(flat[:, None] - flat[None]).max(initial=0.0)) or 1.0
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=2)[np.triu_indices(len(flat), 1)]
    bad = float(np.clip(1 - apart / (_NEAR * size), 0, None).sum())
    total = max(1, len(flat))
    short = 0.0
    ends = [(np.array(view.at(a)), np.array(view.at(b))) for a, b in bars]
    for (a, b), (p, q) in zip(bars, ends, strict=True):
        real = float(np.linalg.norm(b - a))
        seen = float(np.linalg.norm(q - p))
        short += max(0.0, 0.6 - seen / real) if real > 0 else 0.0
    crossing = sum(_cross(*bar, *other) for bar, other in combinations(ends, 2))
    return bad / total + 1.2 * short / max(1, len(bars)) + 0.15 * crossing / max(1, len(bars))


def _cross(a: Array, b: Array, c: Array, d: Array) -> bool:
    """Return whether two lines on the paper cross between their ends."""

    def side(p: Array, q: Array, r: Array) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    tiny = 1e-6
    return (
        side(a, b, c) * side(a, b, d) < -tiny * tiny
        and side(c, d, a) * side(c, d, b) < -tiny * tiny
    )
