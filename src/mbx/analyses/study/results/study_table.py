"""The results of a study as one tidy table: a row for each run, time or sensitivity.

| rows | columns |
|---|---|
| a run | run, what is varied, results, reason |
| a run and a time | run, what is varied, t, quantities, reason |
| a run, a result and a value | run, what is varied, result, value, by, at, slope, error, ... |
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.simulate.runs import Column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.study.setting import Cell, RunResult

__all__ = ["Row", "columns_of", "labels_of", "results_of", "table_of"]

Row = dict[str, Any]
_FIXED = ("run", "reason")


def results_of(outcomes: Sequence[RunResult], wanted: Sequence[str]) -> list[str]:
    """Return the names of all results, in order: what is wanted, else what any run gave."""
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.values)
    return [*(name for name in names if name not in wanted), *wanted]


def labels_of(results: Sequence[str], varied: Sequence[str]) -> dict[str, str]:
    """Return how results are called in a table, where a name may be varied, too."""
    taken = {*varied, *_FIXED}
    return {name: f"{name} (result)" if name in taken else name for name in results}


def table_of(
    points: Sequence[Mapping[str, float]], outcomes: Sequence[RunResult], labels: Mapping[str, str]
) -> list[Row]:
    """Return a row for each run, or for each time of a run whose results are series."""
    rows: list[Row] = []
    for k, (point, outcome) in enumerate(zip(points, outcomes, strict=True)):
        cells = {label: outcome.values.get(name, nan) for name, label in labels.items()}
        length = max((len(x) for x in cells.values() if isinstance(x, list)), default=1)
        for i in range(length):
            here = {name: _at(cell, i) for name, cell in cells.items()}
            rows.append({"run": k + 1, **point, **here, "reason": outcome.reason})
    return rows


def _at(cell: Cell, i: int) -> float | str:
    return cell[i] if isinstance(cell, list) else cell


def columns_of(rows: Sequence[Row], units: Mapping[str, str]) -> tuple[Column, ...]:
    """Return rows as columns, by the names that have units: whole numbers, words, or numbers."""
    return tuple(
        Column(name, unit, _array([row[name] for row in rows])) for name, unit in units.items()
    )


def _array(cells: list[Any]) -> Any:
    if any(isinstance(x, str) for x in cells):
        return np.array([x if isinstance(x, str) else "" for x in cells], dtype=str)
    whole = bool(cells) and all(isinstance(x, int) for x in cells)
    return np.array(cells, dtype=int if whole else float)
