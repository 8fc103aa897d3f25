"""Definitions solved for the rates: q' = N u + n, and for variables of order 2 and more.

The rules of chapter 2.12: definitions that are linear in rates and speeds are solved for the rates,
together with the rates of order-0 invariants where the definitions alone do not suffice. What is
left over, or is not linear, is an invariant of order 1. A quasi-acceleration is tied to the motion
by an equation of its own order, which is solved for it (Orsino (2.6), (2.7), one order up).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from mbx.base.diagnostics import Report
from mbx.base.errors import NoValueError, SourceError
from mbx.expr.algebra.elimination import NotAffineError, balanced, rounded_values, split, vanishes
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import mul, neg
from mbx.expr.derivatives import gradient, jacobian
from mbx.expr.evaluate import free_symbols, ordered, substitute
from mbx.expr.nodes import ZERO
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Effective, Generalized, Quasi, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.expr.nodes import Node
    from mbx.system.symbol_names import Rates
    from mbx.system.system import Row, System, Variable
    from mbx.system.system_loads import Loads


__all__ = [
    "Reduced",
    "Solved",
    "grouped",
    "independent",
    "moved_by_tied",
    "settle",
    "solve_rates",
    "solve_speeds",
    "somewhere",
    "without_own_speed",
]


def without_own_speed(system: System) -> list[Variable]:
    """Return the coordinates whose rates definitions tie to other rates or to the state."""
    speeds = {v.symbol for v in system.u}
    if all(v.rate in speeds for v in system.q):
        return []
    N = jacobian([system.qd[v.rate] for v in system.q], [v.symbol for v in system.u])
    Z = jacobian([row.value for row in system.closed], [v.symbol for v in system.q])
    rows = [[*by, *(line[k] for line in Z)] for k, by in enumerate(N)]
    coordinates: list[Variable] = []
    for group in _groups(rows):
        free = {group[k] for k in independent([rows[i] for i in group])[0]}
        coordinates += [system.q[i] for i in group if i not in free]
    return sorted(coordinates, key=system.q.index)


def moved_by_tied(system: System) -> list[str]:
    """Return those of them whose rates move inertia: a quasi-velocity for each has a momentum."""
    twists = [
        x
        for element in system.elements
        for inertia, part in (
            (element.m not in (None, ZERO), element.com.v),
            (element.inertia is not None, element.w_local or ()),
        )
        if inertia
        for x in part
    ]
    named = set(free_symbols(twists))
    return [v.path for v in without_own_speed(system) if v.rate in named]


def _groups(rows: list[list[Node]]) -> list[list[int]]:
    """Return the rows in groups that share no columns."""
    groups: list[tuple[set[int], list[int]]] = []
    for i, row in enumerate(rows):
        columns = {j for j, x in enumerate(row) if x is not ZERO}
        joined = [g for g in groups if not columns.isdisjoint(g[0])]
        groups = [g for g in groups if columns.isdisjoint(g[0])]
        members = sorted(k for g in joined for k in g[1])
        groups.append((columns.union(*(g[0] for g in joined)), [*members, i]))
    return [members for _, members in groups]


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


_Load = TypeVar("_Load", Generalized, Effective)


@dataclass(frozen=True, slots=True)
class Reduced:
    """Rows and loads without the variables of a higher order, and what was written."""

    quasi: tuple[Quasi, ...]
    rows: list[Row]
    written: Written | None


@dataclass(slots=True)
class _Search:
    """The equations on the way, and what is known so far."""

    orders: Mapping[str, int]
    rates: Rates
    spans: Mapping[str, Span | None]
    report: Report
    known: dict[Node, Node]

    def order_of(self, symbol: Node) -> int:
        """Return the order of a variable or rate; -1 of anything else."""
        name: str = symbol.value
        base = name.rstrip("'")
        known = self.orders.get(base)
        return -1 if known is None else known + len(name) - len(base)

    def order(self, value: Node) -> int:
        """Return the highest order in an expression."""
        return max(map(self.order_of, free_symbols([value])), default=-1)

    def learn(self, symbol: Node, value: Node, highest: int) -> None:
        """Note what a variable is, and its rates up to an order."""
        while True:
            self.known[symbol] = value
            if self.order_of(symbol) >= highest:
                return
            symbol = self.rates.direction[symbol]
            (value,) = self.rates([value])

    def without(self, row: Row) -> Row:
        """Return a row in which what is known stands for itself."""
        (value,) = substitute([row.value], self.known)
        if value is row.value:
            return row
        if row.kind == "invariant" and vanishes(value):
            value = ZERO  # it repeats other equations
        highest = [s for s in free_symbols([value]) if self.order_of(s) == row.order]
        return replace(row, value=value, affine=_affine(value, highest))


def _affine(value: Node, symbols: Sequence[Node]) -> bool:
    try:
        split([value], symbols)
    except NotAffineError:
        return False
    return True


def settle(
    declared: Sequence[tuple[int, Variable]],
    rows: Sequence[Row],
    loads: Loads,
    rates: Rates,
    orders: Mapping[str, int],
    spans: Mapping[str, Span | None],
) -> Reduced:
    """Solve equations for declared variables, each with its order; put these into all the rest.

    Raises an error for every variable that nothing of its own order determines.
    """
    if not declared:
        return Reduced((), list(rows), None)
    search = _Search(orders, rates, spans, Report(), {})
    highest = max(order for order, _ in declared)
    highest = max(highest, *(row.order for row in rows), 2) + 1
    left = list(rows)
    ties: list[Row] = []
    for order in sorted({order for order, _ in declared}):
        left = [search.without(row) for row in left]
        wanted = [v for n, v in declared if n == order]
        solution, used = _solve(search, wanted, order, left)
        for symbol, value in solution.items():
            search.learn(symbol, value, highest)
        ties += [row for row in rows if any(row.path == x.path for x in used)]
        left = [row for row in left if all(row is not x for x in used)]
    left = [search.without(row) for row in left]
    by_path = {row.path: row for row in rows}
    if search.report.ok:
        changed = [row for row in left if row.value is not by_path[row.path].value]
        _refuse_lower(search, changed)
    if not search.report.ok:
        raise SourceError(search.report)
    quasi = tuple(Quasi(v, order, search.known[v.symbol]) for order, v in declared)
    written = Written(
        rows=tuple(by_path[row.path] for row in left),
        ties=tuple(ties),
        forces=tuple(loads.forces),
        generalized=tuple(loads.generalized),
        effective=tuple(loads.effective),
    )
    _put(loads, search, quasi)
    return Reduced(quasi, left, written)


def _solve(
    search: _Search, wanted: Sequence[Variable], order: int, rows: Sequence[Row]
) -> tuple[dict[Node, Node], list[Row]]:
    """Return the values of the variables of an order, and the equations that determine them."""
    symbols = {v.symbol for v in wanted}
    usable = []
    for row in rows:
        named = [s for s in free_symbols([row.value]) if s in symbols]
        plain = row.order == order and row.reaction is None
        if named and plain and _affine(row.value, named):
            usable.append(row)
    usable.sort(key=lambda row: row.kind != "definition")
    values: dict[Node, Node] = {}
    used: list[Row] = []
    for group in grouped(usable, symbols):
        columns = [v.symbol for v in wanted if v.symbol in ordered([r.value for r in group])]
        P, _ = split([row.value for row in group], columns)
        chosen, pivots = independent(P)
        if len(pivots) < len(columns):
            continue
        block, rest = split([group[i].value for i in chosen], columns)
        solution = solve_cramer(tuple(tuple(row) for row in block), tuple((neg(b),) for b in rest))
        values |= {s: solution[k][0] for k, s in enumerate(columns)}
        used += [group[i] for i in chosen]
    for v in wanted:
        if v.symbol not in values:
            _undetermined(search, v, order, rows)
        elif search.order(values[v.symbol]) < order:
            search.report.add(
                "MBX4047",
                f"the variable '{v.path}' is of order {order}, and what it stands for is not",
                search.spans.get(v.path),
                help="declare it with the order of what it stands for, or write it with let",
            )
    return values, used


def _undetermined(search: _Search, v: Variable, order: int, rows: Sequence[Row]) -> None:
    """Report a variable that nothing determines, and why what names it does not."""
    naming = [row for row in rows if v.symbol in ordered([row.value])]
    why = f"no definition or invariant of order {order} names it"
    for row in naming:
        if row.order != order:
            why = f"'{row.path}' is of order {row.order}"
        elif row.reaction is not None:
            why = f"'{row.path}' has a reaction, and what determines a variable has none"
        elif not _affine(row.value, [v.symbol]):
            why = f"'{row.path}' is not affine in it"
        else:
            why = "the equations that name it leave it open"
            break
    search.report.add(
        "MBX4046",
        f"nothing determines the variable '{v.path}' of order {order}: {why}",
        search.spans.get(v.path),
        help=f"write 'define {v.path} = ...' with rates of order {order}",
    )


def _refuse_lower(search: _Search, rows: Sequence[Row]) -> None:
    """Report equations that lose their order: nothing would keep them at the orders below."""
    for row in rows:
        order = search.order(row.value)
        if row.value is not ZERO and order < row.order:
            search.report.add(
                "MBX4047",
                f"'{row.path}' is written with order {row.order}, and with what its variables "
                f"stand for it is of order {order}",
                search.spans.get(row.path),
                help="write it without the declared variables that cancel",
            )


def _put(loads: Loads, search: _Search, quasi: Sequence[Quasi]) -> None:
    """Put what variables stand for into loads; a load on a variable acts on the rates behind it."""
    by_symbol = {variable.symbol: variable for variable in quasi}
    known = search.known
    loads.forces = [
        replace(x, force=_three(x.force, known), torque=_three(x.torque, known))
        for x in loads.forces
    ]
    loads.generalized = [y for x in loads.generalized for y in _on_rates(x, by_symbol, search)]
    loads.effective = [y for x in loads.effective for y in _on_rates(x, by_symbol, search)]


def _three(v: tuple[Node, Node, Node], known: Mapping[Node, Node]) -> tuple[Node, Node, Node]:
    a, b, c = substitute(v, known)
    return v if (a, b, c) == v else (a, b, c)


def _on_rates(load: _Load, by_symbol: Mapping[Node, Quasi], search: _Search) -> list[_Load]:
    """Return a load on a variable as loads on rates and speeds: e da = e (da/dx'') dx''."""
    (value,) = substitute([load.value], search.known)
    on = by_symbol.get(load.on)
    if on is None:
        return [load if value is load.value else replace(load, value=value)]
    highest = [s for s in free_symbols([on.value]) if search.order_of(s) == on.order]
    slopes = gradient(on.value, highest)
    loads = []
    for symbol, slope in zip(highest, slopes, strict=True):
        name: str = symbol.value
        base = name.rstrip("'")
        speed = rate_symbol(base, 1 - search.orders[base])
        loads.append(replace(load, on=speed, value=mul(value, slope)))
    return loads
