from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import mbx

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
mbx 1
model Spring {
  param m: kg = 1, k: N/m = 10
  coordinate x: m = 0.1
  particle P { mass m  at [x, 0, 0] }
  spring on x stiffness k
}
"""
WRONG_NAME = GOOD.replace("on x", "on y")
WRONG_UNIT = GOOD.replace("k: N/m", "k: N")
WRONG_WORD = GOOD.replace("particle", "particel")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("good", GOOD),
        ("name", WRONG_NAME),
        ("unit", WRONG_UNIT),
        ("word", WRONG_WORD),
    ):
        (tmp_path / f"{name}.mb").write_text(text)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_good_model_is_ok(run: Any) -> None:
    result = run("check", "good.mb")
    assert (result.status, result.out, result.err) == (0, "good.mb: ok\n", "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["name", "unit", "word"])
def test_faults_go_to_standard_error_and_a_count_to_standard_output(run: Any, name: str) -> None:
    result = run("check", f"{name}.mb")
    assert result.status == 1
    assert result.out == f"{name}.mb: 1 error\n"
    assert result.err.startswith(f"{name}.mb:")
    assert ": error[MBX" in result.err


@pytest.mark.usefixtures("folder")
def test_relaxed_only_warns_of_units(run: Any) -> None:
    result = run("check", "--relaxed", "unit.mb")
    said = "unit.mb: ok, 1 warning; convert and verify need units that fit\n"
    assert (result.status, result.out) == (0, said)
    assert ": warning[MBX" in result.err
    assert run("check", "--relaxed", "good.mb").out == "good.mb: ok\n"
    assert run("check", "--relaxed", "name.mb").out == "name.mb: 1 error\n"


@pytest.mark.usefixtures("folder")
def test_the_status_speaks_for_all_files(run: Any) -> None:
    assert run("check", "good.mb", "none.mb").status == 5
    assert run("check", "none.mb", "name.mb", "good.mb").status == 1
    result = run("check", "none.mb", "good.mb")
    assert result.out == "none.mb: 1 error\ngood.mb: ok\n"
    assert result.err == "error[MBX7003]: file 'none.mb' does not exist\n"


def test_standard_input_may_be_either_form(run: Any) -> None:
    assert run("check", "-", stdin=GOOD).out == "<stdin>: ok\n"
    as_json = run("json", "-", stdin=GOOD).out
    assert run("check", "-", stdin=f"\n {as_json}").out == "<stdin>: ok\n"
    assert run("check", "-", stdin=WRONG_NAME).err.startswith("<stdin>:6:")


@pytest.mark.usefixtures("folder")
def test_json_holds_what_the_text_holds(run: Any) -> None:
    result = run("check", "--json", "good.mb", "name.mb", "none.mb")
    assert result.status == 1
    assert not result.err
    found = json.loads(result.out)
    assert found["ok"] is False
    good, name, none = found["files"]
    identity = mbx.link(mbx.loads(GOOD)).hash
    assert good == {"file": "good.mb", "ok": True, "hash": identity, "diagnostics": [], "more": 0}
    assert (name["ok"], name["hash"], name["more"]) == (False, None, 0)
    (one,) = name["diagnostics"]
    assert (one["severity"], one["file"], one["line"]) == ("error", "name.mb", 6)
    assert none["diagnostics"] == [
        {"code": "MBX7003", "severity": "error", "message": "file 'none.mb' does not exist"}
    ]


def test_at_most_a_hundred_faults_are_shown(run: Any) -> None:
    text = "mbx 1\nmodel M {\n" + "oops\n" * 250 + "}\n"
    result = run("check", "-", stdin=text)
    assert result.status == 1
    assert result.out == "<stdin>: 250 errors\n"
    assert result.err.count("error[") == 100
    assert result.err.endswith("… and 150 more\n")
    found = json.loads(run("check", "--json", "-", stdin=text).out)["files"][0]
    assert (len(found["diagnostics"]), found["more"]) == (100, 150)


def test_one_of_several_models_can_be_named(run: Any) -> None:
    text = WRONG_NAME + GOOD.replace("mbx 1\n", "").replace("Spring", "Good")
    assert run("check", "--model", "Good", "-", stdin=text).status == 0
    assert run("check", "--model", "Spring", "-", stdin=text).status == 1
    result = run("check", "--model", "God", "-", stdin=text)
    assert result.status == 1
    assert "did you mean 'Good'?" in result.err
