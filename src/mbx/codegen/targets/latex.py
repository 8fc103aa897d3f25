"""Equations as a LaTeX document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.latex.latex_notation import body
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]

_HEAD: Final = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath}
\usepackage{longtable}
\setcounter{MaxMatrixCols}{12}
\allowdisplaybreaks
\begin{document}
"""


def _write(subject: Subject) -> dict[str, str]:
    return {f"{subject.stem}.tex": f"{_HEAD}{body(subject.equations)}\\end{{document}}\n"}


TARGET: Final = Target(
    name="latex", suffix=".tex", title="a LaTeX document", write=_write, specialised=False
)
