"""A root locus as a picture: eigenvalues in the complex plane, and their parts over the values."""

from __future__ import annotations

from cmath import polar
from math import degrees
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.figures import draw_figure
from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from mbx.analyses.linearize.locus import Locus

__all__ = ["plot_locus"]

_SIZE: Final = (9.0, 4.2)
"""In inches."""
_MAP: Final = "viridis"


def plot_locus(locus: Locus, title: str, out: Path) -> bytes:
    """Return a picture of a root locus, in the format of a file's name.

    On the left eigenvalues, coloured by the value they belong to; on the right real parts as
    dots, imaginary parts as small crosses, and a line where stability changes. Below them, size
    and phase of a ratio in each mode, if requested.
    """
    pairs = zip(locus.values, locus.systems, strict=True)
    points = [(x, v) for x, system in pairs for v in system.eigenvalues.tolist()]
    x = np.array([value for value, _ in points])
    y = np.array([v for _, v in points], dtype=complex)
    wide, high = _SIZE
    rows = 1 if locus.pair is None else 2

    def draw(figure: Any) -> None:
        figure.suptitle(safe_text(title))
        panels = figure.subplots(rows, 2, squeeze=False)
        plane, over = panels[0]
        dots = plane.scatter(y.real, y.imag, c=x, s=9.0, cmap=_MAP, linewidths=0.0, zorder=3)
        plane.set_xlabel("real part in 1/s")
        plane.set_ylabel("imaginary part in rad/s")
        figure.colorbar(dots, ax=plane, label=safe_text(locus.name))
        over.plot(x, y.real, ".", color="C0", ms=4.0, label="real")
        turning = y.imag > 0
        over.plot(x[turning], y.imag[turning], "x", color="C1", ms=3.0, label="imaginary")
        for change in locus.changes:
            over.axvline(change.value, color="C3", lw=0.8)
        over.set_xlabel(safe_text(locus.name))
        over.set_ylabel("parts in 1/s")
        over.legend(frameon=False, fontsize=8.0)
        for ax in (plane, over):
            ax.grid(visible=True, lw=0.3)
            ax.axhline(0.0, color="0.3", lw=0.8)
        plane.axvline(0.0, color="0.3", lw=0.8)
        if locus.pair is not None:
            _ratios(locus, *panels[1])

    return draw_figure(out.suffix.removeprefix("."), (wide, rows * high), draw)


def _ratios(locus: Locus, size: Axes, phase: Axes) -> None:
    """Draw size and phase of the ratio in each mode over the values."""
    points = [
        (value, polar(ratio))
        for k, value in enumerate(locus.values)
        for _, ratio in locus.ratios(k)
        if ratio is not None
    ]
    name = safe_text("/".join(locus.pair or ()))
    x = [value for value, _ in points]
    size.semilogy(x, [r for _, (r, _) in points], ".", color="C0", ms=4.0)
    size.set_ylabel(name)
    size.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    size.yaxis.set_minor_formatter(lambda _value, _: "")
    phase.plot(x, [degrees(angle) for _, (_, angle) in points], ".", color="C0", ms=4.0)
    phase.set_ylabel(f"phase of {name} in degrees")
    phase.set_yticks([-180, -90, 0, 90, 180])
    for ax in (size, phase):
        ax.set_xlabel(safe_text(locus.name))
        ax.grid(visible=True, lw=0.3)
