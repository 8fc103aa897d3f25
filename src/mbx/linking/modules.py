"""Files that import each other: which models each of them can name.

A path is relative to the importing file and stays in the folder of the first one, or begins
with `lib:` or with a root that the user has named. Nothing else is ever opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mbx.base.diagnostics import Report, Source, suggestion
from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_source, resolve_inside
from mbx.base.process import room
from mbx.language.json.read_json import read_json
from mbx.language.limits import LIMITS
from mbx.language.text.read_text import read_text
from mbx.linking.library import parts_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.base.diagnostics import Span
    from mbx.language.document.document import Document, Model, Use
    from mbx.linking.link import Linked

__all__ = ["Form", "ModelLike", "Module", "document_of", "load_modules", "loads", "parse", "read"]


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
    faults = Report()
    reader = read_json if path.suffix == ".json" else read_text
    document = reader(source, faults)
    if document is None:
        raise SourceError(faults)
    loader.running.append(path)
    try:
        module = _module(document, path.parent, home, loader)
    finally:
        loader.running.pop()
    loader.files[path] = module
    return module


ModelLike: TypeAlias = "Document | Linked | str | PathLike[str]"
"""What a model is taken from: a document, a path, an address, or model text."""

Form = Literal["mb", "json"]

_TEXT: Final = re.compile(r"[\s\ufeff]*(?:\{|mbx\s+1(?:\s|$))")
"""How model text begins: as JSON, or with the version of the format."""


@room()
def parse(source: Source, form: Form | None, report: Report) -> Document | None:
    """Return the document of a source; faults go to `report`."""
    if form is None:
        form = "json" if source.text.lstrip()[:1] == "{" else "mb"
    if form == "json":
        from mbx.language.json.read_json import read_json  # noqa: PLC0415  only what the form needs

        document = read_json(source, report)
        if document is not None:
            from mbx.language.round_trip import check_expressible  # noqa: PLC0415

            check_expressible(document, report)
        return document if report.ok else None
    from mbx.language.text.read_text import read_text  # noqa: PLC0415

    return read_text(source, report)


def _document(source: Source, form: Form | None) -> Document:
    report = Report()
    document = parse(source, form, report)
    if document is None:
        raise SourceError(report)
    return document


def read(path: str | PathLike[str], roots: Mapping[str, Path] | None = None) -> Document:
    """Return the document in a .mb or .json file, or raise `SourceError`.

    Args:
        path: A path, or an address: `lib:NAME` is a case of the library, `lib:FIELD/PART.mb` a
            part.
        roots: Further folders that addresses and `use X from "NAME:path"` may read, by name.

    Examples:
        >>> mbx.read("lib:four_bar")
        <Document: model FourBar, experiments assemble, swing, drive>
    """
    from mbx.linking.library import find_model  # noqa: PLC0415  only where a file is read

    file, name = find_model(str(path), roots), str(path)
    path = Path(path) if file is None else file
    source = read_source(path, name, limit=LIMITS.file_bytes)
    source.folder = path.resolve().parent
    source.roots = roots or {}
    return _document(source, "json" if path.suffix == ".json" else "mb")


def loads(text: str, form: Form | None = None, name: str = "<text>") -> Document:
    """Return the document that model text describes, or raise `SourceError`.

    Args:
        text: The text of a .mb or .json file.
        form: Its form, "mb" or "json"; without it, text that begins with a brace is JSON.
        name: What messages call the text.

    Examples:
        >>> mbx.loads("mbx 1 model Empty { }")
        <Document: model Empty>
    """
    return _document(Source(name, text), form)


def document_of(model: ModelLike) -> Document:
    """Return the document of what a model is taken from, or raise `SourceError`.

    A string that has several lines, or begins with `mbx 1` or a brace, is model text; any other
    string is a path or an address. A path object is always a path.
    """
    from mbx.language.document.document import Document  # noqa: PLC0415
    from mbx.linking.link import Linked  # noqa: PLC0415

    source: object = model  # Python checks no types
    if isinstance(source, Document):
        return source
    if isinstance(source, Linked):
        return source.document
    if isinstance(source, str) and ("\n" in source or _TEXT.match(source)):
        return loads(source)
    if isinstance(source, str | PathLike):
        name = fspath(source)
        if not name:
            raise FileError.of("MBX7003", "an empty string names no file")
        return read(name)
    message = (
        "a model is a document, a path, an address such as 'lib:four_bar', or model text,"
        f" not {type(source).__name__}"
    )
    raise TypeError(message)
