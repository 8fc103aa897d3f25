"""The public verbs, by what they are about; each loads what it needs when it is called."""

from __future__ import annotations

from mbx.api.analyses import (
    equilibrium,
    inverse,
    linearize,
    linearize_along,
    linearize_over,
    references,
    simulate,
    simulate_forms,
)
from mbx.api.documents import (
    Form,
    check,
    dumps,
    link,
    loads,
    parse,
    read,
    system,
)
from mbx.api.equations import (
    compare,
    compile,  # noqa: A004  of equations
    convert,
    derive,
    forms,
    subject,
    to_sympy,
    write,
    write_files,
)
from mbx.api.mechanisms import kinematic_study, kinematics
from mbx.api.pictures import (
    draw,
    report,
)
from mbx.api.studies import study
from mbx.api.verification import (
    diagnose,
    diff,
    structure,
    verify,
)

__all__ = [
    "Form",
    "check",
    "compare",
    "compile",
    "convert",
    "derive",
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
    "parse",
    "read",
    "references",
    "report",
    "simulate",
    "simulate_forms",
    "structure",
    "study",
    "subject",
    "system",
    "to_sympy",
    "verify",
    "write",
    "write_files",
]
