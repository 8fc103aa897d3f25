"""One run of a command on a mutant, in this process, and what must hold of it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fuzz.commands import command
from fuzz.mutate import Mutant, mutant
from mbx.cli import main as cli
from mbx.cli.command_files import kind_of, out_of_bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SECONDS", "Trial", "run"]

SECONDS: Final = 10
"""CPU time of a run, as published for a command."""
STATUSES: Final = frozenset({0, 1, 2, 3, 4, 5})
_WRONG: Final = re.compile(
    r"Traceback|internal error|^Exception ignored|\b\w*Warning: |<[\w.]+ object at 0x", re.MULTILINE
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]")


@dataclass
class Trial:
    """A run: its number, what was run, and what is wrong with it."""

    number: int
    name: str
    words: list[str]
    origin: str
    data: bytes
    file: str
    status: int | None = None
    faults: list[str] = field(default_factory=list)
    out: str = ""
    err: str = ""
    seconds: float = 0.0


class _OutOfTimeError(BaseException):
    """The run does not end even after its time limit was reported."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Report a limit after so much CPU time, as the command does; then end the run."""
    rung = 0

    def ring(*_: Any) -> None:
        nonlocal rung
        rung += 1
        if rung > 2:
            raise _OutOfTimeError
        out_of_bounds("time")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(number: int) -> Trial:
    """Make the run of a number."""
    chance = random.Random(f"fuzz {number}")  # noqa: S311  repeated by its number
    made = mutant(chance)
    name, words = command(made.data.decode("utf-8", "replace"), made.name, chance)
    trial = Trial(number, name, words, made.origin, made.data, made.name)
    folder = Path(tempfile.mkdtemp(prefix="mbx-fuzz-"))
    here = Path.cwd()
    try:
        os.chdir(folder)
        _perform(trial, made)
        _check_files(trial, folder)
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
    return trial


def _perform(trial: Trial, made: Mutant) -> None:
    Path(made.name).write_bytes(made.data)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    kept = sys.stdout, sys.stderr, sys.stdin
    began = os.times()
    sys.stdout, sys.stderr, sys.stdin = out, err, io.TextIOWrapper(io.BytesIO(b""))
    try:
        with warnings.catch_warnings(), _limited(SECONDS):
            warnings.simplefilter("always")
            trial.status = int(cli.main(trial.words))
    except BaseException as bad:
        if isinstance(bad, KeyboardInterrupt):
            raise
        trial.faults.append(f"raised {type(bad).__name__}: {traceback.format_exc(limit=-6)}")
    finally:
        sys.stdout, sys.stderr, sys.stdin = kept
    done = os.times()
    trial.seconds = done.user - began.user + done.system - began.system
    trial.out, trial.err = (one.buffer.getvalue().decode("utf-8", "replace") for one in (out, err))
    if trial.status is not None:
        trial.faults += _faults(trial)


def _faults(trial: Trial) -> Iterator[str]:
    """Yield what is wrong with what a run printed, and with its status."""
    if trial.status not in STATUSES:
        yield f"status {trial.status}"
    for text in (trial.out, trial.err):
        wrong = _WRONG.search(text)
        if wrong:
            yield f"prints {wrong[0]!r}"
        control = None if text is trial.out and "-o" not in trial.words else _CONTROL.search(text)
        if control:
            yield f"prints the character {control[0]!r}"
    failed = "error[" in trial.err
    if trial.status == 0 and failed:
        yield "status 0 and an error"
    if trial.status in {1, 2, 3, 4, 5} and not (trial.out or trial.err).strip():
        yield f"status {trial.status} and no message"
    if trial.status == 1 and not (failed or trial.name.startswith(("fmt", "draw", "check-json"))):
        yield "status 1 and no error"
    if "--json" in trial.words and trial.status in {0, 4} and trial.out.strip():
        try:
            json.loads(trial.out, parse_constant=_refuse_constant)
        except ValueError as bad:
            yield f"JSON that is none: {bad}"


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _check_files(trial: Trial, folder: Path) -> None:
    """Note what is wrong with the files that are there after a run."""
    mine = folder / trial.file
    if trial.name != "fmt" and _hash(mine.read_bytes()) != _hash(trial.data):
        trial.faults.append("the input has changed")
    others = [one for one in folder.rglob("*") if one != mine]
    for one in others:
        if one.name.startswith(".mbx"):
            trial.faults.append(f"left behind: {one.name}")
        elif one.is_file() and kind_of(one.read_bytes()) is None:
            trial.faults.append(f"not whole: {one.name}")
    # some forms of --to all may be broken while the others are written
    partly = trial.name == "convert-all" and trial.status == 5
    if others and not partly and (trial.status is None or trial.status in {1, 2, 3, 5}):
        trial.faults.append(f"status {trial.status}, and files: {[o.name for o in others]}")
    wanted = next((word for word in trial.words if word.startswith("OUT")), None)
    if trial.status == 0 and wanted is not None and not (folder / wanted).exists():
        trial.faults.append(f"status 0, and no {wanted}")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
