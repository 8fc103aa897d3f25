r"""A page in LaTeX: prose as text, equations in `align` with labels.

A document needs `amsmath`, `longtable`, `fontenc` and `inputenc`. In a document of its own the
numbers of equations are those of the text; in a fragment they are those of the document around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.latex.latex_names import escape
from mbx.codegen.notation.latex.latex_sums import LatexSums
from mbx.codegen.pages.breakable import BreakableSums
from mbx.codegen.pages.breakable_notation import ROOM, BreakableNotation
from mbx.codegen.pages.laid_lines import lay_lines
from mbx.codegen.pages.page_writer import PageWriter
from mbx.codegen.pages.ruler import measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.page_table import GivenRow
    from mbx.codegen.pages.ruler import RulerSums
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.page.page import Grid, Line, Page, Prose, Section, TreeNode

__all__ = ["LatexPageNotation", "LatexPageWriter", "write_latex_page"]

_TALL: Final = (r"\frac", r"\left", r"\begin", r"\sqrt")
_RELATIONS: Final = {"=": "=", "≠": r"\ne", "<": "<", "<=": r"\le", ">": ">"}
_MARKS: Final = {**_RELATIONS, "·": r"\cdot", "∂": r"\partial "}
_BETWEEN: Final = 24
"""Units between the columns of a matrix, twice."""
_LABELS: Final = 60
"""Units of the name of a matrix and of the labels of its rows."""


@dataclass(frozen=True, slots=True)
class PageLatexSums(BreakableSums, LatexSums):
    """Writes sums in LaTeX, with marks where a line may end."""

    ruler: RulerSums

    @property
    def measure(self) -> RulerSums:
        """What measures terms."""
        return self.ruler

    def pair(self, brackets: str, inside: str) -> str:
        """Return something in brackets that grow with it if it is tall."""
        left, right = brackets[0], brackets[1]
        return (
            rf"\left{left}{inside}\right{right}" if self.is_tall(inside) else left + inside + right
        )

    def lone(self, bracket: str, *, is_tall: bool) -> str:
        """Return a bracket whose other one is on another line."""
        size = "" if not is_tall else r"\biggl" if bracket in "([" else r"\biggr"
        return size + bracket

    def is_tall(self, text: str) -> bool:
        """Return whether a text needs large brackets."""
        return any(word in text for word in _TALL)

    def slash(self) -> str:
        """Return the sign of a division on the line."""
        return " / "


class LatexPageNotation(BreakableNotation):
    """Writes the mathematics of a page in LaTeX."""

    between = r", \qquad "
    stop = ","
    comma = r",\; "

    def __init__(self, signature: Signature, page: Page, room: int = ROOM) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page, room)
        self.sums: PageLatexSums = PageLatexSums(self.name, self.ruler.sums)

    def symbol(self, text: str) -> str:
        """Return a name."""
        return self.names(text)

    def related(self, sign: str) -> str:
        """Return a sign of relation."""
        return f" {_RELATIONS[sign]} "

    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""
        return rf"\frac{{\partial {self.sums.seal(of)}}}{{\partial {self.sums.seal(by)}}}"

    def rate(self, of: str) -> str:
        """Return a time derivative."""
        return rf"\frac{{d}}{{d t}} {of}"

    def variation(self, of: str) -> str:
        """Return a virtual change."""
        return rf"\delta {of}"

    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""
        return rf"{left} \cdot {right}"

    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
        return rf"{left} \times {right}"

    def remark(self, text: str) -> str:
        """Return words behind an equation."""
        return rf"\qquad\text{{({escape(safe_text(text))})}}"

    def superscript(self, base: str, mark: str) -> str:
        """Return a letter with a power that stands in words."""
        return f"{base}^{{{escape(mark)}}}"

    def mark(self, text: str, *, is_first: bool = False) -> str:
        """Return a sign or a number that stands in words."""
        if text in "+-=·≠<>":
            return _MARKS.get(text, text) if is_first else f" {_MARKS.get(text, text)} "
        return _MARKS.get(text, text)


class LatexPageWriter(PageWriter):
    """Writes a page in LaTeX."""

    def __init__(self, signature: Signature, page: Page, anchor: str) -> None:
        """Take a page; `anchor` begins the labels of equations."""
        super().__init__(signature, page, LatexPageNotation(signature, page), anchor)

    def text(self, words: str) -> str:
        """Return words of which LaTeX takes every character as it is."""
        return escape(safe_text(words))

    def inline(self, formula: str) -> str:
        """Return a formula between words."""
        return f"${formula}$"

    def reference(self, number: int) -> str:
        """Return a reference to an equation."""
        return rf"\eqref{{{self.anchor}:{number}}}"

    def paragraph(self, prose: Prose) -> str:
        """Return a sentence as a paragraph."""
        return rf"\par\noindent {self.prose(prose)}"

    def heading(self, title: str, section: Section) -> str:
        """Return the heading of a section with its reason."""
        if not section.reason:
            return rf"\paragraph{{{self.text(title)}}}"
        return f"\\paragraph{{{self.text(title)}:}}\n{self.prose(section.reason)}"

    def given(self, left: Sequence[GivenRow], right: Sequence[GivenRow]) -> Iterator[str]:
        """Yield the table of variables and of parameters."""
        yield r"\begin{longtable}[l]{@{}llp{11cm}@{}}"
        for rows in (left, right):
            for names, unit, meaning in rows:
                symbols = ", ".join(f"${self.write.symbol(name)}$" for name in names.split(", "))
                yield rf"{symbols} & {_unit(unit)} & {self.text(meaning)} \\"
        yield r"\end{longtable}"

    def equations(self, lines: Sequence[Line]) -> str:
        """Return lines of equations, aligned where left sides are short."""
        laid = list(lay_lines(self.write, lines))
        text = ""
        for k, line in enumerate(laid):
            if k == 0 or line.is_aligned != laid[k - 1].is_aligned:
                text += ("\n\\end{align}\n" if k else "") + "\\begin{align}\n"
            else:
                text += " \\\\\n"
            rows = [
                rf"&\quad {row.right.strip()}"
                if row.goes_on
                else f"{row.left} &{row.right}".strip()
                for row in line.rows
            ]
            label = rf" \label{{{self.anchor}:{line.number}}}"
            text += " \\notag \\\\*\n".join(rows) + label
        return text + "\n\\end{align}"

    def grid(self, grid: Grid) -> str:
        """Return a matrix with its labels, or its entries where it is wide."""
        name = self.write.symbol(grid.name)
        if self.is_wide(grid):
            return self.entries(grid, name)
        return f"\\[\n{name} = {labelled_array(*self.matrix(grid))}\n\\]"

    def is_wide(self, grid: Grid) -> bool:
        """Return whether a matrix does not fit on a line."""
        ruler = self.write.ruler
        widths = [[measure(ruler.node(x)) for x in row] for row in grid.entries]
        columns = zip(*widths, strict=True)
        total: int = sum(max(column) + _BETWEEN // 2 for column in columns)
        return total + _LABELS > self.write.room

    def entries(self, grid: Grid, name: str) -> str:
        """Return the entries of a matrix that are not zero, one by one."""
        rows, columns, entries = self.matrix(grid)
        lines = [
            rf"{name}\left[{', '.join([rows[i], *columns[j : j + 1]])}\right] &= {text}"
            for i, row in enumerate(entries)
            for j, text in enumerate(row)
            if text != "0"
        ]
        inside = " \\\\\n".join(lines)
        return f"\\begin{{align*}}\n{inside}\n\\end{{align*}}"

    def tree(self, root: TreeNode) -> str:
        """Return a tree of subsystems or of bodies."""
        lines = [
            rf"\item[] \hspace*{{{1.5 * depth:g}em}}\textbf{{{self.text(node.name)}}}\quad "
            + self.prose(node.content)
            for depth, node in _nodes(root, 0)
        ]
        inside = "\n".join(lines)
        return f"\\begin{{itemize}}\\itemsep0pt\n{inside}\n\\end{{itemize}}"


def labelled_array(
    rows: Sequence[str], columns: Sequence[str], entries: Sequence[Sequence[str]]
) -> str:
    """Return a matrix with the labels of its rows and columns behind rules."""
    head = " & ".join(["", *columns]) + " \\\\ \\hline\n" if columns else ""
    body = " \\\\\n".join(
        " & ".join([label, *row]) for label, row in zip(rows, entries, strict=True)
    )
    shape = "r|" + "c" * len(entries[0])
    return f"\\begin{{array}}{{{shape}}}\n{head}{body}\n\\end{{array}}"


def _nodes(node: TreeNode, depth: int) -> Iterator[tuple[int, TreeNode]]:
    yield depth, node
    for child in node.children:
        yield from _nodes(child, depth + 1)


def _unit(text: str) -> str:
    raised = re.sub(r"\\textasciicircum{}(-?[0-9]+)", r"\\textsuperscript{\1}", escape(text))
    return raised.replace("*", r"\,")


def write_latex_page(
    equations: Equations, page: Page, anchor: str = "eq", *, only_equations: bool = False
) -> str:
    """Return a page as a part of a document; `anchor` begins the labels of its equations."""
    writer = LatexPageWriter(equations.signature, page, anchor)
    if only_equations:
        return "\n".join(writer.whole(only_equations=True)) + "\n"
    title = rf"\section*{{{writer.text(writer.title())}}}"
    return "\n".join([title, *writer.whole(), *writer.ending(equations)]) + "\n"
