"""The loads of a system as expressions, and the same system with others in their places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["loads_of", "reaction_symbols", "reactive_loads", "with_loads"]


def loads_of(system: System) -> Iterator[tuple[str, list[Node]]]:
    """Yield the expressions of each load, in raw symbols, with its path."""
    for force in system.forces:
        yield force.path, [*force.force, *force.torque]
    yield from ((one.path, [one.value]) for one in system.generalized)
    yield from ((one.path, [one.value]) for one in system.effective)


def with_loads(system: System, known: Mapping[Node, Node]) -> System:
    """Return a system with other nodes in the places of some in its loads."""

    def said(nodes: Sequence[Node]) -> Any:
        return tuple(substitute(list(nodes), known))

    return replace(
        system,
        forces=tuple(
            replace(one, force=said(one.force), torque=said(one.torque)) for one in system.forces
        ),
        generalized=tuple(replace(one, value=said([one.value])[0]) for one in system.generalized),
        effective=tuple(replace(one, value=said([one.value])[0]) for one in system.effective),
    )


def reaction_symbols(system: System) -> set[Node]:
    """Return the symbols of all reactions that have a name."""
    rows = (*system.rows, *system.closed)
    found = {row.reaction for row in rows if row.reaction is not None}
    return found | {symbol for six in system.joint_reactions.values() for symbol in six}


def reactive_loads(system: System) -> list[str]:
    """Return the loads that depend on reactions."""
    named = reaction_symbols(system)
    return [path for path, nodes in loads_of(system) if not named.isdisjoint(free_symbols(nodes))]
