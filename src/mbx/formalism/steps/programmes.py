"""Equations under invariants of order 3 and up: differentiated dynamics and lifted invariants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.steps.every_order_steps import Extended

__all__ = ["Solved", "note", "solve_programme"]


@dataclass(frozen=True, slots=True)
class Solved:
    """Results by meaning, and the differentiated dynamics by the unknowns of the speeds."""

    names: dict[str, str]
    dynamics: tuple[str, str]


def solve_programme(
    program: Program,
    extended: Extended,
    dynamics: tuple[list[list[Node]], list[Node], list[Node]],
    invariants: tuple[list[list[Node]], list[Node]],
    Fc: Sequence[Node],
    rows: Sequence[str],
    labels: Sequence[str],
    together: int = 0,
) -> Solved:
    """Add [Kd; A] x = [kd; -b] for the highest rates x; return the results."""
    K, k, state = dynamics
    A, b = invariants
    if extended.extension is not None:
        # declared variables of a lower order belong to the state, which says what they are
        known = extended.extension
        K, A = known.matrix(K), known.matrix(A)
        k, b, state, Fc = (known.at_state(x) for x in (k, b, state, Fc))
    n = len(labels)
    program.define("Kd", K, "differentiated dynamics by the unknown", columns=labels)
    program.column("kd", k, "differentiated dynamics without it")
    program.define("A", A, "lifted invariants by the unknown", rows=rows, columns=labels)
    program.column("b", b, "lifted invariants without it", rows=rows)
    program.column("state", state, "what a consistent state makes zero")
    program.sum("bm", "b", signs=(-1,))
    program.block("K", [["Kd"], ["A"]])
    program.block("k", [["kd"], ["bm"]])
    program.solve(extended.x, "K", "k", "least_squares", n, together, meaning="highest rates")
    program.column("Fc", Fc, "constraint forces", rows=labels)
    program.transpose("At", "A")
    program.pinv("Atp", "At")
    program.product("lam", "Atp", "Fc", meaning="multipliers")
    extended.begin(program, list(labels))
    extended.reduce(program)
    names = {**extended.finish(program), "state": "state"}
    return Solved(names, extended.residual(program, "Kd", "kd"))


def note(order: int) -> str:
    """Return what a reader should know of the unknown."""
    return f"the unknown is the rate of order {order - 1} of the speeds"
