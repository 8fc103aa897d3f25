"""Coordinates whose rates are not free: definitions give the rates by fewer speeds than rates.

q' = N u + n allows all rates that the closed invariants Z q' = .. allow, where [N Z^T] has as
many independent rows as there are coordinates. A coordinate whose row depends on others has no
speed of its own, as the state of a controller, I' = ref - x, or y' = v sin(th) next to
x' = v cos(th). A form in the rates of the coordinates, each one free, would not see that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import ZERO
from mbx.expr.walk import free_symbols
from mbx.system.kinematics.solve_rates import independent

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.system.system import System, Variable

__all__ = ["moved_by_tied", "without_own_speed"]


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
