"""Springs, dampers, rods, slots, curves and named points on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.canvas import Layer, Wish
from mbx.show.drawing.marks.ground_marks import arrow, support, wall
from mbx.show.drawing.marks.label_text import body_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.show.drawing.marks.canvas import Canvas
    from mbx.show.drawing.scene import Line, Mark, Track

__all__ = ["draw_line", "draw_mark", "draw_track"]

_TURNS: Final = (5, 14)
_WIDE: Final = 5.0
_NEAR: Final = 4.0
"""A pin at that distance, in pixels, is the mark of a point."""
_ENDS: Final = 0.16
_GREY: Final = f'fill="none" stroke="{svg.DARK}" stroke-linejoin="round"'


def draw_line(canvas: Canvas, line: Line, row: int) -> None:
    """Draw a spring, a damper, a rod or a slot; `row` counts those between the same two points."""
    view = canvas.view
    a, b = np.array(view.at(line.a)), np.array(view.at(line.b))
    depth = 0.5 * (view.depth(line.a) + view.depth(line.b))
    long = float(np.linalg.norm(b - a))
    if long < 1:
        return
    u = (b - a) / long
    v = np.array([-u[1], u[0]])
    shift = v * 12.0 * row
    match line.kind:
        case "spring":
            mark = _spring(a + shift, u, v, long)
        case "damper":
            mark = _damper(a + shift, u, v, long)
        case "rod":
            mark = svg.polyline([tuple(a), tuple(b)], f'{_GREY} stroke-width="2.2"')
        case _:
            ends = [tuple(a - 14 * u), tuple(b + 24 * u)]
            mark = svg.polyline(ends, f'{_GREY} stroke-width="1.4" stroke-dasharray="6 4"')
    canvas.add(Layer.LINE if line.kind != "slot" else Layer.MASS, depth, mark)
    canvas.stroke((float(a[0]), float(a[1])), (float(b[0]), float(b[1])))
    if row:  # joined to its two points
        sides = [[tuple(p), tuple(p + shift)] for p in (a, b)]
        links = "".join(f"M{svg.points(each)}" for each in sides)
        canvas.add(Layer.LINE, depth, svg.path(links, f'{_GREY} stroke-width="1.3"'))
    for stands, end, way in zip(line.stands, (line.a, line.b), (u, -u), strict=True):
        if stands and line.kind == "rod":
            support(canvas, end, (float(way[0]), float(way[1])))
            x, y = view.at(end)
            pin = svg.circle(x, y, 3.5, f'fill="#fff" stroke="{svg.INK}" stroke-width="1.2"')
            canvas.add(Layer.JOINT, depth, pin)
            canvas.pins.append((x, y))
        elif stands and not row:
            wall(canvas, end, (float(way[0]), float(way[1])))
    middle = (a + b) / 2 + shift
    if line.kind in {"spring", "damper"}:
        canvas.take(float(middle[0]), float(middle[1]), 7)


def _spring(a: np.ndarray, u: np.ndarray, v: np.ndarray, long: float) -> str:
    turns = min(_TURNS[1], max(_TURNS[0], round(long / 22)))
    start, step = _ENDS * long, (1 - 2 * _ENDS) * long / (2 * turns)
    wide = min(_WIDE, 0.2 * long)
    points = [a, a + start * u]
    points += [
        a + (start + (k + 0.5) * step) * u + (wide if k % 2 else -wide) * v
        for k in range(2 * turns)
    ]
    points += [a + (long - start) * u, a + long * u]
    return svg.polyline([(float(x), float(y)) for x, y in points], f'{_GREY} stroke-width="1.3"')


def _damper(a: np.ndarray, u: np.ndarray, v: np.ndarray, long: float) -> str:
    wide = min(_WIDE, 0.2 * long)
    mid, half = long / 2, min(9.0, 0.25 * long)

    def at(along: float, across: float) -> tuple[float, float]:
        x, y = a + along * u + across * v
        return float(x), float(y)

    cup = [at(mid + half, wide), at(mid - half, wide), at(mid - half, -wide), at(mid + half, -wide)]
    data = (
        f"M{svg.points([at(0, 0), at(mid - half, 0)])}M{svg.points(cup)}"
        f"M{svg.points([at(mid, 0.7 * wide), at(mid, -0.7 * wide)])}"
        f"M{svg.points([at(mid, 0), at(long, 0)])}"
    )
    return svg.path(data, f'{_GREY} stroke-width="1.3"')


def draw_track(canvas: Canvas, track: Track, shades: Mapping[str, tuple[str, str]]) -> None:
    """Draw the curve of a joint; a closed curve is the edge of the body that carries it."""
    view = canvas.view
    points = [view.at(p) for p in track.points]
    light, dark = shades.get(track.on or "", ("none", svg.DARK))
    closed = np.hypot(points[0][0] - points[-1][0], points[0][1] - points[-1][1]) < 1
    depth = float(np.mean([view.depth(p) for p in track.points]))
    if closed and track.on is not None:
        style = f'fill="{light}" stroke="{dark}" stroke-width="1.5"'
        canvas.add(Layer.RAIL, depth, svg.polyline(points[:-1], style, closed=True))
    else:
        style = f'fill="none" stroke="{dark}" stroke-width="1.2" stroke-dasharray="5 4"'
        canvas.add(Layer.RAIL, depth, svg.polyline(points, style, closed=bool(closed)))
    canvas.stroke(*points)


def draw_mark(canvas: Canvas, mark: Mark, *, labelled: bool) -> None:
    """Draw a named point, or the axes of a named frame."""
    view = canvas.view
    x, y = view.at(mark.p)
    depth = view.depth(mark.p)
    text = ""
    if mark.R is None:
        if not any(np.hypot(x - px, y - py) < _NEAR for px, py in canvas.pins):
            text = svg.circle(x, y, 2.3, f'fill="{svg.INK}"')
    else:
        for k in range(3):
            dx, dy = (19 * c / view.scale for c in view.vector(mark.R[:, k]))
            text += arrow((x, y), (x + dx, y + dy), svg.DARK, 1.0, 4.5)
            canvas.stroke((x, y), (x + dx, y + dy))
    canvas.add(Layer.MEASURE, depth, text)
    canvas.take(x, y, 3)
    if labelled:
        canvas.wishes.append(
            Wish(body_label(mark.name), ((x, y),), 5.0, svg.DARK, size=11.0, first=3)
        )
