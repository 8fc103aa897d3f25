"""A page in Typst: a document that `typst compile` sets, equations numbered as in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.typst.typst_names import escape, quoted
from mbx.codegen.notation.typst.typst_names import name as as_typst
from mbx.codegen.notation.typst.typst_sums import TypstSums
from mbx.codegen.pages.breakable import BreakableSums
from mbx.codegen.pages.breakable_notation import ROOM, BreakableNotation
from mbx.codegen.pages.laid_lines import lay_lines
from mbx.codegen.pages.page_writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.laid_lines import LaidLine
    from mbx.codegen.pages.page_table import GivenRow
    from mbx.codegen.pages.ruler import RulerSums
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.page.page import Grid, Line, Page, Prose, Section, TreeNode

__all__ = ["TypstPageNotation", "TypstPageWriter", "write_typst_page"]

_TALL: Final = ("frac(", "sqrt(", "cases(")
_MARKS: Final = {"≠": "!=", "·": "dot.op"}
_HEAD: Final = """\
#set page(paper: "a4", margin: 2cm)
#set text(font: "New Computer Modern", size: 10pt)
#set heading(numbering: none)
#set math.equation(numbering: "(1)", number-align: right + bottom, supplement: none)
#show math.equation.where(block: true): set align(left)
#show math.equation.where(block: true): set block(inset: (left: 2em), spacing: 0.9em)
"""


@dataclass(frozen=True, slots=True)
class PageTypstSums(BreakableSums, TypstSums):
    """Writes sums in Typst, with marks where a line may end."""

    ruler: RulerSums

    @property
    def measure(self) -> RulerSums:
        """What measures terms."""
        return self.ruler

    def pair(self, brackets: str, inside: str) -> str:
        """Return something in brackets, which grow with it."""
        left, right = brackets[0], brackets[1]
        return f"{left}{inside}{right}"

    def lone(self, bracket: str, *, is_tall: bool) -> str:
        """Return a bracket whose other one is on another line."""
        return f" lr(size: #2em, \\{bracket}) " if is_tall else f"\\{bracket}"

    def is_tall(self, text: str) -> bool:
        """Return whether a text needs large brackets."""
        return any(word in text for word in _TALL)

    def slash(self) -> str:
        """Return the sign of a division on the line."""
        return " \\/ "


class TypstPageNotation(BreakableNotation):
    """Writes the mathematics of a page in Typst."""

    between = ", #h(2em) "
    stop = ","
    comma = ", "

    def __init__(self, signature: Signature, page: Page, room: int = ROOM) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page, room)
        self.sums: PageTypstSums = PageTypstSums(self.name, self.ruler.sums)
        self._symbols: dict[str, str] = {}

    def symbol(self, text: str) -> str:
        """Return a name, read from its LaTeX."""
        if text not in self._symbols:
            self._symbols[text] = as_typst(self.names(text))
        return self._symbols[text]

    def related(self, sign: str) -> str:
        """Return a sign of relation."""
        return f" {_MARKS.get(sign, sign)} "

    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""
        return f"frac(∂ {self.sums.seal(of)}, ∂ {self.sums.seal(by)})"

    def rate(self, of: str) -> str:
        """Return a time derivative."""
        return f"frac(d, d t) {of}"

    def variation(self, of: str) -> str:
        """Return a virtual change."""
        return f"δ {of}"

    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""
        return f"{left} dot.op {right}"

    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
        return f"{left} times {right}"

    def remark(self, text: str) -> str:
        """Return words behind an equation."""
        return f" #h(2em) {quoted(f'({text})')}"

    def superscript(self, base: str, mark: str) -> str:
        """Return a letter with a power that stands in words."""
        return f"{base}^({mark})"

    def mark(self, text: str, *, is_first: bool = False) -> str:
        """Return a sign or a number that stands in words."""
        if text in "+-=·≠<>":
            return f"{_MARKS.get(text, text)} " if is_first else f" {_MARKS.get(text, text)} "
        return f" \\{text} " if text in "()[],/" else f" {text} "


class TypstPageWriter(PageWriter):
    """Writes a page in Typst."""

    def __init__(self, signature: Signature, page: Page, anchor: str = "eq") -> None:
        """Take a page; `anchor` begins the labels of equations."""
        super().__init__(signature, page, TypstPageNotation(signature, page), anchor)

    def text(self, words: str) -> str:
        """Return words of which Typst takes every character as it is."""
        return escape(words)

    def inline(self, formula: str) -> str:
        """Return a formula between words; a blank inside would set it on a line of its own."""
        return f"${formula.strip()}$"

    def reference(self, number: int) -> str:
        """Return a reference to an equation."""
        return f"@{self.anchor}-{number}"

    def paragraph(self, prose: Prose) -> str:
        """Return a sentence as a paragraph."""
        return f"{self.prose(prose)}\n"

    def heading(self, title: str, section: Section) -> str:
        """Return the heading of a section with its reason."""
        reason = f" {self.prose(section.reason)}" if section.reason else ""
        front = f"{title}:" if reason else title
        return f"*{self.text(front)}*{reason}\n"

    def given(self, left: Sequence[GivenRow], right: Sequence[GivenRow]) -> Iterator[str]:
        """Yield the table of variables and of parameters."""
        lines = ["#table(columns: 3, stroke: none, inset: (x: 0.6em, y: 0.25em),"]
        for names, unit, meaning in (*left, *right):
            symbols = ", ".join(self.inline(self.write.symbol(x)) for x in names.split(", "))
            lines.append(f"  [{symbols}], [{_unit(unit)}], [{self.text(meaning)}],")
        yield "\n".join([*lines, ")\n"])

    def equations(self, lines: Sequence[Line]) -> str:
        """Return lines of equations, each with its number."""
        return "\n".join(map(self._equation, lay_lines(self.write, lines)))

    def _equation(self, line: LaidLine) -> str:
        rows = [
            f"&quad {row.right.strip()}" if row.goes_on else f"{row.left} &{row.right}".strip()
            for row in line.rows
        ]
        inside = " \\\n  ".join(rows)
        return f"$ {inside} $ <{self.anchor}-{line.number}>"

    def grid(self, grid: Grid) -> str:
        """Return a matrix with its labels."""
        rows, columns, entries = self.matrix(grid)
        lines = [", ".join(["", *columns])] if columns else []
        lines += [", ".join([label, *row]) for label, row in zip(rows, entries, strict=True)]
        rules = "(hline: 1, vline: 1)" if columns else "1"
        inside = ";\n  ".join(lines)
        matrix = f"mat(delim: #none, augment: #{rules},\n  {inside})"
        formula = f"$ {self.write.symbol(grid.name)} = {matrix} $"
        return f"#[#set math.equation(numbering: none)\n{formula}]\n"

    def tree(self, root: TreeNode) -> str:
        """Return a tree of subsystems or of bodies."""
        return "\n".join(self._nodes(root, 0)) + "\n"

    def _nodes(self, node: TreeNode, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}- *{self.text(node.name)}* {self.prose(node.content)}"
        for child in node.children:
            yield from self._nodes(child, depth + 1)


def _unit(text: str) -> str:
    raised = re.sub(r"\\\^(?:\\(-))?([0-9]+)", r"#super[\1\2]", escape(text))
    return raised.replace("\\*", " ")


def write_typst_page(equations: Equations, page: Page, *, only_equations: bool = False) -> str:
    """Return a page as a document."""
    writer = TypstPageWriter(equations.signature, page)
    if only_equations:
        return "\n".join([_HEAD, *writer.whole(only_equations=True)]) + "\n"
    title = f"= {writer.text(writer.title())}\n"
    return "\n".join([_HEAD, title, *writer.whole(), *writer.ending(equations)]) + "\n"
