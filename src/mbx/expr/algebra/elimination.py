"""Numeric rank of symbolic matrices: their values at a random point, by elimination."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import NoValueError
from mbx.expr.constants import FUNCTIONS, number_power
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ZERO
from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.expr.nodes import Node

__all__ = ["balanced", "generic_rank", "rank", "rounded_values", "sample", "vanishes"]

_DRAWS: Final = 40
_NOISE: Final = 1e-9  # of the largest entry of its row and column; what rounding leaves is less
_ROUNDING: Final = 1e-12  # likewise of the terms of one entry


class _Sized:
    """A value, and the size of what its rounding is a part of: small against it is rounding.

    Sizes are to first order: a product has that of one factor times the value of the other.
    """

    __slots__ = ("size", "value")

    def __init__(self, value: Any, size: Any = None) -> None:
        self.value = value
        self.size = abs(value) if size is None else size

    def __add__(self, other: _Sized) -> _Sized:
        return _Sized(self.value + other.value, self.size + other.size)

    def __mul__(self, other: _Sized) -> _Sized:
        a, b = self.value, other.value
        return _Sized(a * b, abs(a) * other.size + self.size * abs(b))

    def __truediv__(self, other: _Sized) -> _Sized:
        a, b = self.value, other.rounded_value()
        return _Sized(a / b, (self.size + abs(a / b) * other.size) / abs(b))

    def __pow__(self, exponent: Any) -> _Sized:
        if isinstance(exponent, int):
            x = self.value if exponent > 0 else self.rounded_value()
            slope = abs(exponent * x ** (exponent - 1)) if exponent else 0
            return _Sized(x**exponent, max(slope * self.size, abs(x**exponent)))
        return _Sized(number_power(self.rounded_value(), exponent.value).value)

    def __lt__(self, other: _Sized) -> bool:
        return bool(self.value < other.value)

    def rounded_value(self) -> Any:
        """Return the value, and zero for what is rounding only."""
        rounding = isinstance(self.value, float) and abs(self.value) <= _ROUNDING * self.size
        return 0 if rounding else self.value


def _exact(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int) else value


def _on_sized(function: Callable[..., Any]) -> Callable[..., _Sized]:
    return lambda *args: _Sized(function(*(a.rounded_value() for a in args)))


def rounded_values(nodes: Sequence[Node], point: Mapping[Node, float]) -> list[Any]:
    """Return the values of nodes at a point, and zero for what is rounding only."""
    functions: dict[str, Callable[..., Any]] = {n: _on_sized(f) for n, f in FUNCTIONS.items()}
    functions |= {
        "less": lambda a, b: _Sized(int(a < b)),
        "select": lambda c, a, b: a if c.value else b,
    }
    known = {node: _Sized(value) for node, value in point.items()}
    sized = evaluate(nodes, known, functions, lambda value: _Sized(_exact(value)))
    return [value.rounded_value() for value in sized]


def sample(A: Sequence[Sequence[Node]], seed: int = 0) -> list[list[Any]]:
    """Return the values of a matrix where all its symbols are random."""
    entries = [entry for row in A for entry in row]
    symbols = free_symbols(entries)
    draw = Random(seed)  # noqa: S311  no secret
    for _ in range(_DRAWS):
        point = {s: draw.uniform(0.1, 0.9) for s in symbols}
        try:
            values = iter(rounded_values(entries, point))
        except (ArithmeticError, ValueError):  # a root or a logarithm of what is negative here
            continue
        return [[next(values) for _ in row] for row in A]
    raise NoValueError("the entries have no value at any random point tried")


def generic_rank(A: Sequence[Sequence[Node]], seed: int = 0) -> int:
    """Return the rank that a matrix has almost everywhere."""
    return max(rank(sample(A, seed)), rank(sample(A, seed + 1)))


def vanishes(node: Node) -> bool:
    """Return whether an expression is zero almost everywhere, up to rounding."""
    try:
        return node is ZERO or generic_rank([[node]]) == 0
    except ValueError:  # it has no value where it was tried
        return False


def rank(rows: list[list[Any]]) -> int:
    """Return the rank of a matrix of numbers, by elimination with full pivoting."""
    exact = all(isinstance(x, int | Fraction) for row in rows for x in row)
    least = 0 if exact else _NOISE
    rows = [[Fraction(x) for x in row] for row in rows] if exact else balanced(rows)
    for k in range(len(rows)):
        below = range(k, len(rows))
        columns = range(k, len(rows[0]))
        candidates = [(abs(rows[i][j]), i, j) for i in below for j in columns]
        size, i, j = max(candidates, default=(0, 0, 0))
        if size <= least:
            return k
        rows[k], rows[i] = rows[i], rows[k]
        for row in rows:
            row[k], row[j] = row[j], row[k]
        pivot = rows[k]
        for row in rows[k + 1 :]:
            ratio = row[k] / pivot[k]
            for m in columns:
                row[m] -= ratio * pivot[m]
    return len(rows)


def balanced(rows: Sequence[Sequence[Any]]) -> list[list[float]]:
    """Return the matrix with the largest entry of each row, then of each column, made 1."""
    scaled = [[float(x) / (max(map(abs, row)) or 1) for x in row] for row in rows]
    sizes = [max(map(abs, column)) or 1 for column in zip(*scaled, strict=True)]
    return [[x / size for x, size in zip(row, sizes, strict=True)] for row in scaled]
