"""Many verifications at the same time: models, and parts of their states (`mbx.base.workers`)."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.stated_expectations import located
from mbx.analyses.guard import Clock
from mbx.base.errors import ConverterError
from mbx.base.process import room
from mbx.base.workers.pool import GRACE, LOST, WorkerError, answers
from mbx.linking.model_transfer import arrived, sent
from mbx.system.elaborate import elaborate
from mbx.verify.agreement.state_parts import merge
from mbx.verify.derived_forms import candidates
from mbx.verify.run_verification import Options, verify_system
from mbx.verify.verification_data import Answer, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.base.workers.pool import Pool
    from mbx.linking.link import Linked
    from mbx.verify.verification import Verification

__all__ = ["Finished", "perform", "verify_models", "verify_parts"]

_TURN: Final = threading.Lock()
"""Held while a worker verifies: it watches all of its process, so its threads take turns."""


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
    models: Sequence[Linked], requests: Sequence[Options], pool: Pool
) -> Iterator[Finished]:
    """Verify models, each in the requested parts; yield each when all of its parts are done.

    A form that is not known raises `ConverterError`, a cluster that cannot be had `ClusterError`.
    """
    if models:
        _require_forms(models[0], requests[0])
    parts = [(n, k) for n in range(len(models)) for k in range(len(requests))]
    tasks = [_task(models[n], requests[k]) for n, k in parts]
    pending: dict[int, dict[int, Answer]] = {n: {} for n in range(len(models))}
    for number, text in answers(perform, tasks, pool, requests[0].timeout + GRACE):
        n, k = parts[number]
        answer = Answer.model_validate_json(text)
        pending[n][k] = answer
        if len(pending[n]) == len(requests):
            yield _finished(n, pending.pop(n), models[n])
    for n in pending:
        yield Finished(n, (), 0.0, LOST)


def _require_forms(model: Linked, options: Options) -> None:
    """Raise an error if a form that is named does not exist, before workers are started."""
    candidates(elaborate(model), options.forms, Clock.of(options.timeout, options.timeout))


def verify_parts(
    model: Linked, requests: Sequence[Options], pool: Pool
) -> tuple[Verification, ...]:
    """Verify a model in the requested parts; a single part is done here, unless by a cluster."""
    if len(requests) == 1 and pool.cluster is None:
        return (verify_system(elaborate(model), requests[0], model),)
    (finished,) = verify_models([model], requests, pool)
    if finished.trouble:
        raise WorkerError(finished.trouble)
    return finished.parts


def _finished(number: int, answers: dict[int, Answer], model: Linked) -> Finished:
    parts = [answers[k] for k in sorted(answers)]
    seconds = sum(answer.seconds for answer in parts)
    for answer in parts:
        if answer.fault or answer.bug:
            return Finished(number, (), seconds, answer.fault or answer.bug, bug=bool(answer.bug))
    # the worker has the model without its text, and its lines with it
    known = tuple(
        replace(answer.verification, references=located(answer.verification.references, model))
        for answer in parts
        if answer.verification is not None
    )
    return Finished(number, known, seconds)


# -- the side of the worker ----------------------------------------------------------------------


def _task(model: Linked, options: Options) -> str:
    return Task(
        model=sent(model),
        forms=options.forms,
        states=options.states,
        oracle=options.oracle,
        seed=options.seed,
        timeout=options.timeout,
        points=options.points,
        references=options.references,
    ).model_dump_json()


def perform(text: str) -> str:
    """Do a task and return the answer, both as JSON text."""
    began = time.perf_counter()
    with _TURN, room():
        try:
            verification = _verify(Task.model_validate_json(text))
        except ConverterError as unknown:  # of a worker that has other forms installed
            answer = Answer(seconds=0.0, fault=str(unknown))
        except Exception as bug:  # noqa: BLE001  the others go on
            answer = Answer(seconds=0.0, bug=f"internal error, {type(bug).__name__}: {bug}")
        else:
            answer = Answer(seconds=time.perf_counter() - began, verification=verification)
    return answer.model_dump_json()


def _verify(task: Task) -> Verification:
    linked = arrived(task.model)
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
