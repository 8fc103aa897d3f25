"""A study: an analysis made over a design, its table, statistics and sensitivities."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from mbx.analyses.experiments.experiment_plan import RefusedValueError
from mbx.analyses.request import experiments_of
from mbx.analyses.study.perform import make_runs
from mbx.analyses.study.results.sensitivities import LEVELS, around, slope_of
from mbx.analyses.study.results.study_html import html_table
from mbx.analyses.study.results.study_table import columns_of, labels_of, results_of, table_of
from mbx.analyses.study.results.summary import Statistics, statistics_of
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.sweep_values import MOST
from mbx.analyses.study.worker_bench import Bench
from mbx.analyses.time_series import column_named, to_pandas
from mbx.base.short_repr import count_of, join_names, shorten_repr
from mbx.base.workers.pool import Pool
from mbx.language.document.experiments import About, Prescribe, Simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.simulate.runs import Column
    from mbx.analyses.study.design import Design
    from mbx.analyses.study.results.study_table import Row
    from mbx.analyses.study.setting import RunResult, Setting
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Study", "analysis_for", "study"]

SLOPES = ("result", "value", "by", "at", "slope", "error", "logarithmic")
"""Columns of a table of sensitivities."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """An analysis that was made many times.

    Attributes:
        model, analysis, experiment: What was made; the experiment may be "".
        swept, random: The names that were swept, and those that were random.
        results: The names of the results, as they are called in the table.
        columns: The table: `run`, what was varied, results, and `reason`, which states why a run
            has none. Results of a series have a row for each time, and sensitivities one for
            each result and each value that it is differentiated by.
        statistics: Of each result, over samples; none without samples.
        runs: How many runs there were, those for sensitivities included.
        failed: How many of them have no result, by reason.
        bug: Whether one of them was a fault of the tool.
    """

    model: str
    analysis: str
    experiment: str
    swept: tuple[str, ...]
    random: tuple[str, ...]
    results: tuple[str, ...]
    columns: tuple[Column, ...]
    statistics: tuple[Statistics, ...] = ()
    runs: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    bug: bool = False

    def __repr__(self) -> str:
        """Return what was made, and the names of the columns."""
        names = join_names(column.name for column in self.columns)
        return shorten_repr(
            f"<Study of {self.analysis}, {self.model}: {count_of(self.runs, 'run')}, "
            f"{sum(self.failed.values())} failed; {names}>"
        )

    def __getitem__(self, name: str) -> Array:
        """Return a column of the table by its name."""
        return column_named(self.columns, name)

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame`; its `attrs["units"]` has the SI units."""
        return to_pandas(self.columns)

    def __len__(self) -> int:
        """Return how many rows the table has."""
        return len(self.columns[0].values)

    @property
    def ok(self) -> bool:
        """Whether any run has a result."""
        return sum(self.failed.values()) < self.runs

    @property
    def differentiated(self) -> bool:
        """Whether the table is one of sensitivities."""
        return any(column.name == "slope" for column in self.columns)

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data; what is no number is null."""
        return {
            "model": self.model,
            "analysis": self.analysis,
            "experiment": self.experiment,
            "swept": list(self.swept),
            "random": list(self.random),
            "results": list(self.results),
            "runs": self.runs,
            "failed": dict(self.failed),
            "columns": [
                {
                    "name": column.name,
                    "unit": column.unit,
                    "values": list(map(_plain, column.values.tolist())),
                }
                for column in self.columns
            ],
            "statistics": [entry.as_json() for entry in self.statistics],
        }

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return html_table(self.columns)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def analysis_for(linked: Linked, experiment: str) -> str:
    """Return the analysis that an experiment is about; raise `StudyError` if it names none."""
    chosen = experiments_of(linked).get(experiment)
    body = () if chosen is None else chosen.body
    if any(isinstance(task, About) for task in body):
        return "linearize"
    if any(isinstance(task, Prescribe) for task in body):
        return "inverse"
    if any(isinstance(task, Simulate) for task in body):
        return "simulate"
    raise StudyError(
        "nothing says which analysis is to be made: name one, or an experiment with 'simulate',"
        " 'prescribe' or 'about state'"
    )


def study(
    linked: Linked,
    setting: Setting,
    design: Design,
    slopes: Sequence[str] = (),
    pool: Pool | None = None,
    heard: Callable[[int, int], None] = lambda _more, _all: None,
) -> Study:
    """Make an analysis for each point of a design; raise `StudyError` for what is not there.

    With `slopes`, each result is differentiated by each of these names, at each point. `heard`
    receives how many more runs are done, and how many there are.
    """
    varied = tuple(dict.fromkeys((*design.names, *slopes)))
    bench = Bench(linked, setting, varied)
    points = design.points()
    count = design.count * (1 + 2 * LEVELS * len(slopes))
    if count > MOST:
        raise StudyError(
            f"with those for sensitivities these are {count} runs, the most are {MOST}"
        )
    unit = bench.runner.unit  # a wrong request is reported before the work begins
    _require_experiment(bench, points)
    centres = [_centres(bench, point, slopes) for point in points]
    every = list(points)
    for point, centre in zip(points, centres, strict=True):
        every += [{**point, n: x} for n, value in centre.items() for x in around(value)]
    outcomes = make_runs(bench, every, pool or Pool(), lambda more: heard(more, len(every)))
    here, near = outcomes[: len(points)], outcomes[len(points) :]
    results = results_of(here, setting.results)
    labels = labels_of(results, varied)
    units = {name: bench.ground.unit_of(name) for name in design.names}
    if slopes:
        rows = _slopes(points, here, near, centres, results)
        columns = columns_of(rows, {"run": "", **units, **dict.fromkeys(SLOPES, ""), "reason": ""})
    else:
        rows = table_of(points, here, labels)
        units |= {label: unit(name) for name, label in labels.items()}
        columns = columns_of(rows, {"run": "", **units, "reason": ""})
    counted = Counter(outcome.reason for outcome in outcomes if outcome.reason)
    return Study(
        model=linked.model.name,
        analysis=setting.analysis,
        experiment=setting.request.experiment,
        swept=tuple(design.swept),
        random=tuple(design.random),
        results=tuple(labels.values()),
        columns=columns,
        statistics=tuple(statistics_of(points, here, tuple(design.swept))) if design.random else (),
        runs=len(outcomes),
        failed=dict(counted.most_common()),
        bug=any(outcome.bug for outcome in outcomes),
    )


def _require_experiment(bench: Bench, points: Sequence[Mapping[str, float]]) -> None:
    """Raise an error for names and values that are not there, before the work begins.

    What only the study gives a value is taken from one of its runs: from one that can be made,
    for values that mean nothing are the business of their runs.
    """
    open_ones = bench.ground.without_value
    tried = [{n: x for n, x in point.items() if n in open_ones} for point in points]
    if not tried or not tried[0]:
        bench.ground.plan({})
        return
    for values in (tried[0], tried[len(tried) // 2]):
        with suppress(RefusedValueError):
            bench.ground.plan(values)
            return
    bench.ground.plan(tried[-1])


def _centres(bench: Bench, point: Mapping[str, float], slopes: Sequence[str]) -> dict[str, float]:
    """Return the values that results are differentiated at; NaN where they are not known."""
    return {name: point.get(name, bench.ground.nominal(name, point)) for name in slopes}


def _slopes(
    points: Sequence[Mapping[str, float]],
    here: Sequence[RunResult],
    near: Sequence[RunResult],
    centres: Sequence[Mapping[str, float]],
    results: Sequence[str],
) -> list[Row]:
    rows: list[Row] = []
    left = iter(near)
    for k, (point, outcome, centre) in enumerate(zip(points, here, centres, strict=True)):
        for name, value in centre.items():
            around_it = [next(left) for _ in range(2 * LEVELS)]
            for result in results:
                y = outcome.values.get(result, nan)
                if isinstance(y, str | list):
                    continue
                slope = slope_of(result, value, outcome, around_it)
                why = outcome.reason or next((x.reason for x in around_it if x.reason), "")
                rows.append(
                    {"run": k + 1, **point, "result": result, "value": y, "by": name, "at": value}
                    | {"slope": slope.slope, "error": slope.error}
                    | {"logarithmic": slope.logarithmic, "reason": why}
                )
    return rows
