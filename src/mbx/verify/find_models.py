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

__all__ = ["CASE", "Found", "find_models", "main_models", "model_files"]

CASE: Final = "model.mb"
"""The model of a case."""
ABOUT: Final = "case.toml"
"""The file beside it that makes its folder a case."""

_MODEL_KEY: Final = re.compile(rb'\A[^"]*"mbx"\s*:|"kind"\s*:\s*"model"')
_HEAD: Final = 4096
"""Bytes of a file that is no JSON in which it may still be seen that a model was meant."""


@dataclass(frozen=True, slots=True)
class Found:
    """The model files below a folder, and the JSON files that are none, with the reason."""

    models: tuple[Path, ...]
    others: tuple[tuple[Path, str], ...] = ()


def model_files(path: Path) -> list[Path]:
    """Return the model files that a path stands for, by name; a file stands for itself."""
    return list(find_models(path).models)


def find_models(path: Path) -> Found:
    """Return the model files that a path stands for, by name; a file stands for itself.

    Below a folder these are all `.mb` files and all `.json` files whose content is a model, sound
    or not. Where there are cases of a library, which have a `case.toml`, they are the models of
    these. Hidden files and folders are left out.
    """
    if not path.is_dir():
        return Found((path,))
    below = sorted(_below(path))
    cases = [file for file in below if file.name == CASE and file.with_name(ABOUT).exists()]
    if cases:
        return Found(tuple(cases))
    models: list[Path] = []
    others: list[tuple[Path, str]] = []
    for file in below:
        reason = _reason(file) if file.suffix == ".json" else ""
        if file.suffix == ".mb" or (file.suffix == ".json" and not reason):
            models.append(file)
        elif reason:
            others.append((file, reason))
    if not models:
        raise FileError.of("MBX7003", f"there is no model below the folder '{path}'")
    return Found(tuple(models), tuple(others))


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in files if not name.startswith("."))


def _reason(file: Path) -> str:
    """Return why a JSON file is no model; nothing where it is one, or may be."""
    if not file.is_file():
        return "no plain file"
    try:
        data = read_bytes(file)
    except FileError as bad:
        # what is too large is no model; what cannot be read may be one
        return "too large" if any(one.code == "MBX5001" for one in bad.report) else ""
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
        isinstance(one, dict) and one.get("kind") == "model" for one in items
    )
    return "" if meant else "no model"


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
