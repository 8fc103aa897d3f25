from __future__ import annotations

import os
from pathlib import Path

import pytest

import mbx
from mbx.base.errors import FileError
from mbx.verify.find_models import find_models, main_models, model_files

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
    put(tmp_path, "a/case.toml", "b/case.toml", text="")
    assert names(tmp_path) == ["a/model.mb", "b/model.mb"]


def test_a_case_stands_for_its_model(tmp_path: Path) -> None:
    put(tmp_path, "model.mb", "other.mb")
    put(tmp_path, "case.toml", text="")
    assert names(tmp_path) == ["model.mb"]


def test_another_folder_stands_for_all_of_its_models(tmp_path: Path) -> None:
    put(tmp_path, "b.mb", "sub/a.mb", "notes.txt", ".hidden/x.mb", ".x.mb")
    put(tmp_path, "both.mb", "both.json", "alone.json", text='{ "mbx" : 1, "items": [] }')
    put(tmp_path, "package.json", text='{"name": "mbx", "version": "1"}')
    put(tmp_path, "certificate.json", text='{"mbx_certificate": 1}')
    assert names(tmp_path) == ["alone.json", "b.mb", "both.json", "both.mb", "sub/a.mb"]
    others = {file.name: why for file, why in find_models(tmp_path).skipped}
    assert others == {"package.json": "no model", "certificate.json": "no model"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"mbx": 1, "items": []}', ""),
        ('{"mbx": 2, "itms": []}', ""),
        ('{"items": [{"kind": "model", "name": "M"}]}', ""),
        ('{"mbx": 1, "items": [', ""),
        ('{"dependencies": {"mbx": "1.0"}}', "no model"),
        ('{"mbx_equations": 1, "nodes": []}', "no model"),
        ('{"coverage": 1, "models": []}', "no model"),
        ('{"mbx": 1, "model": []}', "a canonical form"),
        ('[{"file": "a.mb", "verification": null}]', "no model"),
        ("[" * 100_000, "no JSON"),
        ("[" + "0, " * 200_000 + "0]", "no JSON"),
        ("nothing", "no JSON"),
        ("", "no JSON"),
    ],
)
def test_the_content_of_a_json_file_decides(tmp_path: Path, text: str, reason: str) -> None:
    put(tmp_path, "a.mb")
    put(tmp_path, "b.json", text=text)
    found = find_models(tmp_path)
    assert [why for _, why in found.skipped] == [reason] * bool(reason)
    assert (tmp_path / "b.json" in found.models) is (not reason)


def test_a_model_beside_another_is_not_left_out(tmp_path: Path) -> None:
    put(tmp_path, "model.mb", "crane.mb", "sub/model.mb")
    assert names(tmp_path) == ["crane.mb", "model.mb", "sub/model.mb"]


def test_a_pipe_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a.mb")
    os.mkfifo(tmp_path / "b.json")
    assert [why for _, why in find_models(tmp_path).skipped] == ["no plain file"]


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
