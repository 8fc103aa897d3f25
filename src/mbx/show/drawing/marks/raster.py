"""Drawings as raster images: of the few kinds of marks that `svg` writes, and no others.

Pillow, which comes with matplotlib, makes an animated GIF of them.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import numpy as np

from mbx.base.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.show.drawing.film import Film

__all__ = ["gif"]

_ITEM: Final = re.compile(r"[A-Za-z]|-?[0-9]*\.?[0-9]+")
_DOTS: Final = 100
"""Dots to an inch; a pixel of the drawing is a dot."""
_POINT: Final = 72 / _DOTS
"""A pixel in points, in which matplotlib has widths."""
_SLOWEST: Final = 20
"""Least milliseconds of a picture: browsers show shorter ones more slowly."""
_PIECES: Final = 25
"""Points on an arc."""
_CAPS: Final = {"round": "round", "square": "projecting"}


def gif(shown: Film) -> bytes:
    """Return a film as an animated GIF that goes on and on."""
    Figure = load_extra("matplotlib.figure", "a GIF", "plot").Figure
    Image = load_extra("PIL.Image", "a GIF", "plot", "matplotlib")
    pictures = []
    for still in shown.stills:
        root = ET.fromstring(still.svg)  # noqa: S314  a text that mbx made
        width, height = (float(root.attrib[name]) for name in ("width", "height"))
        figure = Figure(figsize=(width / _DOTS, height / _DOTS), dpi=_DOTS)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set(xlim=(0.0, width), ylim=(height, 0.0))
        ax.axis("off")
        for mark in root:
            _draw(ax, mark)
        label = f"{still.t:.2f} s"
        ax.text(10, height - 10, label, fontsize=12 * _POINT, color="#222222", parse_math=False)
        data = io.BytesIO()
        figure.savefig(data, format="png", dpi=_DOTS)
        pictures.append(Image.open(data).convert("RGB").quantize(64))
    each = max(_SLOWEST, round(1000 * shown.seconds / len(pictures)))
    out = io.BytesIO()
    first, *rest = pictures
    first.save(out, "GIF", save_all=True, append_images=rest, duration=each, loop=0)
    return out.getvalue()


def _draw(ax: Any, mark: ET.Element) -> None:
    """Draw a mark of a drawing."""
    from matplotlib.patches import Circle, Ellipse, PathPatch, Rectangle
    from matplotlib.path import Path

    attributes = mark.attrib
    kind = mark.tag.rpartition("}")[2]

    def n(name: str) -> float:
        return float(attributes.get(name, "0"))

    if kind == "path":
        for points in _strokes(attributes["d"]):
            ax.add_patch(PathPatch(Path(points), **_style(attributes)))
    elif kind == "circle":
        ax.add_patch(Circle((n("cx"), n("cy")), n("r"), **_style(attributes)))
    elif kind == "ellipse":
        turned = _ITEM.findall(attributes.get("transform", ""))[len("rotate") :]
        angle = float(turned[0]) if turned else 0.0
        centre = (n("cx"), n("cy"))
        ax.add_patch(Ellipse(centre, 2 * n("rx"), 2 * n("ry"), angle=angle, **_style(attributes)))
    elif kind == "rect":
        ax.add_patch(Rectangle((n("x"), n("y")), n("width"), n("height"), **_style(attributes)))
    elif kind == "text":
        style = "italic" if "font-style" in attributes else "normal"
        align = {"middle": "center", "end": "right"}.get(attributes.get("text-anchor", ""), "left")
        ax.text(
            n("x"),
            n("y"),
            "".join(mark.itertext()),
            fontsize=n("font-size") * _POINT,
            color=attributes["fill"],
            fontstyle=style,
            ha=align,
            parse_math=False,
        )


def _style(attributes: dict[str, str]) -> dict[str, Any]:
    from matplotlib.colors import to_rgba

    def colour(name: str, absent: str) -> Any:
        shade = attributes.get(name, absent)
        if shade == "none":
            return shade
        return to_rgba(shade, float(attributes.get(f"{name}-opacity", 1)))

    wide = float(attributes.get("stroke-width", "1")) * _POINT
    style: dict[str, Any] = {
        "facecolor": colour("fill", "#000000"),
        "edgecolor": colour("stroke", "none"),
        "linewidth": wide,
        "capstyle": _CAPS.get(attributes.get("stroke-linecap", ""), "butt"),
        "joinstyle": "round" if attributes.get("stroke-linejoin") == "round" else "miter",
    }
    if "stroke-dasharray" in attributes:
        # matplotlib counts dashes in widths of the line
        dashes = [float(x) * _POINT / wide for x in _ITEM.findall(attributes["stroke-dasharray"])]
        style["linestyle"] = (0, dashes)
    return style


def _strokes(data: str) -> Iterator[list[tuple[float, float]]]:
    """Yield the lines that the data of a path is made of, arcs as many short ones."""
    items = _ITEM.findall(data)
    at, verb = 0, ""
    line: list[tuple[float, float]] = []

    def take(count: int) -> list[float]:
        nonlocal at
        at += count
        return [float(x) for x in items[at - count : at]]

    while at < len(items):
        if items[at].isalpha():
            verb = items[at]
            at += 1
        here = np.array(line[-1] if line else (0.0, 0.0))
        base = here if verb.islower() else np.zeros(2)
        if verb in "Zz":
            line.append(line[0])
        elif verb in "Mm":
            if line:
                yield line
            line = [_pair(base + take(2))]
            verb = "l" if verb == "m" else "L"
        elif verb in "Ll":
            line.append(_pair(base + take(2)))
        elif verb in "Aa":
            radius, _, _, large, sweep, *end = take(7)
            line += _arc(here, base + end, radius, (large, sweep))
    yield line


def _pair(p: Any) -> tuple[float, float]:
    return float(p[0]), float(p[1])


def _arc(a: Any, b: Any, radius: float, flags: tuple[float, float]) -> list[tuple[float, float]]:
    """Return points on an arc of a circle between two points (SVG 1.1, F.6.5)."""
    large, sweep = flags
    across = b - a
    size = float(across @ across)
    high = np.sqrt(max(0.0, radius**2 / size - 0.25)) if size else 0.0
    side = 1.0 if large != sweep else -1.0
    centre = (a + b) / 2 + side * high * np.array([-across[1], across[0]])
    first, last = (float(np.arctan2(y, x)) for x, y in (a - centre, b - centre))
    turn = (last - first) % (2 * np.pi)
    angles = first + np.linspace(0.0, turn if sweep else turn - 2 * np.pi, _PIECES)
    return [_pair(centre + radius * np.array([np.cos(x), np.sin(x)])) for x in angles[1:]]
