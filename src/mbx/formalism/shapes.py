"""Whether names and sizes of a program fit; matrices of expressions without zeros and ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.expr.build import mul, neg, total
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step


__all__ = [
    "Matrix",
    "Shape",
    "added",
    "chain",
    "check",
    "needs",
    "product",
    "shape",
    "shape_of",
    "shapes",
    "transposed",
    "unit",
]

Shape = tuple[int | None, int | None]
"""Rows and columns; None depends on the rank of a matrix."""

_ANY: Final = 1_000_000
_ARITY: Final = {
    "define": (0, _ANY),
    "given": (0, 0),
    "identity": (0, 0),
    "product": (1, _ANY),
    "sum": (1, _ANY),
    "transpose": (1, 1),
    "absolute": (1, 1),
    "block": (0, 0),
    "rows": (1, 1),
    "solve": (2, 2),
    "pinv": (1, 1),
    "sqrtm": (1, 1),
    "nullspace": (1, 1),
    "implicit": (0, 1),
}


def needs(step: Step) -> set[str]:
    """Return the names of the matrices that a step is made of."""
    names = set(step.args) | {name for row in step.grid for name in row if name is not None}
    inner: set[str] = set()
    for each in step.steps:
        names |= needs(each) - inner
        inner.add(each.name)
    return names


def check(equations: Equations) -> None:
    """Raise an error unless steps, results and residuals fit together."""
    known = shapes(equations.steps)
    for meaning, name in equations.results.items():
        if name not in known:
            raise EquationsError(f"result '{meaning}' is '{name}', which no step makes")
    for residual in equations.residuals:
        inner = shapes(residual.steps, known)
        for name in (residual.value, residual.magnitude):
            if name not in inner:
                message = f"residual '{residual.name}' names '{name}', which no step makes"
                raise EquationsError(message)


def shapes(steps: Iterable[Step], known: Mapping[str, Shape] | None = None) -> dict[str, Shape]:
    """Return the shape of every matrix of a program, after those already known."""
    result = dict(known or {})
    local: set[str] = set()
    for step in steps:
        if step.name in local:
            raise EquationsError(f"two steps are called '{step.name}'")
        result[step.name] = shape(step, result)
        local.add(step.name)
    return result


def shape(step: Step, known: Mapping[str, Shape]) -> Shape:
    """Return the shape of the matrix of one step from those before it."""
    for name in needs(step):
        if name not in known:
            message = f"step '{step.name}' uses '{name}', which no step before it makes"
            raise EquationsError(message)
    try:
        return shape_of(step, known)
    except ValueError as error:
        raise EquationsError(f"step '{step.name}' ({step.op}): {error}") from error


def shape_of(step: Step, known: Mapping[str, Shape]) -> Shape:
    """Return the shape of the matrix of a step; raise ValueError if sizes do not fit."""
    args = [known[name] for name in step.args]
    least, most = _ARITY[step.op]
    if not least <= len(args) <= most:
        raise ValueError(f"{len(args)} is a wrong number of arguments")
    match step.op:
        case "define":
            _check_symbols(step, args)
            return _entries(step)
        case "given" | "identity":
            if step.size is None:
                raise ValueError("it has no size")
            return _entries(step) if step.entries else step.size
        case "product":
            for left, right in pairwise(args):
                _same(left[1], right[0])
            return args[0][0], args[-1][1]
        case "sum":
            if step.signs and len(step.signs) != len(args):
                raise ValueError("it needs one sign for each argument")
            return _common([rows for rows, _ in args]), _common([columns for _, columns in args])
        case "block":
            return _grid(step, known)
        case "solve":
            _same(args[0][0], args[1][0])
            if step.kind != "least_squares":
                _same(*args[0])
            return args[0][1], args[1][1]
        case "implicit":
            return _implicit(step, known)
    return _of_argument(step, *args[0])


def _check_symbols(step: Step, args: Sequence[Shape]) -> None:
    total = 0
    for rows, columns in args:
        if rows is None or columns is None:
            raise ValueError("the number of entries of an argument depends on a rank")
        total += rows * columns
    if len(step.symbols) != total:
        raise ValueError(f"{len(step.symbols)} symbols do not fit {total} entries")
    if len(set(step.symbols)) != total:
        raise ValueError("a symbol stands for two entries")


def _of_argument(step: Step, rows: int | None, columns: int | None) -> Shape:
    match step.op:
        case "transpose" | "pinv":
            return columns, rows
        case "rows":
            return len(_within(step.indices or (), rows)), columns
        case "nullspace":
            _within(step.indices or (), columns)
            return columns, None
        case "sqrtm":
            _same(rows, columns)
    return rows, columns


def _entries(step: Step) -> Shape:
    if not step.entries:
        return step.size or (0, len(step.column_labels))
    columns = len(step.entries[0])
    for row in step.entries:
        _same(len(row), columns)
    if step.size is not None and step.size != (len(step.entries), columns):
        raise ValueError("its size is not that of its entries")
    return len(step.entries), columns


def _same(size: int | None, other: int | None) -> None:
    if size is not None and other is not None and size != other:
        raise ValueError(f"{size} does not fit {other}")


def _within(indices: tuple[int, ...], size: int | None) -> tuple[int, ...]:
    if len(set(indices)) != len(indices):
        raise ValueError("an index stands twice")
    if any(k < 0 or (size is not None and k >= size) for k in indices):
        raise ValueError(f"an index is outside of {size}")
    return indices


def _grid(step: Step, known: Mapping[str, Shape]) -> Shape:
    if len({len(row) for row in step.grid}) != 1:
        raise ValueError("its rows have different lengths")
    heights = [_common([known[n][0] for n in row if n is not None]) for row in step.grid]
    columns = zip(*step.grid, strict=True)
    widths = [_common([known[n][1] for n in column if n is not None]) for column in columns]
    return _total(heights), _total(widths)


def _total(sizes: list[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _common(sizes: list[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    for size in known:
        _same(size, known[0])
    if not sizes:
        raise ValueError("a row or column of zero blocks has no size")
    return known[0] if known else None


def _implicit(step: Step, known: Mapping[str, Shape]) -> Shape:
    if any(inner.op == "implicit" for inner in step.steps):
        raise ValueError("an implicit step inside another")
    outer = {name: shape for name, shape in known.items() if name != step.unknown}
    inner = shapes(step.steps, outer)
    for name in (step.unknown, step.residual):
        if name not in inner:
            raise ValueError(f"its inner steps do not make '{name}'")
    size = inner[step.unknown]
    if size[1] != 1 or inner[step.residual] != size:
        raise ValueError("the unknown and the residual are no columns of one length")
    if step.args:
        _same(known[step.args[0]][0], size[0])
        _same(known[step.args[0]][1], 1)
    return size


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
