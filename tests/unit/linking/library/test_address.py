"""Addresses name models of the library and of roots, and nothing outside of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.base.errors import FileError
from mbx.linking.library import cases, find_model, known_addresses, parts, parts_root, root

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a library with one case and one part."""
    for path in ("crane/model.mb", "crane/case.toml", "lib/steel/jib.mb", "note.txt"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mbx 1\n", "utf-8")
    return tmp_path


def fault(text: str, roots: dict[str, Path] | None = None) -> tuple[str, str]:
    """Return the code and the remedy of what an address is refused for."""
    with pytest.raises(FileError) as raised:
        find_model(text, roots)
    (found,) = raised.value.report
    return found.code, found.help or ""


def test_a_case_is_its_model_file() -> None:
    assert find_model("lib:four_bar") == root() / "four_bar" / "model.mb"


def test_a_part_is_named_as_it_is_imported() -> None:
    assert find_model("lib:planar/bar.mb") == parts_root() / "planar" / "bar.mb"


@pytest.mark.parametrize("text", ["four_bar", "./lib:four_bar", "ours:crane", "C:/x.mb", "-", ""])
def test_what_begins_with_no_known_name_is_no_address(text: str) -> None:
    assert find_model(text) is None


def test_a_root_is_addressed_as_the_library_is(own: Path) -> None:
    roots = {"ours": own}
    assert find_model("ours:crane", roots) == own / "crane" / "model.mb"
    assert find_model("ours:lib/steel/jib.mb", roots) == own / "lib" / "steel" / "jib.mb"
    assert find_model("lib:four_bar", roots) == root() / "four_bar" / "model.mb"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("lib:fourbar", "lib:four_bar"),
        ("lib:planar/bar", "lib:planar/bar.mb"),
        ("lib:planar/barr.mb", "lib:planar/bar.mb"),
        ("ours:crain", "ours:crane"),
        ("ours:lib/steel/gib.mb", "ours:lib/steel/jib.mb"),
    ],
)
def test_an_unknown_address_is_told_with_the_nearest_one(text: str, near: str, own: Path) -> None:
    assert fault(text, {"ours": own}) == ("MBX7003", f"did you mean '{near}'?")


def test_what_is_near_to_nothing_is_told_where_all_are_listed() -> None:
    assert fault("lib:zzzzzz") == ("MBX7003", "mbx library lists what there is")


@pytest.mark.parametrize(
    "rest", ["../x", "..", "four_bar/..", "/etc", "", "a\\b", "C:/x", "four_bar/", "../x.mb", "./x"]
)
def test_an_address_does_not_leave_its_folder(rest: str, own: Path) -> None:
    assert fault(f"lib:{rest}")[0] == "MBX7001"
    assert fault(f"ours:{rest}", {"ours": own})[0] == "MBX7001"


def test_an_address_does_not_leave_its_folder_by_a_link(own: Path) -> None:
    outside = own.parent / f"{own.name}_outside"
    outside.mkdir()
    (outside / "model.mb").write_text("mbx 1\n", "utf-8")
    (own / "far").symlink_to(outside)
    (own / "near").mkdir()
    (own / "near" / "model.mb").symlink_to(outside / "model.mb")
    for text in ("ours:far", "ours:near", "ours:far/model.mb"):
        assert fault(text, {"ours": own})[0] == "MBX7002"


def test_every_case_and_part_has_an_address_that_is_found() -> None:
    known = known_addresses()
    assert len(known) == len(cases()) + len(parts())
    for text in known:
        path = find_model(text)
        assert path is not None
        assert path.is_file()


def test_a_document_is_read_by_its_address_and_named_by_it() -> None:
    document = mbx.read("lib:four_bar")
    assert document == mbx.read(root() / "four_bar" / "model.mb")
    assert document.at is not None
    assert document.at.source.name == "lib:four_bar"
    assert document.at.source.folder == (root() / "four_bar").resolve()


def test_a_document_is_read_below_a_root(own: Path) -> None:
    (own / "crane" / "model.mb").write_text("mbx 1\n\nmodel Crane {\n}\n", "utf-8")
    assert mbx.read("ours:crane", {"ours": own}).models[-1].name == "Crane"
    with pytest.raises(FileError):
        mbx.read("ours:crane")
