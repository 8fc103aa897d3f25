"""The command in a process of its own, under the published limits and watched from inside.

The child may use 10 s of processor time and 1 GiB. An audit hook ends it with status 99 where
it opens a socket, starts a process, or opens a file for writing outside of what a test allows.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "MODEL",
    "Make",
    "Result",
    "assert_refused",
    "body",
    "chain",
    "check",
    "model",
    "models",
    "run",
    "spread",
]

SECONDS: Final = 10
BYTES: Final = 1 << 30
_WALL: Final = 100  # processor time is what counts: other tests run at the same time

_CHILD: Final = f"""
import os, resource, runpy, sys

resource.setrlimit(resource.RLIMIT_AS, ({BYTES}, {BYTES}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
writes = os.environ.get("MBX_TEST_WRITES") == "1"
forbidden = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork",
             "pty.", "ftplib.", "http.", "smtplib.", "urllib.", "webbrowser.", "ctypes.dlopen")
opened = os.environ.get("MBX_TEST_OPENED")

def watch(event, arguments):
    bad = event.startswith(forbidden)
    if event == "open" and isinstance(arguments[2], int):
        bad = not writes and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        bad = bad and str(arguments[0]) != os.devnull
        if opened and str(arguments[0]).startswith(opened):
            bad = True
    if bad:
        os.write(2, f"watched: {{event}} {{arguments!r}}\\n".encode())
        os._exit(99)

import typer
sys.addaudithook(watch)
sys.argv[0] = "mbx"
runpy.run_module("mbx", run_name="__main__", alter_sys=True)
"""

MODEL: Final = "model.mb"
Make = Callable[[], str | bytes]
"""Makes the content of a file; some are too large to keep."""


@dataclass(frozen=True, slots=True)
class Result:
    """How the command ended, and what it printed."""

    status: int
    text: str

    @property
    def codes(self) -> set[str]:
        return set(re.findall(r"\[(MBX[0-9]{4})\]", self.text))

    @property
    def places(self) -> list[tuple[int, int]]:
        """Line and column of each finding that has them."""
        found = re.findall(r":([0-9]+):([0-9]+): (?:error|warning|note)\[", self.text)
        return [(int(line), int(column)) for line, column in found]


def run(folder: Path, *arguments: str, opened: str = "", writes: bool = False) -> Result:
    """Run the command in a folder; `opened` is the beginning of paths it must not open."""
    environment = {
        **os.environ,
        "MBX_TEST_OPENED": opened,
        "MBX_TEST_WRITES": str(int(writes)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, "--limit", f"seconds={_WALL}", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=_WALL,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Result(done.returncode, (done.stderr + done.stdout).decode())


def check(folder: Path, content: str | bytes, name: str = MODEL) -> Result:
    """Write a file, check it, and require what must hold whatever is in it."""
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    before = sorted(folder.rglob("*"))
    result = run(folder, "check", name)
    assert result.status in {0, 1, 5}, result.text[-3000:]
    assert "Traceback" not in result.text
    assert "internal error" not in result.text
    assert not [c for c in result.text if not c.isprintable() and c != "\n"]
    assert sorted(folder.rglob("*")) == before
    assert (folder / name).read_bytes() == data
    return result


def assert_refused(result: Result, code: str) -> None:
    """Require the code of a fault, its place, and the status that goes with it."""
    assert result.status in {1, 5}, result.text[:2000]
    assert code in result.codes, result.text[:2000]
    assert result.places or code == "MBX5001"  # a file that is too large is not read


# -- texts -----------------------------------------------------------------------------------


def model(text: str) -> str:
    """Return the text of a model with a body."""
    return f"mbx 1\nmodel M {{\n{text}\n}}\n"


def body(text: str) -> Make:
    return lambda: model(text)


def spread(text: str) -> Make:
    """Put what would be one long line on many."""
    return body("\n".join(text[k : k + 100] for k in range(0, len(text), 100)))


def chain(count: int, first: str, rest: str) -> str:
    """Return a line for each number, each of which may name the one before."""
    return "\n".join([first, *(rest.format(i=k, j=k - 1) for k in range(1, count + 1))])


def models(count: int, inside: str) -> str:
    """Return models, each of which may contain the one before."""
    rest = (f"model M{k} {{ {inside.format(j=k - 1)} }}" for k in range(1, count + 1))
    return "\n".join(["mbx 1", "model M0 { param a = 1 }", *rest])
