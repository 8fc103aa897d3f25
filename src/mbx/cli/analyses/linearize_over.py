"""`mbx linearize --over` and `--along`: a root locus, and a motion, on the command line."""

from __future__ import annotations

from cmath import phase
from math import degrees, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from mbx.cli.command_files import suffix_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mbx.analyses.linearize.along_motion import Along
    from mbx.analyses.linearize.locus import Locus

__all__ = [
    "along_lines",
    "locus_lines",
    "locus_picture",
    "pair_of",
    "polar",
    "range_of",
    "require_picture",
]

_ROUNDING: Final = 1e-12

_FEWEST, _MOST = 2, 10_000
_PICTURES: Final = (".svg", ".png", ".pdf")


def range_of(over: str) -> tuple[str, list[float]]:
    """Return the name and the values behind `--over`; anything else is wrong usage."""
    name, _, numbers = over.partition("=")
    try:
        first, last, number = numbers.split(":")
        low, high, count = float(first), float(last), int(number)
    except ValueError:
        low, high, count = 0.0, 0.0, 0
    if not (name and isfinite(low) and isfinite(high) and _FEWEST <= count <= _MOST):
        raise typer.TyperException(
            f"--over {over}: expected NAME=FIRST:LAST:COUNT, numbers in SI units, two values or"
            f" more and {_MOST} at most"
        )
    return name, [low + (high - low) * k / (count - 1) for k in range(count)]


def require_picture(over: str | None, picture: Path) -> None:
    """Refuse a plot of nothing, and a plot in a format that is not written."""
    if over is None:
        raise typer.TyperException("--plot draws a root locus: say over what, with --over")
    if suffix_of(picture, _PICTURES) not in _PICTURES:
        raise typer.TyperException(f"--plot is a file that ends in {' or '.join(_PICTURES)}")


def locus_picture(locus: Locus, title: str, picture: Path) -> bytes:
    """Return a root locus as a picture."""
    from mbx.analyses.linearize.locus_plot import plot_locus

    return plot_locus(locus, title, Path(f"plot{suffix_of(picture, _PICTURES)}"))


def locus_lines(locus: Locus) -> Iterator[str]:
    """Yield values with their eigenvalues, but zeros, and where stability changes."""
    for k, value in enumerate(locus.values):
        linear = locus.systems[k]
        modes = locus.ratios(k)
        texts = [f"{v.real:.6g} +- {v.imag:.6g}i" if v.imag else f"{v.real:.6g}" for v, _ in modes]
        yield f"  {locus.name} = {value:.6g}: {linear.stability}; {', '.join(texts) or 'zeros'}"
        if locus.pair and modes:
            yield f"    {'/'.join(locus.pair)}: {'; '.join(polar(x) for _, x in modes)}"
    for change in locus.changes:
        yield f"{change.below} below {locus.name} = {change.value:.6g}, {change.above} above"


def pair_of(ratio: str | None, paths: Collection[str]) -> tuple[str, str] | None:
    """Return the two variables of a ratio; what the model does not have is wrong usage."""
    if ratio is None:
        return None
    upper, _, lower = ratio.partition("/")
    for name in (upper, lower):
        if name not in paths:
            raise typer.TyperException(f"--ratio {ratio}: there is no variable '{name}'")
    return upper, lower


def polar(value: complex | None) -> str:
    """Return a ratio in words."""
    if value is None:
        return "the second rests"
    return f"{abs(value):.6g}, phase {degrees(phase(value)):.6g} deg"


def along_lines(along: Along) -> Iterator[str]:
    """Yield what A and B are at the ends of a motion, and at which entries they change."""
    yield f"along {along.kind} from {along.t[0]:.6g} s to {along.t[-1]:.6g} s, {len(along.t)} times"
    yield f"state: {', '.join(along.x)}"
    if along.inputs:
        yield f"inputs: {', '.join(along.inputs)}"
    for name, matrix, of in (("A", along.A, along.x), ("B", along.B, along.inputs)):
        largest = abs(matrix).max(initial=0.0)
        for i, row in enumerate(along.x):
            for j, column in enumerate(of):
                entry = matrix[:, i, j]
                low, high = float(entry.min()), float(entry.max())
                if max(abs(low), abs(high)) <= _ROUNDING * largest:
                    continue
                label = f"  {name}({row}, {column})"
                if high - low <= _ROUNDING * largest:
                    yield f"{label} = {low:.6g}"
                else:
                    ends = f"from {entry[0]:.6g} to {entry[-1]:.6g}"
                    yield f"{label} {ends}, between {low:.6g} and {high:.6g}"
