"""Declared variables of order 2 and more, by the definitions and invariants that determine them.

A quasi-acceleration `a` is tied to the motion by an equation of its own order, which is solved
for it (Orsino's thesis, (2.6) and (2.7), one order up). Once it is replaced by what it
stands for, the system is one of coordinates and speeds, as every analysis takes it; forms that have
variables of any order take the equations as they are written, `System.written`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.expr.algebra.affine import NotAffineError, split
from mbx.expr.algebra.elimination import vanishes
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import mul, neg
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO
from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols, ordered
from mbx.system.kinematics.solve_rates import grouped, independent
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Effective, Generalized, Quasi, Written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.expr.nodes import Node
    from mbx.system.symbol_names import Rates
    from mbx.system.system import Row, Variable
    from mbx.system.system_loads import Loads

__all__ = ["Reduced", "settle"]

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
