"""`mbx library build`: which cases it is about, and how it ends; tests/library has the rest."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from mbx.cli.library.library_build import _folders, _worst
from mbx.cli.output import Status
from mbx.linking.library import cases, root
from mbx.show.drawing.pose import DrawError

SWING = Path(__file__).parents[2] / "fixtures" / "library" / "swing"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(SWING, tmp_path / "swing")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_names_it_is_about_the_whole_library() -> None:
    assert _folders([]) == list(cases())


def test_a_folder_of_cases_stands_for_all_of_them_and_none_is_taken_twice(own: Path) -> None:
    assert _folders(["four_bar", ".", "./swing"]) == [root() / "four_bar", Path("swing")]
    assert _folders([str(own)]) == [own / "swing"]


def test_errors_of_a_model_count_before_disagreement_and_that_before_files() -> None:
    assert _worst([]) is Status.OK
    assert _worst([Status.OK, Status.TROUBLE]) is Status.TROUBLE
    assert _worst([Status.TROUBLE, Status.DISAGREE, Status.OK]) is Status.DISAGREE
    assert _worst([Status.DISAGREE, Status.TROUBLE, Status.MODEL]) is Status.MODEL


@pytest.mark.usefixtures("own")
def test_looking_and_making_anew_do_not_go_together(run: Any) -> None:
    result = run("library", "build", "./swing", "--check", "--renew")
    assert result.status == 2
    assert "leave out --renew" in result.err


@pytest.mark.usefixtures("own")
def test_looking_writes_nothing(run: Any) -> None:
    result = run("library", "build", "./swing", "--check")
    assert result.status == 1
    assert {path.name for path in Path("swing").iterdir()} == {
        path.name for path in SWING.iterdir()
    }


@pytest.mark.usefixtures("own")
def test_a_case_below_a_root_is_named_by_its_address(run: Any) -> None:
    result = run("--root", "ours=.", "library", "build", "ours:swing", "--check")
    assert result.out.startswith("swing: ")


def test_a_case_that_uses_parts_below_a_root_is_read_with_that_root(run: Any, own: Path) -> None:
    (own / "lib").mkdir()
    shutil.copy(root() / "lib" / "planar" / "bar.mb", own / "lib")
    model = own / "swing" / "model.mb"
    model.write_text(
        model.read_text().replace("mbx 1\n", 'mbx 1\n\nuse Bar from "ours:lib/bar.mb"\n', 1)
    )
    known = run("--root", "ours=.", "library", "build", "./swing", "--check")
    assert known.out == "swing: model.json, figure.svg, coverage.json stale\n"
    unknown = run("library", "build", "./swing", "--check")
    assert unknown.out == "swing: not built\n"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("name", ["nowhere", "./nowhere", "planar/bar.mb"])
def test_what_is_no_case_is_not_built(run: Any, name: str) -> None:
    assert run("library", "build", name).status == 5


@pytest.mark.usefixtures("own")
def test_a_case_that_cannot_be_drawn_says_why(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(*_: object) -> str:
        raise DrawError("there is nothing to see")

    monkeypatch.setattr("mbx.draw", draw)
    result = run("library", "build", "./swing")
    assert result.status == 5
    assert "figure.svg' cannot be written: there is nothing to see" in result.err
    assert not Path("swing/model.json").exists()


@pytest.mark.usefixtures("own")
def test_a_case_with_a_wrong_case_toml_is_not_built(run: Any) -> None:
    Path("swing/case.toml").write_text('title = "Swing"\n')
    result = run("library", "build", "./swing")
    assert (result.status, result.out) == (5, "swing: not built\n")
    assert "summary: field required" in result.err
