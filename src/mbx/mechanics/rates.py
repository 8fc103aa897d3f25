"""Forms in the rates of the coordinates: how their accelerations and those of u belong together.

qdd = N ud + n,  ud = P qdd + p
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.algebra.blocks import matching
from mbx.expr.algebra.elimination import split
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import Node
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
    N, n = split(speeds.express(accelerations), speeds.ud)
    P, p = split(rates.express([v.rate for v in system.u]), rates.ud)
    return N, n, P, p


def uses_left_over(system: System) -> tuple[str, ...]:
    """Return why left-over definitions are more than names for what the rates give; () if not."""
    left = [r for r in system.rows if r.kind == "definition"]
    if not left:
        return ()
    rates = {v.rate for v in system.q}
    declared = {v.symbol for v in system.u if v.base is None} - rates
    solved = {s for e in system.qd.values() for s in ordered([e])}
    speeds_of = [
        [s for s in ordered([row.value]) if s in declared and s not in solved] for row in left
    ]
    named = list(dict.fromkeys(s for speeds in speeds_of for s in speeds))
    # each must name a speed that no other row names, and that no rate is made of
    alone = matching([[named.index(s) for s in speeds] for speeds in speeds_of])
    tying = [row.path for k, row in enumerate(left) if k not in alone]
    used = set(ordered(list(_everything(system))))
    beyond = [row.path for row, speeds in zip(left, speeds_of, strict=True) if used & set(speeds)]
    return (
        *(f"{path} ties the rates to each other" for path in tying),
        *(f"{path} is used beyond its definition" for path in beyond if path not in tying),
    )


def _everything(system: System) -> Iterable[Node]:
    for element in system.elements:
        yield from element.com.v
        yield from element.w_local or ()
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
