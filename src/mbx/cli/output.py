"""What the commands print, and the status they end with.

Lines for people pass through `safe_text` here, so that nothing in a model or in the name of
a file reaches a terminal as a control sequence or as a separate line.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import safe_text
from mbx.base.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mbx.base.diagnostics import Diagnostic, Report

__all__ = [
    "HungUpError",
    "Status",
    "bar",
    "clear",
    "complain",
    "complain_report",
    "emit",
    "emit_bytes",
    "emit_json",
    "is_coloured",
    "make_folder",
    "note",
    "print_line",
    "release_stdout",
    "reserve_stdout",
    "status_of",
    "terminal_width",
    "watch",
]


_WAIT: Final = 1.0
"""Seconds before the bar of `watch` is shown."""


@contextmanager
def bar() -> Iterator[Callable[[str, int], None] | None]:
    """Show a bar; yield what advances it: a function of the last task and the number of tasks."""
    if not _is_shown():
        yield None
        return
    with _WATCH.suspend(), _make_bar(counted=True) as progress:
        task = progress.add_task("", total=None)

        def advance(text: str, count: int) -> None:
            progress.update(task, advance=1, total=count, description=safe_text(text))

        yield advance


@contextmanager
def watch() -> Iterator[None]:
    """Show a bar that moves while something works for longer than a second."""
    if not _is_shown():
        yield
        return
    _WATCH.begin()
    try:
        yield
    finally:
        _WATCH.end()


def note(text: str) -> None:
    """Show what is done at the moment in the bar of `watch`."""
    _WATCH.note(text)


def clear() -> None:
    """Take the bar of `watch` away before something is printed; it may come back later."""
    _WATCH.restart()


def _is_shown() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _make_bar(*, counted: bool) -> Any:
    from rich.console import Console  # only for terminals
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = [
        BarColumn(),
        *([MofNCompleteColumn()] if counted else []),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    ]
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Watch:
    """The bar of a verb that does not know how much there is to do, and the timer before it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._timer: Timer | None = None
        self._bar: Any = None
        self._task: Any = None
        self._text = ""
        self._active = False

    def begin(self) -> None:
        """Show the bar in a second."""
        with self._lock:
            self._active, self._text = True, ""
            self._start()

    def end(self) -> None:
        """Take the bar away for good."""
        with self._lock:
            self._active = False
            self._stop()

    def restart(self) -> None:
        """Take the bar away; it comes back if nothing else happens for a second."""
        if not self._active:
            return
        with self._lock:
            self._stop()
            self._start()

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Hide the bar while another bar is shown."""
        was = self._active
        self.end()
        try:
            yield
        finally:
            if was:
                self.begin()

    def note(self, text: str) -> None:
        """Show a text in the bar."""
        with self._lock:
            self._text = safe_text(text)
            if self._bar is not None:
                self._bar.update(self._task, description=self._text)

    def _start(self) -> None:
        self._timer = Timer(_WAIT, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._bar is not None:
            self._bar.stop()
        self._timer = self._bar = None

    def _show(self) -> None:
        with self._lock:
            if self._active and self._bar is None and self._timer is not None:
                self._bar = _make_bar(counted=False)
                self._task = self._bar.add_task(self._text, total=None)
                self._bar.start()


_WATCH: Final = _Watch()


class Status(IntEnum):
    """How a command ended."""

    OK = 0
    MODEL = 1
    """The model has errors, or its file is not formatted."""
    USAGE = 2
    REFUSED = 3
    """A form does not support the model."""
    DISAGREE = 4
    """Forms disagree, or nothing proves that they agree."""
    TROUBLE = 5
    """A limit was met, or a file could not be read or written."""
    BUG = 70


_COLUMNS: Final = 80
"""Columns of a line where there is no terminal."""


class HungUpError(Exception):
    """Whoever read standard output has gone."""


def status_of(diagnostics: Iterable[Diagnostic]) -> Status:
    """Return the status of findings; limits and files decide it only if there is nothing else."""
    families = {diagnostic.code[3] for diagnostic in diagnostics if diagnostic.severity == "error"}
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


def print_line(line: str, paint: Callable[[str], str] | None = None) -> None:
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
    """Print a line on standard error; if that fails, nothing can report it."""
    clear()
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
    """Make a folder, return whether it was missing; raise `FileError` if it cannot be made."""
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
    clear()
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
