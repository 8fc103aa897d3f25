"""Equations in MathML: the notation, and formulas as elements of a page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.latex.latex_names import Names, matrix_name
from mbx.codegen.notation.mathml import mathml_names
from mbx.codegen.notation.mathml.mathml_sums import MINUS, THIN, MathMLSums, bracketed, row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.display import Display
    from mbx.codegen.notation.notation import Aligned, Formula
    from mbx.codegen.notation.term_layout import Sum

__all__ = ["MathML", "block", "inline", "notation"]

_WIDTH: Final = 92  # characters of plain text that fit on a line
_MARKS: Final = {
    "T": '<mi mathvariant="normal">T</mi>',
    "+": "<mo>+</mo>",
    "1/2": "<mn>1/2</mn>",
}


@dataclass(frozen=True, slots=True)
class MathML:
    """MathML as a notation; what it returns is a run of elements."""

    write: MathMLSums
    width: int = _WIDTH

    def name(self, path: str) -> str:
        """Return a symbol."""
        return self.write.name(path)

    def matrix(self, name: str, symbol: str = "") -> str:
        """Return the name of a matrix."""
        return mathml_names.name(matrix_name(name, symbol))

    def constant(self, name: str) -> str:
        """Return the zero or a unit matrix, or a number."""
        number, _, size = name.partition("_")
        return f"<msub><mn>{number}</mn><mn>{size}</mn></msub>" if size else f"<mn>{number}</mn>"

    def words(self, text: str) -> str:
        """Return words that stand inside of a formula."""
        return f"<mtext>{escape(safe_text(text))}</mtext>"

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""
        return self.write.sum(value)

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""
        return self.write.lines(value, width)

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        """Return a matrix by its entries."""
        cells = ("".join(f"<mtd>{one}</mtd>" for one in each) for each in rows)
        inside = "".join(f"<mtr>{each}</mtr>" for each in cells)
        return f"<mrow><mo>[</mo><mtable>{inside}</mtable><mo>]</mo></mrow>"

    def times(self, factors: Sequence[str]) -> str:
        """Return a product of matrices."""
        return THIN.join(factors)

    def plus(self, terms: Sequence[tuple[int, str]], *, goes_on: bool = False) -> str:
        """Return a sum of matrices."""
        text = ""
        for sign, term in terms:
            later = bool(text) or goes_on
            mark = MINUS if sign < 0 else "+" if later else ""
            place = "infix" if later else "prefix"
            text += (f'<mo form="{place}">{mark}</mo>' if mark else "") + term
        return text

    def raised(self, base: str, mark: str) -> str:
        """Return a matrix with a mark at its upper right."""
        if base.startswith("<msub>") and base.count("<msub>") == 1:  # one above the other
            inside = base.removeprefix("<msub>").removesuffix("</msub>")
            return f"<msubsup>{inside}{_MARKS[mark]}</msubsup>"
        return f"<msup>{row(base)}{_MARKS[mark]}</msup>"

    def held(self, inside: str) -> str:
        """Return something in brackets that grow with it."""
        return bracketed(inside)

    def magnitudes(self, inside: str) -> str:
        """Return a matrix between bars."""
        return bracketed(inside, "||")

    def null(self, inside: str) -> str:
        """Return the null space of a matrix."""
        return f"<mi>null</mi>{THIN}{inside}"

    def rows(self, inside: str, span: str) -> str:
        """Return some rows of a matrix."""
        shown = escape(span.replace("..", "\N{HORIZONTAL ELLIPSIS}"))
        return f"<msub>{bracketed(inside, '[]')}<mtext>{shown}</mtext></msub>"

    def entry(self, matrix: str, places: Sequence[str]) -> str:
        """Return an entry of a matrix."""
        return f"<mrow>{matrix}{bracketed('<mo>,</mo>'.join(places), '[]')}</mrow>"

    def equal(self, left: str, right: str) -> str:
        """Return that two things are equal."""
        return f"{left}<mo>=</mo>{right}"


def notation(shown: Display) -> MathML:
    """Return the notation with the names of what is shown."""
    names = Names(shown.equations.signature)
    known: dict[str, str] = {}  # a name is read from its LaTeX once

    def name(text: str) -> str:
        if text not in known:
            known[text] = _name(text, shown, names)
        return known[text]

    return MathML(MathMLSums(name))


def _name(text: str, shown: Display, names: Names) -> str:
    if text not in shown.places:
        return mathml_names.name(names(text))
    matrix, place = shown.places[text]
    letter = mathml_names.name(matrix_name(matrix, shown.symbols.get(matrix, "")))
    numbers = "<mo>,</mo>".join(f"<mn>{one}</mn>" for one in place.split(","))
    return f"<mrow>{letter}{bracketed(numbers, '[]')}</mrow>"


def inline(formula: Formula) -> str:
    """Return a formula that stands in a line of text."""
    return f"<math>{formula.text}</math>"


def block(equations: Aligned) -> str:
    """Return equations below each other, their signs of equality in line."""
    rows = (
        f'<mtr><mtd>{one.left}</mtd><mtd><mo form="infix">=</mo>{one.right}</mtd></mtr>'
        if one.left
        else f'<mtr><mtd></mtd><mtd><mspace width="2em"/>{one.right}</mtd></mtr>'
        for one in equations.rows
    )
    return f'<math display="block"><mtable class="aligned">{"".join(rows)}</mtable></math>'
