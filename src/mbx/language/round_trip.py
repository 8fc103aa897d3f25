"""Whether the text form can express a document from JSON.

JSON can hold what the grammar cannot express. Rather than by a rule for each such case, this is
checked by writing the document as text and reading it again; what does not come back is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, Source
from mbx.language.document.document import Document, Model
from mbx.language.text.document_text import show_document
from mbx.language.text.read_text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_expressible"]


def check_expressible(document: Document, report: Report) -> None:
    """Report the first part of a document that the text form cannot express."""
    if not document.items or _comes_back(document):
        return
    at = next((node.at for part, node in _parts(document) if not _comes_back(part)), document.at)
    report.add(
        "MBX2109",
        "this cannot be said in the text form",
        at,
        help="the grammar of the text form has no words for it, or would read it differently",
    )


def _comes_back(document: Document) -> bool:
    faults = Report()
    again = read_text(Source("text", show_document(document)), faults)
    return again == document


def _parts(document: Document) -> Iterator[tuple[Document, Any]]:
    """Yield documents of one statement each, with the statement."""
    for item in document.items:
        if isinstance(item, Model):
            for statement in item.body:
                alone = Model(kind="model", name=item.name, body=(statement,))
                yield Document(mbx=1, items=(alone,)), statement
        yield Document(mbx=1, items=(item,)), item
