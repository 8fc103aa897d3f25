"""Linear algebra of expressions: affine parts A x + b, common factors, ranks by elimination."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import NoValueError
from mbx.expr.build import mul, neg, power, sub, total
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate, free_symbols, ordered, substitute
from mbx.expr.nodes import ADD, FUNCTIONS, LESS, NUMBER, PRODUCT, SCALE, ZERO, Node, number_power

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


__all__ = [
    "NoPivotError",
    "NotAffineError",
    "balanced",
    "generic_rank",
    "is_symmetric",
    "rank",
    "rounded_values",
    "sample",
    "solve_general",
    "solve_symmetric",
    "split",
    "vanishes",
]


class NotAffineError(ValueError):
    """An expression is not affine in the symbols; `row` is its number."""

    def __init__(self, row: int) -> None:
        """Keep the row."""
        super().__init__(f"expression {row} is not affine")
        self.row = row


def split(
    nodes: Sequence[Node], symbols: Sequence[Node], *, symmetric: bool = False
) -> tuple[list[list[Node]], list[Node]]:
    """Return A and b with nodes = A symbols + b; raise `NotAffineError` if there are none.

    Of an A that is known to be `symmetric`, one half is derived and stands for both.
    """
    rows = jacobian(nodes, symbols, symmetric=symmetric)
    if _seen_affine(nodes, symbols):
        return rows, substitute(nodes, dict.fromkeys(symbols, ZERO))
    coefficients = [entry for row in rows for entry in row if entry.op is not NUMBER]
    moved = set(symbols)
    stepped: set[Node] = set()  # jumps have no slope that would show in the derivatives
    for node in ordered([*nodes, *coefficients]):
        if any(a in moved for a in node.args):
            moved.add(node)
            if node.op is LESS or node.value == "sign" or any(a in stepped for a in node.args):
                stepped.add(node)
    for k, row in enumerate(rows):
        if nodes[k] in stepped or not moved.isdisjoint(row):
            raise NotAffineError(k)
    return rows, substitute(nodes, dict.fromkeys(symbols, ZERO))


def _seen_affine(nodes: Sequence[Node], symbols: Sequence[Node]) -> bool:
    """Whether every operation on the symbols is a sum or a product with what is free of them."""
    moved = set(symbols)
    for node in ordered(nodes):
        args = node.args
        if not args:
            continue
        if node.op is ADD or node.op is SCALE:
            if not moved.isdisjoint(args):
                moved.add(node)
        elif node.op is PRODUCT:
            a, b = args
            if a in moved:
                if b in moved:
                    return False
                moved.add(node)
            elif b in moved:
                moved.add(node)
        elif not moved.isdisjoint(args):
            return False
    return True


Rows = list[list[Node]]
_FEW: Final = 2
"""Neighbours for whose few products it does not pay to change the order."""


class NoPivotError(ValueError):
    """Zeros stand such that nothing is left to divide by."""


def is_symmetric(A: Sequence[Sequence[Node]]) -> bool:
    """Return whether entries across the diagonal are the same expressions."""
    return all(A[i][j] is A[j][i] for i in range(len(A)) for j in range(i))


def solve_symmetric(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]]) -> Rows:
    """Return X with A X = B by L^T D L, no roots; of A the lower triangle is looked at.

    Of the unknowns that are left, the last whose diagonal entry is not zero goes first, so
    that constraints behind a mass matrix wait for it; or, where that entry is a number, another
    unknown with the same neighbours. A pivot costs one reciprocal.
    """
    n, width = len(A), range(len(B[0]) if B else 0)
    # the part of each row that is left, by column; entry (i, j) with j < i is in row i alone
    rows = [{j: A[i][j] for j in range(i + 1) if A[i][j] is not ZERO} for i in range(n)]
    touched: list[set[int]] = [set() for _ in range(n)]  # rows that may hold this column
    for i, row in enumerate(rows):
        for j in row:
            touched[j].add(i)
    X = [list(row) for row in B]
    done: list[tuple[int, list[tuple[int, Node]], Node]] = []
    left = list(range(n))
    while left:
        k = next((i for i in reversed(left) if i in rows[i]), None)
        if k is None:
            raise NoPivotError("every entry left on the diagonal is zero")
        k = _twin(rows, touched, k)
        left.remove(k)
        row, rows[k] = rows[k], {}
        inverse = power(row.pop(k), -1)
        below = [(i, rows[i].pop(k)) for i in touched[k] if k in rows[i]]
        neighbours = sorted([*row.items(), *below])
        factors = [(i, mul(a, inverse)) for i, a in neighbours]
        for position, (i, factor) in enumerate(factors):
            for j, a in neighbours[: position + 1]:
                touched[j].add(i)
                _subtract(rows[i], j, mul(factor, a))
            for c in width:
                if X[k][c] is not ZERO:
                    X[i][c] = sub(X[i][c], mul(factor, X[k][c]))
        done.append((k, factors, inverse))
    for k, factors, inverse in reversed(done):
        for c in width:
            parts = [mul(f, X[i][c]) for i, f in factors if X[i][c] is not ZERO]
            X[k][c] = total([mul(X[k][c], inverse), *map(neg, parts)])
    return X


def _twin(rows: Sequence[dict[int, Node]], touched: Sequence[set[int]], k: int) -> int:
    """Return the unknown to go first: instead of a numeric pivot, one with the same neighbours.

    A number is factored out of products. Next to entries without a factor that is a number, it
    would cost one more multiplication in each of them; and among unknowns with the same neighbours,
    any order leaves the same zeros.
    """
    near = _near(rows, touched, k)
    factored = any(a.op in {NUMBER, SCALE} for a in near.values())
    if rows[k][k].op is not NUMBER or len(near) <= _FEW or factored:
        return k
    for i in sorted(near, reverse=True):
        varies = i in rows[i] and rows[i][i].op is not NUMBER
        if varies and {*_near(rows, touched, i), i} == {*near, k}:
            return i
    return k


def _near(rows: Sequence[dict[int, Node]], touched: Sequence[set[int]], k: int) -> dict[int, Node]:
    """Return the entries that are left next to the diagonal in the row of an unknown."""
    above = {j: a for j, a in rows[k].items() if j != k}
    return above | {i: rows[i][k] for i in touched[k] if i != k and k in rows[i]}


def solve_general(A: Sequence[Sequence[Node]], B: Sequence[Sequence[Node]]) -> Rows:
    """Return X with A X = B by elimination of rows, from the last column to the first.

    The row of a pivot is that of the diagonal, and where it has a zero there, the one with the
    fewest entries.
    """
    n, width = len(A), range(len(B[0]) if B else 0)
    rows = [{j: a for j, a in enumerate(row) if a is not ZERO} for row in A]
    right = [list(row) for row in B]
    left = set(range(n))
    done: list[tuple[int, int, Node]] = []
    for k in reversed(range(n)):
        able = [i for i in left if k in rows[i]]
        if not able:
            raise NoPivotError(f"column {k + 1} has nothing but zeros left")
        p = min(able, key=lambda i: (i != k, len(rows[i]), i))
        left.remove(p)
        inverse = power(rows[p].pop(k), -1)
        for i in able:
            if i == p:
                continue
            factor = mul(rows[i].pop(k), inverse)
            for j, a in rows[p].items():
                _subtract(rows[i], j, mul(factor, a))
            for c in width:
                if right[p][c] is not ZERO:
                    right[i][c] = sub(right[i][c], mul(factor, right[p][c]))
        done.append((k, p, inverse))
    X: Rows = [[] for _ in range(n)]
    for k, p, inverse in reversed(done):
        X[k] = [
            mul(total([right[p][c], *(neg(mul(a, X[j][c])) for j, a in rows[p].items())]), inverse)
            for c in width
        ]
    return X


def _subtract(row: dict[int, Node], j: int, part: Node) -> None:
    """Take something away from an entry of a row; what is zero is no entry."""
    new = sub(row.get(j, ZERO), part)
    if new is ZERO:
        row.pop(j, None)
    else:
        row[j] = new


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
