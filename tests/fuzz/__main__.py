"""`make fuzz`: commands on mutants of model files, one after the other, in this process.

    python -m fuzz [--from N] [--count N] [--state FILE] [--failures FOLDER]

A run has a number, which is its seed. The state file keeps the next number, so that a fuzz which
was ended goes on where it was; every failure leaves a folder with the file and the command.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fuzz.runner import Trial

COUNT: Final = 20_000
BYTES: Final = 4 << 30


def main() -> int:
    """Make runs; return 1 if one of them is wrong."""
    words = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    words.add_argument("--from", dest="first", type=int, help="number of the first run")
    words.add_argument("--count", type=int, default=COUNT, help="number after the last run")
    words.add_argument("--state", type=Path, default=Path("build/fuzz/state.json"))
    words.add_argument("--failures", type=Path, default=Path("build/fuzz/failures"))
    given = words.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    from fuzz.runner import run  # noqa: PLC0415  NumPy counts its threads when it is imported

    state, failures = given.state.absolute(), given.failures.absolute()
    state.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(state.read_text()) if state.exists() else {}
    first = given.first if given.first is not None else int(known.get("next", 0))
    wrong = 0 if given.first is not None else int(known.get("wrong", 0))
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for number in range(first, given.count):
        # written before the run: what ends this process is the next number
        state.write_text(json.dumps({"next": number, "wrong": wrong}))
        trial = run(number)
        counts[str(trial.status)] += 1
        if trial.faults:
            wrong += 1
            keep(trial, failures)
            sys.stdout.write(f"{number} {trial.name}: {trial.faults[0].splitlines()[0]}\n")
        if number % 100 == 99:
            rate = (number + 1 - first) / (time.monotonic() - began)
            said = ", ".join(f"{key}: {value}" for key, value in sorted(counts.items()))
            sys.stdout.write(
                f"{number + 1} of {given.count}, {wrong} wrong, {rate:.1f}/s; {said}\n"
            )
        sys.stdout.flush()
    state.write_text(json.dumps({"next": given.count, "wrong": wrong}))
    sys.stdout.write(f"{given.count - first} runs, {wrong} wrong\n")
    return 1 if wrong else 0


def keep(trial: Trial, failures: Path) -> None:
    """Write the file and the command of a run that is wrong, to repeat it."""
    folder = failures / str(trial.number)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / trial.file).write_bytes(trial.data)
    lines = [f"mbx {' '.join(trial.words)}", f"from {trial.origin}", f"status {trial.status}"]
    text = "\n".join([*lines, *trial.faults, "-- out", trial.out, "-- err", trial.err])
    (folder / "report.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
