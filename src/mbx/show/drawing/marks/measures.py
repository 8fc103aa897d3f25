"""Coordinates on paper: an arc with an arrow for an angle, a dimension for a distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.canvas import Layer, Wish
from mbx.show.drawing.marks.ground_marks import arrow, tip
from mbx.show.drawing.marks.joint_marks import SHORTENED, slides
from mbx.show.drawing.scene import unit

if TYPE_CHECKING:
    from mbx.show.drawing.marks.canvas import Canvas
    from mbx.show.drawing.marks.label_text import Label
    from mbx.show.drawing.scene import Array, Joint, Measure, Scene

__all__ = ["draw_measures", "rotate"]

_COLOUR: Final = "#444444"
_THIN: Final = f'fill="none" stroke="{_COLOUR}"'
_SMALL: Final = 0.12
"""An angle that is too small for an arc: its sense is shown alone."""
_TINY: Final = 1e-9
_ARROW: Final = 30.0
"""Length of the arrow of a coordinate that is near zero, in pixels."""
_SHORT: Final = 16.0
"""A distance that is too short for a dimension, in pixels: likewise."""


def rotate(v: Array, axis: Array, angle: float) -> Array:
    """Return a vector turned about an axis (Rodrigues)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(v * c + np.cross(axis, v) * s + axis * float(axis @ v) * (1 - c))


def draw_measures(canvas: Canvas, joint: Joint, scene: Scene) -> None:
    """Draw the coordinates of a joint where they can be read."""
    axis = joint.turns if joint.kind == "general" else joint.axis
    if "angle" in joint.measures and axis is not None:
        _angle(canvas, joint, axis, joint.measures["angle"], scene)
    along = slides(joint)
    if "distance" in joint.measures and along is not None:
        _distance(canvas, joint, along, joint.measures["distance"].label)
    if joint.kind == "planar" and axis is not None:
        _plane(canvas, joint, axis)


def _angle(canvas: Canvas, joint: Joint, axis: Array, measure: Measure, scene: Scene) -> None:
    view = canvas.view
    pivot = joint.q
    along = joint.M[:, 0] if joint.closes else _main(joint, axis, scene)
    if along is None:
        return
    x, y = view.at(pivot)
    if abs(float(axis @ view.toward)) < _SMALL:  # seen edge on
        return
    long = float(np.hypot(*view.vector(along)))
    taken = sum(np.hypot(x - px, y - py) < 1 for px, py in canvas.arcs)
    value = float(np.fmod(measure.value, 2 * np.pi))
    small = abs(value) < _SMALL
    radius = min(30.0, max(17.0, 0.4 * long)) + 11 * taken
    if not small:  # an arc that is long enough for its arrow
        radius = max(radius, min(14.0 / abs(value), 0.7 * long, 48.0))
    if joint.kind == "planar":  # beyond the arrows of its other coordinates
        radius = max(radius, _ARROW + 12)
    canvas.arcs.append((x, y))
    end = unit(along)
    start, sweep = (rotate(end, axis, -0.45), 0.9) if small else (rotate(end, axis, -value), value)
    count = max(6, int(abs(sweep) / 0.17))
    r = radius / view.scale
    arc = [view.at(pivot + r * rotate(start, axis, sweep * k / count)) for k in range(count + 1)]
    mark = ""
    if not small:
        reach = view.at(pivot + (r + 9 / view.scale) * start)
        mark += svg.polyline(
            [(x, y), reach], f'{_THIN} stroke-width="0.8" stroke-dasharray="4 2.5"'
        )
        canvas.stroke((x, y), reach)
    mark += svg.polyline(arc, f'{_THIN} stroke-width="1"')
    way = np.array(arc[-1]) - np.array(arc[-2])
    size = float(np.linalg.norm(way)) or 1.0
    mark += tip(arc[-1], (float(way[0]) / size, float(way[1]) / size), _COLOUR, 5.0)
    canvas.add(Layer.MEASURE, 0.0, mark)
    canvas.stroke(*arc)
    middle = arc[count // 2]
    out = (middle[0] - x, middle[1] - y)
    _wish(canvas, measure.label, middle, out)


def _main(joint: Joint, axis: Array, scene: Scene) -> Array | None:
    """Return the way from a joint to the farthest point of its body, across the axis."""
    body = scene.bodies.get(joint.second or "")
    if body is None:
        return None
    offsets = [p - joint.q for p in (*body.points, body.com)]
    for solid in body.shapes:
        if len(solid.points):
            offsets += [p - joint.q for p in solid.points]
    flat = [v - axis * float(axis @ v) for v in offsets]
    best = max(flat, key=lambda v: round(float(np.linalg.norm(v)), 9))
    if np.linalg.norm(best) > _TINY:
        return best
    if body.R is None:
        return None
    across = body.R[:, int(np.argmin(np.round(np.abs(axis @ body.R), 6)))]
    return np.asarray(across)


def _wish(
    canvas: Canvas, label: Label, position: tuple[float, float], out: tuple[float, float]
) -> None:
    canvas.wishes.append(
        Wish(label, (position,), 3.0, _COLOUR, size=12.5, italic=True, towards=out, first=1)
    )


def _distance(canvas: Canvas, joint: Joint, n: Array, label: Label) -> None:
    """Draw the distance of a slider from its first side, next to the guide."""
    view = canvas.view
    a, b = np.array(view.at(joint.p)), np.array(view.at(joint.q))
    u = np.array(view.vector(n / view.scale))
    size = float(np.linalg.norm(u))
    if size < SHORTENED:
        return
    u = u / size
    up = np.array([u[1], -u[0]]) if u[0] >= 0 else np.array([-u[1], u[0]])
    gap = 19.0
    first, last = a + gap * up, b + gap * up
    if np.linalg.norm(last - first) < _SHORT:
        ends = (_pair(last), _pair(last + 26 * u))
        canvas.add(Layer.MEASURE, 0.0, arrow(*ends, _COLOUR, 1.1, 5.5))
        canvas.stroke(*ends)
        _wish(canvas, label, _pair(last + 13 * u), _pair(up))
        return
    ticks = f"M{svg.points([_pair(a + 4 * up), _pair(a + (gap + 4) * up)])}"
    ticks += f"M{svg.points([_pair(b + 11 * up), _pair(b + (gap + 4) * up)])}"
    mark = svg.path(ticks, f'{_THIN} stroke-width="0.7"')
    mark += arrow(_pair(first), _pair(last), _COLOUR, 1.0, 5.5)
    canvas.add(Layer.MEASURE, 0.0, mark)
    canvas.stroke(_pair(first), _pair(last))
    _wish(canvas, label, _pair((first + last) / 2), _pair(up))


def _pair(v: Array) -> tuple[float, float]:
    return float(v[0]), float(v[1])


def _plane(canvas: Canvas, joint: Joint, axis: Array) -> None:
    """Draw the two coordinates of a body in its plane, along its two axes."""
    view = canvas.view
    k = int(np.argmax(np.round(np.abs(axis @ joint.F), 6)))
    e1, e2 = joint.F[:, (k + 1) % 3], joint.F[:, (k + 2) % 3]
    corner = joint.p + e1 * float(e1 @ (joint.q - joint.p))
    ways = (("x", joint.p, corner, e1), ("y", corner, joint.q, e2))
    for name, start, end, e in ways:
        if name not in joint.measures:
            continue
        a, b = view.at(start), view.at(end)
        mark = ""
        if np.hypot(b[0] - a[0], b[1] - a[1]) < _SHORT:
            u = np.array(view.vector(e / view.scale)) * _ARROW
            a, b = view.at(joint.q), _pair(np.array(view.at(joint.q)) + u)
            mark = arrow(a, b, _COLOUR, 1.1, 5.5)
            middle = b
        else:
            middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
            mark = svg.polyline([a, b], f'{_THIN} stroke-width="0.9" stroke-dasharray="4 2.5"')
            size = float(np.hypot(b[0] - a[0], b[1] - a[1]))
            mark += tip(b, ((b[0] - a[0]) / size, (b[1] - a[1]) / size), _COLOUR, 5.5)
        canvas.add(Layer.MEASURE, 0.0, mark)
        canvas.stroke(a, b)
        _wish(canvas, joint.measures[name].label, middle, (b[1] - a[1], a[0] - b[0]))
