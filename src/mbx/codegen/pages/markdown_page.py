"""A page in Markdown, as GitHub and Jupyter read it: each line of equations with its number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.markdown_equations import (
    as_formula,
    begin_paragraph,
    escape,
    write_table,
    write_unit,
)
from mbx.codegen.pages.laid_lines import lay_lines
from mbx.codegen.pages.latex_page import LatexPageNotation, labelled_array
from mbx.codegen.pages.page_writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.laid_lines import LaidLine
    from mbx.codegen.pages.page_table import GivenRow
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.page.page import Grid, Line, Page, Prose, Section, TreeNode

__all__ = ["MarkdownPageWriter", "write_markdown_page"]

_ROOM: Final = 300
"""Units of a line: a page of GitHub is narrower than paper."""
_WORDS: Final = re.compile(r"[^A-Za-z0-9 .,:()'-]")


class _MathJaxNotation(LatexPageNotation):
    """LaTeX that MathJax knows, too."""

    def remark(self, text: str) -> str:
        """Return words behind an equation, in signs that need no escape."""
        return rf"\qquad\text{{({_WORDS.sub(' ', safe_text(text))})}}"


class MarkdownPageWriter(PageWriter):
    """Writes a page in Markdown."""

    def __init__(self, signature: Signature, page: Page) -> None:
        """Take a page."""
        super().__init__(signature, page, _MathJaxNotation(signature, page, _ROOM))

    def text(self, words: str) -> str:
        """Return words of which Markdown takes every character as it is."""
        return escape(words)

    def inline(self, formula: str) -> str:
        """Return a formula between words."""
        return f"${as_formula(formula)}$"

    def reference(self, number: int) -> str:
        """Return a reference to an equation."""
        return f"({number})"

    def paragraph(self, prose: Prose) -> str:
        """Return a sentence as a paragraph."""
        return begin_paragraph(self.prose(prose))

    def heading(self, title: str, section: Section) -> str:
        """Return the heading of a section with its reason."""
        head = f"## {self.text(title)}"
        if not section.reason:
            return head
        first, *rest = section.reason
        words = first[:1].upper() + first[1:] if isinstance(first, str) else first
        return f"{head}\n\n{self.paragraph((words, *rest))}"

    def given(self, left: Sequence[GivenRow], right: Sequence[GivenRow]) -> Iterator[str]:
        """Yield the table of variables and of parameters."""
        rows = [
            (
                ", ".join(self.inline(self.write.symbol(name)) for name in names.split(", ")),
                write_unit(unit),
                self.text(meaning),
            )
            for names, unit, meaning in (*left, *right)
        ]
        yield write_table(("symbol", "unit", "meaning"), rows)

    def equations(self, lines: Sequence[Line]) -> str:
        """Return lines of equations, each with its number."""
        return "\n\n".join(map(_display, lay_lines(self.write, lines)))

    def grid(self, grid: Grid) -> str:
        """Return a matrix with its labels."""
        array = labelled_array(*self.matrix(grid)).replace("\n", " ")
        return f"$$\n{as_formula(f'{self.write.symbol(grid.name)} = {array}')}\n$$"

    def tree(self, root: TreeNode) -> str:
        """Return a tree of subsystems or of bodies."""
        return "\n".join(self._nodes(root, 0))

    def _nodes(self, node: TreeNode, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}- **{self.text(node.name)}** {self.prose(node.content)}"
        for child in node.children:
            yield from self._nodes(child, depth + 1)


def _display(line: LaidLine) -> str:
    r"""Return a line as a formula of its own: a `\tag` in `aligned` is none in all renderers."""
    rows = [
        rf"&\quad {row.right.strip()}" if row.goes_on else f"{row.left} &{row.right}".strip()
        for row in line.rows
    ]
    tag = rf"\tag{{{line.number}}}"
    if len(rows) == 1:
        (row,) = line.rows
        return f"$$\n{as_formula(f'{row.left}{row.right}'.strip())} {tag}\n$$"
    inside = " \\\\\n".join(as_formula(row) for row in rows)
    return f"$$\n\\begin{{aligned}}\n{inside}\n\\end{{aligned}} {tag}\n$$"


def write_markdown_page(equations: Equations, page: Page, *, only_equations: bool = False) -> str:
    """Return a page in Markdown."""
    writer = MarkdownPageWriter(equations.signature, page)
    if only_equations:
        parts = list(writer.whole(only_equations=True))
    else:
        title = f"# {writer.text(writer.title())}"
        parts = [title, *writer.whole(), *writer.ending(equations)]
    return "\n\n".join(parts) + "\n"
