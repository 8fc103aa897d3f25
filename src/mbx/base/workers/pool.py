"""Worker pools: processes of this machine, or the workers of a cluster.

A worker gets JSON text and returns JSON text. A worker that hangs or dies loses its own tasks, and
no others.
"""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from time import process_time
from typing import TYPE_CHECKING, Final

from mbx.base.errors import MbxError
from mbx.base.process import shield_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["GRACE", "LOST", "Pool", "WorkerError", "answers"]

GRACE: Final = 60.0
"""Seconds of CPU time beyond the time limit after which a worker is ended."""
SLACK: Final = 12
"""Multiple of that time, by the clock, after which silent workers are given up."""
LOST: Final = "the worker died, or gave no answer in time"
"""The message for a task without an answer."""


class WorkerError(MbxError):
    """A worker gave no answer."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What does the work: a number of processes of this machine, or a cluster at an address."""

    jobs: int = 1
    cluster: str | None = None


def answers(
    perform: Callable[[str], str], tasks: Sequence[str], pool: Pool, patience: float
) -> Iterator[tuple[int, str]]:
    """Yield the answers with the numbers of their tasks, as they come; none from a lost worker.

    `perform` is a function of a module, which does a task. `patience` are the seconds of CPU
    time that it may take. A cluster that cannot be used raises `ClusterError`.
    """
    numbered = list(enumerate(tasks))
    if pool.cluster is None and min(pool.jobs, len(tasks)) <= 1:
        for task in numbered:
            yield _perform(perform, task)
        return
    from joblib import Parallel, delayed  # noqa: PLC0415  half of the time of a single model

    with _backend(pool), suppress(TimeoutError, BrokenExecutor):
        with shield_workers():  # all workers are started here
            results = Parallel(
                n_jobs=min(pool.jobs, len(tasks)) if pool.cluster is None else -1,
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch="all",
                timeout=SLACK * patience,
            )(delayed(_work)(perform, task, patience) for task in numbered)
        yield from results


def _work(
    perform: Callable[[str], str], numbered: tuple[int, str], seconds: float
) -> tuple[int, str]:
    """Do a task in a worker, which ends if compiled code uses more CPU time than it may."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        limit = ceil(process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
    return _perform(perform, numbered)


def _perform(perform: Callable[[str], str], numbered: tuple[int, str]) -> tuple[int, str]:
    number, text = numbered
    return number, perform(text)


@contextmanager
def _backend(pool: Pool) -> Iterator[None]:
    """Let joblib work with processes of this machine, or with a cluster."""
    from joblib import parallel_config  # noqa: PLC0415  as above

    if pool.cluster is None:
        with parallel_config("loky", inner_max_num_threads=1):
            yield
        return
    from mbx.base.workers.cluster import connect  # noqa: PLC0415  an extra

    with connect(pool.cluster) as client, parallel_config("dask", client=client):
        yield
