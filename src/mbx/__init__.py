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
what they need when they are called. Where they take a model they take a document, a path, an
address such as "lib:four_bar", or model text; options are keywords, as on the command line, and
numbers are in SI units. `spec/python.md` is the reference. Errors and results that are not here
are imported from their modules.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbx.analyses.form_verbs import compare
    from mbx.analyses.mechanism_verbs import kinematics
    from mbx.analyses.motion_verbs import inverse, simulate
    from mbx.analyses.state_verbs import assemble, equilibrium, linearize
    from mbx.analyses.study_verbs import study
    from mbx.base.errors import MbxError, NotApplicableError, SourceError
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document
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
        read,
        write,
    )
    from mbx.show.picture_verbs import draw, report
    from mbx.system.system import System
    from mbx.verify.verification_verbs import diff, structure, verify

_HOMES = {
    "assemble": "mbx.analyses.state_verbs",
    "check": "mbx.pipeline",
    "compare": "mbx.analyses.form_verbs",
    "compile": "mbx.pipeline",
    "convert": "mbx.pipeline",
    "derive": "mbx.pipeline",
    "diff": "mbx.verify.verification_verbs",
    "draw": "mbx.show.picture_verbs",
    "dumps": "mbx.pipeline",
    "elaborate": "mbx.pipeline",
    "equilibrium": "mbx.analyses.state_verbs",
    "forms": "mbx.pipeline",
    "inverse": "mbx.analyses.motion_verbs",
    "kinematics": "mbx.analyses.mechanism_verbs",
    "linearize": "mbx.analyses.state_verbs",
    "link": "mbx.pipeline",
    "loads": "mbx.pipeline",
    "read": "mbx.pipeline",
    "report": "mbx.show.picture_verbs",
    "simulate": "mbx.analyses.motion_verbs",
    "structure": "mbx.verify.verification_verbs",
    "study": "mbx.analyses.study_verbs",
    "verify": "mbx.verify.verification_verbs",
    "write": "mbx.pipeline",
    "Document": "mbx.language.document.document",
    "Equations": "mbx.formalism.equations",
    "MbxError": "mbx.base.errors",
    "NotApplicableError": "mbx.base.errors",
    "SourceError": "mbx.base.errors",
    "System": "mbx.system.system",
}
"""Where each public name is."""

__all__ = [
    "Document",
    "Equations",
    "MbxError",
    "NotApplicableError",
    "SourceError",
    "System",
    "assemble",
    "check",
    "compare",
    "compile",
    "convert",
    "derive",
    "diff",
    "draw",
    "dumps",
    "elaborate",
    "equilibrium",
    "forms",
    "inverse",
    "kinematics",
    "linearize",
    "link",
    "loads",
    "read",
    "report",
    "simulate",
    "structure",
    "study",
    "verify",
    "write",
]


class _Package(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        """Bind a name, but for a package that has the name of a verb, as `mbx.verify` does.

        Importing `mbx.verify.verification` would replace the function by the package;
        `from mbx.verify import ...` imports from the package without it.
        """
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import mbx` costs nothing."""
    if name not in _HOMES:
        message = f"module 'mbx' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(ipython: Any) -> None:
    """Offer the magic `%%mbx` in a notebook: what `%load_ext mbx` calls."""
    from mbx.show.notebook import load

    load(ipython)
