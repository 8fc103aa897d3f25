r"""The mathematics of a page in LaTeX, read back: every `\label` of an `align`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.codegen.pages.check.page_syntax import ReadPage
from pages_read import (
    FUNCTIONS,
    Cases,
    Frac,
    Func,
    Item,
    Mark,
    Name,
    Num,
    Rate,
    Root,
    Sup,
    inverse,
    read_equations,
    read_grid,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.codegen.pages.check.page_syntax import ReadEquation, ReadGrid

__all__ = ["read_latex_items", "read_latex_page"]

_GRID: Final = re.compile(
    r"\\\[\n(.*?) = \\begin\{array\}\{r\|c*\}\n(.*?)\n\\end\{array\}", re.DOTALL
)
_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)(?: \\cdot 10\^\{(-?\d+)\})?")
_SKIPPED: Final = re.compile(r"\s+|\\[,;]|\\q?quad(?![a-z])|\\(?:bigg?[lr]|Bigg?[lr])(?![a-z])")
_COMMANDS: Final = {
    r"\cdot": "·",
    r"\times": "×",
    r"\partial": "∂",
    r"\le": "<=",
    r"\ne": "≠",
    r"\land": "∧",
    r"\lor": "\N{LOGICAL OR}",
    r"\lnot": "¬",
}
_BARS: Final = {r"\left|": "|(", r"\right|": "|)"}


def read_latex_page(text: str, names: Mapping[str, str]) -> ReadPage:
    """Return the numbered equations of a page; `names` by what is printed for them."""
    equations: list[ReadEquation] = []
    for inside in re.findall(r"\\begin\{align\}(.*?)\\end\{align\}", text, re.DOTALL):
        body = re.sub(r"\\notag|&(?=[^&]*?)", "", re.sub(r"\\\\\*?\n", "\n", inside))
        *lines, rest = re.split(r"\\label\{[^}]*?:(\d+)\}", body)
        assert not rest.strip()
        for line, number in zip(lines[::2], lines[1::2], strict=True):
            equations += read_equations(_Lexer(line, names).all(), int(number))
    return ReadPage(tuple(equations), tuple(_grids(text, names)))


def _grids(text: str, names: Mapping[str, str]) -> Iterator[ReadGrid]:
    """Yield the matrices with labels."""
    for name, body in _GRID.findall(text):
        rows = body.replace(r"\hline", "").split(r"\\")
        cells = [[read_latex_items(cell, names) for cell in row.split("&")] for row in rows]
        yield read_grid(read_latex_items(name, names), cells)


def read_latex_items(text: str, names: Mapping[str, str]) -> list[Item]:
    """Return the items of a formula."""
    return list(_Lexer(text, names).all())


class _Lexer:
    """Reads items from left to right."""

    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        self.text = text
        self.names = names
        self.order = inverse(names)
        self.at = 0

    def all(self) -> tuple[Item, ...]:
        items: list[Item] = []
        while self.at < len(self.text):
            item = self.item()
            if item is not None:
                items.append(item)
        return tuple(items)

    def ahead(self, text: str) -> bool:
        """Go on behind a text if it comes next."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def group(self) -> tuple[Item, ...]:
        """Return the items in braces."""
        assert self.ahead("{"), self.text[self.at :]
        depth, first = 1, self.at
        while depth:
            c = self.text[self.at]
            depth += (c == "{") - (c == "}")
            self.at += 1
        return _Lexer(self.text[first : self.at - 1], self.names).all()

    def item(self) -> Item | None:
        skipped = _SKIPPED.match(self.text, self.at)
        if skipped:
            self.at = skipped.end()
            return None
        for bar, mark in _BARS.items():
            if self.ahead(bar):
                return Mark(mark)
        if self.ahead(r"\frac{d}{d t}"):
            return Rate()
        if self.ahead(r"\begin{cases}"):
            inside = self.text[self.at : self.text.index(r"\end{cases}", self.at)]
            self.at += len(inside) + len(r"\end{cases}")
            yes, condition, no = re.split(r"& \\text\{if \}|\\\\|& \\text\{otherwise\}", inside)[:3]
            return Cases(*(_Lexer(part, self.names).all() for part in (yes, condition, no)))
        if self.ahead(r"\text"):
            end = self.text.index("}", self.at)
            self.at = end + 1
            return None
        for name in self.order:
            behind = self.text[self.at + len(name) : self.at + len(name) + 1]
            if self.text.startswith(name, self.at) and not (
                re.search(r"\\[A-Za-z]+$", name) and behind.isalpha()
            ):
                self.at += len(name)
                return Name(self.names[name])
        if self.ahead("^"):
            return Sup(self.group())
        if self.ahead(r"\frac"):
            return Frac(self.group(), self.group())
        if self.ahead(r"\sqrt"):
            return Root(self.group())
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return Num(float(f"{number[1]}e{number[2] or 0}"))
        word = re.compile(r"\\(?:left|right)(?=[(\[\])])").match(self.text, self.at)
        if word:
            self.at = word.end()
            return None
        command = re.compile(r"\\mathop\{\\mathrm\{(\w+)\}\}|\\([A-Za-z]+)").match(
            self.text, self.at
        )
        if command:
            self.at = command.end()
            function = command[1] or command[2]
            if function in FUNCTIONS:
                return Func(function)
            return Mark(_COMMANDS[f"\\{function}"])
        c = self.text[self.at]
        assert c in "+-=/,()[]<", self.text[self.at :]
        self.at += 1
        return Mark(c)
