from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MESSY = "mbx 1\nmodel M{param m:kg=1 // the mass\n}\n"
NEAT = "mbx 1\n\nmodel M {\n  param m: kg = 1  // the mass\n}\n"
BROKEN = "mbx 1\nmodel M { param = 1 }\n"


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.mb"
    path.write_text(MESSY)
    return path


def test_a_file_is_formatted_in_place(run: Any, messy: Path) -> None:
    result = run("fmt", messy)
    assert (result.status, result.out, result.err) == (0, f"{messy}: formatted\n", "")
    assert messy.read_text() == NEAT
    again = run("fmt", messy)
    assert (again.status, again.out) == (0, "")


def test_check_writes_nothing_and_has_a_status(run: Any, messy: Path, tmp_path: Path) -> None:
    (tmp_path / "neat.mb").write_text(NEAT)
    result = run("fmt", "--check", messy, tmp_path / "neat.mb")
    assert (result.status, result.out) == (1, f"{messy}: would be formatted\n")
    assert messy.read_text() == MESSY
    assert run("fmt", "--check", tmp_path / "neat.mb").status == 0


def test_diff_writes_nothing(run: Any, messy: Path) -> None:
    result = run("fmt", "--diff", messy)
    assert result.status == 0
    assert "\n-model M{param m:kg=1 // the mass\n" in result.out
    assert "\n+  param m: kg = 1  // the mass\n" in result.out
    assert messy.read_text() == MESSY
    assert run("fmt", "--diff", "--check", messy).status == 1


def test_line_ends_are_part_of_the_layout(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    for text, shown in (
        (NEAT.replace("\n", "\r\n"), "-model M {\\u{d}\n"),
        (NEAT.rstrip("\n"), "-(no line end)\n"),
    ):
        path.write_bytes(text.encode())
        result = run("fmt", "--check", "--diff", path)
        assert result.status == 1
        assert shown in result.out
        run("fmt", path)
        assert path.read_bytes() == NEAT.encode()


def test_stdout_prints_and_writes_nothing(run: Any, messy: Path) -> None:
    assert run("fmt", "--stdout", messy).out == NEAT
    assert messy.read_text() == MESSY


def test_standard_input_is_filtered(run: Any) -> None:
    assert run("fmt", "-", stdin=MESSY).out == NEAT
    result = run("fmt", "--check", "-", stdin=MESSY)
    assert (result.status, result.out) == (1, "<stdin>: would be formatted\n")


def test_json_and_fmt_are_inverses(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text(NEAT)
    for math in ("text", "tree"):
        assert run("json", tmp_path / "a.mb", "--math", math, "-o", tmp_path / "a.json").status == 0
        result = run("fmt", tmp_path / "a.json")
        assert (result.status, result.out) == (0, NEAT)
        as_json = (tmp_path / "a.json").read_text()
        assert run("fmt", "-", stdin=as_json).out == NEAT
        assert run("json", "-", "--math", math, stdin=NEAT).out == as_json


def test_json_has_no_layout_to_check(run: Any, tmp_path: Path) -> None:
    assert run("fmt", "--check", tmp_path / "a.json").status == 2


def test_a_file_with_faults_is_left_alone_and_others_go_on(
    run: Any, messy: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.mb").write_text(BROKEN)
    result = run("fmt", tmp_path / "none.mb", tmp_path / "broken.mb", messy)
    assert result.status == 1
    assert "MBX7003" in result.err
    assert "MBX1006" in result.err
    assert (tmp_path / "broken.mb").read_text() == BROKEN
    assert messy.read_text() == NEAT
    assert run("fmt", tmp_path / "none.mb").status == 5
