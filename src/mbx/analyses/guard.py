"""Work that may fail in any way: what it raises, prints or never ends becomes a reason.

Limits are CPU time of this process, so that a busy, suspended or stopped machine changes no
result. They hold where the system has interval timers and the work is done in the main thread.
A signal is handled between two operations of Python, so that one long call into compiled code
ends late. There, too, an interrupt of the user is distinguished from one that the work raises
itself.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mbx.base.errors import LimitError, NotApplicableError
from mbx.base.process import InterruptError, stop
from mbx.expr.nodes import forget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["OUT_OF_TIME", "Clock", "Fault", "OutOfTimeError", "attempt", "within"]

T = TypeVar("T")

OUT_OF_TIME: Final = "out of time"
"""The status of a form whose time limit was reached: the verdict is undecided."""
_AGAIN: Final = 0.05
"""Seconds until a further signal, if the first one was caught by what it should end."""
_LOOK: Final = 6.0
"""Seconds of the clock between two looks at whether the work computes at all."""
_IDLE: Final = 10
"""Looks in a row without CPU time, after which work that waits is ended."""
_USED: Final = 1e-2
"""The part of the time between two looks that counts as computing; a look itself takes some."""
_LONGEST: Final = 200
"""Characters of a reason."""


class OutOfTimeError(BaseException):
    """The work takes too long; not an `Exception`, so that less of the work can catch it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no result.

    Attributes:
        reason: What happened.
        refused: Whether the form does not support the system.
        late: Whether the time limit was reached, which means nothing for the result.
    """

    reason: str
    refused: bool = False
    late: bool = False

    @property
    def status(self) -> str:
        """What the fault makes of a form."""
        if self.late:
            return OUT_OF_TIME
        return "not applicable" if self.refused else "failed"


@dataclass(frozen=True, slots=True)
class Clock:
    """The CPU time at which all work must be done, and how much one piece of it may take."""

    end: float
    each: float

    @classmethod
    def of(cls, seconds: float, each: float) -> Clock:
        """Return a clock that starts now."""
        return cls(time.process_time() + seconds, each)

    @property
    def left(self) -> float:
        """How many seconds the next piece may take."""
        return min(self.each, self.end - time.process_time())


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `OutOfTimeError` inside after so much CPU time; timers set before go on.

    Work that only waits uses no CPU time. It is ended after a minute without any, or ten times
    the limit if that is less; while the process is stopped, no time passes.
    """
    if not hasattr(signal, "setitimer") or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    inside = True

    def ring(_: int, frame: FrameType | None) -> None:
        # Python loses and prints what is raised where a dead expression is forgotten or where the
        # garbage collector calls back; the next signal is near
        callbacks = [forget, *gc.callbacks]
        lost = frame is not None and frame.f_code in [
            getattr(f, "__code__", None) for f in callbacks
        ]
        if inside and not lost:
            raise OutOfTimeError

    every = min(max(seconds, _AGAIN), _LOOK)
    used, idle = time.process_time(), 0

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal used, idle
        now = time.process_time()
        idle = idle + 1 if now - used < _USED * every else 0
        used = now
        if idle >= _IDLE:
            ring(number, frame)

    with (
        _timer(signal.ITIMER_REAL, signal.SIGALRM, (every, every), look, time.monotonic),
        _timer(signal.ITIMER_VIRTUAL, signal.SIGVTALRM, (seconds, _AGAIN), ring, time.process_time),
    ):
        try:
            yield
        finally:
            inside = False


@contextmanager
def _timer(
    which: int,
    number: signal.Signals,
    after: tuple[float, float],
    handler: Callable[[int, FrameType | None], None],
    clock: Callable[[], float],
) -> Iterator[None]:
    """Run a timer; one that was set before rings inside if it is due, and goes on afterwards."""
    began = clock()
    outer, interval = signal.getitimer(which)
    before = signal.signal(number, handler)
    signal.setitimer(which, min(after[0], outer) if outer else after[0], after[1])
    try:
        yield
    finally:
        signal.setitimer(which, 0)
        signal.signal(number, before)
        if outer:
            signal.setitimer(which, max(outer - (clock() - began), 1e-3), interval)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Return a function that returns whether an interrupt may be the user's."""
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
        yield lambda: handler not in {signal.SIG_IGN, stop}
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
        return Fault("no time was left for it", late=True)
    with _interrupts() as by_user:
        try:
            with _silence(), within(seconds):
                return work()
        except OutOfTimeError:
            return Fault(f"takes more than {seconds:.3g} s of CPU time", late=True)
        except (LimitError, InterruptError):  # the run's own
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
