"""Equations as one straight line: every entry of a result an expression of the symbols.

Matrices are multiplied, added and solved on the graph, where zeros and ones drop out and what
is equal is computed once. So the operations of a form can be counted, and code be written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
from mbx.expr.algebra.elimination import NoPivotError, is_symmetric, solve_general, solve_symmetric
from mbx.expr.build import function
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ZERO, Node, number
from mbx.formalism.program import entries_of
from mbx.formalism.shapes import Matrix, added, chain, needs, transposed, unit
from mbx.numerics.bounds import CLOSE, Point
from mbx.numerics.execute import ranked
from mbx.numerics.execute.execute import input_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Number
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.program import Step

__all__ = ["Unknown", "own_values", "straight_line"]

_IN_DOUBLES: Final = {
    "implicit": "its unknown is found by iteration",
    "pinv": "a Moore-Penrose inverse depends on a rank",
    "sqrtm": "a root of a matrix has no closed form",
    "nullspace": "a null space depends on a rank",
}


@dataclass(frozen=True, slots=True)
class Unknown:
    """The unknown of an implicit step: y with residual(y) = 0, written out but for y itself.

    `symbols` stand for y in the residual, and in all that comes after it.
    """

    symbols: tuple[Node, ...]
    start: tuple[Node, ...]
    residual: tuple[Node, ...]


def straight_line(
    equations: Equations,
    wanted: Iterable[str] = ("ud",),
    values: Mapping[Node, Number] | None = None,
    at: Mapping[Node, Any] | None = None,
    unknowns: list[Unknown] | None = None,
    also: Sequence[Mapping[Node, Any]] = (),
    close: float = CLOSE,
    doubts: list[Node] | None = None,
) -> dict[str, list[list[Node]]]:
    """Return wanted results as rows of expressions of t, q, u, inputs, parameters and givens.

    A result goes by its meaning, any other matrix by its name. `values` of symbols are put in
    before anything is multiplied. Rates that have a value are written out, so that only
    symbols from outside are left. A step that depends on a rank or on iteration raises an
    error that names it; so does a solution for which zeros leave no pivot.

    With values of all symbols `at` a regular state in general position, what depends on a rank
    is written out for the rank that it has there. What iterates is an error, unless there is a
    list of `unknowns`: it takes in what is to be iterated, in order, and results are then
    expressions of these symbols, too. They are the entries `NAME[k,1]` of their step.
    `also` are states at which pivots should not vanish either, such as the start, and `close` is
    the part by which solutions there may be off before pivots are chosen by their values.
    `doubts` take in conditions on which rows that were dropped at that state do not follow from
    the others at a state.
    """
    names = {one: equations.results.get(one, one) for one in wanted}
    steps = _leading_to(names.values(), equations.steps)
    known = _replaced(equations.signature, values or {})
    errors = partial(input_errors, equations.signature)
    point = None if at is None else Point(at, also, close, errors, doubts)
    found = _plain(steps, known)
    for step in steps:
        if step.op == "implicit" and unknowns is not None:
            found[step.name] = _sought(step, found, known, point, unknowns)
        elif step.name not in found:
            found[step.name] = _made(step, found, known, point)
    return {one: found[name].rows for one, name in names.items()}


def _made(
    step: Step, found: Mapping[str, Matrix], known: Mapping[Node, Node], at: Point | None
) -> Matrix:
    try:
        return _written(step, found, known, at)
    except (ArithmeticError, ValueError) as error:
        raise _refused(step, str(error)) from error


def _sought(
    step: Step,
    found: Mapping[str, Matrix],
    known: Mapping[Node, Node],
    at: Point | None,
    unknowns: list[Unknown],
) -> Matrix:
    """Return symbols for the unknown of an implicit step, and take in what it must make zero."""
    (given,) = (inner for inner in step.steps if inner.name == step.unknown)
    n = given.size[0] if given.size is not None else len(given.entries)
    y = entries_of(step.name, n)
    inner = {**found, step.unknown: Matrix([list(row) for row in y], 1)}
    own = dict(known)
    for old, new in zip(given.entries, y, strict=bool(given.entries)):
        own[old[0]] = new[0]
    for each in step.steps:
        if each.name != step.unknown:
            inner[each.name] = _made(each, inner, own, at)
    start = found[step.args[0]].rows if step.args else [[ZERO]] * n
    residual = inner[step.residual].rows
    columns = (tuple(row[0] for row in rows) for rows in (y, start, residual))
    unknowns.append(Unknown(*columns))
    return Matrix([list(row) for row in y], 1)


def own_values(
    signature: Signature, said: Mapping[Node, Number] | None = None
) -> dict[Node, Number]:
    """Return the numbers of the parameters that have one of their own, exact where written so.

    What is `said` of some of them comes first, and what is made of these follows.
    """
    found = {node: number(value) for node, value in (said or {}).items()}
    parameters = [one for one in signature.parameters if one.symbol not in found]
    pending = [(one.symbol, one.value) for one in parameters if one.value is not None]
    while pending:
        values = substitute([value for _, value in pending], found)
        new = {s: v for (s, _), v in zip(pending, values, strict=True) if v.op is NUMBER}
        if not new:
            break
        found |= new
        pending = [pair for pair in pending if pair[0] not in found]
    return {node: value.value for node, value in found.items()}


def _leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    names, kept = set(wanted), []
    missing = names - {step.name for step in steps}
    if missing:
        raise EquationsError(f"there is no result and no matrix '{min(missing)}'")
    for step in reversed(steps):
        if step.name in names:
            names |= needs(step)
            kept.append(step)
    return kept[::-1]


def _refused(step: Step, why: str) -> EquationsError:
    return EquationsError(
        f"'{step.name}' ({step.op}) cannot be written out as a straight line: {why}"
    )


def _replaced(signature: Signature, values: Mapping[Node, Number]) -> dict[Node, Node]:
    """Return what stands in the place of symbols: numbers, and the values of rates."""
    found = {node: number(value) for node, value in values.items()}
    for one in signature.derived:
        if one.value is not None and one.symbol not in found:
            (found[one.symbol],) = substitute([one.value], found)
    return found


def _plain(steps: Sequence[Step], known: Mapping[Node, Node]) -> dict[str, Matrix]:
    """Return the matrices of expressions without arguments, all at once, for they share parts."""
    plain = [step for step in steps if step.op == "define" and not step.args]
    try:
        entries = iter(substitute([n for s in plain for row in s.entries for n in row], known))
    except (ArithmeticError, ValueError):
        return {}  # one after the other, the step at fault is found
    return {
        step.name: Matrix([[next(entries) for _ in row] for row in step.entries], _columns(step))
        for step in plain
    }


def _columns(step: Step) -> int:
    if step.size is not None:
        return step.size[1]
    return len(step.entries[0]) if step.entries else len(step.column_labels)


def _written(
    step: Step, found: Mapping[str, Matrix], known: Mapping[Node, Node], at: Point | None
) -> Matrix:
    """Return what a step makes of the matrices before it."""
    args = [found[name] for name in step.args]
    match step.op:
        case "define":
            return _defined(step, args, known)
        case "given" if step.size is not None:
            symbols = step.entries or entries_of(step.name, *step.size)
            return Matrix([list(row) for row in symbols], step.size[1])
        case "identity" if step.size is not None:
            return unit(step.size[0])
        case "product":
            return chain(args)
        case "sum":
            return added(step.signs or (1,) * len(args), args)
        case "transpose":
            return transposed(args[0])
        case "absolute":
            rows = [[function("abs", node) for node in row] for row in args[0].rows]
            return Matrix(rows, args[0].columns)
        case "block":
            return _block(step, found)
        case "rows":
            return Matrix([args[0].rows[k] for k in step.indices or ()], args[0].columns)
        case "solve":
            return _solved(step, args[0], args[1], at)
        case "nullspace" if args[0].is_zero and len(step.indices or ()) in {0, args[0].columns}:
            return unit(args[0].columns)  # nothing is constrained
        case "pinv" if args[0].is_zero:
            return transposed(args[0])
        case "nullspace" if at is not None:
            return ranked.null_space_at(step, args[0], at)
        case "pinv" if at is not None:
            return ranked.inverse_at(args[0], at)
    raise ValueError(_IN_DOUBLES[step.op])


def _defined(step: Step, args: Sequence[Matrix], known: Mapping[Node, Node]) -> Matrix:
    entries = [node for row in step.entries for node in row]
    own = dict(zip(step.symbols, (n for a in args for row in a.rows for n in row), strict=True))
    for node in free_symbols(entries):
        if node not in own and node in known:
            own[node] = known[node]
    new = iter(substitute(entries, own))
    return Matrix([[next(new) for _ in row] for row in step.entries], _columns(step))


def _block(step: Step, found: Mapping[str, Matrix]) -> Matrix:
    heights = [next(len(found[n].rows) for n in row if n is not None) for row in step.grid]
    turned = zip(*step.grid, strict=True)
    widths = [next(found[n].columns for n in column if n is not None) for column in turned]
    rows: list[list[Node]] = []
    for names, height in zip(step.grid, heights, strict=True):
        for i in range(height):
            parts = zip(names, widths, strict=True)
            rows.append([x for n, w in parts for x in (found[n].rows[i] if n else [ZERO] * w)])
    return Matrix(rows, sum(widths))


def _solved(step: Step, A: Matrix, B: Matrix, at: Point | None) -> Matrix:
    """Return the solution of linear equations.

    Least squares are a plain solution where the matrix is square and all unknowns must be
    unique: it is then regular wherever the step has a result.
    """
    if at is not None and step.kind == "least_squares":
        return ranked.least_squares_at(step, A, B, at)
    if step.kind == "least_squares" and (len(A.rows) != A.columns or step.unique != A.columns):
        raise ValueError("least squares depend on a rank")
    symmetric = step.kind in {"symmetric", "positive"} or is_symmetric(A.rows)
    if at is not None:
        return ranked.solved_at(A, B, at, symmetric=symmetric)
    solve = solve_symmetric if symmetric else solve_general
    try:
        return Matrix(solve(A.rows, B.rows), B.columns)
    except NoPivotError as error:
        raise ValueError(f"no pivots: {error}") from error
