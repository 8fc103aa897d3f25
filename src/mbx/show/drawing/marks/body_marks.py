"""Bodies on paper: bars, plates, discs, boxes, ellipsoids, particles, mass centres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.canvas import Layer, Wish
from mbx.show.drawing.marks.label_text import body_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.show.drawing.marks.canvas import Canvas
    from mbx.show.drawing.scene import Array, Body
    from mbx.show.drawing.solids import Solid

__all__ = ["colours", "cuboid", "draw_mass", "draw_solid", "hull", "label_body", "principal_axes"]

_QUARTERS: Final = ((0, -1, 1, 0), (0, 1, -1, 0))
_THIN: Final = 4.0
"""Width of a bar that is too thin for an edge."""
_EDGE_ON: Final = 0.5
"""Half width of a section that is seen edge on, in pixels."""
_FACING: Final = 0.02
_CORNERS: Final = 3
_SPOTS: Final = (0.5, 0.35, 0.65, 0.2, 0.8)
"""Where along a bar its name may be."""
_AROUND: Final = np.linspace(0, 2 * np.pi, 16, endpoint=False)
"""Where around a disc."""


def colours(k: int, faded: float = 0.0) -> tuple[str, str]:
    """Return the light and the dark colour of a body, lighter where it is far."""
    base = svg.PALETTE[k % len(svg.PALETTE)]
    light, dark = svg.mix(base, "#ffffff", 0.62), svg.mix(base, "#000000", 0.25)
    return svg.mix(light, "#ffffff", 0.3 * faded), svg.mix(dark, "#ffffff", 0.3 * faded)


def principal_axes(u: tuple[float, float], v: tuple[float, float]) -> tuple[float, float, float]:
    """Return the half axes and the angle in degrees of an ellipse with two conjugate radii."""
    U, s, _ = np.linalg.svd(np.array([u, v]).T)
    angle = np.degrees(np.arctan2(U[1, 0], U[0, 0]))
    return float(s[0]), float(s[1]), float(angle) % 180.0


def hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the convex hull of points on paper, in order (Andrew's monotone chain)."""
    distinct = sorted({(round(x, 3), round(y, 3)) for x, y in points})
    if len(distinct) < _CORNERS:
        return distinct

    def half(ordered: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(distinct) + half(distinct[::-1])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def draw_solid(
    canvas: Canvas,
    solid: Solid,
    pair: tuple[str, str],
    layer: Layer,
    depth: float | None = None,
) -> None:
    """Draw a shape in a light and a dark colour, at its own depth unless `depth` is given."""
    view = canvas.view
    depth = view.depth(solid.centre) if depth is None else depth
    match solid.kind:
        case "bar":
            _draw_rounded(canvas, [view.at(p) for p in solid.points], pair, layer, depth)
        case "line" | "curve":
            points = [view.at(p) for p in solid.points]
            style = f'fill="none" stroke="{pair[1]}" stroke-width="2" stroke-linejoin="round"'
            canvas.add(layer, depth, svg.polyline(points, style))
            canvas.stroke(*points)
        case "plate":
            points = hull([view.at(p) for p in solid.points])
            _draw_rounded(canvas, points, pair, layer, depth)
        case "face":
            corners = hull([view.at(p) for p in solid.points])
            edge = f'stroke="{pair[1]}" stroke-width="1.2" stroke-linejoin="round"'
            canvas.add(layer, depth, svg.polyline(corners, f'fill="{pair[0]}" {edge}', closed=True))
            canvas.stroke(*corners, corners[0])
        case "box":
            cuboid(canvas, solid.centre, solid.R, solid.size, pair, layer)
        case "disc" | "ring":
            _disc(canvas, solid, pair, layer, depth)
        case "cylinder":
            _cylinder(canvas, solid, pair, layer, depth)
        case "cone":
            _cone(canvas, solid, pair, layer, depth)
        case "ball" | "ellipsoid":
            _ellipsoid(canvas, solid, pair, layer, depth)


def _draw_rounded(
    canvas: Canvas,
    points: Sequence[tuple[float, float]],
    pair: tuple[str, str],
    layer: Layer,
    depth: float,
) -> None:
    """Draw a bar, or a plate with round corners."""
    light, dark = pair
    wide = canvas.thick
    closed = len(points) >= _CORNERS
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    mark = ""
    edged = wide > _THIN
    for colour, extra in ((dark, 2.0), (light, 0.0)) if edged else ((dark, 0.0),):
        fill = colour if closed else "none"
        style = f'fill="{fill}" stroke="{colour}" stroke-width="{svg.number(wide + extra)}" {ends}'
        mark += svg.polyline(points, style, closed=closed)
    canvas.add(layer, depth, mark)
    canvas.stroke(*points, *(points[:1] if closed else ()), wide=wide + 2)
    if closed:  # names of other bodies are not written into a plate
        middle = np.mean(points, axis=0)
        for x, y in points:
            canvas.stroke((float(middle[0]), float(middle[1])), (x, y), wide=wide + 2)


def _disc(canvas: Canvas, solid: Solid, pair: tuple[str, str], layer: Layer, depth: float) -> None:
    view = canvas.view
    light, dark = pair
    x, y = view.at(solid.centre)
    u, v = (view.vector(solid.R[:, k] * solid.size[k]) for k in (0, 1))
    a, b, angle = principal_axes(u, v)
    fill = f'fill="{light}" fill-opacity="0.7"' if solid.kind == "disc" else 'fill="none"'
    of_body = layer is not Layer.GROUND
    wide = 3.5 if solid.kind == "ring" and of_body else 1.5
    style = f'{fill} stroke="{dark}" stroke-width="{wide}"'
    thin = f'stroke="{dark}" stroke-width="1"'
    mark = svg.ellipse(x, y, (a, b), angle, style)
    if solid.kind == "disc" and of_body:  # a diameter with a mark at an end shows the rotation
        mark += svg.path(
            f"M{svg.number(x - u[0])} {svg.number(y - u[1])}L{svg.points([(x + u[0], y + u[1])])}",
            thin,
        )
    if of_body:
        part = 0.84 if solid.kind == "disc" else 1.0
        mark += svg.circle(x + part * u[0], y + part * u[1], wide + 1, f'fill="{dark}"')
    canvas.add(layer, depth, mark)
    _outline(canvas, x, y, u, v)


def _outline(
    canvas: Canvas, x: float, y: float, u: tuple[float, float], v: tuple[float, float]
) -> None:
    steps = np.linspace(0, 2 * np.pi, 25)
    canvas.stroke(
        *(
            (
                float(x + np.cos(t) * u[0] + np.sin(t) * v[0]),
                float(y + np.cos(t) * u[1] + np.sin(t) * v[1]),
            )
            for t in steps
        )
    )


def _ellipsoid(
    canvas: Canvas, solid: Solid, pair: tuple[str, str], layer: Layer, depth: float
) -> None:
    """Draw the silhouette, and the sections along the axes, which show the turn."""
    view = canvas.view
    light, dark = pair
    x, y = view.at(solid.centre)
    radii = np.array([view.vector(solid.R[:, k] * solid.size[k]) for k in range(3)])
    values, vectors = np.linalg.eigh(radii.T @ radii)
    a, b = float(np.sqrt(max(values[1], 0))), float(np.sqrt(max(values[0], 0)))
    angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))) % 180.0
    style = f'fill="{light}" fill-opacity="0.75" stroke="{dark}" stroke-width="1.5"'
    mark = svg.ellipse(x, y, (a, b), angle, style)
    thin = f'fill="none" stroke="{dark}" stroke-width="0.7" stroke-opacity="0.7"'
    for i, j in ((0, 1), (1, 2), (0, 2)):
        p, q, turned = principal_axes(tuple(radii[i]), tuple(radii[j]))
        if q > _EDGE_ON:
            mark += svg.ellipse(x, y, (p, q), turned, thin)
    canvas.add(layer, depth, mark)
    _outline(canvas, x, y, tuple(radii[0]), tuple(radii[1]))


def _cylinder(
    canvas: Canvas, solid: Solid, pair: tuple[str, str], layer: Layer, depth: float
) -> None:
    view = canvas.view
    light, dark = pair
    axis = solid.R[:, 2] * (1 if view.depth(solid.R[:, 2]) >= 0 else -1)
    ends = [solid.centre + s * axis * solid.size[2] for s in (-1, 1)]
    u, v = (view.vector(solid.R[:, k] * solid.size[k]) for k in (0, 1))
    a, b, angle = principal_axes(u, v)
    far, near = (view.at(p) for p in ends)
    style = f'fill="{light}" stroke="{dark}" stroke-width="1.3"'
    mark = svg.ellipse(*far, (a, b), angle, style)
    c, s = np.cos(np.radians(angle)) * a, np.sin(np.radians(angle)) * a
    sides = [(far[0] + c, far[1] + s), (near[0] + c, near[1] + s)]
    sides += [(near[0] - c, near[1] - s), (far[0] - c, far[1] - s)]
    mark += svg.polyline(sides, f'fill="{light}"', closed=True)
    mark += svg.path(
        f"M{svg.points(sides[:2])}M{svg.points(sides[2:])}", f'stroke="{dark}" stroke-width="1.3"'
    )
    mark += svg.ellipse(*near, (a, b), angle, style)
    canvas.add(layer, depth, mark)
    canvas.stroke(*sides)


def _cone(canvas: Canvas, solid: Solid, pair: tuple[str, str], layer: Layer, depth: float) -> None:
    """Draw the silhouette of a cone, and its base."""
    view = canvas.view
    light, dark = pair
    x, y = view.at(solid.centre)
    u, v = (view.vector(solid.R[:, k] * solid.size[k]) for k in (0, 1))
    rim = [
        (
            float(x + np.cos(t) * u[0] + np.sin(t) * v[0]),
            float(y + np.cos(t) * u[1] + np.sin(t) * v[1]),
        )
        for t in np.linspace(0, 2 * np.pi, 48, endpoint=False)
    ]
    apex = view.at(solid.centre - solid.R[:, 2] * solid.size[2])
    edge = f'stroke="{dark}" stroke-width="1.5" stroke-linejoin="round"'
    sides = hull([apex, *rim])
    mark = svg.polyline(sides, f'fill="{light}" {edge}', closed=True)
    a, b, angle = principal_axes(u, v)
    mark += svg.ellipse(x, y, (a, b), angle, f'fill="none" stroke="{dark}" stroke-width="1"')
    mark += svg.circle(x + 0.84 * u[0], y + 0.84 * u[1], 2.4, f'fill="{dark}"')
    canvas.add(layer, depth, mark)
    canvas.stroke(*sides, sides[0])


def cuboid(
    canvas: Canvas,
    centre: Array,
    R: Array,
    half: Array,
    pair: tuple[str, str],
    layer: Layer,
) -> None:
    """Draw the faces of a box that look towards the eye."""
    view = canvas.view
    light, dark = pair
    mark = ""
    for k in range(3):
        n = R[:, k] * (1 if view.depth(R[:, k]) >= 0 else -1)
        facing = view.depth(n)
        if facing < _FACING:
            continue
        u, v = R[:, (k + 1) % 3] * half[(k + 1) % 3], R[:, (k + 2) % 3] * half[(k + 2) % 3]
        middle = centre + n * half[k]
        corners = [view.at(middle + s * u + t * v) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        fill = svg.mix(light, dark, 0.35 * (1 - facing))
        style = f'fill="{fill}" stroke="{dark}" stroke-width="1.3" stroke-linejoin="round"'
        mark += svg.polyline(corners, style, closed=True)
        canvas.stroke(*corners, corners[0])
    canvas.add(layer, view.depth(centre), mark)


def draw_mass(canvas: Canvas, body: Body, dark: str) -> None:
    """Draw the mass centre: a circle in four quarters, unless a joint is there."""
    x, y = canvas.view.at(body.com)
    r = min(4.6, max(3.2 if canvas.thick > 1.5 * _THIN else 1.6, 0.42 * canvas.thick))
    if any(np.hypot(x - px, y - py) < r + 5 for px, py in canvas.pins):
        return
    mark = svg.circle(x, y, r, f'fill="#fff" stroke="{dark}" stroke-width="0.9"')
    data = ""
    for ax, ay, bx, by in _QUARTERS:
        sx, sy = svg.number(r * (bx - ax)), svg.number(r * (by - ay))
        data += f"M{svg.number(x)} {svg.number(y)}l{svg.number(r * ax)} {svg.number(r * ay)}"
        data += f"a{svg.number(r)} {svg.number(r)} 0 0 1 {sx} {sy}z"
    mark += svg.path(data, f'fill="{dark}"')
    depth = canvas.over(canvas.view.depth(body.com), body.path)
    canvas.add(Layer.MASS, depth, mark)
    canvas.take(x, y, r + 1)


def label_body(canvas: Canvas, body: Body, solids: Sequence[Solid], dark: str) -> None:
    """Request a label with the name of a body, near the middle of its shape."""
    view = canvas.view
    gap = 0.5 * canvas.thick + 3
    positions = [view.at(body.com)]
    if solids:
        solid = solids[0] if solids[0].kind in {"bar", "plate"} else solids[-1]
        if solid.kind in {"bar", "line"}:
            a, b = solid.points[0], solid.points[-1]
            positions = [view.at(a + part * (b - a)) for part in _SPOTS]
        elif len(solid.points):
            positions = [view.at(solid.points.mean(axis=0)), *(view.at(p) for p in solid.points)]
        else:
            ways = [np.cos(t) * view.up + np.sin(t) * view.right for t in _AROUND]
            positions = [view.at(p) for p in solid.extent(*ways)[1::2]]
            gap = 4.0
    canvas.wishes.append(Wish(body_label(body.path), tuple(positions), gap, dark))
