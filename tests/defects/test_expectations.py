"""Expectations that cannot fail, and those that other values leave without a judgement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import mbx
from mbx.cli.main import main
from mbx.experiments.reference import summary
from mbx.experiments.run import references

if TYPE_CHECKING:
    import pytest

FILE = Path(__file__).parent / "wide_tolerance.mb"
WIDE = {11, 12, 15}


def test_an_expectation_with_a_wide_tolerance_cannot_fail_in_a_simulation() -> None:
    run = mbx.simulate(mbx.read(FILE), "e")
    lines = {int(one.line.rpartition(":")[2]): one for one in run.references}
    assert {line for line, one in lines.items() if one.cannot_fail} == WIDE
    assert all(one.met for one in lines.values())


def test_an_expectation_with_a_wide_tolerance_does_not_count_in_a_verification() -> None:
    found = references(mbx.link(mbx.read(FILE)))
    assert {int(x.line.rpartition(":")[2]) for x in found if x.cannot_fail} == WIDE
    said = "references: 3 of 3 met (3 analytic); 3 cannot fail and do not count"
    assert summary(found) == said


def test_a_wide_tolerance_at_the_start_does_not_count() -> None:
    text = FILE.read_text().replace("x at 3 s = -0.9 m within 0.5 m", "x = 1 m within 0.5 m")
    found = references(mbx.link(mbx.loads(text)))
    assert sum(bool(x.cannot_fail) for x in found) == len(WIDE)


def test_an_expectation_that_is_not_met_counts_whatever_its_tolerance() -> None:
    text = FILE.read_text().replace("x at 1 s = 0 m within 10 m", "x at 1 s = 20 m within 10 m")
    found = references(mbx.link(mbx.loads(text)))
    assert [x.cannot_fail for x in found if not x.met] == [""]


def test_expectations_are_not_dropped_in_silence_by_other_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["simulate", str(FILE), "e", "--set", "k=2"]) == 0
    said = capsys.readouterr().out
    assert "not judged, for --set k=2 is not what the experiment says: x at 2 s" in said
    assert "are met" not in said
