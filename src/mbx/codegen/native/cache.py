"""Machine code on disk, by the hash of all that it was made from.

It is kept in the user's own folder for such things, or where `MBX_CACHE` says; an empty
`MBX_CACHE` keeps nothing. The folder must be its owner's alone. A file holds the hash of its
content, and one that does not fit is as good as none. What cannot be kept is made again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from mbx.base.errors import FileError
from mbx.base.files import read_bytes, write_bytes

__all__ = ["folder", "key_of", "load", "store"]

_MARK: Final = b"mbx machine code 1\n"
_DIGEST: Final = hashlib.sha256().digest_size
_LARGEST: Final = 256 * 1024 * 1024
_PRIVATE: Final = 0o700


def key_of(*parts: str) -> str:
    """Return the name of what follows from some texts."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode()
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


def folder() -> Path | None:
    """Return where machine code is kept; None where nothing is."""
    said = os.environ.get("MBX_CACHE")
    if said is not None:
        return Path(said) if said else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "mbx" / "Cache" if base else None
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "mbx"
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "mbx" if base else Path.home() / ".cache" / "mbx"


def _own(*, make: bool) -> Path | None:
    """Return the folder if nobody else can write to it."""
    try:
        found = folder()
        if found is None:
            return None
        if make:
            found.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        known = found.lstat()
    except (OSError, RuntimeError):  # none there, not to be made, or nobody's home
        return None
    if not stat.S_ISDIR(known.st_mode):
        return None
    if not hasattr(os, "getuid"):  # there, the user's folder is the user's by rules of its own
        return found
    alone = known.st_uid == os.getuid() and not stat.S_IMODE(known.st_mode) & ~_PRIVATE
    return found if alone else None


def load(key: str) -> bytes | None:
    """Return what is kept under a key; None where there is nothing that is whole."""
    place = _own(make=False)
    if place is None:
        return None
    try:
        data = read_bytes(place / key, limit=_LARGEST)
    except FileError:
        return None
    begin = len(_MARK) + _DIGEST
    content = data[begin:]
    if data[:begin] != _MARK + hashlib.sha256(content).digest():
        return None
    return content


def store(key: str, content: bytes) -> None:
    """Keep something under a key, whole or not at all."""
    place = _own(make=True)
    if place is not None:
        with suppress(FileError, OSError):
            write_bytes(place / key, _MARK + hashlib.sha256(content).digest() + content)
