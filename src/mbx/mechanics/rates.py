"""Forms in the rates of the coordinates: how their accelerations and those of u belong together.

qdd = N ud + n,  ud = P qdd + p
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.linear import split
from mbx.expr.nodes import Node
from mbx.expr.walk import ordered
from mbx.mechanics.motion import in_rates, in_speeds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.system.system import System

__all__ = ["Change", "change", "uses_left_over"]


Change = tuple[list[list[Node]], list[Node], list[list[Node]], list[Node]]
"""N, n, P and p."""


def change(system: System) -> Change:
    """Return the change of accelerations between speeds and rates, both ways: N, n, P, p."""
    speeds, rates = in_speeds(system), in_rates(system)
    accelerations = [system.rates.direction[v.rate] for v in system.q]
    N, n = split(speeds.said(accelerations), speeds.ud)
    P, p = split(rates.said([v.rate for v in system.u]), rates.ud)
    return N, n, P, p


def uses_left_over(system: System) -> tuple[str, ...]:
    """Return the left-over definitions whose speeds something else in the system names."""
    left = [r for r in system.rows if r.kind == "definition"]
    if not left:
        return ()
    rates = {v.rate for v in system.q}
    declared = {v.symbol for v in system.u if v.base is None}
    used = set(ordered(list(_everything(system))))
    solved = {s for e in system.qd.values() for s in ordered([e])}
    found = []
    for row in left:
        own = {s for s in ordered([row.value]) if s in declared and s not in rates}
        if (own & used) - solved:
            found.append(row.path)
    return tuple(found)


def _everything(system: System) -> Iterable[Node]:
    for element in system.elements:
        yield from element.com.v
        yield from element.w_own or ()
    for row in system.rows:
        if row.kind != "definition":
            yield row.value
    for force in system.forces:
        yield from (*force.force, *force.torque)
    for load in system.generalized:
        yield from (load.value, load.on)
    for known in system.effective:
        yield from (known.value, known.on)
    for energy in system.dissipations:
        yield energy.value
