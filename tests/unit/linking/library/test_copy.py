"""A copy is whole or not there, and never over something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.base.errors import FileError
from mbx.linking import library
from mbx.linking.library import copy_case, copy_part, parts_root, root

if TYPE_CHECKING:
    from pathlib import Path

CASE = root() / "four_bar"
PART = parts_root() / "planar" / "bar.mb"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_case_is_copied_byte_by_byte(tmp_path: Path) -> None:
    count = copy_case(CASE, tmp_path / "mine")
    assert files(tmp_path / "mine") == files(CASE)
    assert count == len(files(CASE))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_copy_is_the_same_model(tmp_path: Path) -> None:
    copy_case(CASE, tmp_path / "mine")
    copied = mbx.link(mbx.read(tmp_path / "mine" / "model.mb"))
    assert copied.hash == mbx.link(mbx.read("lib:four_bar")).hash


def test_a_part_is_copied_byte_by_byte(tmp_path: Path) -> None:
    copy_part(PART, tmp_path / "my_bar.mb")
    assert (tmp_path / "my_bar.mb").read_bytes() == PART.read_bytes()


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_nothing_is_written_over(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "mine"
    if kind == "folder":
        target.mkdir()
    elif kind == "file":
        target.write_text("mine\n")
    else:
        target.symlink_to("nowhere")
    for action, source in ((copy_case, CASE), (copy_part, PART)):
        with pytest.raises(FileError, match="exists already"):
            action(source, target)
    assert target.is_symlink() == (kind == "link")
    assert not target.is_dir() or not list(target.iterdir())
    assert target.read_text() == "mine\n" if kind == "file" else True


def test_a_copy_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []

    def write(path: Path, data: bytes) -> None:
        written.append(path)
        if len(written) == 3:
            raise KeyboardInterrupt
        path.write_bytes(data)

    monkeypatch.setattr(library, "write_bytes", write)
    with pytest.raises(KeyboardInterrupt):
        copy_case(CASE, tmp_path / "mine")
    assert len(written) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_copy_into_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        copy_case(CASE, tmp_path / "no" / "mine")
    with pytest.raises(FileError, match="cannot be written"):
        copy_part(PART, tmp_path / "no" / "bar.mb")


def test_hidden_files_stay_where_they_are(tmp_path: Path) -> None:
    case = tmp_path / "case"
    case.mkdir()
    (case / "model.mb").write_text("mbx 1\n")
    (case / ".secret").write_text("x")
    assert copy_case(case, tmp_path / "mine") == 1
    assert list(files(tmp_path / "mine")) == ["model.mb"]
