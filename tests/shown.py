"""A reader for the text of equations, which computes what it says.

Entries are expressions in the syntax of .mb files, the lines around them matrix algebra.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Group,
    Junction,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
)
from mbx.language.text.expression_rules import parse_expression
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.language.document.expressions import Expression

__all__ = ["Matrix", "Reader", "results_of"]

# -- expressions -----------------------------------------------------------------------------

FUNCTIONS: Final[dict[str, Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "log": np.log,
    "max": max,
    "min": min,
    "sign": np.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
SIGNS: Final[dict[str, Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def number(node: Expression, known: Mapping[str, float]) -> Any:
    """Return the value of an expression."""
    match node:
        case Number():
            return float(node.text)
        case Reference():
            return known[show(node)]
        case Call():
            return FUNCTIONS[node.function](*(number(a, known) for a in node.arguments))
        case Sum():
            return sum(number(e, known) * (1 if s == "+" else -1) for s, e in node.terms)
        case Product():
            factors = [number(e, known) ** (1 if s == "*" else -1) for s, e in node.factors]
            return reduce(lambda a, b: a * b, factors)
        case Negative():
            return -number(node.operand, known)
        case Group():
            return number(node.content, known)
        case Power():
            return number(node.base, known) ** number(node.exponent, known)
        case Comparison():
            return SIGNS[node.operator](number(node.left, known), number(node.right, known))
        case Junction():
            every = [bool(number(one, known)) for one in node.items]
            return all(every) if node.operator == "and" else any(every)
        case Not():
            return not number(node.operand, known)
        case Conditional():
            return number(node.yes if number(node.condition, known) else node.no, known)
    raise AssertionError(node)


# -- matrix algebra --------------------------------------------------------------------------

Matrix = Any  # an array; or 0 or 1, of any size
TOKEN: Final = re.compile(
    r"\s*([A-Za-z_]\w*\[[\d., ]+\]|[A-Za-z_]\w*\(?|\^T(?:\[[\d., ]+\])?|\d+(?:_\d+)?|[][();,+-])"
)


ENTRY: Final = re.compile(r"\b([A-Za-z]\w*)\[(\d+)(?:,(\d+))?\]")  # rows have a blank or dots


@dataclass
class Algebra:
    """Reads a line of matrix algebra from left to right."""

    known: Mapping[str, Matrix]
    shape: Sequence[int]
    tokens: list[str] = field(default_factory=list)

    def __call__(self, text: str) -> Matrix:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), text
        result = self.sum()
        assert not self.tokens, text
        return result

    def next(self, wanted: str) -> bool:
        found = self.tokens[:1] == [wanted]
        if found:
            del self.tokens[0]
        return found

    def sum(self) -> Matrix:
        terms = [(-1 if self.next("-") else 1, self.product())]
        while self.tokens and self.tokens[0] in {"+", "-"}:
            terms.append((1 if self.tokens.pop(0) == "+" else -1, self.product()))
        if len(terms) == 1:
            return terms[0][0] * terms[0][1]
        size = next(len(m) for _, m in terms if not isinstance(m, int))
        return sum(s * (np.eye(size) if isinstance(m, int) else m) for s, m in terms)

    def product(self) -> Matrix:
        factors = [self.factor()]
        while self.tokens and self.tokens[0] not in {"]", ")", ";", ",", "+", "-"}:
            factors.append(self.factor())
        return reduce(lambda a, b: a @ b, factors)

    def factor(self) -> Matrix:
        token = self.tokens.pop(0)
        if token == "[":
            result = self.block()
        elif token.endswith("("):
            result = MATRICES[token[:-1]](self.sum())
            assert self.next(")")
        elif token.endswith("]"):
            name, _, rows = token[:-1].partition("[")
            result = self.known[name][spans(rows)]
        elif token.startswith("1_"):
            result = np.eye(int(token[2:]))
        else:
            result = int(token) if token.isdigit() else self.known[token]
        if self.tokens and self.tokens[0].startswith("^T["):  # rows of a transpose
            return result.T[spans(self.tokens.pop(0)[3:-1])]
        return result.T if self.next("^T") else result

    def block(self) -> Matrix:
        rows: list[list[Matrix]] = [[self.sum()]]
        while not self.next("]"):
            if self.next(";"):
                rows.append([])
            else:
                assert self.next(",")
            rows[-1].append(self.sum())
        return joined(rows, self.shape)


def joined(rows: list[list[Matrix]], shape: Sequence[int]) -> Matrix:
    """Return a matrix of blocks: zeros and units are as large as what stands beside them."""
    heights = [next((len(m) for m in row if not isinstance(m, int)), None) for row in rows]
    columns = zip(*rows, strict=True)
    widths = [next((m.shape[1] for m in c if not isinstance(m, int)), None) for c in columns]
    h, w = filled(heights, shape[0]), filled(widths, shape[1])
    grid = [
        [np.eye(h[i], w[j]) * m if isinstance(m, int) else m for j, m in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    return np.block(grid)


def filled(sizes: Sequence[int | None], total: int) -> list[int]:
    """Return sizes; those that are not known are what is missing: of zeros, no matter which."""
    missing = total - sum(one for one in sizes if one is not None)
    found = []
    for one in sizes:
        found.append(missing if one is None else one)
        missing = 0 if one is None else missing
    return found


def spans(text: str) -> list[int]:
    """Return rows from 0 on of `1..3, 5`."""
    ends = [[int(n) for n in one.split("..")] for one in text.split(",")]
    return [k - 1 for one in ends for k in range(one[0], one[-1] + 1)]


def null(A: Matrix) -> Matrix:
    _, values, right = np.linalg.svd(A)
    rank = int((values > 1e-10 * values.max(initial=0.0)).sum())
    return right[rank:].T


def root(M: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(M)
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T


MATRICES: Final[dict[str, Any]] = {
    "": lambda inside: inside,
    "abs": np.abs,
    "nullspace": null,
    "pinv": lambda A: np.linalg.pinv(A, rcond=1e-10),
    "sqrt": root,
}

# -- the text --------------------------------------------------------------------------------


@dataclass
class Reader:
    """Computes what a text says.

    Attributes:
        known: Values of symbols and of named parts.
        labels: What the rows and columns of a listed matrix are called, and its size.
        shapes: Rows and columns of all matrices: some zero blocks are as large as is missing.
        solved: The unknowns of implicit steps: they are put in, and the residual is looked at.
    """

    known: dict[str, float]
    labels: Mapping[str, tuple[Sequence[str], Sequence[str]]]
    shapes: Mapping[str, Sequence[int]]
    solved: Mapping[str, Matrix]
    matrices: dict[str, Matrix] = field(default_factory=dict)

    def expression(self, text: str) -> float:
        known = dict(self.known)

        def entry(found: re.Match[str]) -> str:
            name, i, j = found.groups()
            if name not in self.matrices:
                return found[0]
            known[f"entry_{name}_{i}_{j or 1}"] = self.matrices[name][int(i) - 1, int(j or 1) - 1]
            return f"entry_{name}_{i}_{j or 1}"

        return float(number(parse_expression(ENTRY.sub(entry, text)), known))

    def algebra(self, text: str, name: str = "") -> Matrix:
        return Algebra(self.matrices, self.shapes.get(name, ()))(text)

    def read(self, lines: Sequence[str], indent: int) -> None:
        """Read lines in order; what is indented further belongs to the line before it."""
        for first, more in statements(lines, indent):
            if first in {"with", "rates"}:
                for line, rest in statements(more, indent + 2):
                    name, _, text = " ".join([line, *(one.strip() for one in rest)]).partition(
                        " = "
                    )
                    value = self.expression(text)
                    assert self.known.setdefault(name, value) == pytest.approx(value, rel=1e-9)
            elif first.startswith("find "):
                self.find(first, more, indent + 4)
            elif re.match(r"\w+ =$", first):
                self.matrices[first[:-2]] = self.drawn(more)
            elif ":" in first:
                self.listed(first, more, indent + 2)
            else:
                self.line(" ".join([first, *(one.strip() for one in more)]))

    def line(self, text: str) -> None:
        text = re.sub(r"\s+\((least squares|the matrix is).*\)$", "", text)
        if text.startswith("solve "):
            left, right = text.removeprefix("solve ").split(" = ")
            matrix, _, name = left.rpartition(" ")
            K, k = self.algebra(matrix), self.algebra(right)
            self.matrices[name] = np.linalg.pinv(K, rcond=1e-10) @ k
            return
        name, _, right = text.partition(" = ")
        right, _, rows = right.partition(", the unit matrix in rows ")
        entry = re.fullmatch(r"\[(.*)\]", right)
        try:
            assert entry is None or not ENTRY.search(right)
            value = self.algebra(right, name)
        except (AssertionError, KeyError, ValueError):
            assert entry is not None, text
            value = np.array([[self.expression(entry[1])]])
        if rows:
            value = value @ np.linalg.inv(value[spans(rows)])
        self.matrices[name] = value

    def drawn(self, lines: Sequence[str]) -> Matrix:
        rows = [re.fullmatch(r".*?\s\[ (.*?) *\]", line) for line in lines]
        assert all(rows[1:])
        cells = [re.split(r" {2,}", row[1]) for row in rows if row is not None]
        return np.array([[self.expression(cell) for cell in row] for row in cells])

    def listed(self, first: str, more: Sequence[str], indent: int) -> None:
        name, _, said = first.partition(":")
        rows, columns = self.labels[name]
        size = re.search(r"(\d+) by (\d+)", said)
        assert size is None or (len(rows), len(columns)) == tuple(int(n) for n in size.groups())
        matrix = np.full((len(rows), len(columns)), 0.0 if "zero" in said else np.nan)
        for line, rest in statements(more, indent):
            left, _, right = " ".join([line, *(one.strip() for one in rest)]).partition(" = ")
            place = left.removeprefix(f"{name}[").removesuffix("]").split(", ")
            i, j = rows.index(place[0]), columns.index(place[1]) if size else 0
            matrix[i, j] = self.expression(right)
            if "symmetric" in said:
                matrix[j, i] = matrix[i, j]
        assert not np.isnan(matrix).any(), name
        self.matrices[name] = matrix

    def find(self, first: str, more: Sequence[str], indent: int) -> None:
        found = re.fullmatch(r"find (\w+)(?: = \[(.*)\])? with (\w+) = 0, where", first)
        assert found is not None, first
        name, entries, residual = found.groups()
        value = self.solved[name].reshape(-1, 1)
        if entries:
            self.known |= dict(zip(entries.split("; "), value[:, 0], strict=True))
        outside = dict(self.matrices)
        self.matrices[name] = value
        self.read(more, indent)
        size = 1 + np.abs(value).max()
        assert np.abs(self.matrices[residual]).max() <= 1e-8 * size
        self.matrices = {**outside, name: value}


def statements(lines: Sequence[str], indent: int) -> Iterator[tuple[str, list[str]]]:
    """Yield lines that are indented that far, each with those below it that are further in."""
    first, more = "", list[str]()
    for line in lines:
        text = re.sub(r"(^|\s)\s*# .*", "", line).rstrip()
        if not text:
            continue
        if len(text) - len(text.lstrip()) == indent:
            if first:
                yield first, more
            first, more = text.strip(), []
        else:
            more.append(text)
    if first:
        yield first, more


def results_of(text: str, matrices: Mapping[str, Matrix]) -> Iterator[tuple[str, Matrix]]:
    """Yield the results that a text names."""
    section = text.partition("\nResults\n")[2].partition("\n\n")[0].split("\n")
    zero = [line for line in section if line.startswith("  zero or empty: ")]
    yield from ((key, 0) for line in zero for key in line.partition(": ")[2].split(", "))
    for first, more in statements([line for line in section if line not in zero], 2):
        key, _, said = " ".join([first, *(one.strip() for one in more)]).partition(" ")
        _, colon, name = said.rpartition(": ")
        yield key, 1 if name == "the unit matrix" else matrices[name if colon else key]
