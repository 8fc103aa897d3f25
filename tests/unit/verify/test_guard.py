"""Work that raises, prints, or never ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from mbx.analyses.guard import Clock, Fault, OutOfTimeError, attempt, within
from mbx.base.diagnostics import Report
from mbx.base.errors import LimitError, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def loop() -> None:
    while True:
        pass


def test_what_work_returns_is_returned() -> None:
    assert attempt(lambda: 7, 1.0) == 7


def test_work_that_never_ends_is_ended() -> None:
    began = time.monotonic()
    assert attempt(loop, 0.1) == Fault("takes more than 0.1 s of CPU time", late=True)
    assert time.monotonic() - began < 2


def test_work_that_catches_every_exception_is_ended_all_the_same() -> None:
    def stubborn() -> None:
        for _ in range(3):
            try:
                loop()
            except OutOfTimeError:
                continue
        loop()

    assert attempt(stubborn, 0.05) == Fault("takes more than 0.05 s of CPU time", late=True)


def test_time_that_is_over_inside_a_callback_of_the_garbage_collector_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def busy(*_: object) -> None:
        began = time.process_time()
        while time.process_time() - began < 0.2:
            pass

    def collect() -> None:
        for _ in range(50):
            gc.collect()
            began = time.process_time()
            while time.process_time() - began < 0.2:
                pass

    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    gc.callbacks.append(busy)
    try:
        found = attempt(collect, 0.1)
    finally:
        gc.callbacks.remove(busy)
    assert found == Fault("takes more than 0.1 s of CPU time", late=True)
    assert lost == []


def test_work_that_waits_uses_no_time_and_is_ended_after_a_while() -> None:
    used = time.process_time()
    began = time.monotonic()
    assert attempt(lambda: time.sleep(60), 0.05) == Fault(
        "takes more than 0.05 s of CPU time", late=True
    )
    assert time.monotonic() - began > 5 * 0.05
    assert time.process_time() - used < 1.0


def test_waiting_for_less_than_ten_times_the_limit_is_allowed() -> None:
    assert attempt(lambda: time.sleep(0.6), 0.2) is None


@pytest.mark.full
def test_a_process_that_was_stopped_has_as_much_time_as_before(tmp_path: Path) -> None:
    script = """if True:
        import time
        from mbx.analyses.guard import Clock, attempt
        def work():
            end = time.process_time() + 0.8
            while time.process_time() < end:
                pass
            return "done"
        clock = Clock.of(1.5, 1.5)
        print("ready", flush=True)
        print(attempt(work, clock.left), clock.left > 0, flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGSTOP)
        time.sleep(3.0)
        child.send_signal(signal.SIGCONT)
        assert child.stdout.readline() == "done True\n"


def test_work_without_time_is_not_begun() -> None:
    assert attempt(loop, 0.0) == Fault("no time was left for it", late=True)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("two\nlines"), "ValueError: two lines"),
        (SystemExit(0), "SystemExit: 0"),
        (RecursionError(), "RecursionError"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_whatever_is_raised_is_a_reason(error: BaseException, reason: str) -> None:
    def work() -> None:
        raise error

    assert attempt(work, 1.0) == Fault(reason)


def test_an_error_that_cannot_say_itself_has_its_kind_as_the_reason() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def work() -> None:
        raise MuteError

    assert attempt(work, 1.0) == Fault("MuteError")


def test_a_refusal_is_told_from_a_failure() -> None:
    def work() -> None:
        raise NotApplicableError("no inertia", "no time")

    assert attempt(work, 1.0) == Fault("no inertia; no time", refused=True)


def test_a_limit_of_the_run_passes_through() -> None:
    def work() -> None:
        raise LimitError(Report())

    with pytest.raises(LimitError):
        attempt(work, 1.0)


@contextmanager
def interrupts(handler: Any) -> Iterator[None]:
    """Handle interrupts in some way, as a terminal or a background job does."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_the_user_passes_through() -> None:
    with interrupts(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt):
            attempt(lambda: signal.raise_signal(signal.SIGINT), 1.0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_an_interrupt_that_the_work_raises_is_a_failure(handler: Any) -> None:
    def work() -> None:
        raise KeyboardInterrupt

    with interrupts(handler):
        assert attempt(work, 1.0) == Fault("KeyboardInterrupt")


def test_what_is_written_to_the_terminal_itself_is_dropped(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def work() -> None:
        os.write(1, b"agree\n")
        os.write(2, b"agree\n")

    attempt(work, 1.0)
    os.write(1, b"after\n")
    assert capfd.readouterr() == ("after\n", "")


def test_what_work_prints_is_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        sys.stdout.write("agree\n")
        sys.stderr.write("agree\n")

    attempt(work, 1.0)
    assert capsys.readouterr() == ("", "")


def test_an_alarm_that_was_set_before_still_rings() -> None:
    rung: list[Any] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    outer = signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        assert attempt(loop, 0.05) == Fault("takes more than 0.05 s of CPU time", late=True)
        time.sleep(0.4)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *outer)
    assert rung == [1]


def test_work_in_another_thread_has_no_alarm() -> None:
    found: list[bool] = []

    def work() -> None:
        with within(10.0):
            found.append(signal.getsignal(signal.SIGALRM) is not None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True]


def test_a_clock_gives_each_piece_no_more_than_is_left() -> None:
    assert Clock.of(100.0, 5.0).left == 5.0
    assert 0 < Clock.of(1.0, 5.0).left <= 1.0
    assert Clock.of(-1.0, 5.0).left < 0
