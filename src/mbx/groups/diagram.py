"""The structural diagram: the frame and the groups, with arrows the way freedoms are given.

Each circle says (N_m, n_c), the bodies of a group and what is driven in it, as in the paper.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.groups.decompose import Chain

__all__ = ["as_dot", "as_svg", "as_text", "levels_of"]

_WIDE, _HIGH, _RADIUS = 170, 120, 26
_NAMES: Final = 2
_TIP: Final = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
    ' markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
)


def as_text(chains: Sequence[Chain], names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each group: its number, name, label, bodies and where inputs come from."""
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        count = chain.count
        needs = ", ".join("frame" if n < 0 else str(n + 1) for n in chain.needs)
        bodies = ", ".join(chain.vertices)
        yield f"{k + 1:>3}  {name:<7}  ({count.bodies}, {count.driven})  {bodies}  <- {needs}"


def levels_of(chains: Sequence[Chain]) -> list[int]:
    """Return how many groups stand between the frame and each group, at most."""
    found: list[int] = []
    for chain in chains:
        found.append(1 + max((found[n] for n in chain.needs if n >= 0), default=0))
    return found


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_dot(chains: Sequence[Chain], names: Sequence[str]) -> str:
    """Return the diagram in the language of Graphviz."""
    lines = ["digraph structure {", "  rankdir=LR;", "  node [shape=circle];", '  g0 [label="0"];']
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        count = chain.count
        label = f"{name}\n({count.bodies}, {count.driven})"
        tip = ", ".join(chain.vertices)
        told = _quoted(label).replace("\n", "\\n")
        lines.append(f"  g{k + 1} [label={told}, tooltip={_quoted(tip)}];")
        lines += [f"  g{n + 1} -> g{k + 1};" for n in chain.needs]
    return "\n".join([*lines, "}"]) + "\n"


def as_svg(chains: Sequence[Chain], names: Sequence[str]) -> str:
    """Return the diagram as a drawing, levels from left to right."""
    levels = levels_of(chains)
    columns: dict[int, list[int]] = {}
    for k, level in enumerate(levels):
        columns.setdefault(level, []).append(k)
    rows = max((len(some) for some in columns.values()), default=1)
    width, height = _WIDE * (max(levels, default=0) + 1), _HIGH * rows
    at = {-1: (_WIDE / 2, height / 2)}
    for level, some in columns.items():
        for j, k in enumerate(some):
            at[k] = (_WIDE * (level + 0.5), height * (j + 0.5) / len(some))
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        "<style>text { font: 12px sans-serif }</style>",
        _TIP,
    ]
    for k, chain in enumerate(chains):
        parts += [_arrow(at[n], at[k]) for n in chain.needs]
    parts.append(_circle(at[-1], "0", ""))
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        count = chain.count
        shown = ", ".join(chain.vertices[:_NAMES])
        more = " ..." if len(chain.vertices) > _NAMES else ""
        label = f"({count.bodies}, {count.driven})"
        parts.append(_circle(at[k], label, f"{name}: {shown}{more}"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _circle(at: tuple[float, float], inside: str, below: str) -> str:
    x, y = at
    text = f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" fill="none" stroke="black"/>'
    text += f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{escape(inside)}</text>'
    if below:
        y += _RADIUS + 14
        text += f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{escape(below)}</text>'
    return text


def _arrow(a: tuple[float, float], b: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = a, b
    size = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    dx, dy = _RADIUS * (x2 - x1) / size, _RADIUS * (y2 - y1) / size
    return (
        f'<line x1="{x1 + dx:g}" y1="{y1 + dy:g}" x2="{x2 - dx:g}" y2="{y2 - dy:g}"'
        ' stroke="black" marker-end="url(#a)"/>'
    )
