"""A page as plain text, in which each formula can be read back and evaluated.

Mathematics is each line that is indented by four columns; a line that is indented by eight goes on
with the one before. The number of an equation stands at the right margin.
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.codegen.pages.page_notation import PageNotation
from mbx.codegen.pages.page_table import given_rows, write_table
from mbx.codegen.pages.text_sums import TextSums
from mbx.formalism.page.page import Grid, Label, Line, Math, Note, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page, Prose, Section, TreeNode

__all__ = ["TextNotation", "write_text_page"]

WIDTH: Final = 98
_INDENT: Final = "    "
_MORE: Final = "        "
_NARROWEST: Final = 40
_TOGETHER: Final = ";  "


class TextNotation(PageNotation):
    """Writes mathematics as plain text."""

    def __init__(self, signature: Signature, page: Page) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page)
        self.sums = TextSums(self.name)

    def relation(self, sign: str) -> str:
        """Return what stands between two sides: `=`, `≠`."""
        return f" {sign} "

    def symbol(self, text: str) -> str:
        """Return a name as it is."""
        return text

    def vector(self, entries: Sequence[str]) -> str:
        """Return a vector by its components."""
        return f"[{', '.join(entries)}]"

    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""
        return f"∂{of}/∂{by}"

    def rate(self, of: str) -> str:
        """Return a time derivative."""
        return f"d/dt {of}"

    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""
        return f"{left} · {right}"

    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
        return f"cross({left}, {right})"


def write_text_page(
    signature: Signature,
    page: Page,
    *,
    width: int = WIDTH,
    is_full: bool = False,
    only_equations: bool = False,
) -> list[str]:
    """Return the lines of a page; with `only_equations` those of its equations and headings."""
    writer = _Writer(signature, page, max(width, _NARROWEST))
    if only_equations:
        return list(writer.equation_lines())
    return list(writer.page_lines(is_full=is_full))


class _Writer:
    """Writes a page on lines of some width."""

    def __init__(self, signature: Signature, page: Page, width: int) -> None:
        self.signature = signature
        self.page = page
        self.width = width
        self.write = TextNotation(signature, page)

    def page_lines(self, *, is_full: bool) -> Iterator[str]:
        """Yield the lines."""
        page = self.page
        title = f"{page.title}: {page.model}"
        title += f", {page.subtitle}" if page.subtitle else ""
        yield from wrap(title, self.width, subsequent_indent="  ")
        if page.counts:
            yield from wrap(", ".join(page.counts), self.width, subsequent_indent="  ")
        left, right = given_rows(self.signature, page)
        if left or right:
            yield ""
            yield "Given"
            yield from write_table(left, right, self.width, is_full=is_full)
        for item in page.given:
            yield from self.prose(item.prose, "  ")
            for line in item.lines:
                yield from self.line(line)
        for section in page.sections:
            yield ""
            yield from self.heading(section)
            for block in section.blocks:
                yield from self.block(block)
        if page.left_out:
            yield ""
            yield f"{page.left_out} more equations: --full"

    def equation_lines(self) -> Iterator[str]:
        """Yield the equations below their headings."""
        for item in self.page.given:
            for line in item.lines:
                yield from self.line(line)
        for section in self.page.sections:
            found = [b for b in section.blocks if isinstance(b, Line | Grid)]
            if found:
                yield section.title
                for block in found:
                    yield from self.block(block)

    def heading(self, section: Section) -> Iterator[str]:
        """Yield the heading of a section with its reason."""
        front = f"{section.number} {section.title}" if section.number else section.title
        reason = self.words(section.reason)
        text = f"{front}: {reason}" if reason else front
        yield from wrap(text, self.width, subsequent_indent="  ", break_on_hyphens=False)

    def prose(self, prose: Prose, indent: str) -> Iterator[str]:
        """Yield a sentence."""
        text = self.words(prose)
        if text:
            yield from wrap(
                text,
                self.width,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
            )

    def words(self, prose: Prose) -> str:
        """Return prose with its formulas."""
        return "".join(
            self.write.math(part)
            if isinstance(part, Math)
            else f"({part.number})"
            if isinstance(part, Label)
            else part
            for part in prose
        )

    def block(self, block: object) -> Iterator[str]:
        """Yield the lines of a block."""
        match block:
            case Line():
                yield from self.line(block)
            case Grid():
                yield from self.grid(block)
            case Note():
                yield from self.prose(block.prose, "  ")
            case Tree():
                yield from self.tree(block.root, "", "")

    # -- equations ---------------------------------------------------------------------------

    def line(self, line: Line) -> Iterator[str]:
        """Yield equations with their number at the right margin."""
        texts = [self.write.equation(equation.sides) for equation in line.equations]
        number = f"({line.number})"
        note = f"    # {line.note}" if line.note else ""
        room = self.width - len(number) - 1
        whole = _INDENT + _TOGETHER.join(texts)
        if len(whole) + len(note) <= room:
            lines = [whole + note]
        elif len(whole) <= room:
            lines = [whole]
        else:
            lines = [line for text in _packed(texts, room) for line in break_equation(text, room)]
        *first, last = lines
        yield from first
        yield f"{last:<{self.width - len(number)}}{number}"

    def grid(self, grid: Grid) -> Iterator[str]:
        """Yield a matrix with its labels."""
        labels = [self.label(x) for x in grid.rows]
        heads = [self.label(x) for x in grid.columns]
        texts = [[self.write.node(x) for x in row] for row in grid.entries]
        widths = [
            max([len(row[j]) for row in texts] + ([len(heads[j])] if heads else []))
            for j in range(len(texts[0]))
        ]
        left = max([len(x) for x in labels] + [len(grid.name) + 2])
        above = "  ".join(f"{h:<{w}}" for h, w in zip(heads, widths, strict=False))
        drawn = [f"{_MORE}{grid.name + ' →':<{left}}   {above}".rstrip()]
        for label, row in zip(labels, texts, strict=True):
            inside = "  ".join(f"{t:<{w}}" for t, w in zip(row, widths, strict=True))
            drawn.append(f"{_MORE}{label:<{left}} [ {inside} ]")
        if max(map(len, drawn)) <= self.width:
            yield from drawn
            return
        for i, row in enumerate(texts):
            for j, text in enumerate(row):
                if text != "0":
                    place = f"{labels[i]}, {heads[j]}" if heads else labels[i]
                    yield from break_equation(f"{grid.name}[{place}] = {text}", self.width)

    def label(self, label: Node | str) -> str:
        """Return what a row or a column belongs to."""
        return label if isinstance(label, str) else self.write.node(label)

    def tree(self, node: TreeNode, before: str, after: str) -> Iterator[str]:
        """Yield a tree, a line a node."""
        text = f"{before}{node.name}"
        words = self.words(node.content)
        yield from wrap(
            f"{_MORE}{text}{'   ' + words if words else ''}",
            self.width,
            subsequent_indent=f"{_MORE}{after}    ",
            drop_whitespace=True,
            break_on_hyphens=False,
            replace_whitespace=False,
            expand_tabs=False,
        )
        for k, child in enumerate(node.children):
            is_last = k == len(node.children) - 1
            mark, below = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
            yield from self.tree(child, after + mark, after + below)


def _packed(texts: Sequence[str], room: int) -> list[str]:
    """Return equations side by side as far as they fit, with a mark where more follow."""
    packed: list[str] = []
    for text in texts:
        joined = f"{packed[-1]}{_TOGETHER}{text}" if packed else text
        if packed and len(_INDENT) + len(joined) < room:
            packed[-1] = joined
        else:
            packed.append(text)
    mark = _TOGETHER.rstrip()
    return [text + (mark if k < len(packed) - 1 else "") for k, text in enumerate(packed)]


def break_equation(text: str, room: int) -> list[str]:
    """Return an equation on lines that fit, broken where few brackets are open.

    Breaks are in front of signs, equality signs and slashes, and behind the commas of vectors.
    """
    breaks = _breaks(text)
    lines: list[str] = []
    indent, start = _INDENT, 0
    while len(indent) + len(text) - start > room:
        fitting = [b for b in breaks if start < b[0] <= start + room - len(indent)]
        late = [b for b in fitting if b[0] > start + room // 3] or fitting
        if not late:
            late = [b for b in breaks if b[0] > start][:1]
        if not late:
            break
        end = min(late, key=lambda each: (each[1], -each[0]))[0]
        lines.append(indent + text[start:end].rstrip())
        indent, start = _MORE, end + (text[end] == " ")
    lines.append(indent + text[start:])
    return lines


def _breaks(text: str) -> list[tuple[int, float]]:
    """Return where an equation can be broken, with the number of brackets that are open there."""
    found: list[tuple[int, float]] = []
    opened: list[str] = []
    for k, character in enumerate(text):
        if character in "([":
            opened.append(character)
        elif character in ")]" and opened:
            opened.pop()
        if k and (text[k : k + 3] in {" + ", " - ", " = "} or text[k : k + 2] == "/("):
            found.append((k, float(len(opened))))
        elif text[max(k - 2, 0) : k] == ", " and opened == ["["]:
            found.append((k, 0.5))
    return found
