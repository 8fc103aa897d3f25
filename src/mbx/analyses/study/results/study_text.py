"""A study in lines for people: the first rows of its table, statistics, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.simulate.results.run_table import heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.study.parameter_study import Study

__all__ = ["lines_of", "outcome"]

_MOST: Final = 40
"""Rows that are shown."""
_REASONS: Final = 5
"""Reasons that are shown."""


def lines_of(found: Study) -> Iterator[str]:
    """Yield what is to be said of a study."""
    shown = [one for one in found.columns if one.name != "reason" or (one.values != "").any()]
    rows = [[_cell(x) for x in one.values[:_MOST].tolist()] for one in shown]
    words = [one.values.dtype.kind == "U" for one in shown]
    yield from _grid([heading(one) for one in shown], list(zip(*rows, strict=True)), words)
    if len(found) > _MOST:
        yield f"  ... {len(found) - _MOST} more rows; -o writes all of them"
    yield from _statistics(found)
    yield from _counts(found)
    listed = len(found) <= _MOST and not found.differentiated
    yield from outcome(found, reasons=not listed)


def _statistics(found: Study) -> Iterator[str]:
    if not found.statistics:
        return
    heads = [*found.swept, "result", "samples", "mean", "sd", "min", "5 %", "50 %", "95 %", "max"]
    rows = [
        [
            *(_cell(x) for x in one.at.values()),
            one.result,
            str(one.count),
            *map(_cell, (one.mean, "-" if one.sd is None else one.sd, one.least, one.low)),
            *map(_cell, (one.median, one.high, one.most)),
        ]
        for one in found.statistics[:_MOST]
    ]
    yield ""
    yield from _grid(heads, rows, [head == "result" for head in heads])


def _counts(found: Study) -> Iterator[str]:
    """Yield how often each word is there, of results that are words over samples."""
    if not found.drawn:
        return
    for name in found.results:
        values = found[name] if name in {one.name for one in found.columns} else np.zeros(0)
        if values.dtype.kind == "U":
            words, counts = np.unique(values[values != ""], return_counts=True)
            said = [f"{n} {word}" for word, n in zip(words.tolist(), counts.tolist(), strict=True)]
            yield f"  {name}: {', '.join(said)}"


def outcome(found: Study, *, reasons: bool = True) -> Iterator[str]:
    """Yield how many runs there were, and why some have no result."""
    failed = sum(found.failed.values())
    runs = f"{found.runs} run{'s' * (found.runs != 1)} of {found.analysis}"
    yield f"{runs}, {failed} without a result" if failed else runs
    for reason, count in list(found.failed.items())[:_REASONS] if reasons else ():
        yield f"  {count}: {reason}"
    more = len(found.failed) - _REASONS
    if more > 0 and reasons:
        yield f"  and {more} other reasons"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if np.isnan(value) else f"{value:.6g}"
    return str(value)


def _grid(
    heads: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[bool]
) -> Iterator[str]:
    """Yield a table: numbers at the right of their columns, words at the left."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = [
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(row, widths, words, strict=True)
        ]
        yield "  " + "  ".join(cells).rstrip()
