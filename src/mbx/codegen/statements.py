"""Routines as statements in a language: assignments, and loops that end when they converge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.codegen.code_syntax import Printer
from mbx.codegen.schedule import schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.code_syntax import Syntax
    from mbx.codegen.routine import Iteration, Routine
    from mbx.codegen.schedule import Stage
    from mbx.expr.nodes import Node

__all__ = ["Assign", "Body", "Loop", "statements", "texts_of"]


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
