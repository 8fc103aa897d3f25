"""mbx: multibody models written once, said in every formalism.

The pipeline, one package a stage:

    text, jsonform   a file            -> Document   what was written
    link             a document        -> Linked     imports read, repetition expanded
    check            a linked document -> Report     what is wrong with it
    system           a linked document -> System     what it means
    formalism        a system          -> Equations  its motion, in the form of a converter
    codegen          equations         -> a text     for people and for programs
    compiled         equations         -> Function   machine code, on one state or on many
    experiments      a linked document -> References     whether what it expects is met
    linear           a system          -> Linear         small motions about a state
    analyses         an experiment     -> Run            how a model moves
    study            an experiment     -> Study          how that changes with parameters
    groups           a linked document -> Solution       a mechanism solved module by module
    verify           a system          -> Verification   whether its forms agree
    structure        a system          -> Structure      freedoms, redundancy, integrability
    costs            a system          -> Ranking        which form is cheapest
    draw             a document        -> a text         the mechanism as a drawing, SVG
    report           a document        -> a text         all of it as one page, HTML

The public verbs load what they need when they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbx.analyses.inverse import Inverse
    from mbx.analyses.simulate import EndedError, Run
    from mbx.api import (
        check,
        compare,
        compile,  # noqa: A004  of equations
        convert,
        diagnose,
        diff,
        draw,
        dumps,
        equilibrium,
        forms,
        inverse,
        kinematic_study,
        kinematics,
        linearize,
        linearize_along,
        linearize_over,
        link,
        loads,
        read,
        references,
        report,
        simulate,
        simulate_forms,
        structure,
        study,
        to_sympy,
        verify,
        write,
        write_files,
    )
    from mbx.costs.rank import Ranking
    from mbx.diagnostics import Diagnostic, Report
    from mbx.errors import (
        BackendError,
        ConverterError,
        FileError,
        MbxError,
        NotApplicableError,
        SourceError,
    )
    from mbx.experiments.reference import Reference
    from mbx.formalism.equations import Equations
    from mbx.link.linked import Linked
    from mbx.model.document import Document
    from mbx.structure.report import Structure
    from mbx.study.study import Study
    from mbx.verify.report import Verification

__all__ = [
    "BackendError",
    "ConverterError",
    "Diagnostic",
    "Document",
    "EndedError",
    "Equations",
    "FileError",
    "Inverse",
    "Linked",
    "MbxError",
    "NotApplicableError",
    "Ranking",
    "Reference",
    "Report",
    "Run",
    "SourceError",
    "Structure",
    "Study",
    "Verification",
    "check",
    "compare",
    "compile",
    "convert",
    "diagnose",
    "diff",
    "draw",
    "dumps",
    "equilibrium",
    "forms",
    "inverse",
    "kinematic_study",
    "kinematics",
    "linearize",
    "linearize_along",
    "linearize_over",
    "link",
    "loads",
    "read",
    "references",
    "report",
    "simulate",
    "simulate_forms",
    "structure",
    "study",
    "to_sympy",
    "verify",
    "write",
    "write_files",
]

_HOMES = {
    "Diagnostic": "mbx.diagnostics",
    "Report": "mbx.diagnostics",
    "BackendError": "mbx.errors",
    "ConverterError": "mbx.errors",
    "Equations": "mbx.formalism.equations",
    "FileError": "mbx.errors",
    "MbxError": "mbx.errors",
    "NotApplicableError": "mbx.errors",
    "SourceError": "mbx.errors",
    "Document": "mbx.model.document",
    "Linked": "mbx.link.linked",
    "Ranking": "mbx.costs.rank",
    "Inverse": "mbx.analyses.inverse",
    "EndedError": "mbx.analyses.simulate",
    "Run": "mbx.analyses.simulate",
    "Reference": "mbx.experiments.reference",
    "Structure": "mbx.structure.report",
    "Study": "mbx.study.study",
    "Verification": "mbx.verify.report",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import mbx` costs nothing."""
    if name not in __all__:
        message = f"module 'mbx' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES.get(name, "mbx.api")), name)


def load_ipython_extension(ipython: Any) -> None:
    """Offer the magic `%%mbx` in a notebook: what `%load_ext mbx` calls."""
    from mbx.notebook import load  # noqa: PLC0415  as above

    load(ipython)
