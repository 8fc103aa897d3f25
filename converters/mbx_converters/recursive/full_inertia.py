"""M z'' = Q - tau0 of a tree, with all of M in hand; tau0 is what the motion needs without z''."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import sub
from mbx_converters.recursive.newton_euler_sweeps import forces
from mbx_converters.recursive.regrouped_tree import link_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram
    from mbx_converters.recursive.regrouped_tree import Grouped
    from mbx_converters.recursive.sweep_writer import Writer

__all__ = ["inertia", "loaded", "solved"]


def inertia(to: Writer, one: Grouped, M: Sequence[Sequence[Node]]) -> None:
    """Add M."""
    to.program.begin("inertia of the tree")
    rates = one.closing.rates
    to.program.derived("M", M, "inertia of the tree", rows=rates, columns=rates)


def loaded(to: Writer, one: Grouped, h: str) -> str:
    """Add z'' of the tree under loads h; the accelerations without z'' are there already."""
    p, rates = to.program, one.closing.rates
    if not rates:
        return p.rows("z0", h, ())
    tau0 = forces(to, one, link_loads(to, one, h))
    p.begin("equations of the tree")
    start = 6 * len(one.tree.links)
    at = range(start, start + len(rates))
    Q = to.rows("Q", h, at, one.closing.Q, "loads on the rates")
    rows = [[sub(q, x)] for q, x in zip(Q, tau0, strict=True)]
    p.derived("rest", rows, "Q - tau0, the forces that are left for z''", rows=rates)
    return solved(p, "rest", "z0", "accelerations of the hinges")


def solved(p: NamedProgram, right: str, name: str, meaning: str = "") -> str:
    """Add the solution of M x = right."""
    return p.solve(name, "M", right, "positive", meaning=meaning)
