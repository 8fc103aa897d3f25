"""The map of the cheapest methods as a picture: an SVG or a PNG, the same bytes each time."""

from __future__ import annotations

from itertools import groupby, pairwise
from math import log2
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.figures import draw_figure, matplotlib_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.analyses.costs.cheapest import Cell, Panel

__all__ = ["Row", "draw"]

_COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Distinguishable for everybody: Okabe and Ito, Color universal design, 2008."""
_DARK: Final = {"#0072B2", "#009E73", "#D55E00"}
_UNKNOWN: Final = "#EFEFEF"
_EQUAL: Final = "#8C8C8C"
_INK: Final = "#222222"
_TICKS: Final = (1, 2, 4, 8, 16, 32, 63)
_NARROW: Final = 0.55
"""Width of a region, in doublings of the bodies, below which it has no name in it."""
_TITLE: Final = "The method that needs the fewest operations"
_LEGEND_COLUMNS: Final = 4
_LIGHTER: Final = 0.22
_EXTENDED: Final = "Full colours were counted; lighter ones follow by an exact polynomial."
_SETTINGS: Final[dict[Any, Any]] = {
    "svg.hashsalt": "mbx",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": _INK,
    "axes.linewidth": 0.6,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}

Row = tuple[str, "Sequence[Panel]"]
"""A title, and the panels next to each other."""


def draw(rows: Sequence[Row], names: Mapping[str, str], suffix: str) -> bytes:
    """Return the picture of some rows of panels as the bytes of an `svg` or a `png` file.

    `names` are the methods in the order of their colours, with the text of each in the legend.
    """
    colours = dict(zip(names, _COLOURS, strict=False))
    columns = max((len(panels) for _, panels in rows), default=0)
    size = (1.2 + 3.3 * columns, 1.55 + 2.25 * len(rows))

    def paint(figure: Any) -> None:
        every = figure.subplots(len(rows), columns, sharex=True, sharey=True, squeeze=False)
        for index, axes_of_row, (heading, panels) in zip(
            range(len(rows)), every, rows, strict=True
        ):
            for k, (axes, panel) in enumerate(zip(axes_of_row, panels, strict=True)):
                _panel(axes, panel, colours)
                if index == 0:
                    axes.set_title(panel.shape, fontsize=11, pad=7)
                if k == 0:
                    axes.set_ylabel(f"{heading}\n\nfreedoms of each hinge", linespacing=1.1)
                if index == len(rows) - 1:
                    axes.set_xlabel("bodies")
        lines = _legend(figure, rows, names, colours)
        inches = figure.get_size_inches()[1]
        figure.text(0.54, 1 - 0.25 / inches, _TITLE, ha="center", fontsize=12, fontweight="bold")
        figure.subplots_adjust(
            left=0.095,
            right=0.985,
            wspace=0.07,
            hspace=0.12,
            top=1 - 0.68 / inches,
            bottom=(0.62 + 0.18 * lines) / inches,
        )

    return draw_figure(suffix, size, paint, _SETTINGS, layout=None)


# -- one panel -------------------------------------------------------------------------------


def _panel(axes: Any, panel: Panel, colours: Mapping[str, str]) -> None:
    bodies = sorted({cell.bodies for cell in panel.cells})
    freedoms = sorted({cell.freedoms for cell in panel.cells})
    edges = _edges(bodies)
    column = {b: (edges[k], edges[k + 1]) for k, b in enumerate(bodies)}
    winners = {(cell.bodies, cell.freedoms): _winner(cell, colours) for cell in panel.cells}
    for n in freedoms:
        row = [cell for cell in panel.cells if cell.freedoms == n]
        for colour, cells in groupby(row, lambda cell: _colour(cell, colours)):
            run = [cell.bodies for cell in cells]
            left, right = column[run[0]][0], column[run[-1]][1]
            # the edges have the colour of the cells, so that no seams are seen between equal ones
            edge = {"edgecolor": colour, "linewidth": 0.4}
            axes.bar(left, 1, right - left, n - 0.5, align="edge", color=colour, **edge)
    _borders(axes, winners, bodies, freedoms, column)
    for name, x, y in _labels(winners, bodies, freedoms, column):
        dark = colours[name] in _DARK
        axes.text(
            x,
            y,
            name,
            ha="center",
            va="center",
            fontsize=9,
            fontweight="bold",
            color="white" if dark else _INK,
        )
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(freedoms[0] - 0.5, freedoms[-1] + 0.5)
    axes.set_xticks([log2(tick) for tick in _TICKS], [str(tick) for tick in _TICKS])
    axes.set_yticks(freedoms)
    axes.tick_params(length=2, width=0.6)


def _winner(cell: Cell, colours: Mapping[str, str]) -> str | None:
    """Return the cheapest method; those that cost the same are one region, whichever they are."""
    return cell.winner if cell.winner is None or cell.winner in colours else ""


def _colour(cell: Cell, colours: Mapping[str, str]) -> str:
    """Return the colour of a cell, a lighter one where it was not counted."""
    winner = _winner(cell, colours)
    if winner is None:
        return _UNKNOWN
    colour = colours.get(winner, _EQUAL)
    if cell.known != "extended":
        return colour
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(x + (255 - x) * _LIGHTER):02X}" for x in parts)


def _edges(bodies: Sequence[int]) -> list[float]:
    """Return where the columns begin and end, in doublings of the bodies."""
    between = [log2(a * b) / 2 for a, b in pairwise(bodies)]
    return [-0.5, *between, log2(bodies[-1]) + 0.35]


def _borders(
    axes: Any,
    winners: Mapping[tuple[int, int], str | None],
    bodies: Sequence[int],
    freedoms: Sequence[int],
    column: Mapping[int, tuple[float, float]],
) -> None:
    """Draw a line wherever the cheapest method changes."""
    style = {"color": "white", "linewidth": 1.4, "solid_capstyle": "round"}
    for n in freedoms:
        for before, after in pairwise(bodies):
            if winners[before, n] != winners[after, n]:
                axes.plot([column[before][1]] * 2, [n - 0.5, n + 0.5], **style)
    for before, after in pairwise(freedoms):
        for b in bodies:
            if winners[b, before] != winners[b, after]:
                axes.plot(column[b], [before + 0.5] * 2, **style)


def _labels(
    winners: Mapping[tuple[int, int], str | None],
    bodies: Sequence[int],
    freedoms: Sequence[int],
    column: Mapping[int, tuple[float, float]],
) -> Iterator[tuple[str, float, float]]:
    """Yield the name of each region that is wide enough, and its position in it."""
    left = {key for key, winner in winners.items() if winner is not None}
    while left:
        region = _region(next(key for key in winners if key in left), winners, bodies)
        left -= region
        name = winners[next(iter(region))]
        spans = [
            (column[run[-1]][1] - column[run[0]][0], run, n)
            for n in freedoms
            for run in _runs([b for b in bodies if (b, n) in region], bodies)
        ]
        width, run, _ = max(spans, key=lambda span: span[0])
        rows = [n for w, r, n in spans if w == width and r == run]
        if name and width >= _NARROW * max(1, len(name) / 3):
            yield name, (column[run[0]][0] + column[run[-1]][1]) / 2, _middle(rows)


def _middle(rows: Sequence[int]) -> float:
    """Return the middle of the first rows that follow each other."""
    last = rows[0]
    while last + 1 in rows:
        last += 1
    return (rows[0] + last) / 2


def _region(
    start: tuple[int, int], winners: Mapping[tuple[int, int], str | None], bodies: Sequence[int]
) -> set[tuple[int, int]]:
    """Return the cells that are connected to a cell and have the same cheapest method."""
    order = {b: k for k, b in enumerate(bodies)}
    region, open_ends = {start}, [start]
    while open_ends:
        b, n = open_ends.pop()
        neighbours = [bodies[k] for k in (order[b] - 1, order[b] + 1) if 0 <= k < len(bodies)]
        for cell in [(other, n) for other in neighbours] + [(b, n - 1), (b, n + 1)]:
            if cell not in region and cell in winners and winners[cell] == winners[start]:
                region.add(cell)
                open_ends.append(cell)
    return region


def _runs(part: Sequence[int], bodies: Sequence[int]) -> Iterator[list[int]]:
    """Yield the parts of a list that follow each other in the whole list."""
    run: list[int] = []
    for b in bodies:
        if b in part:
            run.append(b)
        elif run:
            yield run
            run = []
    if run:
        yield run


# -- the legend ------------------------------------------------------------------------------


def _legend(
    figure: Any, rows: Sequence[Row], names: Mapping[str, str], colours: Mapping[str, str]
) -> int:
    """Add what the colours mean; return how many lines that takes."""
    Patch = matplotlib_module("matplotlib.patches").Patch

    cells = [cell for _, panels in rows for panel in panels for cell in panel.cells]
    shown = {cell.winner for cell in cells}
    handles = [
        Patch(facecolor=colours[name], label=text) for name, text in names.items() if name in shown
    ]
    if shown - {None, *names}:
        handles.append(Patch(facecolor=_EQUAL, label="several cost the same"))
    if None in shown:
        handles.append(Patch(facecolor=_UNKNOWN, label="not counted"))
    extended = any(cell.known == "extended" for cell in cells)
    if extended:
        figure.text(0.54, 0.09 / figure.get_size_inches()[1], _EXTENDED, ha="center", fontsize=8.5)
    lift = 0.24 if extended else 0.05
    figure.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.54, lift / figure.get_size_inches()[1]),
        ncols=_LEGEND_COLUMNS,
        frameon=False,
        fontsize=8.5,
    )
    return -(-len(handles) // _LEGEND_COLUMNS) + extended
