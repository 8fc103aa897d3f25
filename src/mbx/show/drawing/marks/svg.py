"""Pieces of SVG: numbers with a decimal, text that is escaped, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape as _escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.show.drawing.marks.label_text import Label

__all__ = [
    "DARK",
    "INK",
    "PALETTE",
    "circle",
    "ellipse",
    "escape",
    "mix",
    "number",
    "path",
    "points",
    "polyline",
    "text",
]

PALETTE: Final = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D31")
"""Everybody distinguishes them: Okabe and Ito, Color universal design, 2008; the last is added."""
INK: Final = "#222222"
DARK: Final = "#555555"
_CONTROL: Final = dict.fromkeys(range(32), " ")
_ROUND: Final = 0.05
"""Half axes that differ by less are drawn as equal."""
_ITALIC: Final = ' font-style="italic"'


def escape(text: str) -> str:
    """Return a text that stands for itself in XML, also between quotation marks."""
    return _escape(text.translate(_CONTROL), {'"': "&quot;", "'": "&#39;"})


def number(x: float) -> str:
    """Return a number with a decimal."""
    shown = f"{x:.1f}"
    shown = shown.removesuffix(".0")
    return "0" if shown == "-0" else shown


def mix(colour: str, other: str, part: float) -> str:
    """Return a colour with a part of another in it."""
    pairs = ((int(colour[k : k + 2], 16), int(other[k : k + 2], 16)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def points(pairs: Iterable[tuple[float, float]]) -> str:
    """Return points as the data of a path through them."""
    return "L".join(f"{number(x)} {number(y)}" for x, y in pairs)


def path(data: str, attributes: str) -> str:
    """Return a path."""
    return f'<path d="{data}" {attributes}/>'


def polyline(pairs: Sequence[tuple[float, float]], attributes: str, *, closed: bool = False) -> str:
    """Return a line through points."""
    return path(f"M{points(pairs)}{'Z' if closed else ''}", attributes)


def circle(x: float, y: float, r: float, attributes: str) -> str:
    """Return a circle."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}" {attributes}/>'


def ellipse(x: float, y: float, half: tuple[float, float], angle: float, attributes: str) -> str:
    """Return an ellipse that is turned by an angle in degrees."""
    turned = number(angle)
    if abs(half[0] - half[1]) < _ROUND:
        return circle(x, y, half[0], attributes)
    centre = f"{number(x)} {number(y)}"
    turn = "" if turned in {"0", "180", "-180"} else f' transform="rotate({turned} {centre})"'
    return (
        f'<ellipse cx="{number(x)}" cy="{number(y)}" rx="{number(half[0])}" '
        f'ry="{number(half[1])}"{turn} {attributes}/>'
    )


def text(
    label: Label, x: float, y: float, size: float, colour: str, *, italic: bool, anchor: str = ""
) -> str:
    """Return a label that begins at a point; parts below the line are smaller."""
    pieces = []
    lowered = False
    for piece, below in label:
        shift = "" if below == lowered else f' dy="{number(0.25 * size * (1 if below else -1))}"'
        scale = f' font-size="{number(0.72 * size)}"' if below else ""
        lowered = below
        if shift or scale:
            pieces.append(f"<tspan{shift}{scale}>{escape(piece)}</tspan>")
        else:
            pieces.append(escape(piece))
    style = _ITALIC if italic else ""
    where = f' text-anchor="{anchor}"' if anchor else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" '
        f'fill="{colour}"{style}{where}>{"".join(pieces)}</text>'
    )
