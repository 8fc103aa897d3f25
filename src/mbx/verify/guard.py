"""Work that may fail in any way: what it raises, prints or never ends becomes a reason.

Time is limited where the system has alarms and the work is done in the main thread. An alarm
is heard between two operations of Python, so that one long call into compiled code ends late.
There, too, an interrupt of the user is told from one that the work raises itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mbx.errors import LimitError, NotApplicableError
from mbx.expr.nodes import forget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["Clock", "Fault", "OutOfTimeError", "attempt", "within"]

T = TypeVar("T")

_AGAIN: Final = 0.05
"""Seconds until a further alarm, if the first one was caught by what it should end."""
_LONGEST: Final = 200
"""Characters of a reason."""


class OutOfTimeError(BaseException):
    """The work takes too long; not an `Exception`, so that less of the work can catch it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no result; `refused` if the form cannot say the system."""

    reason: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """When all work must be done, and how long one piece of it may take."""

    end: float
    each: float

    @classmethod
    def of(cls, seconds: float, each: float) -> Clock:
        """Return a clock that starts now."""
        return cls(time.monotonic() + seconds, each)

    @property
    def left(self) -> float:
        """How many seconds the next piece may take."""
        return min(self.each, self.end - time.monotonic())


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `OutOfTimeError` inside after some time; an alarm that was set before stays set."""
    if not hasattr(signal, "setitimer") or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    inside = True

    def ring(_: int, frame: FrameType | None) -> None:
        # raised where a dead expression is forgotten it would be lost, and printed; the next
        # alarm is near
        lost = frame is not None and frame.f_code is forget.__code__
        if inside and not lost:
            raise OutOfTimeError

    began = time.monotonic()
    outer, interval = signal.getitimer(signal.ITIMER_REAL)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, outer) if outer else seconds, _AGAIN)
    try:
        yield
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            rest = outer - (time.monotonic() - began)
            signal.setitimer(signal.ITIMER_REAL, max(rest, 1e-3), interval)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Return what says whether an interrupt may be the user's."""
    pressed = False

    def press(*_: Any) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    handler = signal.getsignal(signal.SIGINT)
    if (
        threading.current_thread() is not threading.main_thread()
        or handler is not signal.default_int_handler
    ):
        # a shell lets its background jobs ignore interrupts
        yield lambda: handler is not signal.SIG_IGN
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _silence() -> Iterator[None]:
    """Drop what is printed, by Python and by compiled code."""
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        kept = []
        _flush()
        for number in (1, 2):
            with suppress(OSError):  # it may be closed
                kept.append((os.dup(number), number))
                os.dup2(nowhere.fileno(), number)
        try:
            yield
        finally:
            _flush()
            for copy, number in kept:
                os.dup2(copy, number)
                os.close(copy)


def _flush() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with suppress(OSError, ValueError):  # a pipe without a reader, a closed stream
                stream.flush()


def attempt(work: Callable[[], T], seconds: float) -> T | Fault:
    """Return what some work returns, or why it does not; what it prints is dropped."""
    if seconds <= 0:
        return Fault("no time was left for it")
    with _interrupts() as by_user:
        try:
            with _silence(), within(seconds):
                return work()
        except OutOfTimeError:
            return Fault(f"takes more than {seconds:.3g} s")
        except LimitError:  # the run's own
            raise
        except NotApplicableError as refusal:
            return Fault("; ".join(map(str, refusal.reasons)), refused=True)
        except BaseException as error:
            # a form may raise anything, SystemExit and KeyboardInterrupt too
            if isinstance(error, KeyboardInterrupt) and by_user():
                raise
            return Fault(_reason(error))


def _reason(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  its own message may fail, too
        text = ""
    text = f"{kind}: {text}" if text else kind
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
