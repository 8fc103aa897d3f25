"""One trial: a model verified with one fault in the code, in a process of its own."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from mbx.base.process import room
from self_test.mutants import LINEARISATION, ORACLE, Check, Mutant
from self_test.patch import plant, unload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.verify.verification import Verification

__all__ = ["Found", "Job", "Status", "attempted", "try_out"]

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
    """A model, the forms to run, and the fault; none, to see that the model is sound.

    A fault of the verifier comes with the fault that is the `bait`.
    """

    model: str
    forms: tuple[str, ...]
    oracle: bool
    mutant: Mutant | None = None
    check: Check = "forms"
    bait: Mutant | None = None

    @property
    def planted(self) -> list[Mutant]:
        """The faults to plant."""
        return [one for one in (self.mutant, self.bait) if one is not None]


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
        check: What it was tried with.
        by: What found it: `forms`, `oracle`, `results` (declared results) or `linearisation`, where
            forms and oracle agree; or else what it was tried with.
    """

    mutant: str
    model: str
    status: Status
    named: tuple[str, ...]
    unanimous: bool
    error: float
    note: str
    seconds: float = 0.0
    check: Check = "forms"
    by: str = ""


def try_out(job: Job) -> Found:
    """Verify a model with a fault in the code; to be called once in a process.

    A fault in a module that is loaded already needs all of the program loaded anew.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    began = time.monotonic()
    if any(one.module in sys.modules for one in job.planted):
        unload()
    for one in job.planted:
        plant(one)
    # the same module, unless all is loaded anew
    found: Found = import_module(__name__).attempted(job, began)
    return found


def attempted(job: Job, began: float) -> Found:
    """Return what came of a trial whose faults are planted."""
    try:
        found = _FURTHER.get(job.check, _compared)(job)
    except Exception as crash:  # noqa: BLE001  a fault may break anything
        note = f"{type(crash).__name__}: {crash}"
        found = Found("", "", "crashed", (), unanimous=False, error=float("nan"), note=note)
    name = "" if job.mutant is None else job.mutant.id
    seconds = time.monotonic() - began
    return replace(found, mutant=name, model=job.model, seconds=seconds, check=job.check)


def _compared(job: Job) -> Found:
    """Return what comes of a verification."""
    found = _verified(job)
    status, named = _said(found, job) if job.bait is None else _baited(found, job)
    unanimous = all(pair.verdict == "agree" for pair in found.pairs)
    error = max(_errors(found), default=0.0)
    by = ""
    if status == "killed":
        by = _found_by(found, unanimous=unanimous) if job.check == "forms" else job.check
        by = "verifier" if job.bait is not None else by
    return Found("", "", status, named, unanimous, error, _note(found), by=by)


def _found_by(found: Verification, *, unanimous: bool) -> str:
    """Return what tells that something is wrong: one form beside another, or what else."""
    if not unanimous:
        return "forms"
    if found.oracle is not None and any(
        found.oracle.verdict_on(name) == "disagree" for name in found.forms
    ):
        return "oracle"
    return "linearisation" if _named(found) == (LINEARISATION,) else "results"


@room()
def _verified(job: Job) -> Verification:
    """Return what a verification finds, with the fault in all that is loaded from here on."""
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  after the fault is planted
    from mbx.verify.run_verification import Options, verify_system  # noqa: PLC0415  likewise
    from self_test.fault_models import linked_model  # noqa: PLC0415  likewise

    linked = linked_model(job.model)
    asked = AT if job.oracle else 0
    options = Options(
        forms=job.forms,
        states=STATES,
        timeout=SECONDS,
        oracle=asked,
        references=job.check == "references",
    )
    return verify_system(elaborate(linked), options, linked)


def _linked(job: Job) -> Found:
    """Compare the suite of linked documents with what is written by hand."""
    from self_test.linked_documents import failures  # noqa: PLC0415  after the fault is planted

    return _alone(job, failures(), "every linked document is as expected")


@room()
def _ran(job: Job) -> Found:
    """Compare runs with what their experiments expect, and with the work of loads."""
    from self_test.fault_models import linked_model  # noqa: PLC0415  likewise
    from self_test.run_checks import wrong_runs  # noqa: PLC0415  likewise

    return _alone(job, list(wrong_runs(linked_model(job.model))), "every run is as expected")


def _alone(job: Job, wrong: Sequence[str], right: str) -> Found:
    """Return what came of a trial without a verification."""
    status: Status = "killed" if wrong else "survived"
    if job.mutant is None:
        status = "failed" if wrong else "sound"
    named = (job.check,) if wrong else ()
    note = next(iter(wrong), right)
    return Found("", "", status, named, unanimous=True, error=0.0, note=note, by=job.check)


_FURTHER: Final[dict[Check, Callable[[Job], Found]]] = {"linked": _linked, "runs": _ran}
"""Trials of other checks than verifications."""


def _by_references(found: Verification, job: Job) -> tuple[Status, tuple[str, ...]]:
    """Return what the expectations of experiments say of a fault."""
    missed = [one for one in found.references if one.met is False]
    if not found.references or any(one.met is None for one in found.references):
        return "undecided", ()
    if job.mutant is None:
        return ("failed" if missed or found.verdict != "agree" else "sound"), ()
    missed = missed if found.verdict == "disagree" else []
    return ("killed", ("references",)) if missed else ("survived", ())


def _baited(found: Verification, job: Job) -> tuple[Status, tuple[str, ...]]:
    """Return what a verifier with a fault says of another fault; it must no longer find that."""
    status, _ = _said(found, replace(job, mutant=job.bait, bait=None))
    if status == "failed":
        return "failed", ()
    return ("survived", ()) if status == "killed" else ("killed", ("verifier",))


def _said(found: Verification, job: Job) -> tuple[Status, tuple[str, ...]]:
    """Return what a verification says of a fault, and who is named."""
    return _by_references(found, job) if job.check == "references" else _judged(found, job)


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

    Where all of these agree, it is those that declare a result which does not fit, or else those
    that do not keep their own equations. Of several variants of a formalism, one is enough.
    """
    if found.against_oracle:
        return (ORACLE,)
    wrong = list(found.outliers)
    if found.oracle is not None and not found.oracle.refused:
        wrong = [name for name in found.forms if found.oracle.verdict_on(name) == "disagree"]
    if not wrong:
        from mbx.verify.findings import judge  # noqa: PLC0415  after the fault is planted

        wrong = [name for name, error in found.results.items() if judge(error) == "disagree"]
        if not wrong and any(judge(error) == "disagree" for error in found.linear.values()):
            return (LINEARISATION,)
        wrong = wrong or list(found.outliers)
    return tuple(dict.fromkeys(name.partition(":")[0] for name in wrong))


def _errors(found: Verification) -> list[float]:
    errors: list[Any] = [error for pair in found.pairs for _, error in pair.errors()]
    errors += [*found.own.values(), *found.invariants.values(), *found.power.values()]
    if found.oracle is not None:
        errors += [error for name in found.forms for _, error in found.oracle.errors(name)]
    return [error.value for error in errors]


def _note(found: Verification) -> str:
    """Return the first of what a verification says beside its table."""
    return next(iter(found.remarks()), found.summary())
