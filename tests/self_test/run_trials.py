"""All trials of a self-test, each in a process of its own, several at a time."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.base.errors import MbxError
from mbx.base.process import shield_workers
from self_test.equivalent import changed_equations, prove
from self_test.fault_report import SelfTest
from self_test.mutants import named
from self_test.trial import SECONDS, Job, try_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.pool import IMapIterator, Pool

    from self_test.mutants import Mutant
    from self_test.trial import Found

__all__ = ["run"]

WARM: Final = ["self_test.warm"]
"""What every process starts with: all that no fault is planted in."""
LATE: Final = 20 * SECONDS
"""Seconds after which processes that say nothing are given up; trials are limited in CPU time."""


def run(
    chosen: Sequence[Mutant],
    *,
    workers: int | None = None,
    progress: Callable[[Found, int], None] | None = None,
) -> SelfTest:
    """Try out some faults; `progress` hears of every trial, and how many there are in all."""
    faults = [mutant for mutant in chosen if not mutant.equivalent]
    known = {mutant.id for mutant in faults}
    baits = dict.fromkeys(m.bait for m in faults if m.bait and m.bait not in known)
    tried = [*faults, *map(named, baits)]
    jobs = [*_sound(tried), *map(_job, tried)]
    proofs = [_job(mutant) for mutant in chosen if mutant.equivalent]
    total = len(jobs) + len(proofs)
    found = []
    with _processes(workers or os.cpu_count() or 1) as pool:
        equations = [pool.apply_async(changed_equations, (job,)) for job in proofs]
        for one in _each(pool.imap_unordered(try_out, jobs, chunksize=1), len(jobs)):
            found.append(one)
            if progress is not None:
                progress(one, total)
        given = [(job, each.get(LATE)) for job, each in zip(proofs, equations, strict=True)]
        for one in _each(pool.imap_unordered(prove, given, chunksize=1), len(given)):
            found.append(one)
            if progress is not None:
                progress(one, total)
    return SelfTest(tuple(chosen), tuple(found))


def _job(mutant: Mutant) -> Job:
    """Return the trial of a fault; the oracle is asked where a fault is in the core."""
    if mutant.bait:
        return replace(_job(named(mutant.bait)), mutant=mutant, bait=named(mutant.bait))
    oracle = (mutant.core and mutant.check == "forms") or mutant.oracle
    return Job(mutant.model, mutant.forms, oracle=oracle, mutant=mutant, check=mutant.check)


def _sound(chosen: Sequence[Mutant]) -> Iterator[Job]:
    """Yield the trials without a fault: each model with all forms that it is tried with."""
    jobs = [_job(mutant) for mutant in chosen]
    for model, check in dict.fromkeys((job.model, job.check) for job in jobs):
        here = [job for job in jobs if (job.model, job.check) == (model, check)]
        forms = tuple(dict.fromkeys(form for job in here for form in job.forms))
        yield Job(model, forms, oracle=any(job.oracle for job in here), check=check)


def _processes(workers: int) -> Pool:
    """Return processes that do one piece of work each, and start with all that is not changed."""
    known = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    if "forkserver" in known:
        context.set_forkserver_preload(WARM)
    with shield_workers():
        return context.Pool(workers, maxtasksperchild=1)


def _each(results: IMapIterator[Found], count: int) -> Iterator[Found]:
    """Yield what comes of some work, as it ends."""
    for _ in range(count):
        try:
            yield results.next(LATE)
        except multiprocessing.TimeoutError:
            raise MbxError("a process of the self-test gives no answer") from None
