"""mbx: multibody models written once, said in every formalism.

The pipeline, one package a stage:

    text, jsonform   a file            -> Document   what was written
    link             a document        -> Linked     imports read, repetition expanded
    check            a linked document -> Report     what is wrong with it

The public verbs load what they need when they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbx.api import check, dumps, link, loads, read
    from mbx.diagnostics import Diagnostic, Report
    from mbx.errors import FileError, MbxError, SourceError
    from mbx.link.linked import Linked
    from mbx.model.document import Document

__all__ = [
    "Diagnostic",
    "Document",
    "FileError",
    "Linked",
    "MbxError",
    "Report",
    "SourceError",
    "check",
    "dumps",
    "link",
    "loads",
    "read",
]

_HOMES = {
    "Diagnostic": "mbx.diagnostics",
    "Report": "mbx.diagnostics",
    "FileError": "mbx.errors",
    "MbxError": "mbx.errors",
    "SourceError": "mbx.errors",
    "Document": "mbx.model.document",
    "Linked": "mbx.link.linked",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import mbx` costs nothing."""
    if name not in __all__:
        message = f"module 'mbx' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES.get(name, "mbx.api")), name)
