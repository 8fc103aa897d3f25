"""A part of the fuzz: `make fuzz` makes 20,000 runs, `make test-all` the first 2,000 of them."""

from __future__ import annotations

import random
from typing import Final

import pytest

from fuzz import runner
from fuzz.commands import COMMANDS, command
from fuzz.mutate import mutant, sources
from mbx.cli.main import app

BATCH: Final = 40


def explain(trial: runner.Trial) -> str:
    said = f"run {trial.number}: mbx {' '.join(trial.words)} on a mutant of {trial.origin}"
    return "\n".join([said, *trial.faults, trial.err[:1000]])


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", range(0, BATCH, 10))
def test_no_command_fails_on_the_first_mutants(first: int) -> None:
    for number in range(first, first + 10):
        trial = runner.run(number)
        assert not trial.faults, explain(trial)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(BATCH, 2_000, BATCH))
def test_no_command_fails_on_many_mutants(first: int) -> None:
    for number in range(first, first + BATCH):
        trial = runner.run(number)
        assert not trial.faults, explain(trial)


def test_a_run_is_repeated_by_its_number() -> None:
    one, other = (random.Random("fuzz 7") for _ in range(2))  # noqa: S311  repeated by its number
    first, second = mutant(one), mutant(other)
    assert (first.name, first.data) == (second.name, second.data)
    text = first.data.decode("utf-8", "replace")
    assert command(text, "m.mb", one) == command(text, "m.mb", other)


def test_every_verb_that_reads_a_model_is_run() -> None:
    verbs = {line.split()[0] for _, line in COMMANDS.values()}
    known = {one.name for one in app.registered_commands}
    assert verbs == known - {"new", "formats", "schema", "explain"}
    assert len(sources()) > 50


@pytest.mark.parametrize(
    ("status", "err", "fault"),
    [
        (70, "mbx: internal error, KeyError; this is a bug", "status 70"),
        (0, "m.mb:1:1: error[MBX1001]: no", "status 0 and an error"),
        (1, "mbx: oh", "status 1 and no error"),
        (5, "", "status 5 and no message"),
        (4, "x.py:1: RuntimeWarning: overflow", "prints 'RuntimeWarning: '"),
    ],
)
def test_what_must_hold_of_a_run_is_looked_at(status: int, err: str, fault: str) -> None:
    trial = runner.Trial(0, "check", ["check", "m.mb"], "", b"", "m.mb", status=status, err=err)
    assert fault in list(runner._faults(trial))
