"""Joints on paper: a symbol for each kind, and the ground where they stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.language.joints import JOINTS
from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.body_marks import cuboid, draw_solid
from mbx.show.drawing.marks.canvas import Layer
from mbx.show.drawing.marks.ground_marks import hatch, support
from mbx.show.drawing.scene import unit
from mbx.show.drawing.solids import Solid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.show.drawing.marks.canvas import Canvas
    from mbx.show.drawing.scene import Array, Joint, Scene

__all__ = ["SHORTENED", "SYMBOLS", "across", "draw_joint", "draw_pin", "slides"]

_INK: Final = f'stroke="{svg.INK}"'
_WHITE: Final = ("#ffffff", svg.INK)
_STEEL: Final = ("#e8e8e8", svg.INK)
_END_ON: Final = 0.97
"""Cosine between an axis and the line of sight above which it is seen end on."""
_END: Final = 0.1
"""Likewise, the sine."""
SHORTENED: Final = 0.2
"""Visible part of its length below which a guide is too steep to be drawn."""
_SAME: Final = 1e-9
_THIN: Final = 6.0
Pair = tuple[str, str]


def slides(joint: Joint) -> Array | None:
    """Return the direction in which a joint lets its second side slide, if there is one."""
    if JOINTS[joint.kind].slides:
        return joint.axis
    return joint.along


def draw_joint(canvas: Canvas, joint: Joint, scene: Scene, shades: Mapping[str, Pair]) -> None:
    """Draw a joint, and the ground at it."""
    along = slides(joint)
    if along is not None:
        _slider(canvas, joint, along, shades)
    elif _stands(joint):
        p = joint.p if joint.first is None else joint.q
        body = joint.second if joint.first is None else joint.first
        if body in scene.bodies:
            support(canvas, p, _middle(canvas, scene, body, p))
    symbol = SYMBOLS.get(joint.kind)
    if symbol is not None:
        symbol(canvas, joint, _radius(canvas))
    if joint.closes and along is None:
        x, y = canvas.view.at(joint.q)
        ring = svg.circle(x, y, _radius(canvas) + 3.2, f'fill="none" {_INK} stroke-width="0.9"')
        canvas.add(Layer.MASS, _depth(canvas, joint), ring)


def _stands(joint: Joint) -> bool:
    shares_point = JOINTS[joint.kind].shares_point
    turns = joint.kind == "general" and joint.turns is not None and _same(joint)
    return (shares_point or turns) and (joint.first is None) != (joint.second is None)


def _same(joint: Joint) -> bool:
    return float(np.linalg.norm(joint.p - joint.q)) < _SAME


def _depth(canvas: Canvas, joint: Joint) -> float:
    """Return the depth of a symbol: it lies on both bodies that it joins."""
    return canvas.over(canvas.view.depth(joint.q), joint.first, joint.second)


def _radius(canvas: Canvas) -> float:
    return min(5.0, max(3.4 if canvas.thick > _THIN else 1.6, 0.45 * canvas.thick))


def _middle(canvas: Canvas, scene: Scene, path: str, p: Array) -> tuple[float, float]:
    """Return the way from a joint to the middle of its body, on paper."""
    body = scene.bodies[path]
    points = [*body.points, body.com]
    return canvas.view.vector(np.mean(points, axis=0) - p)


def across(n: Array, toward: Array) -> Array:
    """Return axes: the first is `n`, the last points as near to the eye as possible."""
    last = toward - n * float(n @ toward)
    if np.linalg.norm(last) < _END:
        last = np.roll(n, 1) - n * float(n @ np.roll(n, 1))
    last = unit(last)
    return np.column_stack([n, np.cross(last, n), last])


def draw_pin(canvas: Canvas, p: Array, scene: Scene, *, stands: bool) -> None:
    """Draw a pin that is no joint of the model, on the ground or between bodies."""
    x, y = canvas.view.at(p)
    if stands:
        near = [b for b in scene.bodies.values() if any(np.allclose(p, q) for q in b.points)]
        points = [q for b in near for q in b.points] or [b.com for b in scene.bodies.values()]
        way = canvas.view.vector(np.mean(points, axis=0) - p) if points else (0.0, -1.0)
        support(canvas, p, way)
    r = _radius(canvas)
    mark = svg.circle(x, y, r, f'fill="#fff" {_INK} stroke-width="1.4"')
    front = max((canvas.view.depth(p), *canvas.depths.values()))
    canvas.add(Layer.JOINT, front, mark)
    canvas.pins.append((x, y))
    canvas.take(x, y, r + 2)


# -- symbols ---------------------------------------------------------------------------------


def _pin(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw a circle, or a cylinder where the axis is not along the line of sight."""
    axis = joint.turns if joint.kind == "general" else joint.axis
    if axis is None:
        return
    view = canvas.view
    x, y = view.at(joint.q)
    depth = _depth(canvas, joint)
    canvas.pins.append((x, y))
    canvas.take(x, y, r + 2)
    if abs(float(axis @ view.toward)) > _END_ON:
        canvas.add(
            Layer.JOINT, depth, svg.circle(x, y, r, f'fill="#fff" {_INK} stroke-width="1.4"')
        )
        return
    size = np.array([r, r, 1.9 * r]) / view.scale
    R = np.roll(across(axis, view.toward), -1, axis=1)
    draw_solid(canvas, Solid("cylinder", joint.q, R, size), _STEEL, Layer.JOINT, depth)


def _ball(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw a ball in its socket."""
    x, y = canvas.view.at(joint.q)
    mark = svg.circle(x, y, r, f'fill="{svg.DARK}"')
    n, R = svg.number, r + 2.2
    dx, dy = 0.82 * R, 0.57 * R  # the socket is open above
    data = f"M{n(x - dx)} {n(y - dy)}A{n(R)} {n(R)} 0 1 0 {n(x + dx)} {n(y - dy)}"
    mark += svg.path(data, f'fill="none" {_INK} stroke-width="1.3"')
    canvas.pins.append((x, y))
    canvas.take(x, y, r + 4)
    canvas.add(Layer.JOINT, _depth(canvas, joint), mark)


def _cross(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw the cross of a universal joint, along its two axes."""
    view = canvas.view
    x, y = view.at(joint.q)
    mark = svg.circle(x, y, r + 2.5, f'fill="#fff" {_INK} stroke-width="1.1"')
    for axis in (joint.axis, joint.axis2):
        if axis is None:
            continue
        dx, dy = (c / view.scale * (r + 4.5) for c in view.vector(axis))
        ends = [(x - dx, y - dy), (x + dx, y + dy)]
        mark += svg.polyline(ends, f'{_INK} stroke-width="1.7" stroke-linecap="round"')
    canvas.pins.append((x, y))
    canvas.take(x, y, r + 5)
    canvas.add(Layer.JOINT, _depth(canvas, joint), mark)


def _weld(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw a joint that does not move: a filled square."""
    x, y = canvas.view.at(joint.q)
    n = svg.number
    mark = (
        f'<rect x="{n(x - r)}" y="{n(y - r)}" width="{n(2 * r)}" height="{n(2 * r)}" '
        f'fill="{svg.INK}"/>'
    )
    canvas.pins.append((x, y))
    canvas.take(x, y, r + 1)
    canvas.add(Layer.JOINT, _depth(canvas, joint), mark)


def _plane(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw the plane in which a body slides, where it is not the paper itself."""
    if joint.axis is None or abs(float(joint.axis @ canvas.view.toward)) > _END_ON:
        return
    R = across(joint.axis, canvas.view.toward)
    size = np.array([0.0, 4 * r, 4 * r]) / canvas.view.scale
    cuboid(canvas, joint.q, R, size, ("#f2f2f2", svg.DARK), Layer.GROUND)


def _general(canvas: Canvas, joint: Joint, r: float) -> None:
    if joint.turns is not None and (joint.along is not None or _same(joint)):
        _pin(canvas, joint, r)


def _threads(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw the threads of a screw over its block."""
    if joint.axis is None:
        return
    view = canvas.view
    x, y = view.at(joint.q)
    ux, uy = (c / view.scale for c in view.vector(joint.axis))
    data = ""
    for k in (-1, 0, 1):
        mx, my = x + 4.5 * k * ux, y + 4.5 * k * uy
        a = (mx - r * uy - 1.5 * ux, my + r * ux - 1.5 * uy)
        b = (mx + r * uy + 1.5 * ux, my - r * ux + 1.5 * uy)
        data += f"M{svg.points([a, b])}"
    canvas.add(Layer.MASS, _depth(canvas, joint), svg.path(data, f'{_INK} stroke-width="1.2"'))


def _nothing(canvas: Canvas, joint: Joint, r: float) -> None:
    """Draw nothing: nothing holds a free body, and a slider has its block and guide."""
    del canvas, joint, r


SYMBOLS: Final[Mapping[str, Callable[[Canvas, Joint, float], None]]] = {
    "fixed": _weld,
    "revolute": _pin,
    "prismatic": _nothing,
    "screw": _threads,
    "cylindrical": _nothing,
    "universal": _cross,
    "spherical": _ball,
    "planar": _plane,
    "free": _nothing,
    "general": _general,
}
"""The symbol of each kind of joint."""


# -- sliders ---------------------------------------------------------------------------------


def _slider(canvas: Canvas, joint: Joint, n: Array, shades: Mapping[str, Pair]) -> None:
    """Draw the block of a slider, and the guide or rail that it slides on."""
    view = canvas.view
    part = min(1.0, canvas.thick / 11)
    half = np.array([13.0, 8.0, 8.0]) * part / view.scale
    R = across(n, view.toward)
    pair = shades.get(joint.second or "", _STEEL)
    moves = joint.q
    if joint.second is None:  # the ground is the second side: the body is the rail
        pair = _STEEL
    if JOINTS[joint.kind].shares_axis:
        size = np.array([half[1], half[1], half[0]])
        solid = Solid("cylinder", moves, np.roll(R, -1, axis=1), size)
        draw_solid(canvas, solid, pair, Layer.BODY)
    else:
        cuboid(canvas, moves, R, half, pair, Layer.LINE if canvas.view.flat else Layer.BODY)
    x, y = view.at(moves)
    canvas.take(x, y, 11 * part)
    dx, dy = view.vector(n / view.scale)
    if np.hypot(dx, dy) < SHORTENED:
        return
    way = float(n @ (moves - joint.p)) * view.scale
    reach = 26 * part
    back = reach if joint.first is None or abs(way) < reach else 0.0
    start, end = min(0.0, way - reach, -back), max(0.0, way + reach, back)
    if joint.first is not None:  # a rail begins where its body has it
        start, end = (start, max(0.0, end - 5)) if way < 0 else (min(0.0, start + 5), end)
    a, b = (joint.p + n * (s / view.scale) for s in (start, end))
    if joint.first is None:
        low = (-dy, dx) if dx >= 0 else (dy, -dx)  # below the block
        long = float(np.hypot(*low))
        out = (low[0] / long, low[1] / long)
        gap = 8 * part + 1
        ends = [(p[0] + out[0] * gap, p[1] + out[1] * gap) for p in (view.at(a), view.at(b))]
        hatch(canvas, ends[0], ends[1], out, view.depth(joint.p))
        return
    light, dark = shades.get(joint.first, _STEEL)
    points = [view.at(a), view.at(b)]
    mark = ""
    for colour, wide in ((dark, 6.0 * part + 1.6), (light, 6.0 * part)):
        style = f'stroke="{colour}" stroke-width="{svg.number(wide)}" stroke-linecap="round"'
        mark += svg.polyline(points, style)
    depth = 0.5 * (view.depth(a) + view.depth(b))
    canvas.add(Layer.RAIL, min(depth, canvas.depths.get(joint.first, depth)), mark)
    canvas.stroke(*points)
