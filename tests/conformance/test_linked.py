"""Linked documents beside hand-written ones: what parser, linker and units make of a file.

Forms and oracle share all of that, so no comparison between them can see a fault in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from self_test import linked_documents

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "mbx 1\n\nmodel M {\n  param l: mm = 250\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of cases, with one in it."""
    monkeypatch.setattr(linked_documents, "_FOLDER", tmp_path)
    (tmp_path / "one.mb").write_text(MODEL, "utf-8")
    return tmp_path


@pytest.mark.parametrize("name", linked_documents.cases())
def test_a_linked_document_means_what_is_written_by_hand(name: str) -> None:
    assert linked_documents.differences(name) == []


def test_the_cases_cover_linking_units_and_experiments() -> None:
    assert set(linked_documents.cases()) == {
        "experiments",
        "functions",
        "imported",
        "quantities",
        "repeated",
        "two_levels",
    }


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        ("l = 0.25", None),
        ("l = 250", "values l: expected 250, found 0.25"),
        ("l = 0.2500001", "values l: expected 0.2500001, found 0.25"),
        ("", "values l: is not expected"),
        ("l = 0.25\nk = 1", "values k: is missing"),
    ],
)
def test_a_value_that_differs_is_said(folder: Path, text: str, difference: str | None) -> None:
    (folder / "one.toml").write_text(f"[values]\n{text}\n[starts]\n", "utf-8")
    assert linked_documents.differences("one") == ([] if difference is None else [difference])


def test_a_canonical_form_that_differs_is_said(folder: Path) -> None:
    canonical = '{"mbx": 1, "model": [{"kind": "param", "name": "l", "unit": "m", "value": 250}]}'
    text = f"canonical = '{canonical}'\n[values]\nl = 0.25\n[starts]\n"
    (folder / "one.toml").write_text(text, "utf-8")
    assert linked_documents.failures() == ["one: canonical model 1 value: expected 250, found 0.25"]


def test_a_model_that_is_refused_is_a_difference(folder: Path) -> None:
    (folder / "one.mb").write_text(MODEL.replace("250", "nowhere"), "utf-8")
    (folder / "one.toml").write_text("[values]\nl = 0.25\n[starts]\n", "utf-8")
    (found,) = linked_documents.differences("one")
    assert found.startswith("it is refused: ")
    assert "nowhere" in found
