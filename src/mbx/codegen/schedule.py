"""The order in which a routine is computed: which expressions get names, and where.

    straight   assignments, each once, of what comes after it
    loop       assignments in each round of an iteration

What is used once and is short is written where it is used. Inside a loop everything that
depends on its unknowns is computed anew; what does not depend on them comes before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import CHOOSE, LESS, NUMBER, POWER, SYMBOL, Node
from mbx.expr.walk import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.codegen.routine import Iteration, Routine

__all__ = ["Stage", "schedule"]

_ATOMS: Final = frozenset({NUMBER, SYMBOL})
_SHORT: Final = 12
"""Operations of an expression that is written in one piece."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Assignments in order; those of a loop are made in every round of its iteration."""

    assigned: tuple[Node, ...]
    loop: Iteration | None = None


def schedule(
    routine: Routine, *, most: int = _SHORT, entries: Sequence[Node] | None = None
) -> list[Stage]:
    """Return the stages of a routine; with `most` = 0 every operation gets a name.

    `entries` are what is wanted of it; all entries of its results unless said.
    """
    wanted = routine.entries if entries is None else list(entries)
    stages: list[Stage] = []
    known: set[Node] = set()
    for one in _used(routine.iterations, wanted):
        inner = [*one.residual, *one.step]
        moving = _depending(inner, one.unknowns)
        graph = ordered(inner)
        held = [a for node in graph if node in moving for a in node.args if a not in moving]
        held += [node for node in inner if node not in moving]
        outside = list(dict.fromkeys(held))  # in order, so that the code is always the same
        before = [node for node in ordered([*one.start, *outside]) if node not in known]
        stages.append(Stage(_named(before, [*one.start, *outside], most)))
        known.update(stages[-1].assigned)
        body = [node for node in graph if node in moving]
        stages.append(Stage(_named(body, inner, most), one))
    rest = [node for node in ordered(wanted) if node not in known]
    stages.append(Stage(_named(rest, wanted, most)))
    return [stage for stage in stages if stage.assigned or stage.loop is not None]


def _used(iterations: Iterable[Iteration], wanted: Sequence[Node]) -> list[Iteration]:
    """Return the iterations that results depend on, in order."""
    kept: list[Iteration] = []
    nodes = set(ordered(wanted))
    for one in reversed(list(iterations)):
        if not nodes.isdisjoint(one.unknowns):
            kept.append(one)
            nodes |= set(ordered([*one.start, *one.residual, *one.step]))
    return kept[::-1]


def _depending(nodes: Sequence[Node], symbols: Iterable[Node]) -> set[Node]:
    found = set(symbols)
    for node in ordered(nodes):
        if any(a in found for a in node.args):
            found.add(node)
    return found


def _named(graph: Sequence[Node], wanted: Iterable[Node], most: int) -> tuple[Node, ...]:
    """Return the nodes of a graph, in order, that get a name of their own."""
    inside = set(graph)
    uses = Counter(a for node in graph for a in node.args)
    uses.update(wanted)
    bases = {node.args[0] for node in graph if node.op is POWER and _repeats(node)}
    sizes: dict[Node, int] = {}
    found = []
    for node in graph:
        if node.op in _ATOMS:
            continue
        size = 1 + sum(sizes.get(a, 0) for a in node.args)
        # a condition is written where it decides, if it decides once
        single = uses[node] <= 1 and node not in bases and node.op not in {LESS, CHOOSE}
        if node.op is LESS:
            single = uses[node] <= 1
        if single and size <= most:
            sizes[node] = size
        else:
            found.append(node)
    return tuple(node for node in found if node in inside)


def _repeats(node: Node) -> bool:
    """Whether a power is written as a product of its base with itself."""
    exponent = node.value
    return exponent.__class__ is int and abs(exponent) > 1
