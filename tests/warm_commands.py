"""Runs commands in copies of one process that has loaded mbx already.

Loading the program takes longer than most commands do. `run_warm` starts a process that loads
all of it once; for each command that process forks, and the copy runs `main` with the command's
own arguments, folder, environment, streams (pipes, as of a process of its own) and exit status.
Nothing that a command does reaches the next. What may depend on the loading itself (lazy
imports, start-up time, signals while it loads) is tested with real processes.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["run_warm"]

_THIRD_PARTY: Final = ("llvmlite.binding", "scipy.integrate", "scipy.linalg", "scipy.optimize")
_REQUEST: Final = 1 << 20
"""The longest request, in bytes."""

_server: tuple[subprocess.Popen[bytes], socket.socket] | None = None


def run_warm(
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float = 60,
) -> subprocess.CompletedProcess[bytes]:
    """Run `mbx` with these arguments, and with nothing else of this process."""
    _, line = _start(environment)
    pipes = [os.pipe() for _ in range(3)]
    (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = pipes
    request = {"argv": list(arguments), "cwd": str(folder), "env": dict(environment)}
    line.settimeout(timeout)
    socket.send_fds(line, [json.dumps(request).encode()], [theirs_in, theirs_out, theirs_err])
    for end in (theirs_in, theirs_out, theirs_err):
        os.close(end)
    printed: dict[int, bytes] = {}
    readers = [
        threading.Thread(target=_read, args=(end, printed), daemon=True)
        for end in (ours_out, ours_err)
    ]
    for reader in readers:
        reader.start()
    with contextlib.suppress(BrokenPipeError), os.fdopen(ours_in, "wb") as stream:
        stream.write(stdin)
    try:
        status = json.loads(line.recv(_REQUEST))
    except TimeoutError:
        _stop()
        raise subprocess.TimeoutExpired(["mbx", *arguments], timeout) from None
    for reader in readers:
        reader.join(timeout)
    return subprocess.CompletedProcess(
        ["mbx", *arguments], status, printed[ours_out], printed[ours_err]
    )


def _read(end: int, printed: dict[int, bytes]) -> None:
    with os.fdopen(end, "rb") as stream:
        printed[end] = stream.read()


def _start(environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    global _server  # noqa: PLW0603  one process for all tests of a worker
    if _server is None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            # a thread of a library does not outlive a fork
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        _server = process, ours
        atexit.register(_stop)
    return _server


def _stop() -> None:
    global _server  # noqa: PLW0603  as above
    if _server is not None:
        process, line = _server
        _server = None
        line.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _serve(line: socket.socket) -> None:
    """Run commands until the other end is closed; returns in each copy, to run its command."""
    _load()
    while True:
        request, streams, _, _ = socket.recv_fds(line, _REQUEST, 3)
        if not request:
            os._exit(0)
        copy = os.fork()
        if not copy:
            line.close()
            _take_over(json.loads(request), streams)
            return
        for stream in streams:
            os.close(stream)
        line.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])).encode())


def _load() -> None:
    """Import everything that commands import, and read the tables of the grammar."""
    import mbx  # noqa: PLC0415  only the process that serves loads it
    import mbx_converters  # noqa: PLC0415
    from mbx.language.text import parse  # noqa: PLC0415

    for package in (mbx, mbx_converters):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)
    for name in _THIRD_PARTY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    parse.parser()
    gc.collect()
    gc.freeze()  # a copy that searches for cycles would touch, and so copy, all of this


def _take_over(request: dict[str, Any], streams: list[int]) -> None:
    """Become the process of a command: its streams, folder, environment and arguments."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv[1:] = request["argv"]


def _run() -> NoReturn:
    """Run the command and end, without the long way that frees every module that was loaded."""
    from mbx.__main__ import main  # noqa: PLC0415  as above

    status: Any = 1
    try:
        status = main()
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001  the interpreter would do so
        sys.excepthook(*sys.exc_info())
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):  # closed, by the command or by its reader
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run()
