"""A study as a picture: curves, maps, histograms, scatter, series or bars of sensitivities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.figures import draw_figure, matplotlib_module
from mbx.analyses.study.study_errors import StudyError
from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mbx.analyses.study.parameter_study import Study

__all__ = ["plot_study"]

_PANEL: Final = (4.4, 2.6)
"""Of a panel, in inches."""
_ACROSS: Final = 3
_MOST: Final = 12
"""Results that are drawn."""
_MAP: Final = "viridis"
_LEGEND: Final = 12
"""Curves that a legend names; more are distinguished by their colours."""
_TWO: Final = 2


def plot_study(study: Study, out: Path) -> bytes:
    """Return a picture of a study, in the format of a file's name.

    One swept name: curves over it. Two: a map over both. Samples: a histogram of each result,
    and where it lies against each random value. Series: curves over time. Sensitivities: bars.
    """
    colours = matplotlib_module().colormaps[_MAP]
    panels = _panels(study)
    if not panels:
        raise StudyError("there is no number to draw")
    across = min(len(panels[0]), _ACROSS) if len(panels) == 1 else len(panels[0])
    flat = [panel for row in panels for panel in row]
    down = -(-len(flat) // across)
    size = (_PANEL[0] * across, _PANEL[1] * down + 0.5)

    def paint(figure: Any) -> None:
        title = f"{study.model}: {study.experiment or study.analysis}"
        figure.suptitle(safe_text(title))
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for ax, draw in zip(axes, flat, strict=False):
            draw(figure, ax, colours)
            ax.tick_params(labelsize=8.0)
        for ax in axes[len(flat) :]:
            ax.set_axis_off()

    return draw_figure(out.suffix.removeprefix("."), size, paint)


def _panels(study: Study) -> list[list[Callable[[Any, Any, Any], None]]]:
    """Return what is drawn, in rows; a single row may be broken."""
    if study.differentiated:
        return [_bars(study)]
    results = [name for name in study.results if _numbers(study, name) and name != "t"][:_MOST]
    if not results:
        return []
    if "t" in study.results:
        return [[_series(study, name) for name in results]]
    if study.random:
        return [
            [_histogram(study, name), *(_scatter(study, x, name) for x in study.random[:_ACROSS])]
            for name in results
        ]
    if len(study.swept) == _TWO:
        return [[_heat(study, name) for name in results]]
    if len(study.swept) == 1:
        return [[_curve(study, name) for name in results]]
    return [[_scatter(study, x, name) for x in study.swept[:_ACROSS]] for name in results]


def _numbers(study: Study, name: str) -> bool:
    values = study[name]
    return values.dtype.kind in "fi" and bool(np.isfinite(values).any())


def _label(study: Study, name: str) -> str:
    unit = next(column.unit for column in study.columns if column.name == name)
    return safe_text(f"{name} in {unit}" if unit not in {"", "1"} else name)


def _curve(study: Study, name: str) -> Callable[[Any, Any, Any], None]:
    (over,) = study.swept

    def draw(_figure: Any, ax: Any, _map: Any) -> None:
        order = np.argsort(study[over], kind="stable")
        x, y = study[over][order], study[name][order]
        ax.plot(x, y, ".-", color="C0", ms=4.0, lw=1.2)
        lost = np.flatnonzero(~np.isfinite(y))
        if lost.size:  # runs without a result
            ax.plot(x[lost], np.zeros(lost.size), "x", color="C3", ms=5.0, clip_on=False,
                    transform=ax.get_xaxis_transform())  # fmt: skip
        ax.set_xscale("log" if _in_ratio(x) else "linear")
        ax.set_xlabel(_label(study, over))
        ax.set_ylabel(_label(study, name))
        ax.grid(visible=True, lw=0.3)

    return draw


def _in_ratio(x: Any) -> bool:
    """Return whether values are spaced by equal ratios, and not evenly."""
    if len(x) < 3 or x[0] <= 0 or x[-1] <= x[0]:  # noqa: PLR2004  two are both
        return False
    return bool(np.allclose(x, np.geomspace(x[0], x[-1], len(x)))) and not np.allclose(
        x, np.linspace(x[0], x[-1], len(x))
    )


def _heat(study: Study, name: str) -> Callable[[Any, Any, Any], None]:
    first, second = study.swept

    def draw(figure: Any, ax: Any, colours: Any) -> None:
        x, i = np.unique(study[first], return_inverse=True)
        y, j = np.unique(study[second], return_inverse=True)
        z = np.full((len(y), len(x)), np.nan)
        z[j, i] = study[name]
        mesh = ax.pcolormesh(x, y, z, cmap=colours, shading="nearest")
        ax.set_xscale("log" if _in_ratio(x) else "linear")
        ax.set_yscale("log" if _in_ratio(y) else "linear")
        ax.set_facecolor("0.85")  # runs without a result
        figure.colorbar(mesh, ax=ax, label=_label(study, name))
        ax.set_xlabel(_label(study, first))
        ax.set_ylabel(_label(study, second))

    return draw


def _histogram(study: Study, name: str) -> Callable[[Any, Any, Any], None]:
    def draw(_figure: Any, ax: Any, _map: Any) -> None:
        values = study[name][np.isfinite(study[name])]
        ax.hist(values, bins=max(5, min(50, int(np.sqrt(len(values))))), color="C0", lw=0.0)
        for q, dash in zip(np.quantile(values, (0.05, 0.5, 0.95)), (":", "-", ":"), strict=True):
            ax.axvline(q, color="0.2", lw=0.9, ls=dash)
        ax.set_xlabel(_label(study, name))
        ax.set_ylabel("samples")

    return draw


def _scatter(study: Study, over: str, name: str) -> Callable[[Any, Any, Any], None]:
    def draw(_figure: Any, ax: Any, _map: Any) -> None:
        ax.plot(study[over], study[name], ".", color="C0", ms=3.0, alpha=0.6)
        ax.set_xlabel(_label(study, over))
        ax.set_ylabel(_label(study, name))
        ax.grid(visible=True, lw=0.3)

    return draw


def _series(study: Study, name: str) -> Callable[[Any, Any, Any], None]:
    varied = (*study.swept, *study.random)

    def draw(figure: Any, ax: Any, colours: Any) -> None:
        runs, first = np.unique(study["run"], return_index=True)
        by = study[varied[0]][first] if varied else runs.astype(float)
        low, high = float(by.min()), float(by.max())
        few = len(runs) <= _LEGEND
        for run, value in zip(runs.tolist(), by.tolist(), strict=True):
            part = (value - low) / (high - low) if high > low else 0.0
            chosen = study["run"] == run
            label = f"{value:.4g}" if few else None
            ax.plot(study["t"][chosen], study[name][chosen], lw=1.0, color=colours(0.9 * part),
                    label=label)  # fmt: skip
        what = safe_text(varied[0]) if varied else "run"
        if few:
            ax.legend(title=what, fontsize=7.0, title_fontsize=7.0, frameon=False,
                      loc="center left", bbox_to_anchor=(1.01, 0.5))  # fmt: skip
        else:
            range_of = matplotlib_module("matplotlib.colors").Normalize(
                low, low + (high - low) / 0.9
            )
            scale = matplotlib_module("matplotlib.cm").ScalarMappable(range_of, colours)
            figure.colorbar(scale, ax=ax, label=what)
        ax.set_xlabel("t in s")
        ax.set_ylabel(_label(study, name))
        ax.grid(visible=True, lw=0.3)
        ax.margins(x=0.0)

    return draw


def _bars(study: Study) -> list[Callable[[Any, Any, Any], None]]:
    """Return a panel for each result: how strongly each value changes it, at the first run."""
    first = study["run"] == study["run"].min() if len(study) else np.zeros(0, dtype=bool)
    results = dict.fromkeys(study["result"][first].tolist())
    panels = []
    for name in results:
        rows = first & (study["result"] == name) & np.isfinite(study["logarithmic"])
        if rows.any():
            panels.append(_bar(study, name, rows))
    return panels[:_MOST]


def _bar(study: Study, name: str, rows: Any) -> Callable[[Any, Any, Any], None]:
    def draw(_figure: Any, ax: Any, _map: Any) -> None:
        order = np.argsort(np.abs(study["logarithmic"][rows]))
        values = study["logarithmic"][rows][order]
        names = [safe_text(x) for x in study["by"][rows][order].tolist()]
        ax.barh(names, values, color=np.where(values < 0, "C3", "C0"))
        ax.axvline(0.0, color="0.3", lw=0.8)
        ax.set_xlabel(safe_text(f"parts of {name} for parts of the value"))

    return draw
