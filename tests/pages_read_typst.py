"""The mathematics of a page in Typst, read back: every block of an equation with its label."""

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

__all__ = ["read_typst_page"]

_BLOCK: Final = re.compile(r"^\$ ([^$]*?) \$ <[\w-]*?-(\d+)>$", re.DOTALL | re.MULTILINE)
_GRID: Final = re.compile(r"\$ ([^$]*?) = mat\(delim: #none, augment: [^\n]*\n([^$]*?)\) \$\]")
_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)(?: dot\.op 10\^\((-?\d+)\))?")
_LONE: Final = re.compile(r"(?:lr\(size: #2em, )?\\([()\[\]])(?:\))?")
_SKIPPED: Final = re.compile(r"\s+|&|\\\n|(?:quad|thin)(?!\w)|#h\(2em\)|\"\(.*?\)\"")
_WORDS: Final = {"dot.op": "·", "times": "×", "and": "∧", "or": "\N{LOGICAL OR}", "not": "¬"}


def read_typst_page(text: str, names: Mapping[str, str]) -> ReadPage:
    """Return the numbered equations of a page; `names` by what is printed for them."""
    equations: list[ReadEquation] = []
    for body, number in _BLOCK.findall(text):
        equations += read_equations(_Lexer(body, names).all(), int(number))
    return ReadPage(tuple(equations), tuple(_grids(text, names)))


def _grids(text: str, names: Mapping[str, str]) -> Iterator[ReadGrid]:
    """Yield the matrices with labels."""
    for name, body in _GRID.findall(text):
        table = []
        for row in body.split(";\n"):
            lexer = _Lexer(f"{row})", names)
            table.append(list(lexer.arguments()))
        yield read_grid(_Lexer(name, names).all(), table)


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

    def arguments(self) -> Iterator[tuple[Item, ...]]:
        """Yield the arguments in round brackets, up to the one that closes."""
        depth, first = 1, self.at
        while depth:
            c = self.text[self.at]
            depth += (c in "([") - (c in ")]")
            if (depth == 1 and c == ",") or depth == 0:
                yield _Lexer(self.text[first : self.at], self.names).all()
                first = self.at + 1
            self.at += 1

    def item(self) -> Item | None:
        skipped = _SKIPPED.match(self.text, self.at)
        if skipped:
            self.at = skipped.end()
            return None
        if self.ahead("frac(d, d t)"):
            return Rate()
        for name in self.order:
            if self._is_here(name):
                self.at += len(name)
                return Name(self.names[name])
        if self.ahead("^("):
            (inside,) = self.arguments()
            return Sup(inside)
        if self.ahead("frac("):
            return Frac(*self.arguments())
        if self.ahead("sqrt("):
            (inside,) = self.arguments()
            return Root(inside)
        if self.ahead("abs("):
            (inside,) = self.arguments()
            return Frac((Mark("|("), *inside, Mark("|)")), (Num(1.0),))
        if self.ahead("cases("):
            yes, no = self.arguments()
            at = yes.index(Name("if"))
            return Cases(yes[:at], yes[at + 1 :], no[:-1])
        lone = _LONE.match(self.text, self.at)
        if lone:
            self.at = lone.end()
            return Mark(lone[1])
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return Num(float(f"{number[1]}e{number[2] or 0}"))
        word = re.compile(r'op\("(\w+)"\)|"(if|otherwise)"|([a-z][a-z0-9]*(?:\.op)?)').match(
            self.text, self.at
        )
        if word:
            self.at = word.end()
            if word[2]:
                return Name(word[2])
            text = word[1] or word[3]
            return Func(text) if text in FUNCTIONS else Mark(_WORDS[text])
        for sign, mark in (("!=", "≠"), ("<=", "<="), ("\\/", "/")):
            if self.ahead(sign):
                return Mark(mark)
        c = self.text[self.at]
        assert c in "+-=/,()[]<∂", self.text[self.at :]
        self.at += 1
        return Mark(c)

    def _is_here(self, name: str) -> bool:
        behind = self.text[self.at + len(name) : self.at + len(name) + 1]
        is_word = name[-1].isalnum() and name[-1].isascii()
        return self.text.startswith(name, self.at) and not (is_word and behind.isalpha())
