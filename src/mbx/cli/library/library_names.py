"""The names by which users call a case, a part or a library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mbx.base.errors import FileError
from mbx.cli.command_files import SETTINGS
from mbx.linking.library import CASE, LIB, MODEL, cases, find_model

__all__ = ["find", "library_at"]

_NAME: Final = re.compile(r"\w+|[\w/]+\.mb")


def find(name: str) -> Path:
    """Return the folder of a case or the file of a part; or raise `FileError`.

    A plain name is a name of the library, anything else an address or a path.
    """
    folder = Path(name)
    if _NAME.fullmatch(name):
        try:
            path = find_model(f"{LIB}:{name}")
        except FileError:
            if (folder / CASE).is_file():
                raise FileError.of(
                    "MBX7003",
                    f"there is no 'lib:{name}'",
                    help=f"write './{name}' for the folder",
                ) from None
            raise
    else:
        path = find_model(name, SETTINGS.roots)
    if path is not None:
        return path.parent if path.name == MODEL else path
    if not (folder / CASE).is_file():
        raise FileError.of("MBX7003", f"'{name}' is no case: there is no '{folder / CASE}'")
    return folder


def library_at(folder: Path | None) -> Path | None:
    """Return a folder that holds cases; None stands for the library of mbx."""
    if folder is not None and not cases(folder):
        raise FileError.of("MBX7003", f"there is no case in the folder '{folder}'")
    return folder
