"""A document from .mb text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report, Source, Span
from mbx.language.text.parse import run
from mbx.language.text.read_statements import actions
from mbx.language.text.text_comments import attach

if TYPE_CHECKING:
    from mbx.language.document.document import Document

__all__ = ["read_text"]


def read_text(source: Source, report: Report) -> Document | None:
    """Return the document that a text spells; none if it has faults, which `report` has."""
    own = Report()
    parsed = run(source, "document", actions(own), own)
    if not parsed.tokens and own.only("MBX1008"):
        _empty(source, report)
        return None
    report.extend(own)
    document: Document | None = parsed.value
    if document is None:
        return None
    return attach(document, parsed.comments, source.text)


def _empty(source: Source, report: Report) -> None:
    report.add(
        "MBX1001",
        "there is no model in the file",
        Span(source, 0, 0),
        help="write one: model NAME { … }",
    )
