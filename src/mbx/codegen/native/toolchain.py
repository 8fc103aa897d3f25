"""The system's C compiler: the one place where mbx starts another program.

What it compiles was written by mbx, the path is absolute, the flags are fixed, and the
environment holds nothing but where its own parts are found.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.base.errors import BackendError, FileError
from mbx.base.files import FILE_BYTES, read_bytes
from mbx.codegen.native.cache import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FLAGS", "compiler", "identity", "shared_library"]

FLAGS: Final = ("-std=c11", "-O3", "-march=native", "-fno-math-errno", "-fPIC", "-shared", "-w")
_NAMES: Final = ("cc", "gcc", "clang")
_SECONDS: Final = 600.0
_PASSED: Final = ("PATH", "TMPDIR")
_LARGEST: Final = 16 * FILE_BYTES


@cache
def compiler() -> str | None:
    """Return the absolute path of a C compiler; None where there is none."""
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return str(Path(found).resolve())
    return None


@cache
def identity() -> str:
    """Return what tells this compiler on this processor from others."""
    return key_of(_said("--version"), platform.machine(), _processor(), *FLAGS)


def _processor() -> str:
    try:
        lines = read_bytes(Path("/proc/cpuinfo")).decode("utf-8", "replace").splitlines()
    except FileError:  # other systems have no such file; their caches are of one machine
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _said(*arguments: str) -> str:
    path = compiler()
    if path is None:
        raise BackendError("there is no C compiler")
    kept = {name: os.environ[name] for name in _PASSED if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603  an absolute path, and arguments of our own
            [path, *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env={**kept, "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as bad:
        raise BackendError(f"the C compiler failed: {type(bad).__name__}") from bad
    if done.returncode:
        raise BackendError(f"the C compiler ended with status {done.returncode}")
    return done.stdout


def shared_library(sources: Mapping[str, str]) -> bytes:
    """Return C sources and headers, by their names, as the bytes of one shared library."""
    with tempfile.TemporaryDirectory(prefix="mbx-") as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, "utf-8")
        units = [str(folder / file) for file in sources if file.endswith(".c")]
        out = folder / "out.so"
        _said(*FLAGS, *units, "-o", str(out), "-lm")
        return read_bytes(out, limit=_LARGEST)
