"""The walk over a page: what every notation writes, in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from mbx.codegen.pages.page_table import given_rows
from mbx.codegen.pages.prose_formulas import WordFormula, split_prose
from mbx.formalism.page.page import Grid, Label, Line, Math, Note, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.pages.breakable_notation import BreakableNotation
    from mbx.codegen.pages.page_table import GivenRow
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.page.page import Block, Page, Prose, Section, TreeNode

__all__ = ["PageWriter"]


class PageWriter(ABC):
    """Writes a page in a notation with formulas that are typeset."""

    def __init__(
        self, signature: Signature, page: Page, write: BreakableNotation, anchor: str = "eq"
    ) -> None:
        """Take a page and its notation; `anchor` begins the labels of equations."""
        self.signature = signature
        self.page = page
        self.write = write
        self.anchor = anchor

    def whole(self, *, only_equations: bool = False) -> Iterator[str]:
        """Yield the parts of the page below its title; with `only_equations` no reasons."""
        if only_equations:
            yield from self._only_equations()
            return
        if self.page.counts:
            yield self.paragraph((", ".join(self.page.counts) + ".",))
        left, right = given_rows(self.signature, self.page)
        if left or right:
            yield from self.given(left, right)
        for item in self.page.given:
            if item.prose:
                yield self.paragraph(item.prose)
            if item.lines:
                yield self.equations(item.lines)
        for section in self.page.sections:
            yield from self.section(section)
        if self.page.left_out:
            yield self.paragraph((f"{self.page.left_out} more equations: --full",))

    def _only_equations(self) -> Iterator[str]:
        """Yield headings and equations, without the table of symbols and without reasons."""
        for item in self.page.given:
            if item.lines:
                yield self.equations(item.lines)
        for section in self.page.sections:
            yield from self.section(replace(section, reason=()))

    def ending(self, equations: Equations) -> Iterator[str]:
        """Yield what stands at the end: notes, and the text that the form follows."""
        for note in equations.notes:
            yield self.paragraph((f"Note: {note.rstrip('.')}.",))
        if equations.reference:
            yield self.paragraph((f"{equations.reference.rstrip('.')}.",))

    def title(self) -> str:
        """Return the form, the model and the title of the model, in words."""
        page = self.page
        title = f"{page.title}: {page.model}"
        return f"{title}, {page.subtitle}" if page.subtitle else title

    def section(self, section: Section) -> Iterator[str]:
        """Yield a section: its heading, and what stands below it."""
        title = f"{section.number} {section.title}" if section.number else section.title
        yield self.heading(title, section)
        yield from self.body(section.blocks)

    def body(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Yield blocks; lines of equations that follow each other are one part."""
        for is_line, group in groupby(blocks, key=lambda block: isinstance(block, Line)):
            if is_line:
                yield self.equations([block for block in group if isinstance(block, Line)])
                continue
            for block in group:
                match block:
                    case Grid():
                        yield self.grid(block)
                    case Note():
                        yield self.paragraph(block.prose)
                    case Tree():
                        yield self.tree(block.root)

    def prose(self, prose: Prose) -> str:
        """Return prose with its formulas and references."""
        return "".join(self._piece(part) for part in prose)

    def _piece(self, part: str | Math | Label) -> str:
        if isinstance(part, Math):
            return self.inline(self.write.sums.seal(self.write.math(part)))
        if isinstance(part, Label):
            return self.reference(part.number)
        return "".join(
            self.inline(self.write.prose_formula(each))
            if isinstance(each, WordFormula)
            else self.text(each)
            for each in split_prose(part)
        )

    def matrix(self, grid: Grid) -> tuple[list[str], list[str], list[list[str]]]:
        """Return the labels of rows and of columns, and the entries, of a matrix."""
        entries = [[self.write.sums.seal(self.write.node(x)) for x in row] for row in grid.entries]
        return [self.label(x) for x in grid.rows], [self.label(x) for x in grid.columns], entries

    def label(self, label: object) -> str:
        """Return the label of a row or of a column as a formula."""
        return self.write.symbol(label if isinstance(label, str) else str(label.value))  # type: ignore[attr-defined]

    # -- marks -------------------------------------------------------------------------------

    @abstractmethod
    def text(self, words: str) -> str:
        """Return words of which every character stands for itself."""

    @abstractmethod
    def inline(self, formula: str) -> str:
        """Return a formula between words."""

    @abstractmethod
    def reference(self, number: int) -> str:
        """Return a reference to an equation."""

    @abstractmethod
    def paragraph(self, prose: Prose) -> str:
        """Return a sentence as a paragraph."""

    @abstractmethod
    def heading(self, title: str, section: Section) -> str:
        """Return the heading of a section with its reason."""

    @abstractmethod
    def given(self, left: Sequence[GivenRow], right: Sequence[GivenRow]) -> Iterator[str]:
        """Yield the table of variables and of parameters."""

    @abstractmethod
    def equations(self, lines: Sequence[Line]) -> str:
        """Return lines of equations with their numbers."""

    @abstractmethod
    def grid(self, grid: Grid) -> str:
        """Return a matrix with its labels."""

    @abstractmethod
    def tree(self, root: TreeNode) -> str:
        """Return a tree of subsystems or of bodies."""
