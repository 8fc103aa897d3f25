"""The ground: hatched marks where joints stand on it, world axes, gravity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.canvas import Layer

if TYPE_CHECKING:
    from mbx.show.drawing.marks.canvas import Canvas
    from mbx.show.drawing.scene import Array

__all__ = ["arrow", "axes", "gravity", "hatch", "support", "tip", "wall"]

_ABOVE: Final = 0.3
"""How far down a body must hang, as a part of its length, for its support to be above it."""
_SEEN: Final = 0.5
"""Length of an arrow that can be seen, in pixels."""
_GREY: Final = f'stroke="{svg.DARK}"'


def hatch(
    canvas: Canvas,
    a: tuple[float, float],
    b: tuple[float, float],
    out: tuple[float, float],
    depth: float,
) -> None:
    """Draw a line of the ground with hatches on the side `out`."""
    long = float(np.hypot(b[0] - a[0], b[1] - a[1]))
    count = max(3, round(long / 5.5))
    along = ((b[0] - a[0]) / count, (b[1] - a[1]) / count)
    data = f"M{svg.points([a, b])}"
    thin = ""
    for k in range(count):
        x, y = a[0] + along[0] * (k + 1), a[1] + along[1] * (k + 1)
        dx, dy = -along[0] * 0.9 + out[0] * 5, -along[1] * 0.9 + out[1] * 5
        thin += f"M{svg.number(x)} {svg.number(y)}l{svg.number(dx)} {svg.number(dy)}"
    mark = svg.path(data, f'{_GREY} stroke-width="1.6" stroke-linecap="round"')
    mark += svg.path(thin, f'{_GREY} stroke-width="0.8"')
    canvas.add(_layer(canvas), depth, mark)
    canvas.stroke(a, b)
    for k in range(count + 1):
        canvas.take(a[0] + along[0] * k + 3 * out[0], a[1] + along[1] * k + 3 * out[1], 4)


def _layer(canvas: Canvas) -> Layer:
    """Return where the ground is drawn: in a plane it must not vanish behind discs."""
    return Layer.LINE if canvas.view.flat else Layer.GROUND


def wall(canvas: Canvas, p: Array, away: tuple[float, float]) -> None:
    """Draw the ground across a line that ends on it."""
    x, y = canvas.view.at(p)
    size = float(np.hypot(*away)) or 1.0
    ux, uy = away[0] / size, away[1] / size
    a, b = (x + 12 * uy, y - 12 * ux), (x - 12 * uy, y + 12 * ux)
    hatch(canvas, a, b, (-ux, -uy), canvas.view.depth(p))


def support(canvas: Canvas, p: Array, away: tuple[float, float]) -> None:
    """Draw the stand of a joint on the ground, on the side that the body is not on."""
    x, y = canvas.view.at(p)
    size = float(np.hypot(*away)) or 1.0
    way = (0.0, -1.0) if round(away[1] / size, 3) > _ABOVE else (0.0, 1.0)
    if canvas.stands is not None:
        way = canvas.stands.setdefault((round(x), round(y)), way)
    h = min(13.0, max(7.0, 1.2 * canvas.thick))
    across = (-way[1], way[0])
    left = (x + way[0] * h - across[0] * 0.7 * h, y + way[1] * h - across[1] * 0.7 * h)
    right = (x + way[0] * h + across[0] * 0.7 * h, y + way[1] * h + across[1] * 0.7 * h)
    stand = svg.polyline(
        [(x, y), left, right],
        f'fill="#f2f2f2" {_GREY} stroke-width="1.2" stroke-linejoin="round"',
        closed=True,
    )
    canvas.add(_layer(canvas), canvas.view.depth(p), stand)
    a = (left[0] - across[0] * 0.45 * h, left[1] - across[1] * 0.45 * h)
    b = (right[0] + across[0] * 0.45 * h, right[1] + across[1] * 0.45 * h)
    hatch(canvas, a, b, way, canvas.view.depth(p))
    canvas.take(x + way[0] * h / 2, y + way[1] * h / 2, 0.6 * h)


def arrow(
    a: tuple[float, float],
    b: tuple[float, float],
    colour: str,
    wide: float = 1.2,
    head: float = 6.0,
) -> str:
    """Return an arrow between two points."""
    long = float(np.hypot(b[0] - a[0], b[1] - a[1]))
    if long < _SEEN:
        return ""
    ux, uy = (b[0] - a[0]) / long, (b[1] - a[1]) / long
    neck = (b[0] - 0.8 * head * ux, b[1] - 0.8 * head * uy)
    mark = svg.path(f"M{svg.points([a, neck])}", f'stroke="{colour}" stroke-width="{wide}"')
    return mark + tip(b, (ux, uy), colour, head)


def tip(b: tuple[float, float], way: tuple[float, float], colour: str, head: float) -> str:
    """Return the head of an arrow at a point."""
    ux, uy = way
    wings = [
        (b[0] - head * ux - s * 0.38 * head * uy, b[1] - head * uy + s * 0.38 * head * ux)
        for s in (1, -1)
    ]
    return svg.polyline([b, *wings], f'fill="{colour}"', closed=True)


def axes(canvas: Canvas, x: float, y: float) -> None:
    """Draw the axes of ground in a corner."""
    mark = ""
    long = 26.0
    view = canvas.view
    order = sorted(range(3), key=lambda k: round(float(view.toward[k]), 6))
    for k in order:
        dx, dy = float(view.right[k]) * long, -float(view.up[k]) * long
        if np.hypot(dx, dy) < 0.1 * long:  # towards the eye, or away
            mark += svg.circle(x, y, 3.2, f'fill="#fff" {_GREY} stroke-width="1"')
            if view.toward[k] > 0:
                mark += svg.circle(x, y, 1.2, f'fill="{svg.DARK}"')
            else:
                mark += svg.path(
                    f"M{svg.number(x - 2)} {svg.number(y - 2)}l4 4m0-4l-4 4", f"{_GREY}"
                )
            lx, ly = x - 9, y + 9
        else:
            mark += arrow((x, y), (x + dx, y + dy), svg.DARK)
            size = float(np.hypot(dx, dy))
            lx, ly = x + dx * (1 + 7 / size), y + dy * (1 + 7 / size)
        mark += svg.text(
            (("xyz"[k], False),), lx, ly + 3.5, 11, svg.DARK, italic=True, anchor="middle"
        )
    canvas.add(Layer.MEASURE, 0.0, mark)


def gravity(canvas: Canvas, g: Array, x: float, y: float) -> None:
    """Draw the direction of gravity at a point."""
    v = canvas.view
    way = np.array([float(v.right @ g), -float(v.up @ g)])
    size = float(np.linalg.norm(way))
    if size < 0.1 * float(np.linalg.norm(g)):  # along the line of sight
        mark = svg.circle(x, y + 8, 5, f'fill="#fff" {_GREY} stroke-width="1.2"')
        if float(v.toward @ g) < 0:
            at = f"M{svg.number(x - 3)} {svg.number(y + 5)}"
            mark += svg.path(f"{at}l6 6m0-6l-6 6", f'{_GREY} stroke-width="1.2"')
        else:
            mark += svg.circle(x, y + 8, 1.6, f'fill="{svg.DARK}"')
    else:
        way = way / size * 30
        mid = (x, y + 13)
        a = (mid[0] - way[0] / 2, mid[1] - way[1] / 2)
        mark = arrow(a, (a[0] + way[0], a[1] + way[1]), svg.DARK, 1.6, 7)
    position = (x + 9, y + 17) if size == 0 or abs(way[0]) < abs(way[1]) else (x - 3, y + 5)
    mark += svg.text((("g", False),), *position, 12, svg.DARK, italic=True)
    canvas.add(Layer.MEASURE, 0.0, mark)
