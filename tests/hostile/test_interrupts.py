"""Ctrl-C ends a command at any moment: one line, status 130, no worker and no file left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

HEARD: Final = """if True:
    import os, signal, sys
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "mbx", *sys.argv[1:]])
"""
"""A background job ignores interrupts, and so would the command that a test starts in one."""
ROOT: Final = Path(__file__).parents[2]
COMMANDS: Final = {
    "verify": ["verify", ".", "--jobs", "2"],
    "self-test": ["verify", "--self-test", "tenth", "--jobs", "2"],
    "study": ["study", "four_bar.mb", "swing", "--vary", "a=0.09:0.11:200", "--jobs", "2"],
    "simulate": ["simulate", "four_bar.mb", "swing", "--until", "500", "-o", "s.csv"],
    "convert": ["convert", "four_bar.mb", "--to", "all", "-o", "out"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("four_bar", "rolling_disc", "cart_pole"):
        text = (ROOT / "library" / name / "model.mb").read_text("utf-8")
        (tmp_path / f"{name}.mb").write_text(text, "utf-8")
    return tmp_path


def alive(group: int) -> list[str]:
    """Return the processes of a group that have not ended."""
    done = subprocess.run(
        ["/bin/ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    lines = [line.split(None, 2) for line in done.stdout.splitlines()]
    return [line[2] for line in lines if int(line[0]) == group and not line[1].startswith("Z")]


def interrupt(folder: Path, name: str, used: float, number: int, *, group: bool) -> None:
    """Interrupt a command once it has used some CPU time, and look at what it leaves."""
    before = sorted(one.name for one in folder.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", HEARD, *COMMANDS[name]],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        stat = Path(f"/proc/{child.pid}/stat")
        ticks = used * os.sysconf("SC_CLK_TCK")
        while sum(map(int, stat.read_text().rpartition(")")[2].split()[11:15])) < ticks:
            time.sleep(0.02)
        (os.killpg if group else os.kill)(child.pid, number)
        assert child.stderr is not None
        said = child.stderr.read()
        status = child.wait(60)
        end = time.monotonic() + 30
        while alive(child.pid) and time.monotonic() < end:
            time.sleep(0.1)
        left = alive(child.pid)
    assert (status, said, left) == (128 + number, "mbx: interrupted\n", [])
    assert sorted(one.name for one in folder.iterdir()) == before


@pytest.mark.parametrize("used", [0.3, 0.6])
def test_an_interrupt_while_models_are_read_ends_it(folder: Path, used: float) -> None:
    interrupt(folder, "verify", used, signal.SIGINT, group=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("receiver", ["group", "process"])
@pytest.mark.parametrize("used", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_any_moment_leaves_nothing(
    folder: Path, name: str, used: float, receiver: str
) -> None:
    interrupt(folder, name, used, signal.SIGINT, group=receiver == "group")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_request_to_terminate_leaves_nothing(folder: Path) -> None:
    interrupt(folder, "convert", 1.5, signal.SIGTERM, group=False)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_verification_that_was_stopped_for_longer_than_its_limit_agrees(folder: Path) -> None:
    command = ["verify", "cart_pole.mb", "--form", "kane", "--form", "lagrange", "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-m", "mbx", *command, "--timeout", "20"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        for _ in range(3):
            time.sleep(1.0)
            child.send_signal(signal.SIGSTOP)
            time.sleep(9.0)
            child.send_signal(signal.SIGCONT)
        assert child.stdout is not None
        assert "agree (2 forms" in child.stdout.read()
        assert child.wait() == 0
