"""Python code in a new process that finds what is under `tests`, as these do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["in_new_process"]


def in_new_process(code: str) -> str:
    """Return what a piece of code prints; it must end well."""
    paths = [str(Path(__file__).parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
