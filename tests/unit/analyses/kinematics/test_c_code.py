"""Mechanisms as C: compiled by a compiler without a warning, and run beside machine code."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.analyses.kinematics.groups.c_code import c_code
from mbx.analyses.kinematics.groups.group_machine import Machine, compiled
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.kinematics.solve_motion import Method, solution_of
from mbx.cli.main import main
from mechanisms import MECHANISMS, evenly, library, mechanism, start_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("gcc")
FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]


def _build(source: Path, shared: Path) -> None:
    command = ["gcc", *FLAGS, "-o", str(shared), str(source), "-lm"]
    subprocess.run(command, check=True)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("four_bar", "td"),
        ("scissor_lift", "td"),
        ("four_bar_scalable", "3ot"),
        ("slider_crank_scalable_3d", "3ot"),
        ("delta_robot", "td"),
        ("kapitza_pendulum", "3ot"),
    ],
)
def test_c_gives_what_machine_code_gives(name: str, method: Method, tmp_path: Path) -> None:
    _, system = library(name)
    drives = {**MECHANISMS, "kapitza_pendulum": ["theta"]}[name]
    solution = solution_of(mechanism(name, evenly(system, drives, 1.3, 0.7)), method)
    machine = compiled(solution)
    assert isinstance(machine, Machine)
    start = solution.start(start_of(system), 0.0)
    for file, text in c_code(solution, start, "A */ #include").items():
        (tmp_path / file).write_text(text, encoding="ascii")
    stem = "mb_A_____include_kinematics"
    source, shared = tmp_path / f"{stem}.c", tmp_path / "kinematics.so"
    _build(source, shared)
    code = ctypes.CDLL(str(shared))
    n = len(solution.symbols)
    x = np.full(3 * n, np.nan)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    code[f"{stem}_start"](pointer)
    assert x.tolist() == [*start, *[0.0] * (2 * n)]
    solve = code[stem]
    solve.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_double)]
    times = np.array([0.0, 0.02, 0.03])
    for t, *levels in zip(times, *machine.run(times, start), strict=True):
        assert solve(float(t), pointer) == 0
        expected = np.concatenate(levels)
        assert np.abs(x - expected).max() <= 1e-12 * np.abs(expected).max()


def test_c_says_which_group_has_no_position(tmp_path: Path) -> None:
    # source: the rocker of the library's four-bar cannot go beyond 2.4189 rad
    _, system = library("four_bar")
    solution = solution_of(mechanism("four_bar", evenly(system, ["th3"])), "td", readouts=False)
    start = solution.start(start_of(system), 0.0)
    for file, text in c_code(solution, start, "Bar").items():
        (tmp_path / file).write_text(text, encoding="ascii")
    shared = tmp_path / "kinematics.so"
    source = tmp_path / "mb_Bar_kinematics.c"
    _build(source, shared)
    solve = ctypes.CDLL(str(shared)).mb_Bar_kinematics
    solve.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_double)]
    x = np.concatenate([start, np.zeros(2 * len(start))])
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert solve(0.0, pointer) == 0
    assert solve(2.0, pointer) == 2
    assert [g.name for g in solution.groups] == ["1R", "3R"]


def test_the_command_writes_both_files_and_says_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "code"
    assert main(["kinematics", "lib:four_bar", "--drive", "th1=1 + t", "--code", str(folder)]) == 0
    names = ["mb_FourBar_kinematics.c", "mb_FourBar_kinematics.h"]
    assert sorted(one.name for one in folder.iterdir()) == names
    assert sorted(capsys.readouterr().out.split()) == [str(folder / name) for name in names]
    header = (folder / names[1]).read_text(encoding="ascii")
    assert "#define MB_FOURBAR_KINEMATICS_SIZE" in header


def test_what_is_not_written_out_is_refused_by_name() -> None:
    _, system = library("stewart_platform")
    drives = evenly(system, MECHANISMS["stewart_platform"])
    solution = solution_of(mechanism("stewart_platform", drives), "td")
    with pytest.raises(NotNaturalError, match="too many unknowns to be written out"):
        c_code(solution, np.zeros(len(solution.symbols)), "Stewart")
