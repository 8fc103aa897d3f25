"""The mathematics of a page in MathML, each line of equations a table of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.mathml.mathml_names import name as as_mathml
from mbx.codegen.notation.mathml.mathml_sums import MINUS, THIN, MathMLSums, bracketed, row
from mbx.codegen.pages.breakable import BreakableSums
from mbx.codegen.pages.breakable_notation import ROOM, BreakableNotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.pages.laid_lines import LaidLine
    from mbx.codegen.pages.ruler import RulerSums
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page

__all__ = ["MathMLPageNotation", "PageMathMLSums", "laid_math", "matrix_math"]

_TALL: Final = ("<mfrac", "<mtable", "<msqrt")
_SIDES: Final = {"(": "prefix", "[": "prefix", ")": "postfix", "]": "postfix"}
_PARTIAL: Final = "<mi>∂</mi>"
_WIDE: Final = '<mspace width="2em"/>'


@dataclass(frozen=True, slots=True)
class PageMathMLSums(BreakableSums, MathMLSums):
    """Writes sums in MathML, with marks where a line may end."""

    ruler: RulerSums

    @property
    def measure(self) -> RulerSums:
        """What measures terms."""
        return self.ruler

    def pair(self, brackets: str, inside: str) -> str:
        """Return something in brackets that grow with it if it is tall."""
        return bracketed(inside, brackets)

    def lone(self, bracket: str, *, is_tall: bool) -> str:
        """Return a bracket whose other one is on another line."""
        size = ' minsize="2em"' if is_tall else ""
        return (
            f'<mo stretchy="{str(is_tall).lower()}" form="{_SIDES[bracket]}"{size}>{bracket}</mo>'
        )

    def is_tall(self, text: str) -> bool:
        """Return whether a text needs large brackets."""
        return any(word in text for word in _TALL)

    def slash(self) -> str:
        """Return the sign of a division on the line."""
        return "<mo>/</mo>"


class MathMLPageNotation(BreakableNotation):
    """Writes the mathematics of a page in MathML."""

    between = f"<mo>,</mo>{_WIDE}"
    stop = "<mo>,</mo>"
    comma = f"<mo>,</mo>{THIN}"

    def __init__(self, signature: Signature, page: Page, room: int = ROOM) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page, room)
        self.sums: PageMathMLSums = PageMathMLSums(self.name, self.ruler.sums)
        self._symbols: dict[str, str] = {}

    def symbol(self, text: str) -> str:
        """Return a name, read from its LaTeX."""
        if text not in self._symbols:
            self._symbols[text] = as_mathml(self.names(text))
        return self._symbols[text]

    def related(self, sign: str) -> str:
        """Return a sign of relation."""
        return f'<mo form="infix">{escape(sign)}</mo>'

    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""
        above, below = (f"<mrow>{_PARTIAL}{self.sums.seal(x)}</mrow>" for x in (of, by))
        return f"<mfrac>{above}{below}</mfrac>"

    def rate(self, of: str) -> str:
        """Return a time derivative."""
        time = "<mrow><mi>d</mi><mi>t</mi></mrow>"
        return f"<mfrac><mi>d</mi>{time}</mfrac>{THIN}{of}"

    def variation(self, of: str) -> str:
        """Return a virtual change."""
        return f"<mrow><mi>δ</mi>{of}</mrow>"

    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""
        return f"{left}<mo>·</mo>{right}"

    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
        return f"{left}<mo>×</mo>{right}"

    def remark(self, text: str) -> str:
        """Return words behind an equation."""
        return f"{_WIDE}<mtext>({escape(safe_text(text))})</mtext>"

    def superscript(self, base: str, mark: str) -> str:
        """Return a letter with a power that stands in words."""
        shown = escape(mark.replace("-", MINUS))
        upright = f"<mn>{shown}</mn>" if mark[-1].isdigit() else f"<mi>{shown}</mi>"
        return f"<msup>{row(base)}{upright}</msup>"

    def mark(self, text: str, *, is_first: bool = False) -> str:
        """Return a sign or a number that stands in words."""
        if text[0].isdigit():
            return f"<mn>{text}</mn>"
        form = ' form="prefix"' if is_first and text == "-" else ""
        return f"<mo{form}>{MINUS if text == '-' else escape(text)}</mo>"


def laid_math(line: LaidLine) -> str:
    """Return the rows of a line as a formula, left sides in a column of their own."""
    rows = "".join(
        f"<mtr><mtd>{one.left}</mtd><mtd>{_indented(one.right, is_moved=one.goes_on)}</mtd></mtr>"
        for one in line.rows
    )
    return f'<math display="block"><mtable class="aligned">{rows}</mtable></math>'


def _indented(text: str, *, is_moved: bool) -> str:
    return f"{_WIDE}{text}" if is_moved else text


def matrix_math(
    name: str, rows: Sequence[str], columns: Sequence[str], entries: Sequence[Sequence[str]]
) -> str:
    """Return a matrix with its labels as a formula."""
    lines = [["", *columns]] if columns else []
    lines += [[label, *row] for label, row in zip(rows, entries, strict=True)]
    inside = "".join(
        f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in line)}</mtr>" for line in lines
    )
    headed = "labelled headed" if columns else "labelled"
    table = f'<mtable class="{headed}">{inside}</mtable>'
    return f'<math display="block">{name}<mo form="infix">=</mo>{table}</math>'
