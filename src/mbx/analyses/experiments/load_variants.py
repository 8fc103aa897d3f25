"""The loads of a system as expressions, and the same system with other loads instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.expr.evaluate import free_symbols, substitute

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["loads_of", "reaction_symbols", "reactive_loads", "with_loads"]


def loads_of(system: System) -> Iterator[tuple[str, list[Node]]]:
    """Yield the expressions of each load, in raw symbols, with its path."""
    for force in system.forces:
        yield force.path, [*force.force, *force.torque]
    yield from ((load.path, [load.value]) for load in system.generalized)
    yield from ((load.path, [load.value]) for load in system.effective)


def with_loads(system: System, known: Mapping[Node, Node]) -> System:
    """Return a system whose loads have other nodes instead of some."""

    def replaced(nodes: Sequence[Node]) -> Any:
        return tuple(substitute(list(nodes), known))

    return replace(
        system,
        forces=tuple(
            replace(force, force=replaced(force.force), torque=replaced(force.torque))
            for force in system.forces
        ),
        generalized=tuple(
            replace(load, value=replaced([load.value])[0]) for load in system.generalized
        ),
        effective=tuple(
            replace(load, value=replaced([load.value])[0]) for load in system.effective
        ),
    )


def reaction_symbols(system: System) -> set[Node]:
    """Return the symbols of all reactions that have a name."""
    rows = (*system.rows, *system.closed)
    named = {row.reaction for row in rows if row.reaction is not None}
    return named | {symbol for six in system.joint_reactions.values() for symbol in six}


def reactive_loads(system: System) -> list[str]:
    """Return the loads that depend on reactions."""
    named = reaction_symbols(system)
    return [path for path, nodes in loads_of(system) if not named.isdisjoint(free_symbols(nodes))]
