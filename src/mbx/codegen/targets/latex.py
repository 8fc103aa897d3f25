"""Equations as a LaTeX document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.latex.latex_notation import body
from mbx.codegen.pages.latex_page import write_latex_page
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


_PAGE_HEAD: Final = _HEAD.replace("{article}", "[fleqn]{article}")
"""Equations of a page begin at the left, below each other."""


def _write(subject: Subject) -> dict[str, str]:
    equations, page = subject.equations, subject.page
    if page is None:
        text = _HEAD + body(equations)
    else:
        only = subject.only_equations
        text = _PAGE_HEAD + write_latex_page(equations, page, only_equations=only)
    return {f"{subject.stem}.tex": f"{text}\\end{{document}}\n"}


TARGET: Final = Target(
    name="latex",
    suffix=".tex",
    title="a LaTeX document",
    write=_write,
    specialised=False,
    has_page=True,
)
