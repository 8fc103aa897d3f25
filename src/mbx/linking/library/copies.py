"""Copies of cases and parts to go on from: made whole or not at all, and over nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from mbx.base.errors import FileError
from mbx.base.files import read_bytes, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["copy_case", "copy_part"]


def copy_case(folder: Path, target: Path) -> int:
    """Copy the files of a case to a folder that is not there yet; return how many they are."""
    _require_free(target)
    files = {
        path.name: read_bytes(path)
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.startswith(".")
    }
    # made beside the target, which then takes its name: an interrupt leaves nothing behind
    made = target.parent / f".mbx-{os.urandom(8).hex()}.tmp"
    try:
        made.mkdir()
        for name, data in files.items():
            write_bytes(made / name, data)
        made.rename(target)
    except OSError as bad:
        reason = (bad.strerror or type(bad).__name__).lower()
        raise FileError.of("MBX7007", f"'{target}' cannot be written: {reason}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return len(files)


def copy_part(file: Path, target: Path) -> None:
    """Copy the file of a part to one that is not there yet."""
    _require_free(target)
    write_bytes(target, read_bytes(file), replace=False)


def _require_free(target: Path) -> None:
    if os.path.lexists(target):
        raise FileError.of(
            "MBX7009", f"'{target}' exists already", help="name another place, or remove it"
        )
