"""Loads that jump: signs and conditions in them, and what they are on both sides of a jump.

Coulomb friction has the sign of a speed. At a reversal that speed is zero, and the load has a
limit from either side; a model gives neither, since sign(0) = 0. A limit is had by putting what
stands for the sign on that side into the loads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.experiments.load_variants import loads_of, reaction_symbols
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered
from mbx.expr.show import show
from mbx.expr.switches import is_jump, on_side, surface_of
from mbx.formalism.builder import Program
from mbx.mechanics import motion
from mbx.numerics.execute.evaluate_equations import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.observe import Place
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Switch", "arguments_at", "switches_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Switch:
    """A sign or a condition in a load: it jumps where its argument is zero.

    Attributes:
        node: What jumps.
        argument: What it is the sign of, in raw symbols; of a < b it is b - a.
        loads: The loads that it is in.
    """

    node: Node
    argument: Node
    loads: tuple[str, ...]

    @property
    def name(self) -> str:
        """The argument as text."""
        return show(self.argument)

    def on(self, side: int) -> Node:
        """Return what stands for it on one side of the jump."""
        return on_side(self.node, side)


def switches_of(system: System, unknown: Sequence[str] = ()) -> list[Switch]:
    """Return what jumps in the loads with the motion; not with reactions, nor inputs sought."""
    apart = reaction_symbols(system)
    apart |= {one.symbol for one in system.inputs if one.path in unknown}
    fixed = {one.symbol for one in system.parameters}
    found: dict[Node, Switch] = {}
    for path, nodes in loads_of(system):
        for node in ordered(nodes):
            if not is_jump(node):
                continue
            argument = surface_of(node)
            symbols = set(free_symbols([argument]))
            if symbols.isdisjoint(apart) and not symbols <= fixed:
                before = found[node].loads if node in found else ()
                found[node] = Switch(node, argument, tuple(dict.fromkeys([*before, path])))
    return list(found.values())


def arguments_at(system: System, switches: Sequence[Switch], places: Sequence[Place]) -> Array:
    """Return the arguments of switches at places, a row for each place."""
    moving = motion.in_speeds(system)
    bare = Program().equations(system, "", "", "", {})
    bare = replace(bare, signature=replace(bare.signature, higher=()))
    values = values_of(
        bare,
        {v.path: np.array([one.state[v.path] for one in places]) for v in (*system.q, *system.u)},
        places[0].parameters,
        {path: np.array([one.inputs[path] for one in places]) for path in places[0].inputs},
        np.array([one.t for one in places]),
    )
    said = moving.express([one.argument for one in switches])
    columns = evaluate_arrays(said, values) if switches else []
    return np.stack(
        [np.broadcast_to(np.asarray(x, dtype=float), len(places)) for x in columns], axis=1
    )
