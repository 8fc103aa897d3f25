"""mbx: a formalism-neutral format for multibody models, and converters to equations of motion.

The packages are the pipeline, bottom to top; each imports only from those above it in this list:

    base         diagnostics, errors, files, processes: what every package may use
    expr         expressions, an immutable graph without any mechanics
    language     a file            -> Document       what was written
    linking      a document        -> Linked         imports read, repetition expanded
    checking     a linked document -> Report         what is wrong with it
    system       a linked document -> System         what it means
    mechanics    a system          -> motion, energies, momenta, partial velocities, loads
    formalism    a system          -> Equations      a matrix program, derived by a converter
    numerics     equations         -> numbers        execution, ranks, consistent states
    codegen      equations         -> text, code     for people, for programs, for the machine
    pipeline     all of the above, a function for each stage
    analyses     a model           -> Run, Study, ...    what is done with equations of motion
    verify       a system          -> Verification   whether its forms agree
    show         a document        -> drawings, reports, notebooks
    cli          the command `mbx`

The converters are in `mbx_converters`, a formalism a file or a folder. The public functions load
what they need when they are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbx.analyses.analysis_verbs import (
        compare,
        equilibrium,
        inverse,
        linearize,
        linearize_along,
        linearize_over,
        references,
        simulate,
        simulate_forms,
    )
    from mbx.analyses.costs.cost_ranking import Ranking
    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.inverse.inverse_analysis import Inverse
    from mbx.analyses.mechanism_verbs import kinematic_study, kinematics
    from mbx.analyses.simulate.runs import EndedError, Run
    from mbx.analyses.structure.structure_report import Structure
    from mbx.analyses.study.parameter_study import Study
    from mbx.analyses.study_verbs import study
    from mbx.base.diagnostics import Diagnostic, Report
    from mbx.base.errors import (
        BackendError,
        ConverterError,
        FileError,
        MbxError,
        NotApplicableError,
        SourceError,
    )
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked
    from mbx.pipeline import (
        check,
        compile,  # noqa: A004  of equations
        convert,
        derive,
        dumps,
        elaborate,
        forms,
        link,
        loads,
        loads_equations,
        read,
        read_equations,
        to_sympy,
        write,
        write_files,
    )
    from mbx.show.picture_verbs import draw, report
    from mbx.verify.verification import Verification
    from mbx.verify.verification_verbs import diagnose, diff, structure, verify

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
    "derive",
    "diagnose",
    "diff",
    "draw",
    "dumps",
    "elaborate",
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
    "loads_equations",
    "read",
    "read_equations",
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
    "Diagnostic": "mbx.base.diagnostics",
    "Report": "mbx.base.diagnostics",
    "BackendError": "mbx.base.errors",
    "ConverterError": "mbx.base.errors",
    "Equations": "mbx.formalism.equations",
    "FileError": "mbx.base.errors",
    "MbxError": "mbx.base.errors",
    "NotApplicableError": "mbx.base.errors",
    "SourceError": "mbx.base.errors",
    "Document": "mbx.language.document.document",
    "Linked": "mbx.linking.linked",
    "Ranking": "mbx.analyses.costs.cost_ranking",
    "Inverse": "mbx.analyses.inverse.inverse_analysis",
    "EndedError": "mbx.analyses.simulate.runs",
    "Run": "mbx.analyses.simulate.runs",
    "Reference": "mbx.analyses.experiments.expectation",
    "Structure": "mbx.analyses.structure.structure_report",
    "Study": "mbx.analyses.study.parameter_study",
    "Verification": "mbx.verify.verification",
    "check": "mbx.pipeline",
    "compile": "mbx.pipeline",
    "convert": "mbx.pipeline",
    "derive": "mbx.pipeline",
    "dumps": "mbx.pipeline",
    "forms": "mbx.pipeline",
    "link": "mbx.pipeline",
    "loads": "mbx.pipeline",
    "loads_equations": "mbx.pipeline",
    "read": "mbx.pipeline",
    "read_equations": "mbx.pipeline",
    "elaborate": "mbx.pipeline",
    "to_sympy": "mbx.pipeline",
    "write": "mbx.pipeline",
    "write_files": "mbx.pipeline",
    "compare": "mbx.analyses.analysis_verbs",
    "equilibrium": "mbx.analyses.analysis_verbs",
    "inverse": "mbx.analyses.analysis_verbs",
    "linearize": "mbx.analyses.analysis_verbs",
    "linearize_along": "mbx.analyses.analysis_verbs",
    "linearize_over": "mbx.analyses.analysis_verbs",
    "references": "mbx.analyses.analysis_verbs",
    "simulate": "mbx.analyses.analysis_verbs",
    "simulate_forms": "mbx.analyses.analysis_verbs",
    "kinematic_study": "mbx.analyses.mechanism_verbs",
    "kinematics": "mbx.analyses.mechanism_verbs",
    "study": "mbx.analyses.study_verbs",
    "draw": "mbx.show.picture_verbs",
    "report": "mbx.show.picture_verbs",
    "diagnose": "mbx.verify.verification_verbs",
    "diff": "mbx.verify.verification_verbs",
    "structure": "mbx.verify.verification_verbs",
    "verify": "mbx.verify.verification_verbs",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import mbx` costs nothing."""
    if name not in __all__:
        message = f"module 'mbx' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def load_ipython_extension(ipython: Any) -> None:
    """Offer the magic `%%mbx` in a notebook: what `%load_ext mbx` calls."""
    from mbx.show.notebook import load

    load(ipython)
