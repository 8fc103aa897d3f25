"""Routines as tapes: what is computed once for all states, what for each, and what in rounds.

What depends on parameters alone is a *constant*: it is computed once for each set of them.
Sines and cosines are gathered, so that several are computed side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.native.tape import Tape
from mbx.codegen.schedule import schedule
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import FUNCTION, NUMBER, SYMBOL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.codegen.native.tape import Operand, Operation
    from mbx.codegen.routine import Iteration, Routine
    from mbx.expr.nodes import Node

__all__ = ["Loop", "Plan", "Plans", "plans"]

_TURNING: Final = frozenset({"sin", "cos"})


@dataclass(frozen=True, slots=True)
class Loop:
    """Operations from `first` on and before `last` that are computed in every round.

    The unknowns are operations among them, `found` those after them that have the solution.
    """

    first: int
    last: int
    unknowns: tuple[int, ...]
    found: tuple[int, ...]
    start: tuple[Operand, ...]
    residual: tuple[Operand, ...]
    step: tuple[Operand, ...]
    rough: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Operations in order, the loops among them, and where results are."""

    operations: tuple[Operation, ...]
    loops: tuple[Loop, ...]
    outputs: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Plans:
    """The work of a routine: from parameters to constants, and from a state to results."""

    setup: Plan
    rates: Plan


def plans(routine: Routine) -> Plans:
    """Return what is to be computed for a routine."""
    graph = ordered(
        [
            *routine.entries,
            *(n for one in routine.iterations for n in (*one.start, *one.residual, *one.step)),
        ]
    )
    settled = _settled(graph, {one.symbol for one in routine.group("parameters")})
    moving = [node for node in graph if node not in settled]
    needed = {a for node in moving for a in node.args} | set(routine.entries)
    constants = [node for node in graph if node in needed and node in settled]
    constants = [node for node in constants if node.op is not NUMBER]
    return Plans(_setup(routine, constants), _rates(routine, constants, settled))


def _settled(graph: Sequence[Node], parameters: set[Node]) -> set[Node]:
    """Return the expressions that depend on parameters alone."""
    found: set[Node] = set()
    for node in graph:
        if node in parameters or (node.op is not SYMBOL and all(a in found for a in node.args)):
            found.add(node)  # numbers are made of nothing
    return found


def _setup(routine: Routine, constants: Sequence[Node]) -> Plan:
    tape = Tape()
    graph = ordered(constants)
    for one in routine.group("parameters"):
        if one.symbol in graph:
            tape.take(one.symbol, one.group, one.index)
    _straight(tape, graph, constants)
    outputs = tuple(tape.value(node) for node in constants)
    return Plan(tuple(tape.operations), (), outputs)


def _rates(routine: Routine, constants: Sequence[Node], settled: set[Node]) -> Plan:
    tape = Tape()
    for k, node in enumerate(constants):
        tape.take(node, "constants", k)
    for one in routine.arguments:
        if one.group != "parameters":
            tape.take(one.symbol, one.group, one.index)
    loops = []
    for stage in schedule(routine, most=0):
        graph = [node for node in stage.assigned if node not in settled]
        if stage.loop is None:
            _straight(tape, graph, routine.entries)
        else:
            loops.append(_loop(tape, graph, stage.loop))
    outputs = tuple(tape.value(node) for node in routine.entries)
    return Plan(tuple(tape.operations), tuple(loops), outputs)


def _loop(tape: Tape, graph: Sequence[Node], one: Iteration) -> Loop:
    start = tuple(tape.value(node) for node in one.start)
    outside = dict(tape.places)
    first = len(tape.operations)
    unknowns = tuple(tape.put("unknown", ()) for _ in one.unknowns)
    tape.places.update(zip(one.unknowns, unknowns, strict=True))
    _straight(tape, graph, [*one.residual, *one.step])
    residual = tuple(tape.value(node) for node in one.residual)
    step = tuple(tape.value(node) for node in one.step)
    last = len(tape.operations)
    found = tuple(tape.put("found", ()) for _ in one.unknowns)
    tape.places = outside | dict(zip(one.unknowns, found, strict=True))
    return Loop(first, last, unknowns, found, start, residual, step, one.rough)


def _straight(tape: Tape, graph: Sequence[Node], wanted: Iterable[Node]) -> None:
    """Put a graph on the tape, sines and cosines together as early as they can be."""
    wanted = set(wanted)
    for group in _groups(graph, tape.places):
        angles = [node.args[0] for node in group]
        inside = set(graph)
        tape.extend([node for node in ordered(angles, tape.places) if node in inside], angles)
        tape.turn(group)
    tape.extend(graph, wanted)


def _groups(graph: Sequence[Node], known: Mapping[Node, Operand]) -> list[list[Node]]:
    """Return sines and cosines, those together that do not depend on each other."""
    levels: dict[Node, int] = {}
    groups: dict[int, list[Node]] = {}
    for node in graph:
        level = max((levels.get(a, 0) for a in node.args), default=0)
        if node.op is FUNCTION and node.value in _TURNING and node not in known:
            level += 1
            groups.setdefault(level, []).append(node)
        levels[node] = level
    return [groups[level] for level in sorted(groups)]
