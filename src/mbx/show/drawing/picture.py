"""The whole drawing: what is seen, from where, and how it fills the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.show.drawing.collect import collect
from mbx.show.drawing.drawing_hints import hints_of, parse_view
from mbx.show.drawing.marks.joint_marks import slides
from mbx.show.drawing.marks.paper import view_of
from mbx.show.drawing.pose import pose_of
from mbx.show.drawing.sheet import sheet
from mbx.show.drawing.solids import size_of, solids_of
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.show.drawing.scene import Scene
    from mbx.show.drawing.solids import Solid

__all__ = ["Drawing", "picture", "shapes_of"]

_SHOWN: Final = 4
"""Names in a warning or a note."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing as SVG, and the warnings that go with it."""

    svg: str
    warnings: tuple[str, ...] = ()


def picture(
    document: Document, linked: Linked, *, state: str | None = None, look: str | None = None
) -> Drawing:
    """Return the drawing of a linked model; its hints are in the document it comes from."""
    system = elaborate(linked)
    hints = hints_of(document, linked.model.name)
    wanted = hints.view if look is None else parse_view(look)
    pose = pose_of(system, hints.state if state is None else state)
    scene = collect(linked, system, pose, hints)
    warnings = []
    if pose.open:
        rows = _first_names(pose.open)
        scene.notes.append("not assembled: invariants do not hold here")
        warnings.append(f"the state cannot be assembled; invariants that it breaks: {rows}")
    if scene.placeless:
        scene.notes.append(f"known by velocity alone, not drawn: {_first_names(scene.placeless)}")
    shapes = shapes_of(scene)
    seen = view_of(scene, shapes, wanted, hints)
    return Drawing(sheet(scene, shapes, seen), tuple(warnings))


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def shapes_of(scene: Scene) -> dict[str, list[Solid]]:
    """Return the shapes of all bodies."""
    points = [p for b in scene.bodies.values() for p in (*b.points, b.com)]
    points += [p for line in scene.lines for p in (line.a, line.b)]
    points += [
        p
        for joint in scene.joints
        if joint.kind not in {"free", "planar"}
        for p in (joint.p, joint.q)
    ]
    whole = size_of(points)
    sliding = {j.second for j in scene.joints if slides(j) is not None}
    carried = {t.on for t in scene.tracks}
    return {
        path: []
        if path in carried and not body.shapes
        else solids_of(body, whole, slides=path in sliding, alone=len(scene.bodies) == 1)
        for path, body in scene.bodies.items()
    }
