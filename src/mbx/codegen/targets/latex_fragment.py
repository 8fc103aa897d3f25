r"""Equations as a part of a LaTeX document, for \input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.latex.latex_notation import body
from mbx.codegen.pages.latex_page import write_latex_page
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]

_HEAD: Final = r"""% To be read by \input. The preamble of the document has:
%   \usepackage[T1]{fontenc}
%   \usepackage[utf8]{inputenc}
%   \usepackage{amsmath}
%   \usepackage{longtable}
\begingroup
\setcounter{MaxMatrixCols}{12}
\allowdisplaybreaks
"""


def _write(subject: Subject) -> dict[str, str]:
    equations, page = subject.equations, subject.page
    if page is None:
        text = body(equations)
    else:
        only = subject.only_equations
        text = write_latex_page(equations, page, subject.stem, only_equations=only)
    return {f"{subject.stem}.tex": f"{_HEAD}{text}\\par\\endgroup\n"}


TARGET: Final = Target(
    name="latex_fragment",
    suffix=".tex",
    title=r"a LaTeX fragment, for \input",
    write=_write,
    specialised=False,
    has_page=True,
)
