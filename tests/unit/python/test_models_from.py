"""What a model is taken from: documents, paths, addresses and text."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any, Final

import pytest

import mbx
from mbx.base.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

TEXT: Final = """mbx 1
model Bead { coordinate x: m  particle b { mass 1 kg  at [x, 0, 0] } }
"""


def test_text_is_what_has_lines_or_begins_as_a_model_does() -> None:
    for text in (TEXT, " ".join(TEXT.split()), f"\n{TEXT}", mbx.dumps(TEXT, "json")):
        assert mbx.link(text).model.name == "Bead"


def test_a_path_is_a_string_or_a_path_object(tmp_path: Path) -> None:
    path = tmp_path / "bead.mb"
    path.write_text(TEXT, "utf-8")
    named = tmp_path / "mbx 1.mb"
    named.write_text(TEXT, "utf-8")
    for model in (path, str(path), named):
        assert mbx.check(model).ok


def test_documents_and_addresses_give_the_same_equations() -> None:
    document = mbx.read("lib:cart_pole")
    of_text = mbx.convert("lib:cart_pole", "kane")
    assert document.to("kane") == of_text
    assert mbx.link(document).to("kane") == of_text


@pytest.mark.parametrize("model", ["", "no_such_file.mb", "lib:no_such_case"])
def test_what_is_no_file_is_refused(model: str) -> None:
    with pytest.raises(FileError, match="MBX7003"):
        mbx.check(model)


@pytest.mark.parametrize("model", [None, 3, b"mbx 1", mbx])
def test_anything_else_is_refused_with_what_it_could_be(model: Any) -> None:
    with pytest.raises(TypeError, match="a model is a document, a path, an address such as"):
        mbx.convert(model, "kane")


def test_a_report_has_errors_of_syntax_too() -> None:
    report = mbx.check("mbx 1\nmodel P {")
    assert not report.ok
    assert repr(report) == "<Report: 1 error>"
    assert str(report) == report.render()


def test_a_document_is_linked_once_as_long_as_it_is_in_use() -> None:
    document = mbx.loads(TEXT + "model Other { coordinate y: m }")
    assert mbx.link(document, "Bead") is mbx.link(document, "Bead")
    assert mbx.link(document, "Bead") is not mbx.link(document, "Other")
    equal = mbx.loads(TEXT + "model Other { coordinate y: m }")
    assert mbx.link(equal, "Bead") is not mbx.link(document, "Bead")  # places may differ
    gone = weakref.ref(mbx.link(document, "Bead"))
    del document
    gc.collect()
    assert gone() is None


def test_a_document_with_imports_is_linked_anew(tmp_path: Path) -> None:
    part = tmp_path / "part.mb"
    part.write_text(TEXT)
    (tmp_path / "a.mb").write_text(
        'mbx 1\nuse Bead from "part.mb"\nmodel A { subsystem p: Bead }\n'
    )
    document = mbx.read(tmp_path / "a.mb")
    before = mbx.link(document)
    assert mbx.link(document).hash == before.hash
    part.write_text(TEXT.replace("1 kg", "2 kg"))
    assert mbx.link(document).hash != before.hash
