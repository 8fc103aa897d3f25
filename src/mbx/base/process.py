"""The process of a command: interrupts that end it and its workers, and deep recursion.

`InterruptError` is no `KeyboardInterrupt`: it is distinguished from what a form raises by itself,
and no library on the way turns it into something else.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


__all__ = [
    "InterruptError",
    "leave",
    "raise_interrupts",
    "room",
    "shield_workers",
    "stop",
    "stop_workers",
]

_CALLS: Final = 5000


@contextmanager
def room() -> Iterator[None]:
    """Let calls nest as deeply as the deepest text that is accepted."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
PATIENCE: Final = 5.0
"""Seconds in which a command that was interrupted must have ended."""
AGAIN: Final = 0.01
"""Seconds after which a signal is raised again."""
OFFSET: Final = 128
"""What is added to the number of a signal for the exit status."""


class InterruptError(BaseException):
    """The user, or the system, ends the command."""

    def __init__(self, number: int) -> None:
        """Keep the number of the signal."""
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return OFFSET + self.number


def stop(number: int, _: FrameType | None) -> None:
    """Handle a signal by an exception."""
    raise InterruptError(number)


def leave(number: int, _: FrameType | None) -> None:
    """Handle a signal before anything was begun."""
    os.write(2, b"mbx: interrupted\n")
    os._exit(OFFSET + number)


@contextmanager
def raise_interrupts() -> Iterator[None]:
    """Let signals that end a command raise `InterruptError`; ignored ones stay ignored."""
    before = {
        number: signal.signal(number, stop)
        for number in SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    hooks = sys.unraisablehook, threading.excepthook
    sys.unraisablehook, threading.excepthook = _again, _drop
    try:
        yield
    finally:
        sys.unraisablehook = hooks[0]
        for number, handler in before.items():
            signal.signal(number, handler)


def _again(lost: Any) -> None:
    """Raise a signal again that came where exceptions are dropped: in a finaliser."""
    if isinstance(lost.exc_value, InterruptError):
        # not here, where it would be dropped once more
        timer = threading.Timer(AGAIN, os.kill, (os.getpid(), lost.exc_value.number))
        timer.daemon = True
        timer.start()
    elif type(lost.exc_value).__name__ == "LimitError":
        signal.setitimer(signal.ITIMER_PROF, AGAIN)
    elif os.environ.get("MBX_DEBUG") == "1":
        sys.__unraisablehook__(lost)


def _drop(lost: Any) -> None:
    """Print no traceback of a thread: work that is ended needs none."""
    if os.environ.get("MBX_DEBUG") == "1":
        threading.__excepthook__(lost)


@contextmanager
def shield_workers() -> Iterator[None]:
    """Start processes that a terminal's interrupt does not reach: their parent ends them.

    The mask of blocked signals is inherited, by processes and by threads that start others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_trackers()  # they unblock the signal when they start
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    from multiprocessing import resource_tracker  # noqa: PLC0415  only for workers

    resource_tracker.ensure_running()
    backend = sys.modules.get("joblib.externals.loky.backend.resource_tracker")
    if backend is not None:
        backend.ensure_running()


def stop_workers(status: int) -> None:
    """End all processes that were started; signals are ignored from now on.

    If that takes too long, this process is ended with a status.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    parallel = sys.modules.get("multiprocessing")
    if parallel is None:
        return

    def insist() -> None:
        time.sleep(PATIENCE)
        os._exit(status)

    threading.Thread(target=insist, daemon=True).start()
    loky = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = getattr(loky, "_executor", None)
    if executor is not None:
        executor.shutdown(wait=True, kill_workers=True)
    for child in parallel.active_children():
        with suppress(OSError, AttributeError):
            child.kill()
