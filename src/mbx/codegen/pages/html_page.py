"""A page in HTML: steps that fold, equations in MathML with their numbers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.html_units import write_unit
from mbx.codegen.pages.laid_lines import lay_lines
from mbx.codegen.pages.mathml_page import MathMLPageNotation, laid_math, matrix_math
from mbx.codegen.pages.page_writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.page_table import GivenRow
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Grid, Line, Page, Prose, Section, TreeNode

__all__ = ["HtmlPageWriter", "write_html_page"]

_LONG: Final = 40
"""Numbered lines of a page whose steps are folded away at first."""


class HtmlPageWriter(PageWriter):
    """Writes a page in HTML; all that it takes from a model is escaped."""

    def __init__(self, signature: Signature, page: Page, anchor: str) -> None:
        """Take a page; `anchor` begins the names of equations."""
        super().__init__(signature, page, MathMLPageNotation(signature, page), anchor)

    def text(self, words: str) -> str:
        """Return words."""
        return escape(safe_text(words), quote=False)

    def inline(self, formula: str) -> str:
        """Return a formula between words."""
        return f"<math>{formula}</math>"

    def reference(self, number: int) -> str:
        """Return a reference to an equation."""
        return f'<a href="#{self.anchor}-{number}">({number})</a>'

    def paragraph(self, prose: Prose) -> str:
        """Return a sentence as a paragraph."""
        return f'<p class="said">{self.prose(prose)}</p>'

    def section(self, section: Section) -> Iterator[str]:
        """Yield a section that folds; the steps of a long page are folded at first."""
        is_folded = section.number and len(self.page.lines) > _LONG
        title = f"{section.number} {section.title}" if section.number else section.title
        yield f'<details class="step"{"" if is_folded else " open"}>'
        yield f"<summary>{self.heading(title, section)}</summary>"
        yield from self.body(section.blocks)
        yield "</details>"

    def heading(self, title: str, section: Section) -> str:
        """Return the heading of a section with its reason."""
        reason = f" <span>{self.prose(section.reason)}</span>" if section.reason else ""
        return f"<h4>{self.text(title)}</h4>{reason}"

    def given(self, left: Sequence[GivenRow], right: Sequence[GivenRow]) -> Iterator[str]:
        """Yield the tables of variables and of parameters, side by side."""
        yield '<div class="given">'
        for rows in (left, right):
            if rows:
                yield f'<table class="symbols">{"".join(map(self._given_row, rows))}</table>'
        yield "</div>"

    def _given_row(self, row: GivenRow) -> str:
        names, unit, meaning = row
        symbols = ", ".join(self.inline(self.write.symbol(name)) for name in names.split(", "))
        return (
            f"<tr><td>{symbols}</td><td>{write_unit(unit)}</td><td>{self.text(meaning)}</td></tr>"
        )

    def equations(self, lines: Sequence[Line]) -> str:
        """Return lines of equations, each with its number."""
        return "\n".join(
            f'<div class="numbered" id="{self.anchor}-{line.number}">'
            f'<div class="scroll equations" tabindex="0">{laid_math(line)}</div>'
            f'<span class="number">({line.number})</span></div>'
            for line in lay_lines(self.write, lines)
        )

    def grid(self, grid: Grid) -> str:
        """Return a matrix with its labels."""
        formula = matrix_math(self.write.symbol(grid.name), *self.matrix(grid))
        return f'<div class="scroll equations" tabindex="0">{formula}</div>'

    def tree(self, root: TreeNode) -> str:
        """Return a tree of subsystems or of bodies."""
        return f"<ul>{self._node(root)}</ul>"

    def _node(self, node: TreeNode) -> str:
        below = "".join(map(self._node, node.children))
        inside = f"<strong>{self.text(node.name)}</strong> {self.prose(node.content)}"
        return f"<li>{inside}{f'<ul>{below}</ul>' if below else ''}</li>"


def write_html_page(
    signature: Signature, page: Page, anchor: str, *, only_equations: bool = False
) -> Markup:
    """Return a page without its title; `anchor` begins the names of its equations."""
    writer = HtmlPageWriter(signature, page, anchor)
    if only_equations:
        return Markup("\n".join(writer.whole(only_equations=True)))  # noqa: S704  escaped above
    subtitle = [writer.paragraph((f"{page.subtitle}.",))] if page.subtitle else []
    return Markup("\n".join([*subtitle, *writer.whole()]))  # noqa: S704  escaped above
