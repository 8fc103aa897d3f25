from __future__ import annotations

import errno
import io
import os
import socket
import stat
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from mbx.base.diagnostics import Diagnostic, Source, Span
from mbx.base.errors import FileError, SourceError
from mbx.base.files import (
    read_bytes,
    read_source,
    read_stdin,
    resolve_inside,
    write_all,
    write_text,
)

AT = Span(Source("model.mb", 'use A from "x"'), 11, 14)

LEAVING = [
    "",
    "/etc/passwd",
    "../../etc/passwd",
    "..",
    "a/../b.mb",
    "./a.mb",
    ".",
    "a//b.mb",
    "a/",
    "//host/share",
    "C:\\x",
    "C:/x",
    "\\\\host\\share",
    "a\\b.mb",
    "file:///etc/passwd",
    "http://127.0.0.1/x",
    "package://a/b.mb",
    "lib:a.mb",
    "a\x00.mb",
    "a\n.mb",
    "a\x1b[2J.mb",
    "a\u202eb.mb",
    "a\u200db.mb",
    "a\udc80.mb",
    "e\u0301.mb",
    "x" * 256,
    "ä" * 128,
    "con",
    "NUL.mb",
    "parts/aux.mb",
    "com1.x.mb",
    "LPT¹",
    "nul .mb",
    "a.",
    "a ",
    "parts./a.mb",
]


def fault(raised: pytest.ExceptionInfo[SourceError]) -> Diagnostic:
    (one,) = raised.value.report
    return one


@pytest.mark.parametrize("text", LEAVING)
def test_a_path_that_is_not_plain_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as raised:
        resolve_inside(tmp_path, text, AT)
    found = fault(raised)
    assert found.code == "MBX7001"
    assert found.span == AT
    assert "\x1b" not in found.render()


def test_a_refused_path_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*_: Any, **__: Any) -> None:
        pytest.fail("the file system was asked")

    for name in ("open", "stat", "lstat", "readlink"):
        monkeypatch.setattr(os, name, touched)
    caught = 0
    for text in LEAVING:
        try:
            resolve_inside(tmp_path, text, AT)
        except FileError:
            caught += 1
    monkeypatch.undo()
    assert caught == len(LEAVING)


@pytest.mark.parametrize("text", ["a.mb", "parts/bar.mb", "Käfig/a b.mb", "console.mb", "x" * 255])
def test_a_plain_path_stays_below_the_root(text: str, tmp_path: Path) -> None:
    assert resolve_inside(tmp_path, text, None) == tmp_path.resolve() / text


def test_a_link_may_not_lead_out(tmp_path: Path) -> None:
    root = tmp_path / "model"
    (root / "parts").mkdir(parents=True)
    (tmp_path / "secret.mb").write_text("s")
    (root / "file.mb").symlink_to(tmp_path / "secret.mb")
    (root / "up").symlink_to("..")
    (root / "near").symlink_to("parts")
    for text in ("file.mb", "up/secret.mb", "up"):
        with pytest.raises(FileError) as raised:
            resolve_inside(root, text, AT)
        assert fault(raised).code == "MBX7002"
    assert resolve_inside(root, "near/a.mb", AT) == root.resolve() / "near" / "a.mb"


def test_a_root_that_is_itself_a_link_is_no_way_out(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert resolve_inside(tmp_path / "link", "a.mb") == tmp_path.resolve() / "real" / "a.mb"


def test_a_source_knows_its_name_and_folder(tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_bytes("mbx 1\r\n// ä\n".encode())
    source = read_source(path, "a.mb")
    assert (source.name, source.text, source.folder) == ("a.mb", "mbx 1\r\n// ä\n", tmp_path)
    assert read_source(path).name == str(path)


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text("x")
    for name in ("none.mb", "none/a.mb", "a.mb/b", "nul\0"):
        with pytest.raises(FileError) as raised:
            read_source(tmp_path / name, at=AT)
        assert fault(raised).code == "MBX7003"
        assert fault(raised).span == AT


def irregular(folder: Path) -> list[Path]:
    """Make a folder, a pipe and a socket; return them with a device and a window of the kernel."""
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    with chdir(folder), socket.socket(socket.AF_UNIX) as one:  # the name must be short
        one.bind("socket")
    places = [folder / "folder", folder / "pipe", folder / "socket"]
    return [*places, Path("/dev/zero"), Path("/proc/self/mem")]


@pytest.mark.timeout(10)
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    for path in irregular(tmp_path):
        for at in (None, AT):
            with pytest.raises(FileError) as raised:
                read_bytes(path, at=at)
            assert fault(raised).code == "MBX7004", path


@pytest.mark.timeout(10)
def test_what_becomes_a_pipe_before_it_is_opened_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mb"
    os.mkfifo(path)
    (tmp_path / "plain").write_text("x")
    plain = (tmp_path / "plain").stat()
    monkeypatch.setattr(os, "stat", lambda *_, **__: plain)
    with pytest.raises(FileError) as raised:
        read_bytes(path)
    assert fault(raised).code == "MBX7004"


def test_a_link_is_followed_for_the_user_and_not_for_a_model(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text("mbx 1\n")
    (tmp_path / "link.mb").symlink_to("a.mb")
    assert read_source(tmp_path / "link.mb").text == "mbx 1\n"
    with pytest.raises(FileError) as raised:
        read_source(tmp_path / "link.mb", at=AT)
    assert fault(raised).code == "MBX7004"


def test_what_becomes_a_link_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mb").write_text("secret")
    (tmp_path / "link.mb").symlink_to("a.mb")
    plain = (tmp_path / "a.mb").stat()
    monkeypatch.setattr(os, "lstat", lambda *_, **__: plain)
    with pytest.raises(FileError) as raised:
        read_source(tmp_path / "link.mb", at=AT)
    assert fault(raised).code == "MBX7004"


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(FileError) as raised:
        read_source(tmp_path / "a")
    assert fault(raised).code == "MBX7004"


def test_a_file_that_may_not_be_read_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mb").write_text("x")

    def refuse(*_: Any, **__: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError) as raised:
        read_source(tmp_path / "a.mb", "a.mb")
    assert fault(raised).code == "MBX7006"
    assert fault(raised).message == "'a.mb' cannot be read: permission denied"


def test_a_file_that_fails_while_it_is_read_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mb").write_text("x")

    def fail(*_: Any) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(FileError) as raised:
        read_source(tmp_path / "a.mb")
    assert fault(raised).code == "MBX7006"


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_bytes(b"x" * 10)
    assert read_bytes(path, limit=10) == b"x" * 10
    with pytest.raises(FileError) as raised:
        read_bytes(path, limit=9)
    assert fault(raised).code == "MBX5001"


def test_a_file_that_grows_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mb").write_text("x")
    monkeypatch.setattr(os, "read", lambda _, size: b"x" * size)
    with pytest.raises(FileError) as raised:
        read_bytes(tmp_path / "a.mb", limit=1000)
    assert fault(raised).code == "MBX5001"


def test_bytes_that_are_not_utf8_have_a_place(tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_bytes("mbx 1\nä // ".encode() + b"\xe4\n")
    with pytest.raises(SourceError) as raised:
        read_source(path, "a.mb")
    assert fault(raised).code == "MBX1011"
    assert fault(raised).render().startswith("a.mb:2:6: error[MBX1011]: byte 12 (0xe4)")


def test_a_byte_order_mark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_bytes(b"\xef\xbb\xbfmbx 1\n")
    with pytest.raises(SourceError) as raised:
        read_source(path, "a.mb")
    assert fault(raised).code == "MBX1012"
    path.write_bytes("mbx 1\n".encode("utf-16"))
    with pytest.raises(SourceError) as raised:
        read_source(path, "a.mb")
    assert fault(raised).code == "MBX1011"


def stdin_of(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_is_read_by_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin_of("mbx 1 // ä\n".encode(), monkeypatch)
    source = read_stdin()
    assert (source.name, source.text, source.folder) == ("<stdin>", "mbx 1 // ä\n", None)
    for data, code in ((b"x" * 11, "MBX5001"), (b"\xff", "MBX1011")):
        stdin_of(data, monkeypatch)
        with pytest.raises(SourceError) as raised:
            read_stdin(limit=10)
        assert fault(raised).code == code


def test_closed_standard_input_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileError) as raised:
        read_stdin()
    assert fault(raised).code == "MBX7006"


def test_a_file_is_written_byte_for_byte(tmp_path: Path) -> None:
    write_text(tmp_path / "a.mb", "mbx 1\n// ä\n")
    assert (tmp_path / "a.mb").read_bytes() == "mbx 1\n// ä\n".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["a.mb"]


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_is_usual(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_text(tmp_path / "a.mb", "new")
    assert (tmp_path / "a.mb").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link_when_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text("old")
    (tmp_path / "link.mb").symlink_to("a.mb")
    write_text(tmp_path / "link.mb", "new")
    assert (tmp_path / "link.mb").is_symlink()
    assert (tmp_path / "a.mb").read_text() == "new"


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_a_full_disk_leaves_everything_as_it_was(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mb"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(step, fail)
    with pytest.raises(FileError) as raised:
        write_text(path, "new")
    assert fault(raised).code == "MBX7007"
    assert fault(raised).message.endswith("no space left on device")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.mb"]


def test_an_interrupt_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "a.mb", "new")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    for path in (tmp_path / "none" / "a.mb", tmp_path, Path("/dev/null"), tmp_path / "file"):
        with pytest.raises(FileError) as raised:
            write_text(path, "new")
        assert fault(raised).code == "MBX7007"
    assert (tmp_path / "file").read_text() == "old"


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    for bad in (tmp_path / "none" / "c", tmp_path):
        with pytest.raises(FileError) as raised:
            write_all({first: b"new", second: b"new", bad: b"new"})
        assert fault(raised).message.startswith(f"'{bad}' cannot be written: ")
        assert [one.name for one in tmp_path.iterdir()] == ["a"]
        assert first.read_text() == "old"
    write_all({first: b"1", second: b"2"})
    assert [one.read_bytes() for one in (first, second)] == [b"1", b"2"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]


def test_a_file_is_left_alone_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text("old")
    (tmp_path / "b.mb").symlink_to("none")
    for name in ("a.mb", "b.mb"):
        with pytest.raises(FileError) as raised:
            write_text(tmp_path / name, "new", replace=False)
        assert fault(raised).code == "MBX7009"
    assert (tmp_path / "a.mb").read_text() == "old"
