"""A model written out and read again: in the other form, or linked first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report, Source
from mbx.base.errors import SourceError
from mbx.language.json.read_json import read_json
from mbx.language.json.write_json import write_json
from mbx.language.text.document_text import show_document
from mbx.language.text.read_text import read_text
from mbx.linking.link import link_document
from self_test.metamorphic.edit import Variant
from self_test.metamorphic.permute import reversed_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.language.document.document import Document
    from mbx.linking.link import Linked

__all__ = ["as_json", "as_text", "backwards", "flattened"]


def as_json(document: Document, model: str) -> Variant:
    """Return a model that was written as JSON and read from it."""
    return _read(write_json(document), read_json, document, model)


def as_text(document: Document, model: str) -> Variant:
    """Return a model that was written as text, from the trees of JSON, and read from that."""
    tree = _parse(write_json(document, "tree"), read_json, document)
    return _read(show_document(tree), read_text, document, model)


def flattened(linked: Linked) -> Variant:
    """Return a model that was linked, written as text, read and linked once more."""
    document = linked.document
    return _read(show_document(document), read_text, document, linked.model.name)


def backwards(document: Document, model: str) -> Variant:
    """Return a model of a file whose statements stand in the opposite order."""
    text = show_document(reversed_file(document))
    return replace(_read(text, read_text, document, model), identity=False)


def _read(
    text: str,
    read: Callable[[Source, Report], Document | None],
    document: Document,
    model: str,
) -> Variant:
    report = Report()
    linked = link_document(_parse(text, read, document), model, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return Variant(linked, identity=True, written=True)


def _parse(
    text: str, read: Callable[[Source, Report], Document | None], document: Document
) -> Document:
    """Return what a text says that stands where a document was."""
    report = Report()
    source = Source("<metamorphic>", text)
    if document.at is not None:
        source.folder, source.roots = document.at.source.folder, document.at.source.roots
    found = read(source, report)
    if found is None or not report.ok:
        raise SourceError(report)
    return found
