"""The models that a path stands for: a file, or all that are below a folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import Source
from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_bytes
from mbx.language.json.strict_json import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.language.document.document import AnyStatement, Document

__all__ = ["CASE", "ModelFiles", "find_models", "main_models", "model_files"]

CASE: Final = "model.mb"
"""The model of a case."""
ABOUT: Final = "case.toml"
"""The file next to it that makes its folder a case."""

_MODEL_KEY: Final = re.compile(rb'\A[^"]*"mbx"\s*:|"kind"\s*:\s*"model"')
_HEAD: Final = 4096
"""Bytes of a file that is no JSON in which it may still be seen that a model was meant."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The model files below a folder, and the JSON files that are none, with the reason."""

    models: tuple[Path, ...]
    skipped: tuple[tuple[Path, str], ...] = ()


def model_files(path: Path) -> list[Path]:
    """Return the model files that a path stands for, by name; a file stands for itself."""
    return list(find_models(path).models)


def find_models(path: Path) -> ModelFiles:
    """Return the model files that a path stands for, by name; a file stands for itself.

    Below a folder these are all `.mb` files and all `.json` files whose content is a model, sound
    or not. Where there are cases of a library, which have a `case.toml`, they are the models of
    these. Hidden files and folders are left out.
    """
    if not path.is_dir():
        return ModelFiles((path,))
    below = sorted(_below(path))
    cases = [file for file in below if file.name == CASE and file.with_name(ABOUT).exists()]
    if cases:
        return ModelFiles(tuple(cases))
    models: list[Path] = []
    rest: list[tuple[Path, str]] = []
    for file in below:
        reason = _reason(file) if file.suffix == ".json" else ""
        if file.suffix == ".mb" or (file.suffix == ".json" and not reason):
            models.append(file)
        elif reason:
            rest.append((file, reason))
    if not models:
        raise FileError.of("MBX7003", f"there is no model below the folder '{path}'")
    return ModelFiles(tuple(models), tuple(rest))


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in files if not name.startswith("."))


def _reason(file: Path) -> str:
    """Return why a JSON file is no model; nothing where it is a model, or may be."""
    if not file.is_file():
        return "no plain file"
    try:
        data = read_bytes(file)
    except FileError as bad:
        # what is too large is no model; what cannot be read may be a model
        return "too large" if any(error.code == "MBX5001" for error in bad.report) else ""
    try:
        value = load(Source(str(file), data.decode("utf-8")))
    except (SourceError, UnicodeDecodeError):
        return "" if _MODEL_KEY.search(data[:_HEAD]) else "no JSON"
    if not isinstance(value, dict):
        return "no model"
    items = value.get("items")
    if "mbx" in value:
        # the canonical form, which is hashed and not read, has the statements of one model
        return "" if "model" not in value or items is not None else "a canonical form"
    meant = isinstance(items, list) and any(
        isinstance(item, dict) and item.get("kind") == "model" for item in items
    )
    return "" if meant else "no model"


def main_models(document: Document) -> list[str | None]:
    """Return the names of the models that no other model of a document is made from.

    None stands for the last model, of a document that has none.
    """
    used = {name for model in document.models for name in _used(model.body)}
    names: list[str | None] = [model.name for model in document.models if model.name not in used]
    return names or [None]


def _used(statements: tuple[AnyStatement, ...]) -> Iterator[str]:
    """Yield the names of the models that statements make subsystems from."""
    for statement in statements:
        match statement.kind:
            case "subsystem":
                yield from (item.model for item in statement.items)
            case "for" | "inline_subsystem":
                yield from _used(statement.body)
            case "if":
                yield from _used(statement.body + statement.otherwise)
