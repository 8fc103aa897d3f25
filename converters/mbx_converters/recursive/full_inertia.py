"""M z'' = Q - tau0 of a tree, with all of M in hand; tau0 is what the motion needs without z''."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import sub
from mbx_converters.recursive.newton_euler_sweeps import forces
from mbx_converters.recursive.regrouped_tree import close_grouped, link_loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.tree.closure import Swept
    from mbx_converters.recursive.newton_euler_sweeps import ByLink
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["close_with_inertia", "inertia"]


def inertia(p: Program, grouped: Grouped, M: Sequence[Sequence[Node]]) -> Matrix:
    """Add M."""
    p.begin("inertia of the tree")
    rates = grouped.closing.rates
    return p.define("M", M, "inertia of the tree", rows=rates, columns=rates)


def close_with_inertia(
    p: Program, grouped: Grouped, M: Matrix, a: ByLink, U: ByLink
) -> tuple[Swept, dict[str, Matrix]]:
    """Add z'' under loads from M, (a; wd) and U without z'', and close the tree."""
    rates = grouped.closing.rates

    def loaded(p: Program, h: Matrix) -> Matrix:
        if not rates:
            return p.let("z0", h.rows(()))
        tau0 = forces(p, grouped, a, U, link_loads(p, grouped, h))
        p.begin("equations of the tree")
        start = 6 * len(grouped.tree.links)
        Q = p.let("Q", h.rows(range(start, start + len(rates))), "loads on the rates")
        rest = [sub(q, x) for q, x in zip(p.elements(Q), tau0, strict=True)]
        meaning = "Q - tau0, the forces that are left for z''"
        right = p.column("rest", rest, meaning, rows=rates)
        return p.solve("z0", M, right, "positive", meaning="accelerations of the hinges")

    return close_grouped(p, grouped, loaded, lambda p, F, name: p.solve(name, M, F, "positive"))
