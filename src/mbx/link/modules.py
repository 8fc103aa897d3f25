"""Files that import each other: which models each one can name.

A path is relative to the importing file and stays in the folder of the first one, or begins
with `lib:`. Nothing else is ever opened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.diagnostics import Report, nearest
from mbx.errors import SourceError
from mbx.files import read_source, resolve_inside
from mbx.jsonform.read import read_json
from mbx.library import parts_root
from mbx.syntax.limits import LIMITS
from mbx.text.read import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.diagnostics import Span
    from mbx.model.document import Document, Model, Use

__all__ = ["Module", "load_modules"]

_LIBRARY = "lib:"


@dataclass(slots=True)
class Module:
    """A document and the models that can be named in it."""

    document: Document
    models: dict[str, tuple[Model, Module]] = field(default_factory=dict)


@dataclass(slots=True)
class _Loader:
    report: Report
    files: dict[Path, Module] = field(default_factory=dict)
    bytes: int = 0
    running: list[Path] = field(default_factory=list)


def load_modules(document: Document, report: Report) -> Module:
    """Read everything a document imports; faults go to `report`."""
    source = document.at.source if document.at is not None else None
    folder = source.folder if source is not None else None
    return _module(document, folder, folder, _Loader(report))


def _module(document: Document, folder: Path | None, root: Path | None, loader: _Loader) -> Module:
    module = Module(document)
    for model in document.models:
        if model.name in module.models:
            loader.report.add(
                "MBX3003",
                f"model '{model.name}' is there twice",
                model.at,
                help="give one another name",
            )
        module.models[model.name] = (model, module)
    for use in document.uses:
        try:
            _use(use, module, folder, root, loader)
        except SourceError as bad:
            loader.report.extend(bad.report)
    return module


def _use(use: Use, module: Module, folder: Path | None, root: Path | None, loader: _Loader) -> None:
    name = use.alias or use.model
    if name in module.models:
        raise SourceError.of(
            "MBX3003",
            f"model '{name}' is there twice",
            use.at,
            help="import it under another name: use X as Y from …",
        )
    path, home = _path(use, folder, root)
    imported = _file(path, home, use.at, loader)
    if use.model not in imported.models:
        near = nearest(use.model, imported.models)
        raise SourceError.of(
            "MBX3016",
            f"'{use.path}' has no model '{use.model}'",
            use.at,
            help=f"did you mean '{near}'?"
            if near
            else "it has " + (", ".join(imported.models) or "none"),
        )
    module.models[name] = imported.models[use.model]


def _path(use: Use, folder: Path | None, root: Path | None) -> tuple[Path, Path]:
    """Return the file a `use` names, and the folder it may not leave."""
    if use.path.startswith(_LIBRARY):
        home = parts_root()
        return resolve_inside(home, use.path.removeprefix(_LIBRARY), use.at), home
    if folder is None or root is None:
        raise SourceError.of(
            "MBX7008",
            f"'{use.path}' is relative, and this text has no folder",
            use.at,
            help="save the model to a file, or import from lib:",
        )
    return resolve_inside(root, _relative(use, folder, root), use.at), root


def _relative(use: Use, folder: Path, root: Path) -> str:
    """Return the path from the root; the importing file may stand in a folder below it."""
    below = folder.resolve().relative_to(root.resolve()).as_posix()
    return use.path if below == "." else f"{below}/{use.path}"


def _file(path: Path, home: Path, at: Span | None, loader: _Loader) -> Module:
    if path in loader.running:
        raise SourceError.of(
            "MBX3017",
            f"'{path.name}' imports itself",
            at,
            help="imports must not go round in a circle",
        )
    if path in loader.files:
        return loader.files[path]
    if len(loader.running) >= LIMITS.import_depth or len(loader.files) >= LIMITS.import_files:
        raise SourceError.of(
            "MBX5012",
            f"imports deeper than {LIMITS.import_depth} or more than {LIMITS.import_files} files",
            at,
        )
    source = read_source(path, at=at)
    source.folder = path.parent
    loader.bytes += len(source.text)
    if loader.bytes > LIMITS.import_bytes:
        raise SourceError.of("MBX5012", f"imports of more than {LIMITS.import_bytes} bytes", at)
    own = Report()
    reader = read_json if path.suffix == ".json" else read_text
    document = reader(source, own)
    if document is None:
        raise SourceError(own)
    loader.running.append(path)
    try:
        module = _module(document, path.parent, home, loader)
    finally:
        loader.running.pop()
    loader.files[path] = module
    return module
