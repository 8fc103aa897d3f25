"""One trial: a model verified with one fault in the code, in a process of its own."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.recursion import room
from mbx.verify.selftest.models import linked_model
from mbx.verify.selftest.mutants import ORACLE, Mutant
from mbx.verify.selftest.patch import plant

if TYPE_CHECKING:
    from mbx.verify.report import Verification

__all__ = ["Found", "Job", "Status", "try_out"]

STATES: Final = 5
"""Random states of a trial."""
AT: Final = 2
"""States that the oracle is asked at."""
SECONDS: Final = 60.0

Status = Literal[
    "killed", "equivalent", "survived", "misnamed", "undecided", "failed", "crashed", "sound"
]


@dataclass(frozen=True, slots=True)
class Job:
    """A model, the forms to run, and the fault; none, to see that the model is sound."""

    model: str
    forms: tuple[str, ...]
    oracle: bool
    mutant: Mutant | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a trial.

    Attributes:
        mutant: Name of the fault; empty where none was planted.
        model: The model.
        status: `sound` is a verification that passes without a fault.
        named: The formalisms that the verification calls wrong; `oracle` if they are all.
        unanimous: Whether the forms agree with each other.
        error: The largest error.
        note: What was seen, in a line.
        seconds: How long it took.
    """

    mutant: str
    model: str
    status: Status
    named: tuple[str, ...]
    unanimous: bool
    error: float
    note: str
    seconds: float


def try_out(job: Job) -> Found:
    """Verify a model with a fault in the code; to be called once in a process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    began = time.monotonic()
    name = "" if job.mutant is None else job.mutant.id
    status: Status
    try:
        if job.mutant is not None:
            plant(job.mutant)
        found = _verified(job)
        status, named = _judged(found, job)
        unanimous = all(pair.verdict == "agree" for pair in found.pairs)
        error, note = max(_errors(found), default=0.0), _note(found)
    except Exception as crash:  # noqa: BLE001  a fault may break anything
        status, named, unanimous, error = "crashed", (), False, float("nan")
        note = f"{type(crash).__name__}: {crash}"
    seconds = time.monotonic() - began
    return Found(name, job.model, status, named, unanimous, error, note, seconds)


@room()
def _verified(job: Job) -> Verification:
    """Return what a verification finds, with the fault in all that is loaded from here on."""
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  after the fault is planted
    from mbx.verify.run import Options, verify_system  # noqa: PLC0415  likewise

    linked = linked_model(job.model)
    asked = AT if job.oracle else 0
    options = Options(
        forms=job.forms, states=STATES, timeout=SECONDS, oracle=asked, references=False
    )
    return verify_system(elaborate(linked), options, linked)


def _judged(found: Verification, job: Job) -> tuple[Status, tuple[str, ...]]:
    """Return what a verification says of a fault, and the forms that it calls wrong."""
    named = _named(found)
    if found.verdict == "undecided":
        return "undecided", named
    if found.verdict == "agree":
        return ("sound" if job.mutant is None else "survived"), named
    if job.mutant is None or any(one.status == "failed" for one in found.excluded):
        return "failed", named
    return ("killed" if set(named) == set(job.mutant.expected) else "misnamed"), named


def _named(found: Verification) -> tuple[str, ...]:
    """Return the formalisms that are wrong: by the oracle where it was asked, else by the others.

    Of several variants of a formalism, one is enough.
    """
    if found.against_oracle:
        return (ORACLE,)
    wrong = list(found.outliers)
    if found.oracle is not None and not found.oracle.refused:
        wrong = [name for name in found.forms if found.oracle.verdict_on(name) == "disagree"]
    return tuple(dict.fromkeys(name.partition(":")[0] for name in wrong))


def _errors(found: Verification) -> list[float]:
    errors = [error for pair in found.pairs for _, error in pair.errors()]
    errors += [*found.own.values(), *found.invariants.values(), *found.power.values()]
    if found.oracle is not None:
        errors += [error for name in found.forms for _, error in found.oracle.errors(name)]
    return [error.value for error in errors]


def _note(found: Verification) -> str:
    """Return the first of what a verification says beside its table."""
    return next(iter(found.remarks()), found.summary())
