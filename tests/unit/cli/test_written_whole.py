"""Commands that write several files write all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "command",
    [
        ["convert", "lib:simple_pendulum", "--to", "kane", "--format", "c", "-o", "{0}/"],
        ["linearize", "lib:simple_pendulum", "--over", "l=1:2:3", "-o", "{0}/a.csv"],
    ],
)
def test_one_file_that_cannot_be_written_leaves_none(command: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    done = [word.format(folder) for word in command]
    assert main(done) == 0
    names = sorted(one.name for one in folder.iterdir())
    assert names
    for one in folder.iterdir():
        one.unlink()
    (folder / names[-1]).mkdir()  # the last of them is a folder now
    assert main(done) == 5
    assert [one.name for one in folder.iterdir()] == [names[-1]]
