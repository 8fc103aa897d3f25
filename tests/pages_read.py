"""Typeset formulas of a page, as items from left to right, read as terms that are evaluated.

A reader of a notation gives the items; what they mean is the same in all of them: factors that
stand next to each other are multiplied, from left to right, and `·` and `/` among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.pages.check.page_syntax import (
    Apply,
    Choose,
    Columns,
    Compare,
    Derivative,
    Divide,
    Multiply,
    Negate,
    Number,
    Power,
    Product,
    ReadEquation,
    ReadGrid,
    Sum,
    Term,
    Total,
    Word,
)
from mbx.codegen.pages.page_table import used_symbols
from mbx.formalism.page.page import Grid, Variation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.codegen.pages.breakable_notation import BreakableNotation
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page

__all__ = [
    "FUNCTIONS",
    "Cases",
    "Frac",
    "Func",
    "Item",
    "Mark",
    "Name",
    "Num",
    "Rate",
    "Root",
    "Sup",
    "inverse",
    "names_of",
    "read_equations",
    "read_grid",
]

FUNCTIONS: Final = {
    word.replace("arc", "a"): word.replace("arc", "a")
    for word in ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "sign", "atan2")
} | {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
"""What functions are called in terms, by what is printed."""


@dataclass(frozen=True)
class Name:
    """A symbol, by its name in the model or on the page."""

    text: str


@dataclass(frozen=True)
class Num:
    """A number."""

    value: float


@dataclass(frozen=True)
class Mark:
    """A sign, a bracket or a comma."""

    text: str


@dataclass(frozen=True)
class Frac:
    """What stands above and below a line."""

    above: tuple[Item, ...]
    below: tuple[Item, ...]


@dataclass(frozen=True)
class Rate:
    """d/dt."""


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: tuple[Item, ...]


@dataclass(frozen=True)
class Func:
    """The name of a function."""

    text: str


@dataclass(frozen=True)
class Sup:
    """What is raised behind another item."""

    inside: tuple[Item, ...]


@dataclass(frozen=True)
class Cases:
    """One thing if a condition holds, or another."""

    yes: tuple[Item, ...]
    condition: tuple[Item, ...]
    no: tuple[Item, ...]


Item = Name | Num | Mark | Frac | Rate | Root | Func | Sup | Cases


def names_of(equations: Equations, write: BreakableNotation) -> dict[str, str]:
    """Return the names of a page by what is printed for them; no two look alike."""
    page = equations.page
    assert page is not None
    texts = {*page.names, *used_symbols(page), *page.known, *_labels(page)}
    names = {write.symbol(text): text for text in sorted(texts)}
    assert len(names) == len(texts)
    changes = {k: v for k, v in page.operators.items() if isinstance(v, Variation)}
    return names | {write.name(text): f"δ{change.of.value}" for text, change in changes.items()}


def _labels(page: Page) -> Iterator[str]:
    """Yield the names of matrices and of their rows and columns."""
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Grid):
                yield block.name
                for label in (*block.rows, *block.columns):
                    yield label if isinstance(label, str) else str(label.value)


def read_grid(name: Sequence[Item], table: Sequence[Sequence[Sequence[Item]]]) -> ReadGrid:
    """Return a matrix by its cells; a first row whose first cell is empty has the labels."""
    head = () if table[0][0] else table[0][1:]
    body = table if table[0][0] else table[1:]
    entries = tuple(tuple(_Parser(cell).whole() for cell in row[1:]) for row in body)
    rows = tuple(_label(row[0]) for row in body)
    return ReadGrid(_label(name), rows, tuple(map(_label, head)), entries)


def _label(cell: Sequence[Item]) -> str:
    (name,) = cell
    assert isinstance(name, Name)
    return name.text


def read_equations(items: Sequence[Item], number: int) -> Iterator[ReadEquation]:
    """Yield the equations of a line: commas between them, equal sides in each."""
    for each in _split(items, ","):
        sides = tuple(_Parser(side).whole() for side in _split(each, "="))
        if len(sides) > 1:
            yield ReadEquation(sides, " ".join(map(str, each)), number)


def _split(items: Sequence[Item], sign: str) -> Iterator[list[Item]]:
    """Yield what stands between signs outside of brackets."""
    depth = 0
    part: list[Item] = []
    for item in items:
        text = item.text if isinstance(item, Mark) else ""
        depth += (text in {"(", "[", "|("}) - (text in {")", "]", "|)"})
        if depth == 0 and text == sign:
            yield part
            part = []
        else:
            part.append(item)
    assert depth == 0, items
    yield part


class _Parser:
    """Reads items from left to right."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = list(items)
        self.at = 0

    def whole(self) -> Term:
        """Return the term that all items are."""
        term = self.sum()
        assert self.at == len(self.items), (self.items, self.at)
        return term

    def mark(self, *texts: str) -> str:
        """Return the next sign if it is one of these, and go on."""
        item = self.items[self.at] if self.at < len(self.items) else None
        if isinstance(item, Mark) and item.text in texts:
            self.at += 1
            return item.text
        return ""

    def sum(self) -> Term:
        terms: list[Term] = []
        sign = self.mark("+", "-")
        while True:
            product = self.product()
            terms.append(Negate(product) if sign == "-" else product)
            sign = self.mark("+", "-")
            if not sign:
                return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def product(self) -> Term:
        value = self.power()
        while self.at < len(self.items):
            if self.mark("/"):
                value = Divide(value, self.power())
            elif self.mark("·"):
                value = Product(value, self.power())
            elif self.mark("×"):
                value = Product(value, self.power(), is_cross=True)
            elif isinstance(self.items[self.at], Mark) and not self._opens():
                break
            else:
                value = Multiply(value, self.power())
        return value

    def _opens(self) -> bool:
        item = self.items[self.at]
        return isinstance(item, Mark) and item.text in {"(", "[", "|("}

    def power(self) -> Term:
        base = self.atom()
        exponent = self.raised()
        return base if exponent is None else Power(base, exponent)

    def raised(self) -> Term | None:
        """Return what stands at the upper right."""
        item = self.items[self.at] if self.at < len(self.items) else None
        if isinstance(item, Sup):
            self.at += 1
            return _Parser(item.inside).whole()
        return None

    def atom(self) -> Term:
        item = self.items[self.at]
        self.at += 1
        match item:
            case Num():
                return Number(item.value)
            case Name():
                return Word(item.text)
            case Rate():
                inside = self.atom()
                assert isinstance(inside, Word | Derivative)
                return Total(inside)
            case Frac():
                return _fraction(item)
            case Root():
                return Apply("sqrt", (_Parser(item.inside).whole(),))
            case Func():
                exponent = self.raised()
                assert self.mark("(")
                call = Apply(FUNCTIONS[item.text], tuple(self.entries(")")))
                return call if exponent is None else Power(call, exponent)
            case Cases():
                yes, no = (_Parser(part).whole() for part in (item.yes, item.no))
                return Choose(_condition(item.condition), yes, no)
            case Mark(text="("):
                (inside,) = self.entries(")")
                return inside
            case Mark(text="["):
                return Columns(tuple(self.entries("]")))
            case Mark(text="|("):
                return Apply("abs", tuple(self.entries("|)")))
        raise AssertionError(item, self.items)

    def entries(self, end: str) -> list[Term]:
        """Return what stands between commas up to a bracket."""
        entries = [self.sum()]
        while self.mark(","):
            entries.append(self.sum())
        assert self.mark(end), self.items
        return entries


def _fraction(item: Frac) -> Term:
    first = item.above[0]
    if first == Mark("∂"):
        of, by = item.above[1:], item.below[1:]
        assert item.below[0] == first
        assert len(of) == len(by) == 1
        assert isinstance(of[0], Name)
        assert isinstance(by[0], Name)
        return Derivative(of[0].text, by[0].text)
    return Divide(_Parser(item.above).whole(), _Parser(item.below).whole())


def _condition(items: Sequence[Item]) -> Term:
    for word, function in (("\N{LOGICAL OR}", "or"), ("∧", "and")):
        parts = list(_split(items, word))
        if len(parts) > 1:
            return Apply(function, tuple(map(_condition, parts)))
    if items[0] == Mark("¬"):
        return Apply("not", (_condition(items[1:]),))
    for sign in ("<", "<="):
        parts = list(_split(items, sign))
        if len(parts) == 2:
            left, right = (_Parser(part).whole() for part in parts)
            return Compare(left, sign, right)
    parts = list(_split(items, "≠"))
    if len(parts) == 2:
        return Apply("nonzero", (_Parser(parts[0]).whole(),))
    assert items[0] == Mark("(")
    assert items[-1] == Mark(")")
    return _condition(items[1:-1])


def inverse(names: Mapping[str, str]) -> list[str]:
    """Return printed names, the longest first."""
    return sorted(names, key=len, reverse=True)
