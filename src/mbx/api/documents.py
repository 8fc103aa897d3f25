"""What reads, writes, links and checks models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mbx.diagnostics import Report, Source
from mbx.errors import SourceError
from mbx.files import read_source
from mbx.recursion import room
from mbx.syntax.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.jsonform.write import Math
    from mbx.link.linked import Linked
    from mbx.model.document import Document
    from mbx.system.system import System

__all__ = [
    "Form",
    "check",
    "dumps",
    "link",
    "linked_of",
    "loads",
    "parse",
    "read",
    "system",
]

Form = Literal["mb", "json"]


@room()
def parse(source: Source, form: Form | None, report: Report) -> Document | None:
    """Return the document of a source; faults go to `report`."""
    if form is None:
        form = "json" if source.text.lstrip()[:1] == "{" else "mb"
    if form == "json":
        from mbx.jsonform.read import read_json  # noqa: PLC0415  only what the form needs

        document = read_json(source, report)
        if document is not None:
            from mbx.spellings import check_sayable  # noqa: PLC0415

            check_sayable(document, report)
        return document if report.ok else None
    from mbx.text.read import read_text  # noqa: PLC0415

    return read_text(source, report)


def _document(source: Source, form: Form | None) -> Document:
    report = Report()
    document = parse(source, form, report)
    if document is None:
        raise SourceError(report)
    return document


def read(path: str | Path, roots: Mapping[str, Path] | None = None) -> Document:
    """Return the document in a .mb or .json file, or raise `SourceError`.

    `lib:NAME` is a case of the library, `lib:FIELD/PART.mb` a part. `roots` are further folders
    that addresses and `use X from "NAME:path"` may read, by their names.
    """
    from mbx.library.address import find_model  # noqa: PLC0415  only where a file is read

    found, name = find_model(str(path), roots), str(path)
    path = Path(path) if found is None else found
    source = read_source(path, name, limit=LIMITS.file_bytes)
    source.folder = path.resolve().parent
    source.roots = roots or {}
    return _document(source, "json" if path.suffix == ".json" else "mb")


def loads(text: str, form: Form | None = None, name: str = "<text>") -> Document:
    """Return the document that a text spells, or raise `SourceError`.

    Without a form, a text that begins with a brace is JSON.
    """
    return _document(Source(name, text), form)


@room()
def dumps(document: Document, form: Form = "mb", math: Math = "text") -> str:
    """Return a document as text; `math="tree"` writes JSON expressions as arrays."""
    if form == "json":
        from mbx.jsonform.write import write_json  # noqa: PLC0415

        return write_json(document, math)
    from mbx.text.show import show_document  # noqa: PLC0415

    return show_document(document)


@room()
def link(document: Document, model: str | None = None) -> Linked:
    """Return a model of a document, the last unless named, linked; or raise `SourceError`."""
    from mbx.link.link import link_document  # noqa: PLC0415

    report = Report()
    linked = link_document(document, model, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return linked


def linked_of(document: Document | Linked, model: str | None = None) -> Linked:
    """Return a model linked, unless it is."""
    from mbx.link.linked import Linked  # noqa: PLC0415

    return document if isinstance(document, Linked) else link(document, model)


@room()
def check(document: Document, *, model: str | None = None, relaxed: bool = False) -> Report:
    """Return what is wrong with the models of a document, or with one of them.

    With `relaxed`, faults of dimension are warnings.
    """
    from mbx.check.run import check_document  # noqa: PLC0415

    return check_document(document, model=model, relaxed=relaxed)


@room()
def system(model: Document | Linked, name: str | None = None) -> System:
    """Return the resolved system of a document, or raise `SourceError`.

    Of a document it is the last model, unless one is named.
    """
    from mbx.system.elaborate import elaborate  # noqa: PLC0415

    return elaborate(linked_of(model, name))
