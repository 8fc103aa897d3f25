"""Definitions solved for the rates: q' = N u + n, and what is left over.

The rules of chapter 2.12: definitions that are linear in rates and speeds are solved for the
rates, together with the rates of order-0 invariants where the definitions alone do not
suffice. What is left over, or is not linear, is an invariant of order 1.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import NoValueError
from mbx.expr.algebra.affine import NotAffineError, split
from mbx.expr.algebra.elimination import balanced, rounded_values
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import neg
from mbx.expr.walk import free_symbols, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import Row

__all__ = ["Solved", "grouped", "independent", "solve_rates", "solve_speeds", "somewhere"]

_TINY = 1e-9
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Solved:
    """The rates that definitions give, and what became of the rows."""

    qd: dict[Node, Node]
    left: tuple[Row, ...]
    closed: tuple[Row, ...]


def solve_rates(
    definitions: Sequence[Row],
    holonomic: Sequence[Row],
    rates: Sequence[Node],
    speeds: Sequence[Node],
    rate: Callable[[Sequence[Node]], list[Node]],
) -> Solved:
    """Solve definitions for the rates that are not kept."""
    linear: list[Row] = []
    left: list[Row] = []
    wanted = set(rates)
    for row in definitions:
        try:
            split([row.value], [*rates, *speeds])
        except NotAffineError:
            left.append(row)
        else:
            (linear if _named(row.value, wanted) else left).append(row)
    qd: dict[Node, Node] = {}
    closed: list[Row] = []
    for rows in grouped(linear, wanted):
        columns = [r for r in rates if any(r in _named(row.value, wanted) for row in rows)]
        helpers = [
            (row, value)
            for row in sorted(holonomic, key=_last)
            for value in rate([row.value])
            if _named(value, wanted) and _named(value, wanted) <= set(columns)
        ]
        solved, used, rest = _block(rows, columns, helpers)
        qd |= solved
        closed += used
        left += rest
    return Solved(qd, tuple(left), tuple(closed))


def solve_speeds(definitions: Sequence[Row], speeds: Sequence[Node]) -> dict[Node, Node]:
    """Return declared speeds in terms of the rates, where the definitions determine them."""
    wanted = set(speeds)
    rows = []
    for row in definitions:
        try:
            split([row.value], list(_named(row.value, wanted)))
        except NotAffineError:
            continue
        if _named(row.value, wanted):
            rows.append(row)
    values: dict[Node, Node] = {}
    for group in grouped(rows, wanted):
        columns = [s for s in speeds if any(s in _named(r.value, wanted) for r in group)]
        P, _ = split([row.value for row in group], columns)
        chosen, pivots = independent(P)
        if len(pivots) < len(columns):
            continue
        known, rest = split([group[i].value for i in chosen], columns)
        solution = solve_cramer(tuple(tuple(row) for row in known), tuple((neg(b),) for b in rest))
        values |= {s: solution[k][0] for k, s in enumerate(columns)}
    return values


def _last(row: Row) -> int:
    """Return how late a row is used to help: rows with a reaction come after rows without."""
    return ("norm", "invariant", "auxiliary", "loop").index(row.kind)


def _named(node: Node, wanted: set[Node]) -> set[Node]:
    return wanted.intersection(ordered([node]))


def grouped(rows: Sequence[Row], wanted: set[Node]) -> list[list[Row]]:
    """Return the rows in groups that share no rates."""
    groups: list[tuple[set[Node], list[Row]]] = []
    for row in rows:
        names = _named(row.value, wanted)
        together = [g for g in groups if g[0] & names]
        groups = [g for g in groups if not g[0] & names]
        for group in together:
            names |= group[0]
        members = [r for g in together for r in g[1]]
        groups.append((names, [*members, row]))
    order = {id(row): k for k, row in enumerate(rows)}
    return [sorted(g[1], key=lambda row: order[id(row)]) for g in groups]


def _block(
    rows: list[Row], columns: list[Node], helpers: list[tuple[Row, Node]]
) -> tuple[dict[Node, Node], list[Row], list[Row]]:
    """Solve one group of definitions; return rates, invariants used up, rows left over."""
    values = [row.value for row in rows] + [value for _, value in helpers]
    P, _ = split(values, columns)
    chosen, pivots = independent(P[: len(rows)])
    if len(pivots) < len(columns) and helpers:
        more, wider = independent(P)
        if len(wider) == len(columns):  # only together do they determine all of these rates
            chosen, pivots = more, wider
    inside = [columns[j] for j in pivots]
    # what is not determined stays a speed: P_in x + (P_out x_out + p) = 0
    known, rest = split([values[i] for i in chosen], inside)
    solution = solve_cramer(tuple(tuple(row) for row in known), tuple((neg(b),) for b in rest))
    qd = {x: solution[k][0] for k, x in enumerate(inside)}
    used = [helpers[i - len(rows)][0] for i in chosen if i >= len(rows)]
    left = [row for i, row in enumerate(rows) if i not in chosen]
    return qd, used, left


def somewhere(nodes: Sequence[Node]) -> list[float]:
    """Return the values of nodes at a point in general position where all of them have one."""
    generator = random.Random(20160101)  # noqa: S311  no secret
    symbols = free_symbols(nodes)
    for _ in range(_TRIES):
        point = {s: generator.uniform(0.35, 1.25) for s in symbols}
        try:
            return [float(x) for x in rounded_values(nodes, point)]
        except (ArithmeticError, ValueError):  # a root of what is negative there
            continue
    raise NoValueError("the definitions have values nowhere")


def independent(P: Sequence[Sequence[Node]]) -> tuple[list[int], list[int]]:
    """Return rows and columns of a largest regular block, found at a random point."""
    flat = [entry for row in P for entry in row]
    if not flat:
        return [], []
    numbers = iter(somewhere(flat))
    # units of rows and columns do not count
    matrix = balanced([[float(next(numbers)) for _ in row] for row in P])
    rows: list[int] = []
    columns: list[int] = []
    reduced: list[list[float]] = []
    for i, row in enumerate(matrix):
        rest = list(row)
        for basis, j in zip(reduced, columns, strict=True):
            factor = rest[j] / basis[j]
            rest = [a - factor * b for a, b in zip(rest, basis, strict=True)]
            rest[j] = 0.0  # its rounding would grow along a chain of definitions
        size = max(map(abs, row), default=0.0)
        best = max(range(len(rest)), key=lambda j: (abs(rest[j]) > _TINY * size, -j), default=None)
        if best is None or abs(rest[best]) <= _TINY * size or size == 0:
            continue
        rows.append(i)
        columns.append(best)
        reduced.append(rest)
    return rows, columns
