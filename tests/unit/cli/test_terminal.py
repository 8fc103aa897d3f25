"""What a hostile model can put on a terminal: nothing but visible characters."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ATTACKS = {
    "clear": "\x1b[2J\x1b[H",
    "link": "\x1b]8;;http://example.org\x1b\\here\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "forged": "\rmodel.mb: ok  PASS\r",
    "c1": "\x9b2J\x9d52;c;eA==\x9c",
    "bidi": "\u202emodel\u2066",
    "markup": "[red]PASS[/red] [link=http://example.org]here[/link]",
}

FORGED = """\
model.mb:2:10: error[MBX1003]: control character \\u{d}
  model M "\\u{d}model.mb: ok  PASS\\u{1b}[2J" {}
           ^
  help: remove it
model.mb:2:29: error[MBX1003]: control character \\u{1b}
  model M "\\u{d}model.mb: ok  PASS\\u{1b}[2J" {}
                                  ^
  help: remove it
model.mb: 2 errors
"""


def on_terminal(*arguments: str, folder: Path) -> tuple[int, str]:
    """Run the command on a terminal of its own; return its status and all it wrote there."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "mbx", *arguments],
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"},
    )
    os.close(its)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    return process.wait(timeout=60), written.decode().replace("\r\n", "\n")


def assert_plain(text: str) -> None:
    controls = [c for c in text if (not c.isprintable()) and c != "\n"]
    assert not controls


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("verb", "label"),
    [
        *(pytest.param("check", label, id=name) for name, label in ATTACKS.items()),
        *((verb, "".join(ATTACKS.values())) for verb in ("fmt", "json", "flatten", "info")),
    ],
)
def test_a_label_cannot_act_on_the_terminal(verb: str, label: str, tmp_path: Path) -> None:
    text = f'mbx 1\nmodel M "{label}" {{\n  param m: kg = 1 "{label}"\n  gravity {label}\n}}\n'
    (tmp_path / "model.mb").write_text(text)
    status, shown = on_terminal(verb, "model.mb", folder=tmp_path)
    assert status == 1
    assert "model.mb:" in shown
    assert "error[MBX1" in shown
    assert_plain(shown)
    assert not any(line.startswith("model.mb: ok") for line in shown.split("\n"))


def test_a_forged_line_stays_inside_its_line(tmp_path: Path) -> None:
    (tmp_path / "model.mb").write_text('mbx 1\nmodel M "\rmodel.mb: ok  PASS\x1b[2J" {}\n')
    status, shown = on_terminal("check", "model.mb", folder=tmp_path)
    assert status == 1
    assert shown == FORGED


def test_a_title_of_several_lines_is_one_line(tmp_path: Path) -> None:
    title = "[red]A[/red]\\nhash 0000\\nPASS"
    (tmp_path / "model.mb").write_text(f'mbx 1\nmodel M "{title}" {{ param m: kg = 1 }}\n')
    status, shown = on_terminal("info", "model.mb", folder=tmp_path)
    assert status == 0
    assert_plain(shown)
    assert shown.split("\n")[0] == "M: [red]A[/red]\\u{a}hash 0000\\u{a}PASS"


def test_the_name_of_a_file_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    name = "a\x1b[2J\r\nmodel.mb: ok\n\u202e.mb"
    (tmp_path / name).write_text("mbx 1\nmodel M { param m: kg = 1 }\n")
    for verb in ("check", "fmt"):
        status, shown = on_terminal(verb, name, folder=tmp_path)
        assert status == 0
        assert_plain(shown)
        assert shown.count("\n") == 1
    status, shown = on_terminal("check", f"none {name}", folder=tmp_path)
    assert status == 5
    assert_plain(shown)
    assert not any(line.startswith("model.mb: ok") for line in shown.split("\n"))
