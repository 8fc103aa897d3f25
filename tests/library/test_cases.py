"""Every case of the library is well-formed, sound, and the same in both spellings."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import jsonschema
import pytest
from referencing import Registry

import mbx
from mbx.cli.schema_files import schema_files
from mbx.language.json.document_schema import model_schema
from mbx.linking.library import cases, parts_root, read_case

if TYPE_CHECKING:
    from pathlib import Path

CASES = cases()
PARTS = sorted(parts_root().rglob("*.mb"))
FILES = {"model.mb", "model.json", "case.toml", "README.md"}


@cache
def validator() -> jsonschema.Draft202012Validator:
    # an empty registry: nothing is ever fetched
    return jsonschema.Draft202012Validator(model_schema(), registry=Registry())


def name(path: Path) -> str:
    return path.name


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 25


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_case_has_its_files_and_says_where_it_comes_from(case: Path) -> None:
    assert {path.name for path in case.iterdir()} >= FILES
    said = read_case(case)
    assert said.title
    assert said.tags
    assert said.source.parameters
    assert (case / "README.md").read_text("utf-8").startswith("# ")


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_model_has_no_errors_and_no_warnings(case: Path) -> None:
    report = mbx.check(mbx.read(case / "model.mb"))
    assert [one.render() for one in report if one.severity != "note"] == []


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_model_is_in_canonical_layout(case: Path) -> None:
    text = (case / "model.mb").read_text("utf-8")
    assert mbx.dumps(mbx.read(case / "model.mb")) == text


@pytest.mark.sample(20)
@pytest.mark.parametrize("case", CASES, ids=name)
def test_both_spellings_are_one_document(case: Path) -> None:
    text, data = mbx.read(case / "model.mb"), mbx.read(case / "model.json")
    assert text == data
    assert mbx.dumps(text, form="json") == (case / "model.json").read_text("utf-8")
    assert mbx.link(text).hash == mbx.link(data).hash


@pytest.mark.sample(20)
@pytest.mark.parametrize("math", ["text", "tree"])
@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_schema_accepts_a_model_without_mbx(case: Path, math: str) -> None:
    document = mbx.read(case / "model.mb")
    data = json.loads(mbx.dumps(document, form="json", math=math))  # type: ignore[arg-type]
    assert [error.message for error in validator().iter_errors(data)] == []


@pytest.mark.sample(20)
@pytest.mark.parametrize("case", CASES, ids=name)
def test_linking_twice_is_linking_once(case: Path) -> None:
    once = mbx.link(mbx.read(case / "model.mb"))
    again = mbx.link(mbx.loads(mbx.dumps(once.document)))
    assert again.hash == once.hash
    assert again.experiment_hash == once.experiment_hash
    assert mbx.dumps(again.document) == mbx.dumps(once.document)


@pytest.mark.parametrize("part", PARTS, ids=name)
def test_a_part_is_sound_and_in_layout(part: Path) -> None:
    document = mbx.read(part)
    assert [one.render() for one in mbx.check(document) if one.severity == "error"] == []
    assert mbx.dumps(document) == part.read_text("utf-8")


def test_the_schemas_are_current() -> None:
    folder = parts_root().parents[1] / "schema"
    for file, text in schema_files().items():
        assert (folder / file).read_text("utf-8") == text


@pytest.mark.parametrize(
    "change",
    [
        {"mbx": 2},
        {"items": [{"kind": "modl", "name": "A"}]},
        {"items": [{"kind": "model", "name": "A", "bdy": []}]},
        {"items": [{"kind": "model", "name": "A", "body": [{"items": []}]}]},
    ],
)
def test_the_schema_refuses_what_mbx_refuses(change: dict[str, object]) -> None:
    data = {"mbx": 1, "items": [], **change}
    validator = jsonschema.Draft202012Validator(model_schema(), registry=Registry())
    assert not validator.is_valid(data)
    with pytest.raises(mbx.SourceError):
        mbx.loads(json.dumps(data))
