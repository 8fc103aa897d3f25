"""Parts of a model that nothing connects: what stands beside a mechanism is no part of it.

Two variables are connected if one expression of an element, an invariant, a load, a potential or
a rate has both. Parameters, inputs and the time connect nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import Force, System
    from mbx.system.world import Element

__all__ = ["Separate", "expressions_of", "separate_parts"]


@dataclass(frozen=True, slots=True)
class Separate:
    """A part: its variables and their rates, and all symbols that its expressions are made of."""

    variables: frozenset[Node]
    symbols: frozenset[Node]

    def has(self, nodes: Sequence[Node]) -> bool:
        """Return whether expressions depend on the variables of this part."""
        return not self.variables.isdisjoint(free_symbols(nodes))


def separate_parts(system: System) -> list[Separate]:
    """Return the parts: one if everything is connected, none without variables."""
    groups: list[set[Node]] = [{v.symbol, v.rate} for v in (*system.q, *system.u)]
    own = frozenset(node for group in groups for node in group)
    known: list[tuple[set[Node], set[Node]]] = [(set(group), set(group)) for group in groups]
    for nodes in _expressions(system):
        symbols = set(free_symbols(nodes))
        touched = symbols & own
        if not touched:
            continue
        joined = [pair for pair in known if pair[0] & touched]
        rest = [pair for pair in known if not pair[0] & touched]
        variables = touched.union(*(pair[0] for pair in joined))
        known = [*rest, (variables, symbols.union(*(pair[1] for pair in joined)))]
    made_of = {p.symbol: p.value for p in (*system.parameters, *system.inputs)}
    return [
        Separate(frozenset(variables), frozenset(_closed(symbols, made_of)))
        for variables, symbols in known
    ]


def _closed(symbols: set[Node], made_of: dict[Node, Node | None]) -> set[Node]:
    """Return symbols with those that the values of parameters among them are made of."""
    found, left = set(symbols), list(symbols)
    while left:
        value = made_of.get(left.pop())
        more = set() if value is None else set(free_symbols([value])) - found
        found |= more
        left += more
    return found


def _expressions(system: System) -> Iterator[list[Node]]:
    """Yield the expressions that belong together."""
    elements = {e.path: expressions_of(e) for e in system.elements}
    yield from elements.values()
    for q, rate in system.qd.items():
        yield [q, rate]
    for u, value in system.defined.items():
        yield [u, value]
    for row in (*system.rows, *system.closed, *system.idle):
        sides = [x for path in row.sides if path in elements for x in elements[path]]
        yield [row.value, *sides]
    for force in system.forces:
        yield [*_of_forces([force]), *elements.get(force.on, [])]
    yield from ([one.on, one.value] for one in system.generalized)
    yield from ([one.on, one.value] for one in system.effective)
    for energy in (*system.potentials, *system.dissipations):
        on = [x for f in energy.forces or () for x in elements.get(f.on, [])]
        yield [energy.value, *_of_forces(energy.forces or ()), *on]


def _of_forces(forces: Iterable[Force]) -> list[Node]:
    return [x for force in forces for x in (*force.force, *force.torque)]


def expressions_of(e: Element) -> list[Node]:
    """Return how an element moves, what it weighs, and where."""
    vectors: list[Sequence[Node]] = [e.com.v, e.com.a]
    if e.placed:
        vectors.append(e.com.p)
    vectors += [one for one in (e.w_local, e.wd_local, e.gravity) if one is not None]
    if e.inertia is not None:
        vectors += list(e.inertia)
    if e.frame is not None:
        vectors += list(e.frame.R)
    return [x for vector in vectors for x in vector] + ([] if e.m is None else [e.m])
