"""Where the library is, and which cases and parts a library has.

A library is a folder of case folders, and `lib/` in it holds parts. That of mbx is one; any
other folder made alike is one, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["CASE", "MODEL", "cases", "is_shipped", "parts", "parts_root", "root"]

CASE: Final = "case.toml"
"""The file that makes its folder a case."""
MODEL: Final = "model.mb"

_PACKAGE: Final = Path(__file__).parents[2]
_INSTALLED: Final = _PACKAGE / "_library"


def root() -> Path:
    """Return the folder of the library: beside the sources, or inside the installed package."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parents[1] / "library"


def parts_root() -> Path:
    """Return the folder that `lib:` paths start from."""
    return root() / "lib"


def cases(library: Path | None = None) -> tuple[Path, ...]:
    """Return the folders of the cases of a library, by name; of that of mbx unless one is named."""
    return tuple(sorted(path.parent for path in (library or root()).glob(f"*/{CASE}")))


def parts(library: Path | None = None) -> tuple[Path, ...]:
    """Return the files of the parts of a library, by name."""
    return tuple(sorted(((library or root()) / "lib").rglob("*.mb")))


def is_shipped(path: Path) -> bool:
    """Return whether a path is inside an installed package, where nothing is written."""
    return path.resolve().is_relative_to(_INSTALLED.resolve())
