"""Bars on standard error while something takes longer than a second, if that is a terminal.

A verb that knows how much there is to do shows a `bar` of it. While any other verb works there
is one that only moves, from `watch`, with a note of what is done at the moment.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["bar", "clear", "note", "watch"]

_WAIT: Final = 1.0
"""Seconds before the bar of `watch` is shown."""


@contextmanager
def bar() -> Iterator[Callable[[str, int], None] | None]:
    """Show a bar; give what moves it on: what was done last, and how many there are in all."""
    if not _is_shown():
        yield None
        return
    with _WATCH.suspended(), _make_bar(counted=True) as progress:
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
    def suspended(self) -> Iterator[None]:
        """Keep the bar away while another one is shown."""
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
