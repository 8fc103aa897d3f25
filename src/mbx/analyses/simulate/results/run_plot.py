"""The results of a run as a picture: a panel for each unit, over time or over a drive."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.figures import FORMATS, draw_figure
from mbx.base.diagnostics import safe_text
from mbx.base.errors import MbxError
from mbx.base.short_repr import join_names, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate.runs import Column

__all__ = ["RunPlot", "plot"]

_WIDTH: Final = 8.0
_HEIGHT: Final = 2.2
"""Of the picture and of a panel, in inches."""
_LINES: Final = 10
"""Names in a column of a legend."""
_COLOURS: Final = 10
_DASHES: Final = ("-", "--", ":", "-.")


@dataclass(frozen=True, eq=False)
class RunPlot:
    """A plot of columns over the first of them; a notebook shows it."""

    columns: tuple[Column, ...]
    title: str

    @property
    def svg(self) -> str:
        """The plot as SVG."""
        return plot(self.columns, self.title, Path("plot.svg")).decode()

    def save(self, path: str | Path) -> None:
        """Write the plot to a file that ends in .svg, .png or .pdf."""
        out = Path(path)
        if out.suffix.removeprefix(".") not in FORMATS:
            raise PlotFormatError(f"a plot is a file that ends in .svg, .png or .pdf, not '{out}'")
        out.write_bytes(plot(self.columns, self.title, out))

    def __repr__(self) -> str:
        """Return what is plotted."""
        return shorten_repr(
            f"<RunPlot {self.title}: {join_names(one.name for one in self.columns[1:])}>"
        )

    def _repr_svg_(self) -> str:
        return self.svg


class PlotFormatError(MbxError):
    """A file of a plot has no format that is written."""


def plot(columns: Sequence[Column], title: str, out: Path) -> bytes:
    """Return a picture of columns over the first of them, in the format of a file's name.

    A single row has marks: it makes no lines.
    """
    time, *others = columns
    panels: dict[str, list[Column]] = {}
    for one in others:
        panels.setdefault(one.unit, []).append(one)
    marks = {"marker": "o", "ms": 4.0, "clip_on": False} if len(time.values) == 1 else {}
    size = (_WIDTH, _HEIGHT * len(panels) + 0.6)

    def draw(figure: Any) -> None:
        figure.suptitle(safe_text(title))
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (unit, some) in zip(axes, panels.items(), strict=True):
            drawn = []
            for k, one in enumerate(some):
                dash = _DASHES[k // _COLOURS % len(_DASHES)]
                look = {"color": f"C{k % _COLOURS}", "lw": 1.2, **marks}
                drawn += ax.plot(time.values, one.values, dash, **look)
            ax.legend(
                drawn,
                [safe_text(one.name) for one in some],
                loc="center left",
                bbox_to_anchor=(1.01, 0.5),
                frameon=False,
                ncols=ceil(len(some) / _LINES),
                fontsize=8.0,
            )
            ax.set_ylabel("pure number" if unit == "1" else unit or "SI units")
            ax.grid(visible=True, lw=0.3)
            ax.margins(x=0.0)
        axes[-1].set_xlabel(safe_text(f"{time.name} in {time.unit}"))

    return draw_figure(out.suffix.removeprefix("."), size, draw)
