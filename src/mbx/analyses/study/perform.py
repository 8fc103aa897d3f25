"""The runs of a study, shared among processes: what is sent to them, and what comes back."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Final

from mbx.analyses.request import Request
from mbx.analyses.study.setting import RunResult, Setting
from mbx.analyses.study.worker_bench import Bench
from mbx.base.errors import MbxError
from mbx.base.process import room
from mbx.base.workers.pool import GRACE, LOST, Pool, answers
from mbx.linking.model_transfer import SentModel, Text, arrived, sent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Answer", "Task", "make_runs", "perform"]

_SHARES: Final = 16
"""Tasks for each process: the last ones to end keep few of the others waiting."""
_WORKERS: Final = 8
"""Workers that a cluster is taken to have."""
_LARGEST: Final = 64
"""Runs of a task."""


_Key = tuple[SentModel, Setting, tuple[str, ...]]


class Task(Text):
    """Some runs of a study; a name that a run does not set has no number there."""

    model: SentModel
    setting: Setting
    varied: tuple[str, ...]
    points: tuple[tuple[float | None, ...], ...]


class Answer(Text):
    """What became of the runs of a task, in order; or why there is nothing."""

    results: tuple[RunResult, ...] = ()
    trouble: str = ""


# Request is annotated with names that its module imports for type checkers alone
for _kind in (Task, Answer):
    _kind.model_rebuild(_types_namespace={"Mapping": Mapping, "Request": Request})

_LOCK: Final = threading.Lock()
"""Held while a worker works: what a bench keeps is for one thread."""
_ready: list[tuple[_Key, Bench]] = []
"""The bench of the last task, by all of the task but its points."""


def make_runs(
    bench: Bench, points: Sequence[Mapping[str, float]], pool: Pool, heard: Callable[[int], None]
) -> list[RunResult]:
    """Return what becomes of each point; `heard` receives how many more are done.

    The result is the same whoever does the work.
    """
    ground = bench.ground
    varied = ground.varied
    size = _size(len(points), pool)
    parts = [range(k, min(k + size, len(points))) for k in range(0, len(points), size)]
    model = sent(ground.linked)
    tasks = []
    for part in parts:
        rows = tuple(tuple(points[k].get(name) for name in varied) for k in part)
        task = Task(model=model, setting=ground.setting, varied=varied, points=rows)
        tasks.append(task.model_dump_json())
    _ready[:] = [((model, ground.setting, varied), bench)]
    results = [RunResult(reason=LOST)] * len(points)
    patience = size * ground.setting.seconds + GRACE
    for number, text in answers(perform, tasks, pool, patience):
        answer = Answer.model_validate_json(text)
        for index, k in enumerate(parts[number]):
            results[k] = (
                answer.results[index] if answer.results else RunResult(reason=answer.trouble)
            )
        heard(len(parts[number]))
    return results


def _size(count: int, pool: Pool) -> int:
    """Return how many runs a task has."""
    jobs = pool.jobs if pool.cluster is None else _WORKERS
    return max(1, min(_LARGEST, ceil(count / (_SHARES * jobs))))


def perform(text: str) -> str:
    """Do a task and return the answer, both as JSON text."""
    with _LOCK, room():
        task = Task.model_validate_json(text)
        try:
            bench = _bench(task)
        except MbxError as trouble:  # of a worker that has other forms, or another mbx
            return Answer(trouble=str(trouble)).model_dump_json()
        results = tuple(bench.run(_set_values(task.varied, row)) for row in task.points)
        return Answer(results=results).model_dump_json()


def _set_values(names: Sequence[str], row: Sequence[float | None]) -> dict[str, float]:
    return {name: x for name, x in zip(names, row, strict=True) if x is not None}


def _bench(task: Task) -> Bench:
    """Return the bench of the task before, if that was one of the same study."""
    key = task.model, task.setting, task.varied
    for known, bench in _ready:
        if known == key:
            return bench
    bench = Bench(arrived(task.model), task.setting, task.varied)
    _ready[:] = [(key, bench)]
    return bench
