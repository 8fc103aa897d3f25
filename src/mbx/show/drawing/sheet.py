"""All marks of a drawing in order, and the text that they make."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import ground_marks, paper, svg
from mbx.show.drawing.marks.body_marks import colours, draw_mass, draw_solid, label_body
from mbx.show.drawing.marks.canvas import Canvas, Layer
from mbx.show.drawing.marks.joint_marks import draw_joint, draw_pin
from mbx.show.drawing.marks.labels import place_labels
from mbx.show.drawing.marks.line_marks import draw_line, draw_mark, draw_track
from mbx.show.drawing.marks.measures import draw_measures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.show.drawing.scene import Scene
    from mbx.show.drawing.solids import Solid
    from mbx.show.drawing.view_direction import View

__all__ = ["Frame", "frame_of", "sheet"]

_MARGINS: Final = (46.0, 85.0)
"""Around a mechanism, and around a single round body."""
_LABELS: Final = 30
"""Bodies above which names and mass centres are left off."""
_MEASURES: Final = 14
_SYMBOLS: Final = 300
"""Joints above which they have no symbols."""
_FRAMES: Final = 4
_MARKS: Final = 12
_NEAR: Final = 4.0
_LONG: Final = 78
"""Characters of a note."""
_PLAIN: Final = ("#f2f2f2", svg.DARK)
_FONT: Final = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


@dataclass(frozen=True, slots=True)
class Frame:
    """The paper that drawings of a motion fill, how wide bars are on it, where stands are."""

    width: float
    height: float
    bar: float
    stands: dict[tuple[float, float], tuple[float, float]] = field(default_factory=dict)


def frame_of(scenes: Sequence[tuple[Scene, Mapping[str, Sequence[Solid]]]], seen: View) -> Frame:
    """Return the paper on which all scenes fit, and scale the view to it."""
    points = [p for scene, shapes in scenes for p in paper.extent(scene, shapes, seen)]
    scene, shapes = scenes[0]
    solids = [s for each in shapes.values() for s in each]
    lone = len(solids) == 1 and not len(solids[0].points) and not scene.shapes
    width, height = paper.fit(seen, points, _MARGINS[lone])
    return Frame(width, height, paper.thickness(seen, shapes))


def sheet(
    scene: Scene,
    shapes: Mapping[str, Sequence[Solid]],
    seen: View,
    frame: Frame | None = None,
) -> str:
    """Return the drawing of a scene as SVG; with a `frame`, without names, which would jump."""
    named = frame is None
    frame = frame_of([(scene, shapes)], seen) if frame is None else frame
    stands = None if named else frame.stands
    canvas = Canvas(seen, frame.width, frame.height, frame.bar, stands=stands)
    shades = {b: colours(k, seen.fading(o.com)) for k, (b, o) in enumerate(scene.bodies.items())}
    _bodies(canvas, scene, shapes, shades)
    _joints(canvas, scene, shades, named=named)
    between: Counter[tuple[float, ...]] = Counter()
    for line in scene.lines:
        key = (*np.round(line.a, 9), *np.round(line.b, 9))
        draw_line(canvas, line, between[key])
        between[key] += 1
    _names(canvas, scene, shapes, shades)
    return _write(canvas, scene, named=named)


def _bodies(
    canvas: Canvas,
    scene: Scene,
    shapes: Mapping[str, Sequence[Solid]],
    shades: Mapping[str, tuple[str, str]],
) -> None:
    """Draw the shapes of the surroundings and of bodies."""
    for solid in scene.shapes:
        if solid.kind in {"pin", "support"}:
            scene.pins.append((solid.centre, solid.kind == "support"))
        else:
            draw_solid(canvas, solid, _PLAIN, Layer.GROUND)
    for track in scene.tracks:
        draw_track(canvas, track, shades)
    # in a plane what is large lies below what is small, and bars on top
    flat = canvas.view.flat
    for path in sorted(
        scene.bodies, key=lambda path: -_area(canvas, shapes[path]) if flat else 0.0
    ):
        for solid in shapes[path]:
            draw_solid(canvas, solid, shades[path], Layer.BODY)
            depth = canvas.view.depth(solid.centre)
            canvas.depths[path] = max(depth, canvas.depths.get(path, depth))


def _area(canvas: Canvas, solids: Sequence[Solid]) -> float:
    """Return how much of the paper shapes other than bars may cover, in pixels, rounded."""
    wide = [s for s in solids if s.kind not in {"bar", "line", "curve", "ring"}]
    points = [canvas.view.at(p) for s in wide for p in s.extent(canvas.view.right, canvas.view.up)]
    if not points:
        return 0.0
    x, y = zip(*points, strict=True)
    return float(round((max(x) - min(x)) * (max(y) - min(y))))


def _joints(
    canvas: Canvas, scene: Scene, shades: Mapping[str, tuple[str, str]], *, named: bool
) -> None:
    """Draw joints, pins, and the coordinates of joints."""
    shown = [j for j in scene.joints if j.path not in scene.hidden]
    if len(shown) <= _SYMBOLS:
        for joint in shown:
            draw_joint(canvas, joint, scene, shades)
    for p, stands in scene.pins:
        draw_pin(canvas, p, scene, stands=stands)
    if named and sum(len(j.measures) for j in shown) <= _MEASURES:
        for joint in shown:
            draw_measures(canvas, joint, scene)


def _names(
    canvas: Canvas,
    scene: Scene,
    shapes: Mapping[str, Sequence[Solid]],
    shades: Mapping[str, tuple[str, str]],
) -> None:
    """Draw particles, mass centres and named points, and request the labels."""
    few = len(scene.bodies) <= _LABELS
    for k, body in enumerate(scene.bodies.values()):
        if body.kind == "particle":
            _particle(canvas, scene, body.path, shades[body.path])
        elif few and body.centred:
            draw_mass(canvas, body, svg.INK)
        if few and body.path not in scene.hidden:
            label_body(canvas, body, shapes[body.path], colours(k)[1])
    if few:
        _marks(canvas, scene)


def _marks(canvas: Canvas, scene: Scene) -> None:
    """Draw named points and frames, one at each position; frames not where joints are."""
    shown = [m for m in scene.marks if m.name not in scene.hidden]
    labelled = len(shown) <= _MARKS
    centres = [canvas.view.at(b.com) for b in scene.bodies.values()]
    taken = [*centres, *canvas.pins]
    frames = 0
    for mark in sorted(shown, key=lambda mark: mark.R is not None):
        x, y = canvas.view.at(mark.p)
        occupied = taken if mark.R is not None else centres
        if any(np.hypot(x - px, y - py) < _NEAR for px, py in occupied):
            continue
        frames += mark.R is not None
        if frames > _FRAMES:
            continue
        draw_mark(canvas, mark, labelled=labelled)
        taken.append((x, y))
        centres.append((x, y))


def _particle(canvas: Canvas, scene: Scene, path: str, pair: tuple[str, str]) -> None:
    body = scene.bodies[path]
    x, y = canvas.view.at(body.com)
    mark = svg.circle(x, y, 6, f'fill="{pair[1]}" stroke="#fff" stroke-width="1"')
    canvas.add(Layer.MASS, canvas.view.depth(body.com), mark)
    canvas.take(x, y, 7)
    canvas.pins.append((x, y))


def _write(canvas: Canvas, scene: Scene, *, named: bool) -> str:
    """Return the text of the drawing, with axes, gravity, labels and notes."""
    width, low = canvas.width, 13.0 * len(scene.notes)
    if scene.gravity is not None:
        ground_marks.gravity(canvas, scene.gravity, width - 24, 14.0)
        canvas.boxes.append((width - 40, 6, width - 4, 48))
    lower = 0.0
    if named:
        (x, y), lower = paper.corner(canvas)
        ground_marks.axes(canvas, x, y)
        canvas.boxes.append((x - 32, y - 34, x + 36, y + 20))
        place_labels(canvas)
    height = canvas.height + lower + low
    for k, note in enumerate(scene.notes):
        shown = note if len(note) < _LONG else note[:_LONG] + "…"
        y = height - 8 - 13 * (len(scene.notes) - 1 - k)
        mark = svg.text(
            ((shown, False),), width / 2, y, 10.5, svg.DARK, italic=False, anchor="middle"
        )
        canvas.add(Layer.LABEL, 0.0, mark)
    n = svg.number
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {n(width)} {n(height)}" '
        f'width="{n(width)}" height="{n(height)}" role="img" font-family="{_FONT}">\n'
        f"<title>{svg.escape(scene.title)}</title>\n"
        f"<desc>{svg.escape(_description(scene))}</desc>\n"
        f'<rect x="0.5" y="0.5" width="{n(width - 1)}" height="{n(height - 1)}" rx="8" '
        'fill="#ffffff" stroke="#d8d8d8"/>\n'
    )
    return head + "\n".join(mark for mark in canvas.ordered_marks() if mark) + "\n</svg>\n"


def _description(scene: Scene) -> str:
    bodies = [b.path for b in scene.bodies.values()]
    kinds = Counter(j.kind for j in scene.joints)
    joints = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    shown = ", ".join(bodies[:_LABELS]) + (", …" if len(bodies) > _LABELS else "")
    return f"Bodies: {shown or 'none'}. Joints: {joints or 'none'}."
