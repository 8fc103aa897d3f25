"""A program without what says nothing: empty matrices, zeros, unit factors, unused steps.

A converter writes every form for systems with constraints. Without them a reader would meet
empty matrices and products with the unit matrix; here these go, and what is left means the
same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ONE, ZERO
from mbx.formalism.shapes import needs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

__all__ = ["IDENTITY", "ZEROS", "Reduced", "reduce"]

ZEROS = "0"
IDENTITY = "1"
"""What stands in the place of a name where a matrix is zero, or the unit matrix.

`1_3` is a unit matrix among blocks that do not tell its size.
"""


@dataclass(frozen=True, slots=True)
class Reduced:
    """Steps that are left, and what each name of the program has become.

    A name has become itself, another name, `ZEROS` or `IDENTITY`.
    """

    steps: tuple[Step, ...]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Known:
    """What became of a name: a step, or a zero or unit matrix; and its rows and columns."""

    name: str
    rows: int | None
    columns: int | None


def reduce(steps: Sequence[Step], wanted: Iterable[str]) -> Reduced:
    """Return the steps behind the wanted names that say something."""
    kept, known = _reduce(steps, {})
    names = {name: one.name for name, one in known.items()}
    roots = {names[name] for name in wanted}
    return Reduced(_used(kept, roots), names)


def _used(steps: Sequence[Step], wanted: set[str]) -> tuple[Step, ...]:
    """Return the steps that wanted names depend on."""
    used, left = [], set(wanted)
    for step in reversed(steps):
        if step.name in left:
            left |= needs(step)
            used.append(step)
    return tuple(reversed(used))


def _reduce(
    steps: Sequence[Step], outer: Mapping[str, _Known]
) -> tuple[list[Step], dict[str, _Known]]:
    known = dict(outer)
    by_name: dict[str, Step] = {}
    for step in steps:
        found = _become(step, known, by_name)
        if isinstance(found, _Known):
            known[step.name] = found
        else:
            new, rows, columns = found
            by_name[step.name] = new
            known[step.name] = _Known(step.name, rows, columns)
    return list(by_name.values()), known


_New = tuple["Step", int | None, int | None]


def _become(step: Step, known: Mapping[str, _Known], kept: Mapping[str, Step]) -> _Known | _New:
    args = [known[name] for name in step.args]
    match step.op:
        case "define":
            return _defined(*_seen(step, args, kept))
        case "given":
            rows, columns = step.size or (None, None)
            return step, rows, columns
        case "identity":
            n = step.size[0] if step.size else None
            return _Known(IDENTITY, n, n)
        case "product":
            return _product(step, args)
        case "sum":
            return _sum(step, args)
        case "block":
            return _block(step, known)
        case "rows":
            return _rows(step, args[0], known, kept)
        case "solve":
            matrix, right = args
            if right.name == ZEROS or _empty(right) or matrix.name == IDENTITY:
                return right if matrix.name == IDENTITY else _zeros(matrix.columns, right.columns)
            new = _with(step, args)
            lone = matrix.name in kept and kept[matrix.name].op == "define" and _square(matrix)
            if lone and step.kind == "least_squares":
                new = replace(new, kind="general")  # there are no rows beside the balance
            return new, matrix.columns, right.columns
        case "implicit":
            return _implicit(step, args, known)
    return _of_one(step, args[0])


def _of_one(step: Step, arg: _Known) -> _Known | _New:
    """Return what becomes of the transpose, an inverse, a root or a complement of a matrix."""
    zero = arg.name == ZEROS or _empty(arg)
    match step.op:
        case "nullspace" if zero:
            return _Known(IDENTITY, arg.columns, arg.columns)
        case "nullspace":
            return _with(step, [arg]), arg.columns, None
        case "transpose" | "pinv" if zero:
            return _zeros(arg.columns, arg.rows)
        case "transpose" | "pinv" if arg.name != IDENTITY:
            return _with(step, [arg]), arg.columns, arg.rows
    if zero or arg.name == IDENTITY:
        return arg
    return _with(step, [arg]), arg.rows, arg.columns


def _zeros(rows: int | None, columns: int | None) -> _Known:
    return _Known(ZEROS, rows, columns)


def _square(one: _Known) -> bool:
    return one.rows is not None and one.rows == one.columns


def _empty(one: _Known) -> bool:
    return 0 in (one.rows, one.columns)


def _with(step: Step, args: Sequence[_Known]) -> Step:
    return replace(step, args=tuple(one.name for one in args))


def _seen(
    step: Step, args: Sequence[_Known], kept: Mapping[str, Step]
) -> tuple[Step, list[_Known]]:
    """Return a matrix of expressions without arguments that it does not name, or that are seen.

    Entries that are numbers stand in the place of their symbols.
    """
    if any(one.rows is None or one.columns is None for one in args):
        return step, list(args)
    used = set(free_symbols(node for row in step.entries for node in row))
    numbers: dict[Node, Node] = {}
    left: list[tuple[_Known, tuple[Node, ...]]] = []
    first = 0
    for one in args:
        rows, columns = one.rows or 0, one.columns or 0
        symbols = step.symbols[first : first + rows * columns]
        first += rows * columns
        found = _numbers(one, kept)
        numbers |= {s: n for s, n in zip(symbols, found, strict=True) if n is not None}
        if any(s in used and s not in numbers for s in symbols):
            left.append((one, symbols))
    seen = {s: n for s, n in numbers.items() if s in used}
    new = replace(step, symbols=tuple(s for _, symbols in left for s in symbols))
    if seen:
        values = iter(substitute([node for row in step.entries for node in row], seen))
        new = replace(new, entries=tuple(tuple(next(values) for _ in r) for r in step.entries))
    return new, [one for one, _ in left]


def _numbers(one: _Known, kept: Mapping[str, Step]) -> list[Node | None]:
    """Return the entries of a matrix, row by row: those that are seen to be numbers."""
    rows, columns = range(one.rows or 0), range(one.columns or 0)
    if one.name == ZEROS:
        return [ZERO for _ in rows for _ in columns]
    if one.name == IDENTITY:
        return [ONE if i == j else ZERO for i in rows for j in columns]
    if one.name in kept and kept[one.name].op == "define":
        return [x if x.op is NUMBER else None for row in kept[one.name].entries for x in row]
    return [None for _ in rows for _ in columns]


def _defined(step: Step, args: Sequence[_Known]) -> _Known | _New:
    size = step.size or (len(step.entries), len(step.entries[0]) if step.entries else 0)
    entries = [node for row in step.entries for node in row]
    if all(node is ZERO for node in entries):
        return _zeros(*size)
    if size[0] == size[1] and all(
        node is (ONE if i == j else ZERO)
        for i, row in enumerate(step.entries)
        for j, node in enumerate(row)
    ):
        return _Known(IDENTITY, *size)
    return _with(step, args), *size


def _product(step: Step, args: Sequence[_Known]) -> _Known | _New:
    rows, columns = args[0].rows, args[-1].columns
    if any(one.name == ZEROS or _empty(one) for one in args):
        return _zeros(rows, columns)
    left = [one for one in args if one.name != IDENTITY]
    if len(left) <= 1:
        return left[0] if left else args[0]
    return _with(step, left), rows, columns


def _sum(step: Step, args: Sequence[_Known]) -> _Known | _New:
    signs = step.signs or (1,) * len(args)
    left = [(s, one) for s, one in zip(signs, args, strict=True) if one.name != ZEROS]
    if not left or _empty(args[0]):
        return args[0]
    if len(left) == 1 and left[0][0] == 1:
        return left[0][1]
    new = replace(_with(step, [one for _, one in left]), signs=tuple(s for s, _ in left))
    return new, args[0].rows, args[0].columns


def _block(step: Step, known: Mapping[str, _Known]) -> _Known | _New:
    grid = [[None if n is None else known[n] for n in row] for row in step.grid]
    grid = [row for row in grid if not any(one is not None and one.rows == 0 for one in row)]
    columns = [
        c for c in zip(*grid, strict=True) if not any(o is not None and o.columns == 0 for o in c)
    ]
    grid = [list(row) for row in zip(*columns, strict=True)]
    if not grid:
        return _zeros(0, 0)
    if len(grid) == 1 and len(grid[0]) == 1 and grid[0][0] is not None:
        return grid[0][0]
    heights = [next((o.rows for o in row if o is not None), None) for row in grid]
    widths = [next((o.columns for o in c if o is not None), None) for c in columns]
    names = tuple(
        tuple(_in_block(one, (*row, *column)) for one, column in zip(row, columns, strict=True))
        for row in grid
    )
    if not any(name for row in names for name in row):
        return _zeros(_total(heights), _total(widths))
    return replace(step, grid=names), _total(heights), _total(widths)


def _in_block(one: _Known | None, beside: Iterable[_Known | None]) -> str | None:
    """Return a block; a unit matrix says its size where nothing beside it does."""
    if one is None or one.name == ZEROS:
        return None
    sized = any(o is not None and o.name not in {ZEROS, IDENTITY} for o in beside)
    return one.name if sized or one.name != IDENTITY else f"{IDENTITY}_{one.rows}"


def _total(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _rows(
    step: Step, arg: _Known, known: Mapping[str, _Known], kept: Mapping[str, Step]
) -> _Known | _New:
    indices = step.indices or ()
    if arg.name == ZEROS or not indices:
        return _zeros(len(indices), arg.columns)
    if indices == tuple(range(arg.rows or -1)):
        return arg
    source = kept.get(arg.name)
    if source is not None and source.op == "define":  # its rows are seen: they are written here
        part = replace(
            source,
            name=step.name,
            meaning=step.meaning,
            symbol=step.symbol,
            part=step.part,
            entries=tuple(source.entries[k] for k in indices),
            row_labels=tuple(source.row_labels[k] for k in indices) if source.row_labels else (),
            size=(len(indices), len(source.entries[0])),
        )
        return _defined(*_seen(part, [known[name] for name in source.args], kept))
    return _with(step, [arg]), len(indices), arg.columns


def _implicit(step: Step, args: Sequence[_Known], known: Mapping[str, _Known]) -> _New:
    inner, inside = _reduce(step.steps, known)
    unknown = inside[step.unknown]
    residual = inside[step.residual].name
    steps = _used(inner, {residual, step.unknown})
    new = replace(_with(step, args), steps=steps, residual=residual)
    return new, unknown.rows, unknown.columns
