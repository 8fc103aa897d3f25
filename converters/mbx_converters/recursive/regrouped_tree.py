"""The tree as the fast forms see it: the ground accelerated against gravity, masses regrouped.

What hinges transmit is then not what the bodies of the model have to carry, so that these forms
report no reactions of the joints of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.nodes import ZERO
from mbx.formalism.tree.closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_singular
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.base_parameters import regrouped
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.recursive.link_motion import weightless

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.build import Vector
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.tree.closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.base_parameters import Mass
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties
    from mbx.system.system import System
    from mbx_converters.recursive.newton_euler_sweeps import ByLink

__all__ = ["Grouped", "close_grouped", "hinge_loads", "link_loads", "regroup"]


@dataclass(frozen=True, slots=True)
class Grouped:
    """A tree of links, what closes it, its masses, and the acceleration of the ground."""

    tree: Links
    levels: Levels
    closing: Ties
    masses: Sequence[Mass]
    ground: Vector


def regroup(system: System) -> Grouped:
    """Return the tree of a system."""
    light, ground = weightless(system)
    moving = motion.in_speeds(light)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_singular(tree)
    return Grouped(tree, levels, ties(tree, levels), regrouped(tree), ground)


def close_grouped(
    p: Program,
    grouped: Grouped,
    loaded: Callable[[Program, Matrix], Matrix],
    response: Callable[[Program, Matrix, str], Matrix],
) -> tuple[Swept, dict[str, Matrix]]:
    """Add ud, lam and Fc by sweeps, see `close_tree`; return what was swept, and the results."""
    swept = close_tree(p, grouped.closing, grouped.levels, loaded, response)
    return swept, {"ud": swept.ud, **constraint_forces(p, grouped.levels, swept.lam)}


def link_loads(p: Program, grouped: Grouped, h: Matrix) -> ByLink:
    """Return the wrenches L on those links that have some, from the loads h."""
    L: ByLink = {}
    for k, (link, six) in enumerate(zip(grouped.tree.links, grouped.closing.wrenches, strict=True)):
        if any(x is not ZERO for x in six):
            rows = h.rows(range(6 * k, 6 * k + 6))
            # a sweep before may have needed them
            L[k] = rows if rows.name else p.let(f"L_{k + 1}", rows, f"loads on {link.path}")
    return L


def hinge_loads(p: Program, grouped: Grouped, h: Matrix) -> ByLink:
    """Add the loads Q on the rates of each hinge that has some rates."""
    start = 6 * len(grouped.tree.links)
    Q: ByLink = {}
    for k, link in enumerate(grouped.tree.links):
        if link.freedoms:
            rows = h.rows(start + i for i in link.own)
            Q[k] = p.let(f"Q_{k + 1}", rows, f"loads on the hinge of {link.path}")
    return Q
