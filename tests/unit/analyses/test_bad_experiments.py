"""Experiments that cannot be run: every method says why, and leaves no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mbx.analyses.simulate.methods import METHODS
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

FALL = """mbx 1
model Fall {
  param k: N/m^3 = 1
  coordinate x: m = 1
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force grow: k*x^3*ground.x on b
}
"""
BAR = "lib:four_bar"
FLAT = [f"--start={name}=0" for name in ("th1", "th2", "th3", "phi")]
BAD = {
    "inconsistent": (
        [BAR, "--until", "1", "--start=th1=1", "--start=th2=0", "--start=th3=0"],
        4,
        "no consistent state is near its start",
    ),
    "unknown input": ([BAR, "swing", "--set=u9=1"], 2, "there is no parameter or input 'u9'"),
    "unknown start": ([BAR, "swing", "--start=th9=1"], 2, "there is no variable 'th9'"),
    "singular": (["lib:parallelogram", "--until", "1", *FLAT], 4, "its start is singular"),
    "no time": ([BAR, "swing", "--until", "0"], 4, "which is no time"),
    "no CPU time": ([BAR, "swing", "--timeout", "0"], 4, "ran out of time"),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", BAD)
def test_what_cannot_be_run_says_why_and_leaves_no_file(
    bad: str, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, status, message = BAD[bad]
    files = ["-o", str(tmp_path / "x.csv"), "--plot", str(tmp_path / "x.svg")]
    assert main(["simulate", *arguments, "--method", method, *files]) == status
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("method", [one for one in METHODS if one != "index3"])
def test_a_run_to_nowhere_leaves_what_there_is(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, out = tmp_path / "fall.mb", tmp_path / "x.csv"
    model.write_text(FALL, encoding="utf-8")
    command = ["simulate", str(model), "--until", "10", "--method", method, "-o", str(out)]
    assert main(command) == 4
    assert " at t = 1.85" in capsys.readouterr().err.replace("from t", "at t")
    # x is infinite at K(1/2) = 1.8540746773 s; results are 0.05 s apart
    times = [float(line.partition(",")[0]) for line in out.read_text().splitlines()[1:]]
    assert times[:-1] == pytest.approx([0.05 * k for k in range(len(times) - 1)])
    assert times[-1] == pytest.approx(1.85, abs=0.05)
