"""Every option that writes a file replaces only what it may, and writes all of it or nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from mbx.base import files
from mbx.base.errors import FileError
from mbx.cli.command_files import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODEL: Final = """mbx 1
model Swing {
  param l: m = 1, m: kg = 1
  coordinate a: rad = 0.1
  body bar {
    mass m com [l/2, 0, 0] inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = a)
  }
  input u: N*m = 0
  torque u*ground.z on bar from ground
  gravity [9.81 [m/s^2], 0, 0]
}
experiment fall of Swing { simulate 0 s .. 0.1 s every 50 ms }
experiment turned of Swing {
  prescribe a = 0.1 rad + 0.5 [rad/s]*t solve u
  simulate 0 s .. 0.1 s every 50 ms
}
"""
BAR: Final = """mbx 1
model FourBar {
  coordinate a: rad = 1.0, b: rad = -0.4, c: rad = 1.5
  body crank { mass 1 kg inertia 1 [kg*m^2] about z joint revolute(ground, axis = z, angle = a) }
  body coupler {
    mass 1 kg inertia 1 [kg*m^2] about z
    joint revolute(crank at [0.1 m, 0, 0], axis = z, angle = b)
  }
  body rocker {
    mass 1 kg inertia 1 [kg*m^2] about z
    joint revolute(ground at [0.3 m, 0, 0], axis = z, angle = c)
  }
  joint tip: revolute(coupler at [0.3 m, 0, 0], rocker at [0.25 m, 0, 0], axis = z) cut
}
"""
WRITERS: Final[dict[str, list[str]]] = {
    "convert-text": ["convert", "m.mb", "--to", "kane", "-o", "OUT.txt"],
    "convert-latex": ["convert", "m.mb", "--to", "kane", "--format", "latex", "-o", "OUT.tex"],
    "convert-fragment": [
        *("convert", "m.mb", "--to", "kane", "--format", "latex_fragment", "-o", "OUT.tex"),
    ],
    "convert-markdown": ["convert", "m.mb", "--to", "kane", "--format", "markdown", "-o", "OUT.md"],
    "convert-html": ["convert", "m.mb", "--to", "kane", "--format", "html", "-o", "OUT.html"],
    "convert-json": ["convert", "m.mb", "--to", "kane", "--format", "json", "-o", "OUT.json"],
    "convert-numpy": ["convert", "m.mb", "--to", "kane", "--format", "numpy", "-o", "OUT.py"],
    "convert-julia": ["convert", "m.mb", "--to", "kane", "--format", "julia", "-o", "OUT.jl"],
    "convert-modelica": ["convert", "m.mb", "--to", "kane", "--format", "modelica", "-o", "OUT.mo"],
    "draw": ["draw", "m.mb", "-o", "OUT.svg"],
    "report": ["report", "m.mb", "--no-verify", "--form", "kane", "-o", "OUT.html"],
    "json": ["json", "m.mb", "-o", "OUT.json"],
    "flatten": ["flatten", "m.mb", "-o", "OUT.txt"],
    "flatten-hash": ["flatten", "m.mb", "--hash", "-o", "OUT.txt"],
    "flatten-canonical": ["flatten", "m.mb", "--canonical", "-o", "OUT.json"],
    "simulate": ["simulate", "m.mb", "fall", "-o", "OUT.csv"],
    "simulate-parquet": ["simulate", "m.mb", "fall", "-o", "OUT.parquet"],
    "simulate-plot": ["simulate", "m.mb", "fall", "--plot", "OUT.svg"],
    "simulate-png": ["simulate", "m.mb", "fall", "--plot", "OUT.png"],
    "simulate-animate": ["simulate", "m.mb", "fall", "--animate", "OUT.html"],
    "inverse": ["inverse", "m.mb", "turned", "-o", "OUT.csv"],
    "kinematics": ["kinematics", "bar.mb", "--drive", "a=1:1.2:3", "-o", "OUT.csv"],
    "kinematics-diagram": ["kinematics", "bar.mb", "--drive", "a=1:1.2:3", "--diagram", "OUT.dot"],
    "kinematics-text": ["kinematics", "bar.mb", "--drive", "a=1:1.2:3", "--diagram", "OUT.txt"],
    "linearize": ["linearize", "m.mb", "--hold", "a=0", "-o", "OUT.csv"],
    "linearize-json": ["linearize", "m.mb", "--hold", "a=0", "-o", "OUT.json"],
    "linearize-npz": ["linearize", "m.mb", "--hold", "a=0", "-o", "OUT.npz"],
    "linearize-mat": ["linearize", "m.mb", "--hold", "a=0", "-o", "OUT.mat"],
    "study": ["study", "m.mb", "fall", "--vary", "l=1:2:2", "--jobs", "1", "-o", "OUT.csv"],
    "study-plot": [
        "study",
        "m.mb",
        "fall",
        "--vary",
        "l=1:2:2",
        "--jobs",
        "1",
        "--plot",
        "OUT.svg",
    ],
    "verify-junit": [
        *("verify", "m.mb", "--form", "kane", "--form", "lagrange", "--states", "2", "--oracle"),
        *("0", "--quiet", "--junit", "OUT.xml"),
    ],
    "verify-certificate": [
        *("verify", "m.mb", "--form", "kane", "--form", "lagrange", "--renew", "--quiet"),
        *("--certificate", "OUT.json"),
    ],
    "coverage": ["library", "coverage", "-o", "OUT.md"],
}
FOREIGN: Final = {
    "a program": b"#!/bin/sh\nrm -rf /\n",
    "another JSON": b'{"name": "package", "version": "1.0.0"}\n',
    "bytes": bytes(range(256)),
    "an archive": b"PK\x03\x04" + bytes(40),
    "prose": b"Notes on the crane\n\nIt swings, and swings.\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with models, which is where commands run."""
    (tmp_path / "m.mb").write_text(MODEL, "utf-8")
    (tmp_path / "bar.mb").write_text(BAR, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def target_of(command: list[str]) -> str:
    return next(word for word in command if word.startswith("OUT"))


def content(folder: Path) -> dict[str, bytes]:
    return {
        one.name: str(one.readlink()).encode() if one.is_symlink() else one.read_bytes()
        for one in folder.iterdir()
    }


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_replaced_by_one_of_its_kind_alone(name: str, run: Any, place: Path) -> None:
    command = WRITERS[name]
    out = place / target_of(command)
    first = run(*command)
    assert first.status in {0, 4}, first.err
    written = out.read_bytes()
    assert kind_of(written) is not None
    assert run(*command).status == first.status
    assert out.exists()
    some = list(FOREIGN)[len(name) % 3 :: 3]
    for what in some:
        out.write_bytes(FOREIGN[what])
        before = content(place)
        refused = run(*command)
        assert (refused.status, content(place)) == (5, before), what
        assert "MBX7023" in refused.err
    assert run(*command, "--force").status == first.status
    assert kind_of(out.read_bytes()) == kind_of(written)


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", WRITERS)
def test_inputs_links_and_folders_are_left_alone(name: str, run: Any, place: Path) -> None:
    command = WRITERS[name]
    out = place / target_of(command)
    model = place / ("bar.mb" if "bar.mb" in command else "m.mb")
    make: Callable[[], None]
    for make in (
        lambda: out.hardlink_to(model),
        lambda: out.symlink_to(model),
        lambda: out.symlink_to(place / "nowhere"),
        lambda: out.symlink_to(out),
        out.mkdir,
    ):
        make()
        if name == "coverage" and out.exists() and out.samefile(model):
            out.unlink()  # it reads no model
            continue
        before = content(place) if not out.is_dir() else None
        result = run(*command)
        if out.is_dir() and name.startswith("convert"):
            assert result.status == 0  # a folder to write into
            break
        assert result.status == 5, (result.out, result.err)
        assert "MBX70" in result.err
        assert before is None or content(place) == before
        if out.is_dir():
            assert list(out.iterdir()) == []
            out.rmdir()
        else:
            out.unlink()
    assert (place / "m.mb").read_text("utf-8") == MODEL
    assert (place / "bar.mb").read_text("utf-8") == BAR


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", WRITERS)
def test_streams_are_written_and_nothing_is_stored(name: str, run: Any, place: Path) -> None:
    command = WRITERS[name]
    before = content(place)
    for stream in ("/dev/null", "-", "/dev/stdout"):
        if stream == "-" and name == "verify-certificate":
            continue  # checked as a name of its own below
        result = run(*(stream if word.startswith("OUT") else word for word in command))
        assert result.status in {0, 4}, (stream, result.err)
    assert content(place) == before


def test_what_goes_to_standard_output_is_alone_there(run: Any, place: Path) -> None:
    run("simulate", "m.mb", "fall", "-o", "run.csv")
    printed = run("simulate", "m.mb", "fall", "-o", "-")
    assert printed.out == (place / "run.csv").read_text("utf-8")
    assert "by" in printed.err


def test_standard_output_is_not_asked_for_twice(run: Any, place: Path) -> None:
    before = content(place)
    for more in (
        ["--json", "-o", "-"],
        ["-o", "-", "--plot", "-"],
        ["-o", "a.svg", "--plot", "a.svg"],
    ):
        assert run("simulate", "m.mb", "fall", *more).status == 2
    assert content(place) == before


def test_any_model_file_is_left_alone_whatever_its_name(run: Any, place: Path) -> None:
    for name in ("other.mb", "OTHER.MB", "empty.mb", "model.txt"):
        (place / name).write_text("" if name == "empty.mb" else BAR, "utf-8")
        result = run("convert", "m.mb", "--to", "kane", "-o", name)
        assert (result.status, "MBX7022" in result.err) == (5, True), name
    assert (place / "other.mb").read_text("utf-8") == BAR


def test_what_a_model_imports_is_an_input_too(run: Any, place: Path) -> None:
    assert run("json", "bar.mb", "-o", "part.json").status == 0
    (place / "m.mb").write_text('mbx 1\nuse FourBar from "part.json"\nmodel M { bar: FourBar }\n')
    before = content(place)
    for verb in (["json", "m.mb"], ["flatten", "m.mb", "--json"]):
        link = run("flatten", "m.mb")
        result = run(*verb, "-o", "part.json")
        if verb[0] == "flatten" and link.status == 0:
            assert (result.status, "MBX7020" in result.err) == (5, True), result.err
        assert (place / "part.json").read_bytes() == before["part.json"] or verb[0] == "json"


def test_standard_input_is_an_input(place: Path) -> None:
    source = place / "in.json"
    command = [sys.executable, "-m", "mbx"]
    subprocess.run([*command, "json", "m.mb", "-o", "in.json"], check=True)
    before = source.read_bytes()
    with source.open("rb") as stream:
        done = subprocess.run(
            [*command, "json", "-", "-o", "in.json"], stdin=stream, capture_output=True, check=False
        )
    assert done.returncode == 5
    assert b"MBX7020" in done.stderr
    assert source.read_bytes() == before


def test_a_folder_that_cannot_be_filled_is_not_left_behind(
    run: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_fill", full)
    before = content(place)
    result = run("convert", "m.mb", "--to", "kane", "--format", "c", "-o", "out/")
    assert (result.status, content(place)) == (5, before)


def test_what_was_replaced_comes_back_if_another_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    one.write_bytes(b"before")
    real = type(one).replace

    def fails(self: Path, target: Path) -> Path:
        if target.name == "three":
            raise OSError(5, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(type(one), "replace", fails)
    with pytest.raises(FileError, match="three"):
        files.write_all({one: b"1", two: b"2", three: b"3"})
    assert content(tmp_path) == {"one": b"before"}
