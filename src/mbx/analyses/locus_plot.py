"""A root locus as a picture: eigenvalues in the complex plane, and their parts over the values."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.extras import ExtraError
from mbx.analyses.plot import NO_DATE, SETTINGS
from mbx.diagnostics import safe_text

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.analyses.locus import Locus

__all__ = ["plot_locus"]

_SIZE: Final = (9.0, 4.2)
"""In inches."""
_DOTS: Final = 150
"""Dots to an inch."""
_MAP: Final = "viridis"


def plot_locus(found: Locus, title: str, out: Path) -> bytes:
    """Return a picture of a root locus, in the format of a file's name.

    On the left eigenvalues, coloured by the value they belong to; on the right real parts as
    dots, imaginary parts as small crosses, and a line where stability changes.
    """
    try:
        from matplotlib import rc_context  # noqa: PLC0415  an extra
        from matplotlib.figure import Figure  # noqa: PLC0415  likewise
    except ImportError:
        raise ExtraError("a plot", "matplotlib", "plot") from None
    pairs = zip(found.values, found.found, strict=True)
    points = [(x, v) for x, one in pairs for v in one.eigenvalues.tolist()]
    x = np.array([value for value, _ in points])
    y = np.array([v for _, v in points], dtype=complex)
    written = out.suffix.removeprefix(".")
    with rc_context(SETTINGS):
        figure = Figure(figsize=_SIZE, layout="constrained")
        figure.suptitle(safe_text(title))
        plane, over = figure.subplots(1, 2)
        dots = plane.scatter(y.real, y.imag, c=x, s=9.0, cmap=_MAP, linewidths=0.0, zorder=3)
        plane.set_xlabel("real part in 1/s")
        plane.set_ylabel("imaginary part in rad/s")
        figure.colorbar(dots, ax=plane, label=safe_text(found.name))
        over.plot(x, y.real, ".", color="C0", ms=4.0, label="real")
        turning = y.imag > 0
        over.plot(x[turning], y.imag[turning], "x", color="C1", ms=3.0, label="imaginary")
        for one in found.changes:
            over.axvline(one.value, color="C3", lw=0.8)
        over.set_xlabel(safe_text(found.name))
        over.set_ylabel("parts in 1/s")
        over.legend(frameon=False, fontsize=8.0)
        for ax in (plane, over):
            ax.grid(visible=True, lw=0.3)
            ax.axhline(0.0, color="0.3", lw=0.8)
        plane.axvline(0.0, color="0.3", lw=0.8)
        data = io.BytesIO()
        figure.savefig(data, format=written, dpi=_DOTS, metadata=NO_DATE[written])
    return data.getvalue()
