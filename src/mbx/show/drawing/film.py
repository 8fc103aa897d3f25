"""A motion as drawings of a mechanism at many states, and as a page that plays them."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.base.short_repr import count_of, shorten_repr
from mbx.codegen.notation.html_equations import POLICY, environment
from mbx.show.drawing.collect import collect
from mbx.show.drawing.drawing_hints import hints_of, parse_view
from mbx.show.drawing.marks.paper import view_of
from mbx.show.drawing.picture import shapes_of
from mbx.show.drawing.pose import DrawError, pose_at
from mbx.show.drawing.sheet import frame_of, sheet
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.time_series import TimeSeries
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Animation", "Film", "Still", "animate", "film", "film_of_run", "page"]

_PACKAGE: Final = "mbx.show.drawing"
_SHORT, _LONG = 1.0, 20.0
"""Seconds of motion that are played as fast as they are."""
_PLAYED: Final = 6.0
"""Seconds in which any other motion is played."""
_STILLS: Final = 150
"""Drawings of an animation, at most."""


class Motion(Protocol):
    """States over time."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Names of the state."""

    @property
    def t(self) -> Array:
        """Times of the results."""

    @property
    def states(self) -> Array:
        """States at these times."""


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
    values: Mapping[str, float],
    look: str | None = None,
) -> Film:
    """Return drawings of a linked model at times and states; `values` replace its own values."""
    system = elaborate(linked)
    hints = hints_of(document, linked.model.name)
    scenes = []
    for t, state in states:
        scene = collect(linked, system, pose_at(system, state, values, t), hints)
        scenes.append((scene, shapes_of(scene)))
    wanted = hints.view if look is None else parse_view(look)
    seen = view_of(*scenes[0], wanted, hints)
    frame = frame_of(scenes, seen)
    stills = [
        Still(t, sheet(scene, shapes, seen, frame))
        for (t, _), (scene, shapes) in zip(states, scenes, strict=True)
    ]
    return Film(system.name, system.title or system.name, tuple(stills))


def film_of_run(
    document: Document,
    linked: Linked,
    run: Motion,
    values: Mapping[str, float],
    still: Mapping[str, float] | None = None,
) -> Film:
    """Return a run as drawings; `still` are variables that its states do not have."""
    chosen = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), _STILLS)).round()).astype(int)
    states = [
        (
            float(run.t[k]),
            {**(still or {}), **dict(zip(run.paths, run.states[k].tolist(), strict=True))},
        )
        for k in chosen
    ]
    return film(document, linked, states, values)


@dataclass(frozen=True, slots=True)
class Animation:
    """A run as an animation; a notebook plays it."""

    film: Film

    @property
    def html(self) -> str:
        """The page that plays it."""
        return page(self.film)

    def save(self, path: str | Path) -> None:
        """Write the animation to a file that ends in .html or .gif."""
        from mbx.show.drawing.marks.raster import gif  # Pillow

        out = Path(path)
        if out.suffix not in {".html", ".gif"}:
            raise DrawError(f"an animation is a file that ends in .html or .gif, not '{out}'")
        out.write_bytes(self.html.encode() if out.suffix == ".html" else gif(self.film))

    def __repr__(self) -> str:
        """Return what is animated."""
        stills = count_of(len(self.film.stills), "drawing")
        return shorten_repr(f"<Animation {self.film.name}: {stills}>")

    def _repr_html_(self) -> str:
        return str(put_in_frame(self.html, height=480))


def animate(run: TimeSeries) -> Animation:
    """Return an animation of a run; a run without its model raises `DrawError`."""
    origin = run.origin
    if origin is None:
        raise DrawError("the results have no model to draw; those of mbx.simulate have")
    return Animation(film_of_run(origin.document, origin.linked, run, origin.values, origin.still))


def put_in_frame(html: str, *, height: int) -> Markup:
    """Return a page in a frame, which keeps its styles and scripts apart."""
    return Markup(
        '<iframe srcdoc="{}" style="width:100%;height:{}px;border:0" sandbox="allow-scripts">'
        "</iframe>"
    ).format(html, height)


def page(shown: Film) -> str:
    """Return a page that plays a film: no request leaves it, and no other script runs in it."""
    templates = environment(_PACKAGE)
    script = templates.get_template("film.js").render()
    mark = b64encode(sha256(script.encode()).digest()).decode()
    stills = [(f"{still.t:.4g}", b64encode(still.svg.encode()).decode()) for still in shown.stills]
    text = templates.get_template("film.html").render(
        policy=f"{POLICY}; script-src 'sha256-{mark}'",
        script=Markup(script),  # noqa: S704  the package's own
        name=safe_text(shown.name),
        title=safe_text(shown.title),
        stills=stills,
        each=round(1000 * shown.seconds / len(stills)),
    )
    return text + "\n"
