"""Reading of documents: from files, addresses and model text."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mbx.base.deep_recursion import room
from mbx.base.diagnostics import Report, Source
from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_source
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked

__all__ = ["Form", "ModelLike", "document_of", "loads", "parse", "read"]

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
            from mbx.language.round_trip import check_sayable  # noqa: PLC0415

            check_sayable(document, report)
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
    from mbx.linking.library.address import find_model  # noqa: PLC0415  only where a file is read

    found, name = find_model(str(path), roots), str(path)
    path = Path(path) if found is None else found
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
    from mbx.linking.linked import Linked  # noqa: PLC0415

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
