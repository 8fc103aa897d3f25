"""case.toml is read, or refused with what is wrong in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mbx.base.errors import FileError
from mbx.linking.library import cases, read_case

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
title = "T"
summary = "S"
tags = ["planar"]

[source]
citation = "C"
parameters = "P"
"""


def test_a_case_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(GOOD, "utf-8")
    found = read_case(tmp_path)
    assert (found.title, found.tags, found.mechanism) == ("T", ["planar"], "")
    assert found.source.place == ""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('title = "T"', "", "title: field required"),
        ('"C"', "3", "source.citation: input should be a valid string"),
        ("[source]", 'motor = "x"\n[source]', "motor: extra inputs are not permitted"),
        ('"T"', '"T', "illegal character"),
        ('"T"', '"T\udcff"', "is not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_case_is_said(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = GOOD.replace(old, new)
    (tmp_path / "case.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError, match=reason) as raised:
        read_case(tmp_path)
    (found,) = raised.value.report
    assert found.code == "MBX7006"
    assert found.help == "mbx schema case says what it holds"


def test_a_pipe_in_the_place_of_a_case_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "case.toml")
    with pytest.raises(FileError, match="is not a plain file"):
        read_case(tmp_path)


def test_every_case_of_the_library_is_read() -> None:
    assert all(read_case(case).title for case in cases())
