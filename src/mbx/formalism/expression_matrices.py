"""Matrices of expressions: products and sums where zeros and ones drop out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import mul, neg, total
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Matrix", "added", "chain", "product", "transposed", "unit"]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of expressions; without rows, the number of columns is still known."""

    rows: list[list[Node]]
    columns: int

    @property
    def is_zero(self) -> bool:
        """Whether nothing stands in it."""
        return all(node is ZERO for row in self.rows for node in row)

    def part(self, rows: Iterable[int], columns: Sequence[int]) -> Matrix:
        """Return some rows and columns."""
        return Matrix([[self.rows[i][j] for j in columns] for i in rows], len(columns))


def unit(n: int) -> Matrix:
    """Return the unit matrix."""
    return Matrix([[ONE if i == j else ZERO for j in range(n)] for i in range(n)], n)


def chain(args: Sequence[Matrix]) -> Matrix:
    """Return a product, begun at the end that is narrower."""
    if args[-1].columns < len(args[0].rows):
        result = args[-1]
        for left in reversed(args[:-1]):
            result = product(left, result)
        return result
    result = args[0]
    for right in args[1:]:
        result = product(result, right)
    return result


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = [
        [(k, row[j]) for k, row in enumerate(b.rows) if row[j] is not ZERO]
        for j in range(b.columns)
    ]
    rows = []
    for row in a.rows:
        parts = [[mul(row[k], x) for k, x in column if row[k] is not ZERO] for column in columns]
        rows.append([total(terms) if terms else ZERO for terms in parts])
    return Matrix(rows, b.columns)


def added(signs: Sequence[int], args: Sequence[Matrix]) -> Matrix:
    """Return a sum with signs."""
    rows = [
        [
            total([x if s > 0 else neg(x) for s, x in zip(signs, entry, strict=True)])
            for entry in zip(*lines, strict=True)
        ]
        for lines in zip(*(a.rows for a in args), strict=True)
    ]
    return Matrix(rows, args[0].columns)


def transposed(a: Matrix) -> Matrix:
    """Return the transpose."""
    return Matrix([[row[j] for row in a.rows] for j in range(a.columns)], len(a.rows))
