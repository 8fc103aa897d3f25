"""Figures of results as files: one set of settings, and the same bytes for the same results."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final, Literal

from mbx.base.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FORMATS", "draw_figure", "matplotlib_module"]

FORMATS: Final = ("svg", "png", "pdf")
_DOTS: Final = 150
"""Dots to an inch."""
_SETTINGS: Final[Mapping[Any, Any]] = {
    "svg.hashsalt": "mbx",  # else names in an SVG are random
    "svg.fonttype": "path",
    "text.parse_math": False,  # a name with dollar signs is a name
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_NO_DATE: Final = {
    "svg": {"Date": None, "Creator": "mbx"},
    "png": {"Software": "mbx"},
    "pdf": {"CreationDate": None, "Creator": "mbx", "Producer": None},
}
"""The same results give the same bytes."""


def matplotlib_module(name: str = "matplotlib") -> Any:
    """Return a module of matplotlib, which the extra `plot` brings."""
    return load_extra(name, "a plot", "plot")


def draw_figure(
    suffix: str,
    size: tuple[float, float],
    draw: Callable[[Any], None],
    settings: Mapping[Any, Any] = _SETTINGS,
    layout: Literal["constrained"] | None = "constrained",
) -> bytes:
    """Return a figure of a size in inches as a file of a format; `draw` draws on it."""
    make = matplotlib_module("matplotlib.figure").Figure
    with matplotlib_module().rc_context(settings):
        figure = make(figsize=size, layout=layout)
        draw(figure)
        data = io.BytesIO()
        figure.savefig(data, format=suffix, dpi=_DOTS, metadata=_NO_DATE[suffix])
    return data.getvalue()
