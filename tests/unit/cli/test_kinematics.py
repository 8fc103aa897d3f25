"""`mbx kinematics`: its times, what it refuses, what it prints and writes."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.drives import require_values
from mbx.analyses.kinematics.method_agreement import Agreement, Compared
from mbx.analyses.mechanism_verbs import kinematic_study
from mbx.cli.analyses import kinematics_output

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.analyses.simulate.runs import Column

CRANK = ("kinematics", "lib:four_bar", "--drive")
LATE = """mbx 1
model Arm {
  param J: kg*m^2 = 1
  coordinate a: rad = 0.3
  body arm { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = a) }
}
experiment late of Arm {
  simulate 2 s .. 3 s every 0.25 s
}
"""


def times_of(path: Path) -> list[float]:
    return [float(row[0]) for row in list(csv.reader(path.read_text("utf-8").splitlines()))[1:]]


# -- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("every", "times"),
    [
        ("0.35", [0, 0.35, 0.7, 1]),
        ("0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("0.1", np.arange(11) / 10),
    ],
)
def test_times_are_those_of_a_simulation(
    run: Any, tmp_path: Path, every: str, times: Sequence[float]
) -> None:
    files = tmp_path / "k.csv", tmp_path / "s.csv"
    said = ("--until", "1", "--every", every)
    assert run(*CRANK, "th1=1+t", *said, "-o", files[0]).status == 0
    assert run("simulate", "lib:four_bar", "swing", *said, "-o", files[1]).status == 0
    assert times_of(files[0]) == times_of(files[1]) == pytest.approx(times)


@pytest.mark.parametrize("every", ["0", "-0.1", "nan"])
def test_no_distance_of_results_is_refused_as_by_a_simulation(run: Any, every: str) -> None:
    done = run(*CRANK, "th1=1+t", "--until", "1", "--every", every)
    other = run("simulate", "lib:four_bar", "--until", "1", "--every", every)
    assert (done.status, done.err) == (other.status, other.err)
    assert (done.status, done.err) == (4, f"mbx: results every {float(every):g} s are none\n")


def test_distances_of_results_need_an_end(run: Any) -> None:
    done = run(*CRANK, "th1=1", "--every", "0.1")
    assert done.status == 4
    assert "say until when" in done.err


@pytest.mark.parametrize(("sweep", "sign"), [("0.5:1.5:5", 1), ("1.5:0.5:5", -1)])
def test_a_sweep_begins_when_its_experiment_does(sweep: str, sign: int) -> None:
    found = mbx.kinematics(mbx.loads(LATE), "late", drive={"a": sweep})
    assert found.t.tolist() == [2, 2.25, 2.5, 2.75, 3]
    first = float(sweep.partition(":")[0])
    assert found["a"] == pytest.approx(first + sign * (found.t - 2))
    assert found["a"][0] == first


def test_a_sweep_has_no_other_times() -> None:
    with pytest.raises(NotRunError, match="'th1' says all times itself"):
        mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "0:1:5"}, until=1.0)


# -- drives without a value ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("motion", "when"), [("1 + sqrt(0.5 - t)", "0.5"), ("1 + 0.1/(t - 0.75)", "0.75")]
)
def test_a_drive_without_a_value_later_on_is_named(run: Any, motion: str, when: str) -> None:
    done = run(*CRANK, f"th1={motion}", "--until", "1", "--every", "0.25")
    assert done.status == 4
    assert done.err == f"mbx: what drives 'th1' has no value or no rates at t = {when} s\n"


def test_drives_that_have_values_are_let_pass() -> None:
    study = kinematic_study(mbx.read("lib:four_bar"), {"th1": "1"})
    require_values(study.drives.motions, np.array([0.0, 1e9]))


# -- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (["th1=1", "--drive", "th1=2"], "'th1' is driven twice"),
        (["th1=1", "--guess", "th1=2"], "--guess th1: it is driven"),
        (["th1=1", "--guess", "th1'=2"], "--guess th1': it is driven"),
        (["th1=0:1:5", "--until", "0"], "--until does not go with a sweep"),
        (["th1=0:1:5", "--every", "1"], "--every does not go with a sweep"),
        (["th1=1", "--structure", "--range", "th1"], "--structure does not go with --range"),
        (["th1=1", "--diagram", "x.svg", "--branches"], "--diagram does not go with --branches"),
        (
            ["th1=1", "--structure", "--diagram", "x.svg", "--branches"],
            "--structure does not go with --branches",
        ),
        (["th1=1", "--range", "th1", "--branches"], "--range does not go with --branches"),
        (["th1=1", "--range", "th1", "-o", "x.csv"], "--range does not go with --out"),
        (["th1=1", "--branches", "--plot", "x.svg"], "--branches does not go with --plot"),
        (["th1=1", "--structure", "--animate", "x.gif"], "--structure does not go with --animate"),
        (["th1=1", "--branches", "--method", "all"], "--branches does not go with --method all"),
        (["th1=t", "--branches", "--until", "0"], "--branches does not go with --until"),
        (["th1=1", "--range", "th1", "--natural"], "--range does not go with --natural"),
    ],
)
def test_what_would_not_be_heard_is_wrong_usage(run: Any, said: list[str], reason: str) -> None:
    done = run(*CRANK, *said)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err


def test_what_an_experiment_drives_is_not_held(run: Any) -> None:
    done = run("kinematics", "lib:quick_return", "work", "--guess", "th=1")
    assert done.status == 2
    assert "--guess th: it is driven" in done.err


# -- what is printed -------------------------------------------------------------------------


def test_the_structure_is_data_too(run: Any, tmp_path: Path) -> None:
    drawn = tmp_path / "groups.svg"
    done = run(*CRANK, "th1=1", "--structure", "--diagram", drawn, "--json")
    assert done.status == 0
    assert drawn.read_text("utf-8").startswith("<svg")
    crank = {"name": "1R", "bodies": ["crank"], "N_m": 1, "n_c": 1, "L_th": 0, "P": 1}
    dyad = {"name": "3R", "bodies": ["coupler", "rocker"], "N_m": 2, "n_c": 0, "L_th": 3, "P": 3}
    assert json.loads(done.out) == {
        "mobility": 1,
        "driven": 1,
        "where": "plane",
        "groups": [{"number": 1, **crank, "from": [0]}, {"number": 2, **dyad, "from": [0, 1]}],
    }


def test_a_diagram_alone_prints_nothing(run: Any, tmp_path: Path) -> None:
    done = run(*CRANK, "th1=1", "--diagram", tmp_path / "groups.txt")
    assert (done.status, done.out) == (0, "")
    assert (tmp_path / "groups.txt").read_text("utf-8").startswith("mobility 1 in a plane")


def test_it_says_so_where_all_is_given(run: Any) -> None:
    drives = ("--drive", "phi1=1", "--drive", "phi2=1")
    done = run("kinematics", "lib:double_pendulum", *drives)
    assert done.out.startswith("td: all is given, no group has unknowns\n")
    assert "condition" not in done.out


def test_a_start_on_another_branch_is_told() -> None:
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "1"})
    assert not any("branch" in line for line in kinematics_output.lines_of(found, timed=False))
    lines = kinematics_output.lines_of(replace(found, note="lock-up"), timed=False)
    assert "  it may be on another branch than the model's start: lock-up" in lines


def test_errors_are_told_as_powers_of_ten_that_they_are_below() -> None:
    near = Compared("3ot", 0.5, 2e4, (1e-16, 1e-9, 2e-7), "x")
    far = Compared("3ot", 0.0, 2.0, (0.0, 1.01e-14, 1e-13), "x")
    bad = Compared("global", 0.25, 2.0, (3e-11, 0.0, 0.0), "y")
    told = Agreement("td", (far, near, bad), {"global-sparse": "no"})
    lines = list(kinematics_output.agreement_lines(told))
    assert lines[0].startswith("  largest differences from td at 3 positions")
    assert lines[2].split() == ["3ot", "<=", "1e-14", "<=", "1e-13", "<=", "1e-13"]
    assert lines[3].endswith("<= 1e-06 where the condition is 1000 or more, 2e+04 at t = 0.5 s")
    assert lines[5].endswith("not applicable: no")
    assert lines[6] == "  they disagree: global by 3.0e-11 at t = 0.25 s, in y"


# -- what is written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [(*CRANK, "th1=1"), ("simulate", "lib:four_bar", "--until", "0.01")]
)
def test_where_one_file_cannot_be_written_none_is(
    run: Any, tmp_path: Path, command: tuple[str, ...]
) -> None:
    table = tmp_path / "a.csv"
    table.write_text("old")
    done = run(*command, "-o", table, "--plot", tmp_path / "none" / "x.svg")
    assert (done.status, done.out) == (5, "")
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]
    assert table.read_text() == "old"


def plotted(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *said: object
) -> list[Column]:
    seen: list[Column] = []

    def plot(columns: Sequence[Column], _title: str, _out: Path) -> bytes:
        seen.extend(columns)
        return b""

    monkeypatch.setattr("mbx.analyses.simulate.results.run_plot.plot", plot)
    assert run("kinematics", *said, "--plot", tmp_path / "x.svg").status == 0
    return seen


def test_a_sweep_is_plotted_over_its_drive(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = plotted(run, monkeypatch, tmp_path, "lib:four_bar", "--drive", "th1=0:2*pi:9")
    units = {one.name: one.unit for one in columns}
    assert list(units)[:3] == ["th1", "th2", "th3"]
    assert not {"t", "th1'", "th1''"} & {*units}
    assert (units["th1"], units["transmission(coupler, rocker)"]) == ("rad", "degrees")
    assert columns[0].values == pytest.approx(np.linspace(0, 2 * pi, 9))
    assert 41 < columns[-1].values.min() < 42  # source: the command's text, tests/commands


def test_a_sweep_of_a_slide_is_plotted_in_metres(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = plotted(run, monkeypatch, tmp_path, "lib:slider_crank", "--drive", "s=0.2:0.22:3")
    assert (columns[0].name, columns[0].unit) == ("s", "m")


def test_a_motion_is_plotted_over_time(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = plotted(run, monkeypatch, tmp_path, "lib:quick_return", "work", "--until", "0.1")
    assert (columns[0].name, columns[0].unit) == ("t", "s")
