"""Octave, started once for many functions: what is printed comes back as numbers."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["OCTAVE", "array", "numbers", "words"]

OCTAVE: Final = "/usr/bin/octave-cli"
_LIMIT: Final = 600


def array(values: Iterable[Any]) -> str:
    """Return numbers as a column."""
    return f"[{'; '.join(repr(float(x)) for x in values)}]"


def numbers(script: str, folder: Path) -> Any:
    """Run a script in a folder and return all numbers that it prints."""
    return np.array([float(word) for word in words(script, folder)])


def words(script: str, folder: Path) -> list[str]:
    """Run a script in a folder and return what it prints; a warning fails."""
    path = folder / "driver.m"
    path.write_text(script, "ascii")
    done = subprocess.run(
        [OCTAVE, "--no-init-file", "--no-site-file", "--no-history", "--quiet", path.name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        env={"HOME": str(folder), "LC_ALL": "C"},
        check=False,
    )
    assert not done.returncode, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout.split()
