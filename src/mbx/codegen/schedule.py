"""Routines in code: what is computed in which order, in which parts, by which statements.

    straight   assignments, each once, of what comes after it
    loop       assignments in each round of an iteration

What is used once and is short is written where it is used. Long code is split into functions of
bounded length that share a workspace: compilers take more than linear time for a long function.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from mbx.codegen.code_syntax import Printer
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import CHOOSE, LESS, NUMBER, POWER, SYMBOL, Node

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.code_syntax import Syntax
    from mbx.codegen.routine import Iteration, Routine


__all__ = [
    "Assign",
    "Body",
    "Chunk",
    "Chunks",
    "Loop",
    "Stage",
    "chunks",
    "schedule",
    "shared_until",
    "statements",
    "texts_of",
]

Value = TypeVar("Value", bound="Hashable")

_NAME: Final = re.compile(r"\b[vy][0-9]+\b")
LENGTH: Final = 1000
"""Statements in a function."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Statements of one function: what it takes from the workspace, and what it leaves there."""

    statements: tuple[Assign | Loop, ...]
    takes: tuple[str, ...]
    leaves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """A body in parts; `places` says where in the workspace names stand that parts share."""

    chunks: tuple[Chunk, ...]
    entries: tuple[str, ...]
    takes: tuple[str, ...]
    places: dict[str, int]


def shared_until(
    made: Sequence[Iterable[Value]], used: Sequence[Iterable[Value]]
) -> dict[Value, int]:
    """Return the values that parts share, with the last part that needs each.

    `made` and `used` are the values of each part; what is used behind all of them comes last.
    """
    home = {value: k for k, part in enumerate(made) for value in part}
    last = {value: k for k, part in enumerate(used) for value in part}
    return {value: k for value, k in last.items() if k > home[value]}


def chunks(body: Body, length: int = LENGTH) -> Chunks:
    """Return a body in parts of some length; one part, and no workspace, if it is short."""
    if len(body.statements) <= length:
        return Chunks((Chunk(body.statements, (), ()),), body.entries, (), {})
    parts = [body.statements[k : k + length] for k in range(0, len(body.statements), length)]
    made = [set(_made(part)) for part in parts]
    used = [_names_in(part) for part in parts]
    last = {name for text in body.entries for name in _NAME.findall(text)}
    shared = sorted(shared_until(made, [*used, last]), key=lambda name: (name[0], int(name[1:])))
    places = {name: k for k, name in enumerate(shared)}
    found = tuple(
        Chunk(
            part,
            tuple(sorted(needs - own, key=places.__getitem__)),
            tuple(sorted(own & places.keys(), key=places.__getitem__)),
        )
        for part, own, needs in zip(parts, made, used, strict=True)
    )
    return Chunks(found, body.entries, tuple(sorted(last, key=places.__getitem__)), places)


def _made(part: Sequence[Assign | Loop]) -> Iterator[str]:
    for one in part:
        yield from one.unknowns if isinstance(one, Loop) else (one.name,)


def _names_in(part: Sequence[Assign | Loop]) -> set[str]:
    return {name for text in texts_of(part) for name in _NAME.findall(text)}


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


@dataclass(frozen=True, slots=True)
class Assign:
    """A name, and what it stands for from here on."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Loop:
    """Unknowns y that start somewhere and move by steps until these are small.

    Each round computes `body`, then Newton's `step` and the `residual` g. In the first round,
    after `NEWTON` rounds, and where some step is no number, -g is taken for all steps
    (`mbx.codegen.routine` has the constants). Steps below the part `rough` of the largest unknown
    that shrink no more end it, too.
    """

    unknowns: tuple[str, ...]
    start: tuple[str, ...]
    body: tuple[Assign, ...]
    residual: tuple[str, ...]
    step: tuple[str, ...]
    rough: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """Statements in order, and what the wanted entries are after them."""

    statements: tuple[Assign | Loop, ...]
    entries: tuple[str, ...]


def statements(
    routine: Routine,
    arguments: Mapping[Node, str],
    syntax: Syntax,
    entries: Sequence[Node] | None = None,
    *,
    most: int = 12,
) -> Body:
    """Return a routine in a language, in which arguments are called as said.

    Names of values are `v1`, `v2` and so on, in loops `w1`; unknowns are `y1`. An expression of
    up to `most` operations that is used once is written where it is used.
    """
    wanted = routine.entries if entries is None else list(entries)
    printer = Printer(syntax, dict(arguments))
    found: list[Assign | Loop] = []
    count = unknowns = 0
    for stage in schedule(routine, most=most, entries=wanted):
        if stage.loop is None:
            for node in stage.assigned:
                count += 1
                text = printer.definition(node)
                found.append(Assign(f"v{count}", text))
                printer.names[node] = f"v{count}"
        else:
            names = [f"y{unknowns + k + 1}" for k in range(len(stage.loop.unknowns))]
            unknowns += len(names)
            found.append(_loop(stage, stage.loop, names, printer))
            printer.names.update(zip(stage.loop.unknowns, names, strict=True))
    return Body(tuple(found), tuple(printer.text(node) for node in wanted))


def texts_of(some: Iterable[Assign | Loop]) -> Iterator[str]:
    """Yield the expressions of statements."""
    for one in some:
        if isinstance(one, Assign):
            yield one.text
        else:
            yield from (*one.start, *one.residual, *one.step)
            yield from (each.text for each in one.body)


def _loop(stage: Stage, one: Iteration, names: Sequence[str], outer: Printer) -> Loop:
    inner = Printer(outer.syntax, {**outer.names, **dict(zip(one.unknowns, names, strict=True))})
    body = []
    for k, node in enumerate(stage.assigned):
        body.append(Assign(f"w{k + 1}", inner.definition(node)))
        inner.names[node] = f"w{k + 1}"
    return Loop(
        tuple(names),
        tuple(outer.text(node) for node in one.start),
        tuple(body),
        tuple(inner.text(node) for node in one.residual),
        tuple(inner.text(node) for node in one.step),
        one.rough,
    )
