"""Many verifications at the same time: models, and parts of their states.

They are done by processes of this machine, or by the workers of a cluster. A worker gets the
linked model as JSON text and gives JSON text back. One that hangs or dies costs the models that
it had, not the others.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.diagnostics import Report, Source
from mbx.errors import ConverterError, MbxError
from mbx.experiments.stated import located
from mbx.jsonform.read import read_json
from mbx.jsonform.write import write_json
from mbx.link.link import link_document
from mbx.recursion import room
from mbx.syntax.limits import LIMITS
from mbx.system.elaborate import elaborate
from mbx.verify.exchange import Answer, Task
from mbx.verify.forms import candidates
from mbx.verify.guard import Clock
from mbx.verify.parts import merge
from mbx.verify.run import Options, verify_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.link.linked import Linked
    from mbx.verify.report import Verification

__all__ = ["Finished", "Pool", "WorkerError", "perform", "verify_models", "verify_parts"]

_Numbered = tuple[int, int, str]
"""A task with the number of its model and of its part; the answer has the same numbers."""

GRACE: Final = 60.0
"""Seconds beyond the time limit after which a worker that is silent is given up."""

_ONE: Final = threading.Lock()
"""Held while a worker verifies: it watches all of its process, so its threads take turns."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Who does the work: so many processes of this machine, or a cluster at an address."""

    jobs: int = 1
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A model that is done: its number, its parts or why there are none, and the seconds."""

    number: int
    parts: tuple[Verification, ...]
    seconds: float
    trouble: str = ""
    bug: bool = False

    @property
    def whole(self) -> Verification:
        """The parts together."""
        return merge(self.parts)


def verify_models(
    models: Sequence[Linked], asked: Sequence[Options], pool: Pool
) -> Iterator[Finished]:
    """Verify some models, each in parts as asked; yield each when all of its parts are done.

    A form that is not known raises `ConverterError`, a cluster that cannot be had `ClusterError`.
    """
    if models:
        _require_forms(models[0], asked[0])
    tasks = [
        (n, k, _task(one, part)) for n, one in enumerate(models) for k, part in enumerate(asked)
    ]
    found: dict[int, dict[int, Answer]] = {n: {} for n in range(len(models))}
    for n, k, text in _answers(tasks, pool, asked[0].timeout + GRACE):
        answer = Answer.model_validate_json(text)
        found[n][k] = answer
        if len(found[n]) == len(asked):
            yield _finished(n, found.pop(n), models[n])
    for n in found:
        yield Finished(n, (), 0.0, "the worker died, or gave no answer in time")


def _require_forms(model: Linked, options: Options) -> None:
    """Raise an error if a form that is named does not exist, before workers are started."""
    candidates(elaborate(model), options.forms, Clock.of(options.timeout, options.timeout))


def verify_parts(model: Linked, asked: Sequence[Options], pool: Pool) -> tuple[Verification, ...]:
    """Verify one model in parts as asked; a single part is done here, unless by a cluster."""
    if len(asked) == 1 and pool.cluster is None:
        return (verify_system(elaborate(model), asked[0], model),)
    (found,) = verify_models([model], asked, pool)
    if found.trouble:
        raise WorkerError(found.trouble)
    return found.parts


class WorkerError(MbxError):
    """A worker gave no answer."""


def _finished(number: int, answers: dict[int, Answer], model: Linked) -> Finished:
    parts = [answers[k] for k in sorted(answers)]
    seconds = sum(one.seconds for one in parts)
    for one in parts:
        if one.fault or one.bug:
            return Finished(number, (), seconds, one.fault or one.bug, bug=bool(one.bug))
    # the worker has the model without its text, and its lines with it
    known = tuple(
        replace(one.verification, references=located(one.verification.references, model))
        for one in parts
        if one.verification is not None
    )
    return Finished(number, known, seconds)


# -- who does the work ---------------------------------------------------------------------------


def _answers(tasks: Sequence[_Numbered], pool: Pool, patience: float) -> Iterator[_Numbered]:
    """Yield the answers as they come; none for tasks whose worker is lost."""
    if pool.cluster is None and min(pool.jobs, len(tasks)) <= 1:
        for one in tasks:
            yield _perform(one)
        return
    from joblib import Parallel, delayed  # noqa: PLC0415  half of the time that one model takes

    with _backend(pool), suppress(TimeoutError, BrokenExecutor):
        yield from Parallel(
            n_jobs=min(pool.jobs, len(tasks)) if pool.cluster is None else -1,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch="all",
            timeout=patience,
        )(delayed(_perform)(one) for one in tasks)


@contextmanager
def _backend(pool: Pool) -> Iterator[None]:
    """Let joblib work with processes of this machine, or with a cluster."""
    from joblib import parallel_config  # noqa: PLC0415  as above

    if pool.cluster is None:
        with parallel_config("loky", inner_max_num_threads=1):
            yield
        return
    from mbx.verify.cluster import connected  # noqa: PLC0415  an extra

    with connected(pool.cluster) as client, parallel_config("dask", client=client):
        yield


# -- the side of the worker ----------------------------------------------------------------------


def _task(model: Linked, options: Options) -> str:
    return Task(
        document=write_json(model.document),
        hash=model.hash,
        limits=asdict(LIMITS),
        forms=options.forms,
        states=options.states,
        oracle=options.oracle,
        seed=options.seed,
        timeout=options.timeout,
        points=options.points,
        references=options.references,
    ).model_dump_json()


def _perform(numbered: _Numbered) -> _Numbered:
    model, part, text = numbered
    return model, part, perform(text)


def perform(text: str) -> str:
    """Do a task and return the answer, both as JSON text."""
    began = time.perf_counter()
    with _ONE, room():
        try:
            found = _verify(Task.model_validate_json(text))
        except ConverterError as unknown:  # of a worker that has other forms installed
            answer = Answer(seconds=0.0, fault=str(unknown))
        except Exception as bug:  # noqa: BLE001  the others go on
            answer = Answer(seconds=0.0, bug=f"internal error, {type(bug).__name__}: {bug}")
        else:
            answer = Answer(seconds=time.perf_counter() - began, verification=found)
    return answer.model_dump_json()


def _verify(task: Task) -> Verification:
    for name, value in task.limits.items():
        LIMITS.set(name, value)
    report = Report()
    document = read_json(Source("<task>", task.document), report)
    linked = None if document is None else link_document(document, None, report)
    if linked is None or linked.hash != task.hash:
        raise WorkerError(
            f"the model does not arrive as it was sent; {report.render()}".strip("; ")
        )
    options = Options(
        forms=task.forms,
        states=task.states,
        oracle=task.oracle,
        seed=task.seed,
        timeout=task.timeout,
        points=task.points,
        references=task.references,
    )
    return verify_system(elaborate(linked), options, linked)
