"""The models that a path stands for: a file, or all that are below a folder."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.errors import FileError
from mbx.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.model.document import AnyStatement, Document

__all__ = ["CASE", "main_models", "model_files"]

CASE: Final = "model.mb"
"""The file that makes its folder a case."""

_JSON_MODEL: Final = re.compile(rb'"mbx"\s*:')


def model_files(path: Path) -> list[Path]:
    """Return the model files that a path stands for, by name; a file stands for itself.

    Below a folder these are the files `model.mb`, if there are any; else all `.mb` files, and
    the `.json` files that are models and do not say again what the `.mb` file beside them says.
    Hidden folders are left out.
    """
    if not path.is_dir():
        return [path]
    below = sorted(_below(path))
    cases = [file for file in below if file.name == CASE]
    found = cases or [
        file
        for file in below
        if file.suffix == ".mb" or (file.suffix == ".json" and _is_model(file))
    ]
    if not found:
        raise FileError.of("MBX7003", f"there is no model below the folder '{path}'")
    return found


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in files if not name.startswith("."))


def _is_model(file: Path) -> bool:
    if file.with_suffix(".mb").exists():
        return False
    return _JSON_MODEL.search(read_bytes(file)) is not None


def main_models(document: Document) -> list[str | None]:
    """Return the names of the models that no other model of a document is made from.

    None stands for the last model, of a document that has none.
    """
    used = {name for model in document.models for name in _used(model.body)}
    found: list[str | None] = [one.name for one in document.models if one.name not in used]
    return found or [None]


def _used(statements: tuple[AnyStatement, ...]) -> Iterator[str]:
    """Yield the names of the models that some statements make subsystems from."""
    for one in statements:
        match one.kind:
            case "subsystem":
                yield from (item.model for item in one.items)
            case "for" | "inline_subsystem":
                yield from _used(one.body)
            case "if":
                yield from _used(one.body + one.otherwise)
