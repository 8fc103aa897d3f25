"""Hostile paths and files: H067 to H073."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from guarded import MODEL, check, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # each starts the command anew


def use(path: str) -> str:
    quoted = path.replace("\\", "\\\\")
    return f'mbx 1\nuse A from "{quoted}"\nmodel M {{ subsystem a: A }}\n'


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x",
        "\\\\host\\share",
        "file:///etc/passwd",
        "http://127.0.0.1/x",
        "",
        ".",
        "..",
        "a/../../etc/passwd",
        "lib:../../etc/passwd",
        "lib:/etc/passwd",
        "package://a/b.mb",
        "etc/passwd\\n",
        "~root/.bashrc",
        "CON",
        "a//b.mb",
        "./a.mb",
        "lib:",
        "a/",
        "//host/share",
    ],
)
def test_h067_a_path_that_leads_out_is_not_opened(path: str, tmp_path: Path) -> None:
    (tmp_path / MODEL).write_text(use(path))
    result = run(tmp_path, "check", MODEL, opened="/etc/passwd")
    assert result.status in {1, 5}, result.text
    assert result.codes & {"MBX7001", "MBX7003", "MBX1010"}
    assert result.places[0][0] == 2
    assert "root:" not in result.text


def test_h068_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.mb"
    secret.write_text("mbx 1\nmodel A { let password = 1 }\n")
    (folder / "link.mb").symlink_to(secret)
    (folder / "up").symlink_to("..")
    for path in ("link.mb", "up/secret.mb"):
        (folder / MODEL).write_text(use(path))
        result = run(folder, "check", MODEL, opened=str(secret))
        assert result.status == 5, result.text
        assert result.codes == {"MBX7002"}
        assert "password" not in result.text


def test_h069_imports_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text('mbx 1\nuse B from "b.mb"\nmodel A { subsystem b: B }\n')
    (tmp_path / "b.mb").write_text('mbx 1\nuse A from "a.mb"\nmodel B { subsystem a: A }\n')
    result = check(tmp_path, use("a.mb"))
    assert result.status == 1
    assert "MBX3017" in result.codes
    itself = check(tmp_path, 'mbx 1\nuse M as N from "model.mb"\nmodel M { subsystem n: N }\n')
    assert itself.status == 1
    assert itself.codes & {"MBX3015", "MBX3017"}


def test_h069_deep_and_many_imports_are_refused(tmp_path: Path) -> None:
    for k in range(10):
        (tmp_path / f"d{k}.mb").write_text(
            f'mbx 1\nuse A as B from "d{k + 1}.mb"\nmodel A {{ subsystem b: B }}\n'
        )
    deep = check(tmp_path, use("d0.mb"))
    assert deep.status == 5
    assert "MBX5012" in deep.codes
    for k in range(70):
        (tmp_path / f"w{k}.mb").write_text("mbx 1\nmodel A { }\n")
    uses = "\n".join(f'use A as A{k} from "w{k}.mb"' for k in range(70))
    wide = check(tmp_path, f"mbx 1\n{uses}\nmodel M {{ }}\n")
    assert wide.status == 5
    assert wide.codes == {"MBX5012"}


def test_h069_a_diamond_of_imports_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "l0.mb").write_text("mbx 1\nmodel A { param a = 1 }\n")
    for k in range(1, 7):
        (tmp_path / f"l{k}.mb").write_text(
            f'mbx 1\nuse A as B from "l{k - 1}.mb"\nuse A as C from "l{k - 1}.mb"\n'
            "model A { subsystem b: B, c: C }\n"
        )
    assert check(tmp_path, use("l6.mb")).status == 0


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket", "device", "loop"])
def test_h070_what_is_no_plain_file_is_not_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "part.mb"
    match kind:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "socket":
            here = socket.socket(socket.AF_UNIX)
            here.bind(str(path))
            here.close()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to("part.mb")
    (tmp_path / MODEL).write_text(use("part.mb"))
    imported = run(tmp_path, "check", MODEL)
    assert imported.status == 5, imported.text
    assert imported.codes <= {"MBX7002", "MBX7004"}
    assert imported.places == [(2, 1)]
    named = run(tmp_path, "check", "part.mb")
    assert named.status == 5, named.text
    assert named.codes == {"MBX7004"}


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/mem", "/dev/full", "/", "/dev/null"])
def test_h070_a_device_is_not_read(path: str, tmp_path: Path) -> None:
    result = run(tmp_path, "check", path)
    assert result.status == 5, result.text
    assert result.codes == {"MBX7004"}


def test_h073_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    result = run(tmp_path, "check", "none.mb")
    assert result.status == 5
    assert result.codes == {"MBX7003"}
    imported = check(tmp_path, use("none.mb"))
    assert imported.status == 5
    assert imported.codes == {"MBX7003"}
    assert imported.places == [(2, 1)]


def test_h073_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    result = run(tmp_path, "check", "a" * 300 + ".mb")  # no file system has such a name
    assert result.status == 5
    assert result.codes == {"MBX7006"}


@pytest.mark.parametrize("verb", ["fmt", "json"])
def test_h073_a_full_disk_leaves_nothing_behind(verb: str, tmp_path: Path) -> None:
    text = "mbx   1\nmodel M { }\n"
    (tmp_path / MODEL).write_text(text)
    small = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))\n"
        "sys.argv[0] = 'mbx'\n"
        "runpy.run_module('mbx', run_name='__main__', alter_sys=True)\n"
    )
    more = [] if verb == "fmt" else ["--out", "model.json"]
    done = subprocess.run(
        [sys.executable, "-c", small, verb, MODEL, *more],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert "MBX7007" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [MODEL]
    assert (tmp_path / MODEL).read_text() == text
