from __future__ import annotations

from pathlib import Path

import pytest

import mbx
from mbx.errors import FileError
from mbx.verify.find import main_models, model_files

MODEL = "mbx 1\nmodel M { param m: kg = 1 }\n"


def put(folder: Path, *names: str, text: str = MODEL) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def names(folder: Path) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in model_files(folder)]


def test_a_file_stands_for_itself_whatever_it_is() -> None:
    assert model_files(Path("there_is_none.txt")) == [Path("there_is_none.txt")]


def test_a_folder_with_cases_stands_for_these(tmp_path: Path) -> None:
    put(tmp_path, "b/model.mb", "a/model.mb", "a/variant.mb", "parts/bar.mb", "model.json")
    assert names(tmp_path) == ["a/model.mb", "b/model.mb"]


def test_a_case_stands_for_its_model(tmp_path: Path) -> None:
    put(tmp_path, "model.mb", "other.mb")
    assert names(tmp_path) == ["model.mb"]


def test_another_folder_stands_for_all_of_its_models(tmp_path: Path) -> None:
    put(tmp_path, "b.mb", "sub/a.mb", "notes.txt", ".hidden/x.mb", ".x.mb")
    put(tmp_path, "both.mb", "both.json", "alone.json", text='{ "mbx" : 1, "items": [] }')
    put(tmp_path, "package.json", text='{"name": "mbx", "version": "1"}')
    put(tmp_path, "certificate.json", text='{"mbx_certificate": 1}')
    assert names(tmp_path) == ["alone.json", "b.mb", "both.mb", "sub/a.mb"]


def test_a_folder_without_models_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, "notes.txt")
    with pytest.raises(FileError, match="there is no model below the folder"):
        model_files(tmp_path)


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "real/a.mb")
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    assert names(tmp_path) == ["real/a.mb"]


def test_models_that_others_are_made_from_are_parts() -> None:
    document = mbx.loads(
        "mbx 1\n"
        "model A { param m: kg = 1 }\nmodel B { param m: kg = 1 }\nmodel C { param m: kg = 1 }\n"
        "model D { param m: kg = 1 }\nmodel Alone { param m: kg = 1 }\n"
        "model Whole {\n  param n: integer = 2\n  subsystem a: A\n"
        "  for i in 1..n { subsystem b[i]: B }\n"
        "  if n > 1 { subsystem c: C } else { subsystem d: D }\n}\n"
    )
    assert main_models(document) == ["Alone", "Whole"]


def test_a_document_without_models_is_asked_for_its_last() -> None:
    assert main_models(mbx.loads('mbx 1\nmeta { title "t" }\n')) == [None]
