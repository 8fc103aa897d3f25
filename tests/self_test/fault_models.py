"""The models that faults are seen on: cases of the library, and some made for this."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.base.files import read_source
from mbx.language.limits import LIMITS
from mbx.language.text.read_text import read_text
from mbx.linking.library import root
from mbx.linking.link import link_document

if TYPE_CHECKING:
    from mbx.linking.link import Linked

__all__ = ["linked_model", "model_file"]


def model_file(name: str) -> Path:
    """Return the file of a model: a case of the library, or one that is made for self-tests."""
    own = Path(__file__).parent / "models" / f"{name}.mb"
    return own if own.is_file() else root() / name / "model.mb"


def linked_model(name: str) -> Linked:
    """Return a model, linked; it is sound, or this raises `SourceError`."""
    source = read_source(model_file(name), limit=LIMITS.file_bytes)
    report = Report()
    document = read_text(source, report)
    linked = None if document is None else link_document(document, None, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return linked
