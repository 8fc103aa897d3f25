"""Notebooks: what they show of equations, verifications and documents, and the magic `%%mbx`.

    %load_ext mbx

    %%mbx --to kane --as pendulum
    mbx 1
    model Pendulum { ... }

The cell holds a model. `--to FORM` shows its equations, `--verify` whether its forms agree,
`--draw` the mechanism, which is also shown without an option. `--as NAME` leaves the document in
a variable.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Final, NoReturn

from markupsafe import Markup, escape

import mbx
from mbx.base.diagnostics import safe_text
from mbx.base.errors import MbxError, SourceError
from mbx.base.extras import ExtraError

if TYPE_CHECKING:
    from mbx.analyses.time_series import TimeSeries
    from mbx.base.diagnostics import Report
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document
    from mbx.verify.verification import Verification

__all__ = [
    "CellOutput",
    "document_html",
    "equations_html",
    "equations_latex",
    "load",
    "report_html",
    "series_html",
    "verification_html",
]

_ROWS: Final = 40
"""Lines of equations that fit on a page, as LaTeX in a notebook cannot break them."""


@dataclass(frozen=True, slots=True)
class CellOutput:
    """The output of a cell: a text, and the same as HTML."""

    text: str
    html: str

    def __repr__(self) -> str:
        """Return the text."""
        return self.text

    def _repr_html_(self) -> str:
        return self.html


# -- things ----------------------------------------------------------------------------------


def equations_html(equations: Equations) -> str:
    """Return equations as a piece of HTML."""
    from mbx.codegen.notation.html_equations import fragment  # jinja2, only where it is shown

    return fragment(equations)


def equations_latex(equations: Equations) -> str | None:
    """Return equations as one formula; nothing if they do not fit on a page."""
    from mbx.codegen.notation.display import display  # only where it is shown
    from mbx.codegen.notation.exposition import Exposition
    from mbx.codegen.notation.latex.latex_notation import aligned, notation
    from mbx.codegen.notation.notation import Aligned

    shown = display(equations)
    blocks = Exposition(shown, notation(shown)).program()
    rows = tuple(row for block in blocks if isinstance(block, Aligned) for row in block.rows)
    if not rows or len(rows) > _ROWS:
        return None
    return f"$$\\begin{{aligned}}\n{aligned(Aligned(rows))}\n\\end{{aligned}}$$"


def verification_html(verified: Verification) -> str:
    """Return the verdict, and the errors of every two forms as a picture."""
    from mbx.show.report.report_page import verification  # jinja2, only where it is shown

    return verification(verified)


def report_html(report: Report) -> str:
    """Return the errors and warnings of a model as text."""
    lines = report.render().split("\n") if len(report) else ["no errors"]
    return str(Markup("<pre>{}</pre>").format("\n".join(map(safe_text, lines))))


def series_html(run: TimeSeries) -> str:
    """Return a run as its plot, if matplotlib is installed, below its short representation."""
    head = str(Markup("<pre>{}</pre>").format(repr(run)))
    try:
        return f"{head}\n<figure>{run.plot().svg}</figure>"
    except ExtraError:
        return head


def document_html(document: Document) -> str | None:
    """Return the drawing of the last model of a document; nothing if there is none."""
    try:
        return f"<figure>{mbx.draw(document)}</figure>" if document.models else None
    except MbxError:
        return None  # the checks report what is wrong with it


# -- the magic -------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise what is wrong; a notebook is not to end."""
        raise ValueError(f"{message}\n{self.format_usage()}")


def _parser() -> _Parser:
    parser = _Parser(prog="%%mbx", add_help=False)
    parser.add_argument("--to", metavar="FORM", action="append", default=[])
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--model", metavar="NAME")
    parser.add_argument("--as", metavar="NAME", dest="name")
    return parser


def load(ipython: Any) -> None:
    """Offer `%%mbx` in a notebook."""

    def magic(line: str, cell: str) -> CellOutput:
        wanted = _parser().parse_args(shlex.split(line))
        name = wanted.name
        if name is not None and (not name.isidentifier() or iskeyword(name)):
            message = f"--as: '{name}' is no name for a variable"
            raise ValueError(message)
        try:
            document = mbx.loads(cell, name="<cell>")
            report = mbx.check(document, model=wanted.model)
            if not report.ok:
                raise SourceError(report)
            shown = _show(document, wanted)
        except MbxError as bad:
            return _error_output(bad)
        if name is not None:
            ipython.push({name: document})
        return shown

    magic.__doc__ = __doc__
    ipython.register_magic_function(magic, "cell", "mbx")


def _show(document: Document, wanted: argparse.Namespace) -> CellOutput:
    texts: list[str] = []
    parts: list[str] = []
    if wanted.draw or not (wanted.to or wanted.verify):
        texts.append(f"a drawing of {mbx.link(document, wanted.model).model.name}")
        parts.append(f"<figure>{mbx.draw(document, model=wanted.model)}</figure>")
    for form in wanted.to:
        system = mbx.elaborate(document, wanted.model)
        equations = mbx.derive(system, form, specialised=False)
        texts.append(mbx.write(equations, "text"))
        parts.append(equations_html(equations))
    if wanted.verify:
        verification = mbx.verify(document, model=wanted.model)
        texts.append(str(verification))
        parts.append(verification_html(verification))
    return CellOutput("\n".join(texts), "\n".join(parts))


def _error_output(bad: MbxError) -> CellOutput:
    """Return what is wrong with a model, as the command prints it."""
    lines = bad.report.render() if isinstance(bad, SourceError) else str(bad)
    text = "\n".join(safe_text(line) for line in lines.split("\n"))
    return CellOutput(text, str(Markup("<pre>{}</pre>").format(escape(text))))
