"""The structural diagram as a drawing: the frame on the left, groups in columns by their levels.

A circle shows (N_m, n_c), as in the paper; below it stand the group's name and its bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.analyses.kinematics.groups.structural_diagram import from_of, levels_of
from mbx.show.drawing.lanes import heights, links_of, order_columns
from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.label_text import text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.show.drawing.lanes import LayerNode

__all__ = ["as_svg"]

_RADIUS: Final = 24.0
_SIZE: Final = 12.0
_LINE: Final = 14.0
_GAP: Final = 60.0
"""Between columns, where arrows bend."""
_SIDE: Final = 8.0
_MARGIN: Final = 20.0
_LANE: Final = 13.0
"""Above a lane, and below."""
_LONG: Final = 150.0
"""Width of a label."""
_FRAME: Final = -1
_FONT: Final = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_PALE: Final = "#8a8a8a"
"""Of what comes from the frame."""
_HALO: Final = 'paint-order="stroke" stroke="#ffffff" stroke-width="4" stroke-linejoin="round"'
_TIPS: Final = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
    f' orient="auto"><path d="M0 0.8L8 4L0 7.2z" fill="{colour}"/></marker>'
    for name, colour in (("of-group", svg.INK), ("of-frame", _PALE))
)


def as_svg(chains: Sequence[Chain], names: Sequence[str], title: str = "") -> str:
    """Return the structural diagram as SVG."""
    levels = {_FRAME: 0, **dict(enumerate(levels_of(chains)))}
    links = links_of(levels, {k: chain.needs for k, chain in enumerate(chains)})
    columns = order_columns(levels, links)
    labels = {
        k: _label(chain, name) for k, (chain, name) in enumerate(zip(chains, names, strict=True))
    }
    labels[_FRAME] = ("0", ["frame"], "frame")

    def margins(node: LayerNode) -> tuple[float, float]:
        thing, level = node
        if levels[thing] != level:
            return _LANE, _LANE
        return _RADIUS + _SIDE, _RADIUS + _SIDE + 4 + _LINE * len(labels[thing][1])

    y = heights(columns, links, margins)
    half = [_half(level, levels, labels) for level in range(len(columns))]
    x, right = [], _MARGIN
    for half_width in half:
        x.append(right + half_width)
        right += 2 * half_width + _GAP
    width = right - _GAP + _MARGIN
    height = max(y[p] + margins(p)[1] for p in y) + 2 * _SIDE
    at = {p: (x[p[1]], value + _SIDE) for p, value in y.items()}
    marks = [_link(a, b, at, half, levels) for a, b in links]
    marks += [_circle(at[k, level], *labels[k]) for k, level in levels.items()]
    n = svg.number
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {n(width)} {n(height)}" '
        f'width="{n(width)}" height="{n(height)}" role="img" font-family="{_FONT}" '
        f'font-size="{n(_SIZE)}">\n<title>{svg.escape(title or "structural diagram")}</title>\n'
        f"<defs>{_TIPS}</defs>\n"
        f'<rect x="0.5" y="0.5" width="{n(width - 1)}" height="{n(height - 1)}" rx="8" '
        'fill="#ffffff" stroke="#d8d8d8"/>\n'
    )
    return head + "\n".join(marks) + "\n</svg>\n"


def _label(chain: Chain, name: str) -> tuple[str, list[str], str]:
    """Return what stands in a circle, the lines below it, and all of it."""
    bodies = ", ".join(chain.vertices)
    title = f"{name}: {bodies}; inputs from {', '.join(from_of(chain))}"
    return f"({chain.count.bodies}, {chain.count.driven})", [name, _short(chain.vertices)], title


def _short(bodies: Sequence[str]) -> str:
    """Return as many names as fit."""
    shown = ", ".join(bodies)
    count = len(bodies)
    while count > 1 and _wide(shown) > _LONG:
        count -= 1
        shown = f"{', '.join(bodies[:count])}, …"
    while _wide(shown) > _LONG:
        shown = f"{shown.removesuffix('…')[:-1]}…"
    return shown


def _wide(text: str) -> float:
    return text_width(((text, False),), _SIZE)


def _half(
    level: int, levels: dict[int, int], labels: dict[int, tuple[str, list[str], str]]
) -> float:
    """Return half the width of a column."""
    lines = [line for k, at in levels.items() if at == level for line in labels[k][1]]
    return max(_RADIUS, *(_wide(line) / 2 for line in lines)) + _SIDE


def _link(
    a: LayerNode,
    b: LayerNode,
    at: dict[LayerNode, tuple[float, float]],
    half: Sequence[float],
    levels: dict[int, int],
) -> str:
    """Return an arrow, or a lane that goes on: straight in columns, bent between them."""
    n = svg.number
    (x1, y1), (x2, y2) = at[a], at[b]
    begin = x1 + (_RADIUS if levels[a[0]] == a[1] else 0.0)
    arrow = levels[b[0]] == b[1]
    end = x2 - (_RADIUS if arrow else 0.0)
    left, right = x1 + half[a[1]], x2 - half[b[1]]
    middle = (left + right) / 2
    bend = f"C{n(middle)} {n(y1)} {n(middle)} {n(y2)} {n(right)} {n(y2)}"
    kind, colour = ("frame", _PALE) if a[0] == _FRAME else ("group", svg.INK)
    tip = f' marker-end="url(#of-{kind})"' if arrow else ""
    data = f"M{n(begin)} {n(y1)}H{n(left)}{bend}H{n(end)}"
    return svg.path(data, f'fill="none" stroke="{colour}" stroke-width="1.3"{tip}')


def _circle(at: tuple[float, float], inside: str, below: Sequence[str], title: str) -> str:
    x, y = at
    n, ink = svg.number, f'text-anchor="middle" fill="{svg.INK}"'
    parts = [
        f"<g><title>{svg.escape(title)}</title>",
        svg.circle(x, y, _RADIUS, f'fill="#ffffff" stroke="{svg.INK}" stroke-width="1.5"'),
        f'<text x="{n(x)}" y="{n(y + 4)}" {ink}>{svg.escape(inside)}</text>',
    ]
    for k, line in enumerate(below):
        down = n(y + _RADIUS + 4 + _LINE * (k + 0.8))
        bold = "" if k else ' font-weight="600"'
        parts.append(f'<text x="{n(x)}" y="{down}" {ink}{bold} {_HALO}>{svg.escape(line)}</text>')
    return "".join([*parts, "</g>"])
