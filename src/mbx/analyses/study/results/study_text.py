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


def lines_of(study: Study) -> Iterator[str]:
    """Yield the lines of a study."""
    shown = [
        column for column in study.columns if column.name != "reason" or (column.values != "").any()
    ]
    rows = [[_cell(x) for x in column.values[:_MOST].tolist()] for column in shown]
    words = [column.values.dtype.kind == "U" for column in shown]
    yield from _grid([heading(column) for column in shown], list(zip(*rows, strict=True)), words)
    if len(study) > _MOST:
        yield f"  ... {len(study) - _MOST} more rows; -o writes all of them"
    yield from _statistics(study)
    yield from _counts(study)
    listed = len(study) <= _MOST and not study.differentiated
    yield from outcome(study, reasons=not listed)


def _statistics(study: Study) -> Iterator[str]:
    if not study.statistics:
        return
    heads = [*study.swept, "result", "samples", "mean", "sd", "min", "5 %", "50 %", "95 %", "max"]
    rows = [
        [
            *(_cell(x) for x in entry.at.values()),
            entry.result,
            str(entry.count),
            *map(
                _cell, (entry.mean, "-" if entry.sd is None else entry.sd, entry.least, entry.low)
            ),
            *map(_cell, (entry.median, entry.high, entry.most)),
        ]
        for entry in study.statistics[:_MOST]
    ]
    yield ""
    yield from _grid(heads, rows, [head == "result" for head in heads])


def _counts(study: Study) -> Iterator[str]:
    """Yield how often each word is there, of results that are words over samples."""
    if not study.random:
        return
    for name in study.results:
        values = study[name] if name in {column.name for column in study.columns} else np.zeros(0)
        if values.dtype.kind == "U":
            words, counts = np.unique(values[values != ""], return_counts=True)
            counted = [
                f"{n} {word}" for word, n in zip(words.tolist(), counts.tolist(), strict=True)
            ]
            yield f"  {name}: {', '.join(counted)}"


def outcome(study: Study, *, reasons: bool = True) -> Iterator[str]:
    """Yield how many runs there were, and why some have no result."""
    failed = sum(study.failed.values())
    runs = f"{study.runs} run{'s' * (study.runs != 1)} of {study.analysis}"
    yield f"{runs}, {failed} without a result" if failed else runs
    for reason, count in list(study.failed.items())[:_REASONS] if reasons else ():
        yield f"  {count}: {reason}"
    more = len(study.failed) - _REASONS
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
