"""Equations under invariants of order 3 and up: differentiated dynamics and lifted invariants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.steps.every_order_steps import Solution, residual_on_speeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.steps.every_order_steps import Extended

__all__ = ["Solved", "note", "solve_programme"]


@dataclass(frozen=True, slots=True)
class Solved:
    """Results by meaning, and the differentiated dynamics by the unknowns of the speeds."""

    results: dict[str, Matrix]
    dynamics: tuple[Matrix, Matrix]


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
    p = program
    by_x, rest, state = dynamics
    lifted, drift = invariants
    if extended.extension is not None:
        # declared variables of a lower order belong to the state, which determines them
        known = extended.extension
        by_x, lifted = known.matrix(by_x), known.matrix(lifted)
        rest, drift, state, Fc = (known.at_state(x) for x in (rest, drift, state, Fc))
    n = len(labels)
    Kd = p.define("Kd", by_x, "differentiated dynamics by the unknown", columns=labels)
    kd = p.column("kd", rest, "differentiated dynamics without it")
    A = p.define("A", lifted, "lifted invariants by the unknown", rows=rows, columns=labels)
    b = p.column("b", drift, "lifted invariants without it", rows=rows)
    at_rest = p.column("state", state, "what a consistent state makes zero")
    bm = -b
    K, k = p.stack(Kd, A), p.stack(kd, bm)
    x = p.solve(extended.x, K, k, unique=n, together=together, meaning="highest rates")
    forces = p.column("Fc", Fc, "constraint forces", rows=labels)
    lam = p.let("lam", p.let("Atp", p.pinv(A.T)) @ forces, "multipliers")
    extending = extended.begin(p, A, b, list(labels))
    solution = extended.reduce(p, Solution(x, forces, lam), extending)
    invariant = (A, b) if extending is None else (extending.A, extending.b)
    results = {
        "ud": solution.x,
        "Fc": solution.Fc,
        "lam": solution.lam,
        "A": invariant[0],
        "b": invariant[1],
        **extended.declared(p, x),
        "state": at_rest,
    }
    return Solved(results, residual_on_speeds(p, extending, Kd, kd))


def note(order: int) -> str:
    """Return what a reader should know of the unknown."""
    return f"the unknown is the rate of order {order - 1} of the speeds"
