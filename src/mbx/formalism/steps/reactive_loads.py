"""Loads that name reactions: the right-hand side depends on what it brings about.

    y = Y lam(h(y))

An `implicit` step finds y; where no load names a reaction, nothing of this is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.builder import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.matrix_value import Matrix

__all__ = ["Closed", "close"]


@dataclass(frozen=True, slots=True)
class Closed:
    """The right-hand side, and what `solve` gave from it."""

    h: Matrix
    ud: Matrix
    lam: Matrix
    others: tuple[Matrix, ...]


def close(
    program: Program,
    h: Sequence[Node],
    named: Sequence[Node],
    Y: Sequence[Sequence[Node]],
    solve: Callable[[Program, Matrix], tuple[Matrix, ...]],
    *,
    labels: Sequence[str] = (),
    meaning: str = "active and gyroscopic forces",
) -> Closed:
    """Add the right-hand side h and the steps of `solve`, which gives ud, lam and others.

    What `solve` computes from values other than h is a step of the program in both its runs.
    """
    if not named:
        right = program.column("h", h, meaning, rows=labels)
        return _closed(right, solve(program, right))
    by_lam = program.define("Y", Y, "named reactions from multipliers")
    inner = Program(outer=program)
    unknown = inner.given("y", named)
    _, lam, *_ = solve(inner, inner.column("h", h, meaning, rows=labels))
    y_new = inner.let("y_new", by_lam @ lam)
    y_open = inner.let("y_open", unknown - y_new)
    names = [str(s.value) for s in named]
    y = program.implicit("y", inner, unknown, y_open, "reactions that loads depend on", names)
    right = program.derived("h", [[x] for x in h], meaning, rows=labels, of={y: named})
    return _closed(right, solve(program, right))


def _closed(h: Matrix, solved: tuple[Matrix, ...]) -> Closed:
    ud, lam, *rest = solved
    return Closed(h, ud, lam, tuple(rest))
