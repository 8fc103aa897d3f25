"""Equations in LaTeX: the notation, and what a document and a fragment of one share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.display import display, operations
from mbx.codegen.notation.exposition import LINES, Exposition, length
from mbx.codegen.notation.latex.latex_names import Names, escape, matrix_name
from mbx.codegen.notation.latex.latex_sums import LatexSums
from mbx.codegen.notation.notation import Aligned, Formula, Heading, Said
from mbx.codegen.notation.symbol_table import headline, symbol_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.display import Display
    from mbx.codegen.notation.notation import Block
    from mbx.codegen.notation.term_layout import Sum
    from mbx.formalism.equations import Equations

__all__ = ["Latex", "aligned", "body", "notation"]

_WIDTH: Final = 75  # characters of plain text that fit on a line


@dataclass(frozen=True, slots=True)
class Latex:
    """LaTeX as a notation."""

    write: LatexSums
    width: int = _WIDTH

    def name(self, path: str) -> str:
        """Return a symbol."""
        return self.write.name(path)

    def matrix(self, name: str, symbol: str = "") -> str:
        """Return the name of a matrix."""
        return matrix_name(name, symbol)

    def constant(self, name: str) -> str:
        """Return the zero or a unit matrix, or a number."""
        return re.sub("_(.*)", r"_{\1}", name)

    def words(self, text: str) -> str:
        """Return words that stand inside of a formula."""
        return rf"\text{{{escape(text)}}}"

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""
        return self.write.sum(value)

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""
        return self.write.lines(value, width)

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        """Return a matrix by its entries."""
        inside = " \\\\\n".join(" & ".join(row) for row in rows)
        return f"\\begin{{bmatrix}}\n{inside}\n\\end{{bmatrix}}"

    def times(self, factors: Sequence[str]) -> str:
        """Return a product of matrices."""
        return r" \, ".join(factors)

    def plus(self, terms: Sequence[tuple[int, str]], *, goes_on: bool = False) -> str:
        """Return a sum of matrices."""
        text = ""
        for sign, term in terms:
            mark = "-" if sign < 0 else "+" if text or goes_on else ""
            text += f" {mark} {term}"
        return text.strip()

    def raised(self, base: str, mark: str) -> str:
        """Return a matrix with a mark at its upper right."""
        return f"{base}^{{{mark}}}"

    def held(self, inside: str) -> str:
        """Return something in brackets that grow with it."""
        return rf"\left({inside}\right)"

    def magnitudes(self, inside: str) -> str:
        """Return a matrix between bars."""
        return rf"\left|{inside}\right|"

    def null(self, inside: str) -> str:
        """Return the null space of a matrix."""
        return rf"\mathop{{\mathrm{{null}}}} {inside}"

    def rows(self, inside: str, span: str) -> str:
        """Return some rows of a matrix."""
        shown = span.replace("..", r"\ldots ")
        return rf"\left[{inside}\right]_{{{shown}}}"

    def entry(self, matrix: str, places: Sequence[str]) -> str:
        """Return an entry of a matrix."""
        return rf"{matrix}\left[{', '.join(places)}\right]"

    def equal(self, left: str, right: str) -> str:
        """Return that two things are equal."""
        return f"{left} = {right}"


def notation(shown: Display) -> Latex:
    """Return the notation with the names of what is shown."""
    names = Names(shown.equations.signature)

    def name(text: str) -> str:
        if text not in shown.places:
            return names(text)
        matrix, place = shown.places[text]
        return rf"{matrix_name(matrix, shown.symbols.get(matrix, ''))}\left[{place}\right]"

    return Latex(LatexSums(name))


def aligned(block: Aligned) -> str:
    """Return the rows of equations as they stand inside of an environment that aligns them."""
    rows = (
        f"{row.left} &= {row.right}" if row.left else rf"&\quad{row.right}" for row in block.rows
    )
    return " \\\\\n".join(rows)


def body(equations: Equations) -> str:
    """Return the part of a document that speaks of equations."""
    shown = display(equations)
    write = notation(shown)
    laid_out = Exposition(shown, write)
    blocks = list(laid_out.program())
    many = length(blocks)
    program = (
        [f"{many} lines, too many to read; the JSON form has them."]
        if many > LINES
        else [line for block in blocks for line in _framed(block)]
    )
    parts = [
        rf"\section*{{{escape(headline(equations))}}}",
        escape(equations.reference),
        r"\subsection*{Symbols}",
        *_symbols(equations, write),
        r"\subsection*{Equations}",
        *program,
        r"\subsection*{Results}",
        *_results(laid_out),
        *(rf"\par\noindent Note: {escape(note.rstrip('.'))}." for note in equations.notes),
        r"\par\noindent " + operations(shown),
    ]
    return "\n".join(parts) + "\n"


def _framed(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield rf"\subsubsection*{{{escape(block.text)}}}"
        case Said():
            yield r"\par\noindent " + _sentence(block.parts)
        case Aligned():
            yield r"\begin{align*}"
            yield aligned(block)
            yield r"\end{align*}"


def _sentence(parts: Sequence[str | Formula]) -> str:
    return "".join(f"${one.text}$" if isinstance(one, Formula) else escape(one) for one in parts)


def _symbols(equations: Equations, write: Latex) -> Iterator[str]:
    yield r"\begin{longtable}{lllp{8cm}}"
    for group, path, unit, meaning in symbol_rows(equations.signature):
        raised = re.sub(r"\\textasciicircum{}([0-9]+)", r"\\textsuperscript{\1}", escape(unit))
        yield rf"{escape(group)} & ${write.name(path)}$ & {raised} & {escape(meaning)} \\"
    yield r"\end{longtable}"


def _results(laid_out: Exposition) -> Iterator[str]:
    yield r"\begin{longtable}{lp{10cm}}"
    for left, said in laid_out.results():
        yield rf"{_sentence((left,))} & {_sentence(said)} \\"
    yield r"\end{longtable}"
