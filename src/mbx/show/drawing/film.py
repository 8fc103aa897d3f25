"""A motion as drawings of one mechanism at many states, and as a page that plays them."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.html_equations import POLICY, environment
from mbx.show.drawing.collect import collect
from mbx.show.drawing.drawing_hints import hints_of, parse_view
from mbx.show.drawing.marks.paper import view_of
from mbx.show.drawing.picture import shapes_of
from mbx.show.drawing.pose import pose_at
from mbx.show.drawing.sheet import frame_of, sheet
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked

__all__ = ["Film", "Still", "film", "page"]

_PACKAGE: Final = "mbx.show.drawing"
_SHORT, _LONG = 1.0, 20.0
"""Seconds of motion that are played as fast as they are."""
_PLAYED: Final = 6.0
"""Seconds in which any other motion is played."""


@dataclass(frozen=True, slots=True)
class Still:
    """A drawing at a time, as SVG."""

    t: float
    svg: str


@dataclass(frozen=True, slots=True)
class Film:
    """Drawings in order, all on the same paper and seen from the same side."""

    name: str
    title: str
    stills: tuple[Still, ...]

    @property
    def seconds(self) -> float:
        """How long it is played."""
        whole = self.stills[-1].t - self.stills[0].t
        return whole if _SHORT <= whole <= _LONG else _PLAYED


def film(
    document: Document,
    linked: Linked,
    states: Sequence[tuple[float, Mapping[str, float]]],
    given: Mapping[str, float],
    look: str | None = None,
) -> Film:
    """Return drawings of a linked model at times and states, with other values if given some."""
    system = elaborate(linked)
    hints = hints_of(document, linked.model.name)
    scenes = []
    for t, state in states:
        scene = collect(linked, system, pose_at(system, state, given, t), hints)
        scenes.append((scene, shapes_of(scene)))
    wanted = hints.view if look is None else parse_view(look)
    seen = view_of(*scenes[0], wanted, hints)
    frame = frame_of(scenes, seen)
    stills = [
        Still(t, sheet(scene, shapes, seen, frame))
        for (t, _), (scene, shapes) in zip(states, scenes, strict=True)
    ]
    return Film(system.name, system.title or system.name, tuple(stills))


def page(shown: Film) -> str:
    """Return a page that plays a film: no request leaves it, and its own script alone runs."""
    templates = environment(_PACKAGE)
    script = templates.get_template("film.js").render()
    mark = b64encode(sha256(script.encode()).digest()).decode()
    stills = [(f"{one.t:.4g}", b64encode(one.svg.encode()).decode()) for one in shown.stills]
    found = templates.get_template("film.html").render(
        policy=f"{POLICY}; script-src 'sha256-{mark}'",
        script=Markup(script),  # noqa: S704  the package's own
        name=safe_text(shown.name),
        title=safe_text(shown.title),
        stills=stills,
        each=round(1000 * shown.seconds / len(stills)),
    )
    return found + "\n"
