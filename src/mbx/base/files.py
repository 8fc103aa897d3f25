"""Files: the only module that opens a path.

A path written in a model is hostile until `resolve_inside` has passed it. Only regular files
are read, never more than a limit; what is written is written whole or not at all.
"""

from __future__ import annotations

import codecs
import errno
import os
import signal
import stat
import sys
import unicodedata
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from mbx.base.diagnostics import Source, Span
from mbx.base.errors import FileError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "FILES_READ",
    "FILE_BYTES",
    "STDIN",
    "read_bytes",
    "read_source",
    "read_stdin",
    "reason_of",
    "resolve_inside",
    "write_all",
    "write_bytes",
    "write_text",
]

FILE_BYTES: Final = 10 * 1024 * 1024
"""The largest file that is read, unless the caller sets another limit."""
STDIN: Final = "<stdin>"
"""What standard input is called in messages."""

FILES_READ: Final[set[Path]] = set()
"""The files that were read since a command began: it must not write over them."""

_SEGMENT_BYTES: Final = 255
_INVISIBLE: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_DEVICES: Final = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"} | {
    f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"
}
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_CREATE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
_CHUNK: Final = 1 << 20
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


# -- paths written in a model ------------------------------------------------------------


def resolve_inside(root: Path, text: str, at: Span | None = None) -> Path:
    """Return the path that `text` names below `root`, or raise `FileError`.

    The text is a relative path with forward slashes and means the same on every system.
    Nothing is opened; links are followed only to see that they stay below `root`.
    """
    fault = _fault(text)
    if fault is not None:
        raise FileError.of(
            "MBX7001",
            f"path '{text[:200]}' {fault}",
            at,
            help="write a path below the folder, such as 'parts/bar.mb'",
        )
    base = Path(os.path.realpath(root))
    path = base.joinpath(*text.split("/"))
    if not Path(os.path.realpath(path)).is_relative_to(base):
        raise FileError.of(
            "MBX7002",
            f"path '{text[:200]}' leads out of the folder by a link",
            at,
            help="copy the file into the folder",
        )
    return path


def _fault(text: str) -> str | None:
    """Return what is wrong with a path, as the words that follow it in a message."""
    if not text:
        return "is empty"
    if any(unicodedata.category(c) in _INVISIBLE for c in text):
        return "holds a control or invisible character"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode normal form C"
    if "\\" in text:
        return "holds a backslash"
    if ":" in text:
        return "holds a colon; a drive or an address is not read"
    if text.startswith("/"):
        return "is absolute"
    return next((fault for segment in text.split("/") if (fault := _segment_fault(segment))), None)


def _segment_fault(segment: str) -> str | None:
    if not segment:
        return "has two slashes in a row or one at its end"
    if segment in {".", ".."}:
        return f"has the step '{segment}'"
    if segment[-1] in ". ":
        return "has a step that ends in a dot or a space"
    if len(segment.encode()) > _SEGMENT_BYTES:
        return f"has a step of more than {_SEGMENT_BYTES} bytes"
    if segment.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return "has a step that is the name of a device on Windows"
    return None


# -- reading -----------------------------------------------------------------------------


def read_source(
    path: Path,
    name: str | None = None,
    *,
    limit: int = FILE_BYTES,
    at: Span | None = None,
) -> Source:
    """Return the text of a file, or raise `FileError` or `SourceError`.

    Args:
        path: The file.
        name: What it is called in messages.
        limit: How many bytes are read at most.
        at: Where a model names it. Such a file must not be a link; a file that the user names
            may be.
    """
    shown = str(path) if name is None else name
    data = read_bytes(path, shown, limit=limit, at=at)
    return _decode(data, shown, path.parent)


def read_stdin(*, limit: int = FILE_BYTES) -> Source:
    """Return the text on standard input, or raise `FileError` or `SourceError`."""
    if sys.stdin is None:
        _unreadable(STDIN, "it is closed", None)
    try:
        data = sys.stdin.buffer.read(limit + 1)
    except OSError as bad:
        _unreadable(STDIN, reason_of(bad), None)
    if len(data) > limit:
        _too_large(STDIN, limit, None)
    return _decode(data, STDIN, None)


def read_bytes(
    path: Path,
    name: str | None = None,
    *,
    limit: int = FILE_BYTES,
    at: Span | None = None,
    noted: bool = True,
) -> bytes:
    """Return the content of a regular file; the arguments are those of `read_source`.

    It is `noted` as an input of the command, unless it is only looked at.
    """
    shown = str(path) if name is None else name
    try:
        # looked at before it is opened, for opening alone can set a device to work
        _require_regular((os.stat if at is None else os.lstat)(path).st_mode, shown, at)
        descriptor = os.open(path, _READ if at is None else _READ | _NO_FOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        raise FileError.of("MBX7003", f"file '{shown}' does not exist", at) from None
    except OSError as bad:
        if bad.errno in {errno.ELOOP, errno.ENXIO}:  # became a link or a socket meanwhile
            _irregular(shown, "a plain file", at)
        _unreadable(shown, reason_of(bad), at)
    except ValueError:  # a NUL in the name
        raise FileError.of("MBX7003", f"file '{shown}' does not exist", at) from None
    if noted:
        FILES_READ.add(Path(os.path.realpath(path)))
    try:
        return _read_open(descriptor, shown, limit, at)
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, name: str, limit: int, at: Span | None) -> bytes:
    status = os.fstat(descriptor)
    _require_regular(status.st_mode, name, at)
    if status.st_size > limit:
        _too_large(name, limit, at)
    pieces, left = [], limit + 1  # a byte more than allowed: the file may grow meanwhile
    try:
        while left and (piece := os.read(descriptor, min(left, _CHUNK))):
            pieces.append(piece)
            left -= len(piece)
    except OSError as bad:
        if status.st_size == 0:  # size 0 but not empty: a window of the kernel
            _irregular(name, "a stored file", at)
        _unreadable(name, reason_of(bad), at)
    if not left:
        _too_large(name, limit, at)
    return b"".join(pieces)


def _require_regular(mode: int, name: str, at: Span | None) -> None:
    if stat.S_ISDIR(mode):
        _irregular(name, "a file but a folder", at)
    if stat.S_ISLNK(mode):
        _irregular(name, "a file but a link", at)
    if not stat.S_ISREG(mode):
        _irregular(name, "a plain file but a pipe, socket or device", at)


def _decode(data: bytes, name: str, folder: Path | None) -> Source:
    if data.startswith(codecs.BOM_UTF8):
        source = Source(name, data.decode("utf-8", "replace"))
        raise SourceError.of(
            "MBX1012",
            "the file begins with a byte order mark",
            Span(source, 0, 1),
            help="save it as UTF-8 without one",
        )
    try:
        return Source(name, data.decode("utf-8"), folder)
    except UnicodeDecodeError as bad:
        before = data[: bad.start].decode("utf-8")
        raise SourceError.of(
            "MBX1011",
            f"byte {bad.start} (0x{data[bad.start]:02x}) is not UTF-8",
            Span(Source(name, before), len(before), len(before) + 1),
            help="save the file as UTF-8",
        ) from None


def reason_of(bad: OSError) -> str:
    """Return why the system refuses something, in its words."""
    text = bad.strerror or type(bad).__name__
    return text[:1].lower() + text[1:]


def _irregular(name: str, what: str, at: Span | None) -> NoReturn:
    raise FileError.of("MBX7004", f"'{name}' is not {what}", at)


def _unreadable(name: str, reason: str, at: Span | None) -> NoReturn:
    raise FileError.of("MBX7006", f"'{name}' cannot be read: {reason}", at)


def _too_large(name: str, limit: int, at: Span | None) -> NoReturn:
    raise FileError.of("MBX5001", f"'{name}' is larger than {limit} bytes", at)


# -- writing -----------------------------------------------------------------------------


def write_text(path: Path, text: str, *, replace: bool = True) -> None:
    """Write a text, as `write_bytes` does."""
    write_bytes(path, text.encode(), replace=replace)


def write_bytes(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write a file whole, or raise `FileError` and leave everything as it was.

    The data go to a new file in the same folder, which then takes the name. A file that
    was there keeps its mode; with `replace` off it is left alone.
    """
    if not replace and os.path.lexists(path):
        raise FileError.of(
            "MBX7009", f"'{path}' exists already", help="choose another name, or remove the file"
        )
    write_all({path: data})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write files, each as `write_bytes` does, and none of them if any cannot be written.

    No file takes its name before all data are in their folders, and what was replaced comes
    back if another file cannot take its name.
    """
    ready: list[_Ready] = []
    path = Path()
    try:
        for path, data in files.items():
            target = Path(os.path.realpath(path))
            mode = _mode_of(path, target)
            ready.append(_Ready(path, target, _temporary_name(target), _temporary_name(target)))
            _fill(ready[-1].new, data, mode)
        with _block_interrupts():
            _exchange(ready)
    except OSError as bad:
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {reason_of(bad)}") from None
    finally:  # an interrupt too must leave nothing behind
        for file in ready:
            for temporary in (file.new, file.old):
                with suppress(OSError):
                    temporary.unlink()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A file that is written: its path, where links lead, its content, and what was there."""

    path: Path
    target: Path
    new: Path
    old: Path


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".mbx-{os.urandom(8).hex()}.tmp")


def _exchange(ready: list[_Ready]) -> None:
    """Let all files take their names, or none."""
    done: list[_Ready] = []
    try:
        for file in ready:
            if len(ready) > 1:  # kept under a second name until all have taken their names
                with suppress(FileNotFoundError):
                    os.link(file.target, file.old)
            file.new.replace(file.target)
            done.append(file)
    except OSError as bad:
        for file in done:
            if file.old.exists():
                file.old.replace(file.target)
            else:
                file.target.unlink()
        path = ready[len(done)].path
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {reason_of(bad)}") from None


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Keep signals that end the process waiting."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _mode_of(path: Path, target: Path) -> int | None:
    """Return the mode of what is there, if anything; it must be a file that can be written."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise FileError.of("MBX7007", f"'{path}' cannot be written: it is not a plain file")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _fill(temporary: Path, data: bytes, mode: int | None) -> None:
    with os.fdopen(os.open(temporary, _CREATE, 0o666), "wb") as out:
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
