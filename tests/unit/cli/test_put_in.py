"""What commands are given: values outside of ranges, empty names of files, no experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
mbx 1
model P {
  param l: m = 1 in [0.5, 2]
  input F: N = 0 in [-1, 1]
  coordinate a: rad = 0.3
  body A { mass 1 kg  com [l/2, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  force [F, 0, 0] on A
  gravity [0, -9.81 [m/s^2], 0]
}
experiment swing of P { simulate 0 s .. 0.1 s }
"""
SECOND = "experiment fall of P { simulate 0 s .. 0.1 s }\n"
VERBS = (
    ("assemble",),
    ("equilibrium",),
    ("linearize", "swing"),
    ("kinematics", "--drive", "a=0.3 + t", "--until", "0.1"),
    ("simulate", "swing"),
    ("study", "swing", "--vary", "F=0:1:2"),
    ("inverse", "swing"),
    ("convert", "--to", "kane"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "p.mb"
    found.write_text(MODEL, encoding="utf-8")
    return found


@pytest.mark.parametrize("verb", VERBS, ids=lambda one: one[0])
def test_a_value_outside_of_its_range_is_warned_of_by_every_verb(
    run: Any, file: Path, verb: tuple[str, ...]
) -> None:
    done = run(verb[0], file, *verb[1:], "--set", "l=3")
    assert "warning[MBX4017]: with --set l=3, 'l' is 3, outside of its range" in done.err
    assert f"{file}:3:16" in done.err
    inside = run(verb[0], file, *verb[1:], "--set", "l=1.5")
    assert "MBX4017" not in inside.err


@pytest.mark.parametrize(
    "verb",
    [
        ("convert", "--to", "kane", "-o"),
        ("simulate", "swing", "-o"),
        ("simulate", "swing", "--plot"),
        ("simulate", "swing", "--animate"),
        ("kinematics", "--drive", "a=t", "--until", "1", "--diagram"),
        ("kinematics", "--drive", "a=t", "--until", "1", "--code"),
        ("linearize", "-o"),
        ("study", "swing", "--vary", "l=1:2:2", "-o"),
        ("flatten", "-o"),
        ("json", "-o"),
        ("draw", "-o"),
        ("report", "-o"),
        ("verify", "--certificate"),
        ("verify", "--junit"),
    ],
    ids=" ".join,
)
def test_an_empty_name_is_no_place_to_write_to(
    run: Any, file: Path, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    monkeypatch.chdir(file.parent)
    done = run(verb[0], file, *verb[1:], "")
    assert done.status == 2
    assert "an empty name is no place to write to" in done.err
    assert [one.name for one in file.parent.iterdir()] == ["p.mb"]


def test_a_new_model_needs_a_name_of_its_file(run: Any) -> None:
    assert run("new", "M", "-o", "").status == 2


def test_the_only_experiment_is_run_and_named(run: Any, file: Path) -> None:
    done = run("simulate", file, "--quiet")
    assert done.status == 0
    assert done.out == "ran to 0.1 s\n"
    assert done.err == "mbx: experiment 'swing', the only one of the model\n"


@pytest.mark.parametrize("verb", ["simulate", "study", "inverse"])
def test_of_several_experiments_one_must_be_named(run: Any, file: Path, verb: str) -> None:
    file.write_text(MODEL + SECOND, encoding="utf-8")
    done = run(verb, file)
    assert done.status == 2
    assert done.err == "mbx: nothing says which experiment: 'swing', 'fall'\n"


def test_a_model_without_experiments_needs_an_end(run: Any, file: Path) -> None:
    file.write_text(MODEL.split("experiment", maxsplit=1)[0], encoding="utf-8")
    done = run("simulate", file)
    assert done.status == 4
    assert done.err == "mbx: the model does not simulate: say until when it is to run\n"
    assert run("simulate", file, "--until", "0.1", "--quiet").out == "ran to 0.1 s\n"


@pytest.mark.parametrize("verb", ["simulate", "study", "inverse", "assemble", "linearize"])
def test_an_experiment_that_is_not_there_is_answered_with_those_that_are(
    run: Any, file: Path, verb: str
) -> None:
    done = run(verb, file, "swimg")
    assert done.status == 2
    assert "there is no experiment 'swimg'; did you mean 'swing'? the model has 'swing'" in done.err
    done = run(verb, file, "zzz")
    assert "there is no experiment 'zzz'; the model has 'swing'" in done.err


def test_a_model_without_variables_has_nothing_that_moves(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "m.mb"
    text = "mbx 1\nmodel M { body A { mass 1 kg  joint fixed(ground) } }\n"
    file.write_text(text, encoding="utf-8")
    done = run("assemble", file)
    assert done.status == 0
    assert "the model has no variables: nothing moves" in done.out
    assert "no accelerations" not in done.out
