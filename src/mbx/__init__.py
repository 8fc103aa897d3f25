"""mbx: multibody models written once, said in every formalism.

The pipeline, one package a stage:

    text, jsonform   a file            -> Document   what was written
    link             a document        -> Linked     imports read, repetition expanded
    check            a linked document -> Report     what is wrong with it
    system           a linked document -> System     what it means
    formalism        a system          -> Equations  its motion, in the form of a converter
    codegen          equations         -> a text     for people, LaTeX, JSON
    verify           a system          -> Verification   whether its forms agree
    structure        a system          -> Structure      freedoms, redundancy, integrability

The public verbs load what they need when they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbx.api import (
        check,
        convert,
        diagnose,
        diff,
        dumps,
        forms,
        link,
        loads,
        read,
        structure,
        verify,
        write,
    )
    from mbx.diagnostics import Diagnostic, Report
    from mbx.errors import ConverterError, FileError, MbxError, NotApplicableError, SourceError
    from mbx.formalism.equations import Equations
    from mbx.link.linked import Linked
    from mbx.model.document import Document
    from mbx.structure.report import Structure
    from mbx.verify.report import Verification

__all__ = [
    "ConverterError",
    "Diagnostic",
    "Document",
    "Equations",
    "FileError",
    "Linked",
    "MbxError",
    "NotApplicableError",
    "Report",
    "SourceError",
    "Structure",
    "Verification",
    "check",
    "convert",
    "diagnose",
    "diff",
    "dumps",
    "forms",
    "link",
    "loads",
    "read",
    "structure",
    "verify",
    "write",
]

_HOMES = {
    "Diagnostic": "mbx.diagnostics",
    "Report": "mbx.diagnostics",
    "ConverterError": "mbx.errors",
    "Equations": "mbx.formalism.equations",
    "FileError": "mbx.errors",
    "MbxError": "mbx.errors",
    "NotApplicableError": "mbx.errors",
    "SourceError": "mbx.errors",
    "Document": "mbx.model.document",
    "Linked": "mbx.link.linked",
    "Structure": "mbx.structure.report",
    "Verification": "mbx.verify.report",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import mbx` costs nothing."""
    if name not in __all__:
        message = f"module 'mbx' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES.get(name, "mbx.api")), name)
