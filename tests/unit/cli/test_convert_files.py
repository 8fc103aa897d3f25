"""`mbx convert` to files: one where it is said, several into a folder, all or none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mbx.cli.main import main as run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PENDULUM = ["convert", "lib:simple_pendulum", "--to", "kane"]


def test_several_files_go_into_a_folder_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run([*PENDULUM, "--format", "c", "-o", f"{out}/"]) == 0
    names = sorted(path.name for path in out.iterdir())
    assert names == ["mb_Pendulum_kane.c", "mb_Pendulum_kane.h"]
    assert sorted(capsys.readouterr().out.split()) == [str(out / name) for name in names]


def test_one_file_is_written_where_it_is_said(tmp_path: Path) -> None:
    assert run([*PENDULUM, "--format", "latex", "-o", str(tmp_path / "a.tex")]) == 0
    assert "\\begin{document}" in (tmp_path / "a.tex").read_text("utf-8")
    assert run([*PENDULUM, "--format", "latex", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "Pendulum_kane.tex").exists()
    assert run([*PENDULUM, "--format", "latex", "-o", f"{tmp_path / 'new'}/"]) == 0
    assert (tmp_path / "new" / "Pendulum_kane.tex").exists()


def test_numbers_are_put_in(tmp_path: Path) -> None:
    assert run([*PENDULUM, "--format", "c", "-o", str(tmp_path), "--set", "m=2"]) == 0
    header = (tmp_path / "mb_Pendulum_kane.h").read_text("ascii")
    assert re.findall("_P_SIZE (.)", header) == ["2"]
    assert run([*PENDULUM, "--format", "c", "-o", str(tmp_path), "--frozen"]) == 0
    header = (tmp_path / "mb_Pendulum_kane.h").read_text("ascii")
    assert re.findall("_P_SIZE (.)", header) == ["0"]


def test_what_is_refused_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = ["convert", "lib:four_bar", "--to", "udwadia_kalaba", "--format", "c"]
    assert run([*said, "-o", f"{out}/"]) == 3
    assert not out.exists()
