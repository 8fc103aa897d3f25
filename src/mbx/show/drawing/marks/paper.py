"""The paper: from where a mechanism is seen, how large it is drawn, which corners are empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing import view_direction
from mbx.show.drawing.marks.labels import overlap
from mbx.show.drawing.solids import distinct, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.show.drawing.drawing_hints import Hints
    from mbx.show.drawing.marks.canvas import Box, Canvas, Position
    from mbx.show.drawing.scene import Array, Scene
    from mbx.show.drawing.solids import Solid
    from mbx.show.drawing.view_direction import View

__all__ = ["corner", "extent", "fit", "thickness", "view_of"]

_WIDTH: Final = 480.0
_HEIGHTS: Final = (250.0, 380.0)
_BARS: Final = (1.5, 6.5, 11.0)
"""Width of bars in pixels: at least, at least of few bodies, at most."""
_FEW: Final = 16
_STRAIGHT: Final = 0.99
_AXES: Final = 26.0
"""Length of the axes of ground, in pixels."""
_NAMES: Final = 14.0
"""Space for their names, in pixels."""


def _up(scene: Scene, hints: Hints) -> Array | None:
    """Return the direction that points up: that of a hint, or against gravity."""
    if hints.up is not None:
        sign = -1.0 if hints.up.startswith("-") else 1.0
        return np.asarray(sign * np.eye(3)["xyz".index(hints.up[-1])])
    return None if scene.gravity is None else -scene.gravity


def view_of(
    scene: Scene,
    shapes: Mapping[str, Sequence[Solid]],
    wanted: str | tuple[float, float] | None,
    hints: Hints,
) -> View:
    """Return the requested view, else the best view."""
    up = _up(scene, hints)
    if isinstance(wanted, tuple):
        return view_direction.direction(*wanted, up)
    if wanted in {"x", "y", "z"}:
        view = view_direction.along(str(wanted), up)
        n = scene.normal
        view.flat = n is not None and abs(float(n @ view.toward)) > _STRAIGHT
        return view
    if scene.normal is not None and wanted is None:
        view = view_direction.along("xyz"[int(np.argmax(np.abs(scene.normal)))], up)
        view.flat = True
        return view
    points = [p for b in scene.bodies.values() for p in (*b.points, b.com)]
    points += [p for line in scene.lines for p in (line.a, line.b)]
    bars = [
        (s.points[0], s.points[-1]) for each in shapes.values() for s in each if s.kind == "bar"
    ]
    bars += [(line.a, line.b) for line in scene.lines if line.kind == "rod"]
    points = distinct(points, 0.02 * size_of(points))
    return view_direction.choose(points, bars, up)


def extent(scene: Scene, shapes: Mapping[str, Sequence[Solid]], seen: View) -> list[Array]:
    """Return the points that must be on the paper."""
    points = [p for b in scene.bodies.values() for p in (*b.points, b.com)]
    points += [p for each in shapes.values() for s in each for p in s.extent(seen.right, seen.up)]
    points += [p for s in scene.shapes for p in s.extent(seen.right, seen.up)]
    points += [p for line in scene.lines for p in (line.a, line.b)]
    points += [p for track in scene.tracks for p in track.points]
    points += [p for j in scene.joints if j.kind != "free" for p in (j.p, j.q)]
    points += [m.p for m in scene.marks]
    return [p for p in points if np.isfinite(p).all()]


def fit(view: View, points: Sequence[Array], margin: float) -> tuple[float, float]:
    """Return the size of the paper, and scale the view to it."""
    x = [float(view.right @ p) for p in points] or [0.0]
    y = [float(view.up @ p) for p in points] or [0.0]
    wide, high = max(x) - min(x), max(y) - min(y)
    inner = _WIDTH - 2 * margin
    want = inner * high / wide if wide > 0 else _HEIGHTS[1]
    height = float(round(min(_HEIGHTS[1], max(_HEIGHTS[0], want + 2 * margin))))
    view.fit(points, (margin, margin, _WIDTH - margin, height - margin))
    return _WIDTH, height


def thickness(view: View, shapes: Mapping[str, Sequence[Solid]]) -> float:
    """Return how wide bars are drawn: less where they are short."""
    long = sorted(
        float(np.hypot(*view.vector(s.points[-1] - s.points[0])))
        for each in shapes.values()
        for s in each
        if s.kind == "bar"
    )
    if not long:
        return _BARS[2]
    least = _BARS[1] if len(shapes) <= _FEW else _BARS[0]
    return min(_BARS[2], max(least, 0.2 * long[len(long) // 2]))


def corner(canvas: Canvas) -> tuple[Position, float]:
    """Return where the axes of ground go, and how much paper they need below all else.

    They go to an empty corner, if there is one.
    """
    view, width, height = canvas.view, canvas.width, canvas.height
    across = [_AXES * float(each) for each in view.right]
    along = [_AXES * float(each) for each in view.up]
    left = _NAMES - min(0.0, *across) + 5
    right = width - _NAMES - max(0.0, *across) - 5
    down = _NAMES - min(0.0, *along)
    up = _NAMES + max(0.0, *along)
    corners = [(left, height - 5 - down), (right, height - 5 - down), (left, 5 + up)]
    for x, y in corners:
        box = (x - left + 4, y - up - 4, x + width - right, y + down + 4)
        if not any(overlap(box, other) for other in canvas.boxes) and not any(
            _within(p, box) for a, b, _ in canvas.strokes for p in _along(a, b)
        ):
            return (x, y), 0.0
    lower = up + down + 6
    return (left, height + lower - 6 - down), lower


def _along(a: Position, b: Position) -> list[Position]:
    count = max(2, int(np.hypot(b[0] - a[0], b[1] - a[1]) / 8) + 1)
    return [
        (a[0] + (b[0] - a[0]) * k / (count - 1), a[1] + (b[1] - a[1]) * k / (count - 1))
        for k in range(count)
    ]


def _within(p: Position, box: Box) -> bool:
    return box[0] < p[0] < box[2] and box[1] < p[1] < box[3]
