"""What the commands print, and the status they end with.

Lines for people pass through `safe_text` here, so that nothing in a model or in the name of
a file reaches a terminal as a control sequence or as a line of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import safe_text
from mbx.base.errors import FileError
from mbx.cli import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mbx.base.diagnostics import Diagnostic, Report

__all__ = [
    "HungUpError",
    "Status",
    "complain",
    "complain_report",
    "emit",
    "emit_bytes",
    "emit_json",
    "is_coloured",
    "make_folder",
    "release_stdout",
    "reserve_stdout",
    "say",
    "status_of",
    "terminal_width",
]


class Status(IntEnum):
    """How a command ended."""

    OK = 0
    MODEL = 1
    """The model has errors, or its file is not formatted."""
    USAGE = 2
    REFUSED = 3
    """A form cannot say the model."""
    DISAGREE = 4
    """Forms disagree, or nothing proves that they agree."""
    TROUBLE = 5
    """A limit was met, or a file could not be read or written."""
    BUG = 70


_COLUMNS: Final = 80
"""Columns of a line where there is no terminal."""


class HungUpError(Exception):
    """Whoever read standard output has gone."""


def status_of(found: Iterable[Diagnostic]) -> Status:
    """Return the status that findings lead to; limits and files count only among themselves."""
    families = {one.code[3] for one in found if one.severity == "error"}
    if not families:
        return Status.OK
    return Status.TROUBLE if families <= {"5", "7"} else Status.MODEL


_RESERVED: Final = Event()
"""Whether standard output holds a file, and nothing else must go there."""


def reserve_stdout() -> None:
    """Let lines for people go to standard error: standard output holds a file."""
    _RESERVED.set()


def release_stdout() -> None:
    """Let lines for people go to standard output again."""
    _RESERVED.clear()


def say(line: str, paint: Callable[[str], str] | None = None) -> None:
    """Print a line on standard output, or on standard error where that holds a file.

    `paint` colours what is safe to print by then.
    """
    if _RESERVED.is_set():
        complain(line)
        return
    _write(_printable(line, getattr(sys.stdout, "encoding", None), paint))


def is_coloured() -> bool:
    """Return whether standard output is a terminal that shows colours, and the user wants them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False  # https://no-color.org
    return not _RESERVED.is_set() and sys.stdout is not None and sys.stdout.isatty()


def terminal_width() -> int:
    """Return how many columns a line has: those of the terminal, else 80."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _COLUMNS
    return shutil.get_terminal_size((_COLUMNS, 24)).columns


def complain(line: str) -> None:
    """Print a line on standard error; if that fails there is nobody to tell."""
    progress.clear()
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.buffer.write(_printable(line, sys.stderr.encoding))
            sys.stderr.buffer.flush()


def complain_report(report: Report) -> None:
    """Print findings on standard error."""
    if len(report):
        for line in report.render().split("\n"):  # line ends inside of data are escaped by now
            complain(line)


def emit(text: str) -> None:
    """Print a document on standard output: UTF-8, byte for byte."""
    _write(text.encode())


def emit_bytes(data: bytes) -> None:
    """Print the content of a file on standard output."""
    _write(data)


def emit_json(value: Any) -> None:
    """Print data as JSON in ASCII."""
    import json

    emit(json.dumps(value, indent=2) + "\n")


def make_folder(folder: Path) -> bool:
    """Make a folder unless it is there, and say so; raise `FileError` where it cannot be made."""
    if folder.is_dir():
        return False
    try:
        folder.mkdir()
    except OSError as bad:
        reason = (bad.strerror or type(bad).__name__).lower()
        raise FileError.of("MBX7007", f"'{folder}' cannot be made: {reason}") from None
    return True


def _printable(line: str, encoding: str | None, paint: Callable[[str], str] | None = None) -> bytes:
    safe = safe_text(line)
    text = safe if paint is None else paint(safe)
    # a terminal that knows no UTF-8 could take its bytes for control characters
    return f"{text}\n".encode(encoding or "ascii", "backslashreplace")


def _write(data: bytes) -> None:
    progress.clear()
    if sys.stdout is None:
        raise FileError.of("MBX7007", "standard output cannot be written: it is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _give_up()
        raise HungUpError from None
    except OSError as bad:
        _give_up()
        reason = (bad.strerror or type(bad).__name__).lower()
        raise FileError.of("MBX7007", f"standard output cannot be written: {reason}") from None


def _give_up() -> None:
    """Drop what standard output still holds: Python would try again when it ends, and complain."""
    with suppress(OSError):  # it may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
