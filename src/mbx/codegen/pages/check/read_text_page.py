"""The mathematics of a page, read back from its text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
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
    ReadPage,
    Sum,
    Term,
    Total,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lark import Lark

__all__ = ["parse_term", "read_text_page"]

_GRAMMAR: Final = r"""
    start: sum
    ?inside: compared (JOIN compared)* -> join
    ?compared: sum
        | sum COMPARE sum -> compare
        | NOT bracket -> negated
        | bracket "is" "not" "zero" -> nonzero
    sum: signed (sign signed)*
    signed: MINUS? product
    sign: PLUS | MINUS
    product: power factor*
    factor: power -> times
        | "/" power -> over
        | "·" power -> dot
    ?power: atom | atom "^" exponent -> raised
    exponent: NUMBER | bracket
    ?atom: NUMBER -> number
        | NAME -> name
        | FUNCTION "(" sum ("," sum)* ")" -> call
        | bracket
        | "[" sum ("," sum)* "]" -> columns
        | PARTIAL -> partial
        | RATE (NAME | PARTIAL) -> total
        | "(" "if" inside "then" sum "else" sum ")" -> choice
    bracket: "(" inside ")"
    JOIN.9: /(and|or)\b/
    NOT.9: /not\b(?=\s*\()/
    COMPARE: "<=" | "<"
    PLUS: "+"
    MINUS: "-"
    NUMBER: /\d+(\.\d+)?(e[-+]?\d+)?/
    FUNCTION.8: /(FUNCTIONS)(?=\()/
    PARTIAL.9: /∂(NAME_TEXT)\/∂(NAME_TEXT)/
    RATE.9: /d\/dt(?=\s)/
    NAME.1: /NAME_TEXT/
    %ignore /[ \t]+/
"""
_FUNCTIONS: Final = "sin|cos|tan|sqrt|exp|log|abs|sign|asin|acos|atan2|atan|sinh|cosh|tanh|cross"
_NAME: Final = r"(?!(?:if|then|else|and|or|not|is|zero)\b)[^\W\d](?:[\w.*:]|\[[\w, ]+\])*'*"
_LINE: Final = re.compile(r"( {4,})(\S.*?)(?:\s+\((\d+)\))?\s*$")
_NOTE: Final = re.compile(r"\s{3,}# .*$")
_GRID_HEAD: Final = re.compile(r" {8}(\S+) →(.*)$")
_GRID_ROW: Final = re.compile(r" {8}(\S.*?)? *\[ (.*) \]\s*$")
_DRAWN: Final = re.compile("[≠→│├└]")


@cache
def _parser() -> Lark:
    from lark import Lark as Parser  # noqa: PLC0415  only where a page is read back

    grammar = _GRAMMAR.replace("NAME_TEXT", _NAME).replace("FUNCTIONS", _FUNCTIONS)
    return Parser(grammar, parser="lalr", maybe_placeholders=False)


def parse_term(text: str) -> Term:
    """Return the term that a text is."""
    from lark.exceptions import LarkError  # noqa: PLC0415  likewise

    try:
        tree = _parser().parse(text)
    except LarkError as error:
        raise EquationsError(f"'{text}' on the page cannot be read back") from error
    return _build(tree)


def _build(tree: Any) -> Term:
    """Return the term that a tree of the parser is."""
    if not hasattr(tree, "data"):
        return Word(str(tree))
    return _BUILDERS[str(tree.data)](tree.children)


def _sum(parts: Sequence[Any]) -> Term:
    terms = [_signed(parts[0])]
    for sign, each in zip(parts[1::2], parts[2::2], strict=True):
        value = _signed(each)
        terms.append(Negate(value) if sign.children[0] == "-" else value)
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def _exponent(parts: Sequence[Any]) -> Term:
    inside = parts[0]
    return _build(inside) if hasattr(inside, "data") else Number(float(inside))


def _call(parts: Sequence[Any]) -> Term:
    name, *args = parts
    if name == "cross":
        return Product(_build(args[0]), _build(args[1]), is_cross=True)
    return Apply(str(name), tuple(map(_build, args)))


def _rate(parts: Sequence[Any]) -> Term:
    text = str(parts[1])
    return Total(_derivative(text) if text.startswith("∂") else Word(text))


def _join(parts: Sequence[Any]) -> Term:
    if len(parts) == 1:
        return _build(parts[0])
    return Apply(str(parts[1]), tuple(_build(p) for p in parts[::2]))


_BUILDERS: Final[dict[str, Callable[[Sequence[Any]], Term]]] = {
    "start": lambda parts: _build(parts[0]),
    "bracket": lambda parts: _build(parts[0]),
    "sum": _sum,
    "number": lambda parts: Number(float(parts[0])),
    "name": lambda parts: Word(str(parts[0])),
    "raised": lambda parts: Power(_build(parts[0]), _build(parts[1])),
    "exponent": _exponent,
    "call": _call,
    "columns": lambda parts: Columns(tuple(map(_build, parts))),
    "partial": lambda parts: _derivative(str(parts[0])),
    "total": _rate,
    "choice": lambda parts: Choose(*map(_build, parts)),
    "compare": lambda parts: Compare(_build(parts[0]), str(parts[1]), _build(parts[2])),
    "join": _join,
    "negated": lambda parts: Apply("not", (_build(parts[1]),)),
    "nonzero": lambda parts: Apply("nonzero", (_build(parts[0]),)),
}
"""What each rule of the grammar stands for."""


def _signed(tree: Any) -> Term:
    *minus, product = tree.children
    value = _product(product.children)
    return Negate(value) if minus else value


def _product(parts: Sequence[Any]) -> Term:
    value = _build(parts[0])
    for part in parts[1:]:
        kind = str(part.data)
        if kind == "over":
            value = Divide(value, _build(part.children[0]))
        elif kind == "dot":
            value = Product(value, _build(part.children[0]))
        elif kind == "times":
            value = Multiply(value, _build(part.children[0]))
        else:
            value = Multiply(value, _build(part))
    return value


def _derivative(text: str) -> Derivative:
    of, by = text.removeprefix("∂").split("/∂")
    return Derivative(of, by)


# -- lines -----------------------------------------------------------------------------------


def read_text_page(text: str) -> ReadPage:
    """Return the equations and the matrices of a page."""
    lines = text.splitlines()
    equations = [
        ReadEquation(tuple(parse_term(side) for side in sides), whole, number)
        for whole, number, sides in _equations(lines)
    ]
    return ReadPage(tuple(equations), tuple(_grids(lines)))


def _equations(lines: Sequence[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the equations of a page: text, number and sides."""
    joined: list[list[Any]] = []
    for line in lines:
        found = _LINE.match(line)
        if found is None or _DRAWN.search(line) or _GRID_ROW.match(line):
            continue
        indent, body, number = found.groups()
        body = _NOTE.sub("", body)
        if len(indent) == 4:  # noqa: PLR2004  where equations begin
            joined.append([body, int(number or 0)])
        elif len(indent) == 8 and joined and not joined[-1][1]:  # noqa: PLR2004  and go on
            joined[-1][0] += f" {body}"
            joined[-1][1] = int(number or 0) or joined[-1][1]
    for body, number in joined:
        for each in re.split(r";\s+|;$", body):
            if " = " in each:
                yield each, number, [side.strip() for side in each.split(" = ")]


def _grids(lines: Sequence[str]) -> Iterator[ReadGrid]:
    """Yield the matrices of a page."""
    open_grid: tuple[str, tuple[str, ...]] | None = None
    rows: list[tuple[str, tuple[Term, ...]]] = []
    for line in [*lines, ""]:
        head, row = _GRID_HEAD.match(line), _GRID_ROW.match(line)
        if row is not None and open_grid is not None and head is None:
            label, inside = row.groups()
            entries = tuple(parse_term(x) for x in re.split(r"\s{2,}", inside.strip()))
            rows.append(((label or "").strip(), entries))
            continue
        if open_grid is not None and rows:
            name, columns = open_grid
            yield ReadGrid(name, tuple(r[0] for r in rows), columns, tuple(r[1] for r in rows))
        rows, open_grid = [], None
        if head is not None:
            open_grid = head[1], tuple(re.split(r"\s{2,}", head[2].strip())) if head[2] else ()
