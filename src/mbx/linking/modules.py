"""Files that import each other: which models each one can name.

A path is relative to the importing file and stays in the folder of the first one, or begins
with `lib:` or with a root that the user has named. Nothing else is ever opened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report, Source, suggestion
from mbx.base.errors import SourceError
from mbx.base.files import read_source, resolve_inside
from mbx.language.json.read_json import read_json
from mbx.language.limits import LIMITS
from mbx.language.text.read_text import read_text
from mbx.linking.library import parts_root

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mbx.base.diagnostics import Span
    from mbx.language.document.document import Document, Model, Use

__all__ = ["Module", "load_modules"]


@dataclass(slots=True)
class Module:
    """A document and the models that can be named in it."""

    document: Document
    models: dict[str, tuple[Model, Module]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    """Names whose import failed; that they are missing is no news."""


@dataclass(slots=True)
class _Loader:
    report: Report
    roots: Mapping[str, Path]
    files: dict[Path, Module] = field(default_factory=dict)
    bytes: int = 0
    running: list[Path] = field(default_factory=list)


def load_modules(document: Document, report: Report) -> Module:
    """Read everything a document imports; faults go to `report`."""
    source = document.at.source if document.at is not None else Source("document", "")
    loader = _Loader(report, {"lib": parts_root(), **source.roots})
    return _module(document, source.folder, source.folder, loader)


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
            module.failed.add(use.alias or use.model)
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
    path, home = _path(use, folder, root, loader.roots)
    imported = _file(path, home, use.at, loader)
    if use.model not in imported.models:
        raise SourceError.of(
            "MBX3016",
            f"'{use.path}' has no model '{use.model}'",
            use.at,
            help=suggestion(use.model, imported.models)
            or "it has " + (", ".join(imported.models) or "none"),
        )
    module.models[name] = imported.models[use.model]


def _path(
    use: Use, folder: Path | None, root: Path | None, roots: Mapping[str, Path]
) -> tuple[Path, Path]:
    """Return the file a `use` names, and the folder it may not leave."""
    name, colon, rest = use.path.partition(":")
    if colon and name in roots:
        return resolve_inside(roots[name], rest, use.at), roots[name]
    if colon and name.isidentifier() and len(name) > 1 and not rest.startswith("/"):
        raise SourceError.of(
            "MBX7001",
            f"path '{use.path}' begins with '{name}:', which is no folder known here",
            use.at,
            help=f"lib: is the library; name another on the command line: --root {name}=DIR",
        )
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
    source = read_source(path, limit=LIMITS.file_bytes, at=at)
    source.folder = path.parent
    for name, folder in loader.roots.items():
        if home == folder:
            source.name = f"{name}:{path.relative_to(folder.resolve()).as_posix()}"
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
