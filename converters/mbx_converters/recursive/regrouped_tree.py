"""The tree as the fast forms see it: the ground accelerated against gravity, masses regrouped.

What hinges transmit is then not what the bodies of the model have to carry, so that these forms
report no reactions of the joints of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.nodes import ZERO, Node
from mbx.formalism.tree.named_closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_singular
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.base_parameters import regrouped
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.recursive.link_motion import weightless

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.matrix import Vector
    from mbx.formalism.named_program import NamedProgram
    from mbx.formalism.tree.named_closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.base_parameters import Mass
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties
    from mbx.system.system import System
    from mbx_converters.recursive.sweep_writer import Writer

__all__ = ["Grouped", "closed", "grouped", "hinge_loads", "link_loads"]


@dataclass(frozen=True, slots=True)
class Grouped:
    """A tree of links, what closes it, its masses, and the acceleration of the ground."""

    tree: Links
    levels: Levels
    closing: Ties
    masses: Sequence[Mass]
    ground: Vector


def grouped(system: System) -> Grouped:
    """Return the tree of a system."""
    light, ground = weightless(system)
    moving = motion.in_speeds(light)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_singular(tree)
    return Grouped(tree, levels, ties(tree, levels), regrouped(tree), ground)


def closed(
    program: NamedProgram,
    one: Grouped,
    loaded: Callable[[NamedProgram, str], str],
    response: Callable[[NamedProgram, str, str], str],
) -> tuple[Swept, dict[str, str]]:
    """Add ud, lam and Fc by sweeps, see `close_tree`; return what was swept, and the results."""
    levels = one.levels
    swept = close_tree(program, one.closing, levels, loaded, response)
    constrained = constraint_forces(program, levels, swept.lam)
    results = {"ud": swept.ud, **constrained}
    return swept, results


def link_loads(to: Writer, one: Grouped, h: str, mark: str = "") -> dict[int, list[Node]]:
    """Add the wrenches on those links that have some, from the loads h, by position."""
    found = {}
    for k, (link, six) in enumerate(zip(one.tree.links, one.closing.wrenches, strict=True)):
        if any(x is not ZERO for x in six):
            at = range(6 * k, 6 * k + 6)
            found[k] = to.rows(f"{mark}L_{k + 1}", h, at, six, f"loads on {link.path}")
    return found


def hinge_loads(to: Writer, one: Grouped, h: str) -> dict[int, list[Node]]:
    """Add the loads on the rates of each hinge that has some rates, by position."""
    start, found = 6 * len(one.tree.links), {}
    for k, link in enumerate(one.tree.links):
        if link.freedoms:
            at = range(start + link.first, start + link.first + link.freedoms)
            seen = [one.closing.h[i] for i in at]
            found[k] = to.rows(f"Q_{k + 1}", h, at, seen, f"loads on the hinge of {link.path}")
    return found
