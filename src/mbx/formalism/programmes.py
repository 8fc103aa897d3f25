"""Equations under invariants of order 3 and up: differentiated dynamics and lifted invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program

__all__ = ["note", "solve_programme"]


def solve_programme(
    program: Program,
    dynamics: tuple[list[list[Node]], list[Node], list[Node]],
    invariants: tuple[list[list[Node]], list[Node]],
    Fc: Sequence[Node],
    rows: Sequence[str],
    labels: Sequence[str],
    together: int = 0,
) -> dict[str, str]:
    """Add [Kd; A] x = [kd; -b] for the highest rates x; return the results by meaning."""
    K, k, state = dynamics
    A, b = invariants
    n = len(labels)
    program.define("Kd", K, "differentiated dynamics by the unknown", columns=labels)
    program.column("kd", k, "differentiated dynamics without it")
    program.define("A", A, "lifted invariants by the unknown", rows=rows, columns=labels)
    program.column("b", b, "lifted invariants without it", rows=rows)
    program.column("state", state, "what a consistent state makes zero")
    program.sum("bm", "b", signs=(-1,))
    program.block("K", [["Kd"], ["A"]])
    program.block("k", [["kd"], ["bm"]])
    program.solve("ud", "K", "k", "least_squares", n, together, meaning="highest rates")
    program.column("Fc", Fc, "constraint forces", rows=labels)
    program.transpose("At", "A")
    program.pinv("Atp", "At")
    program.product("lam", "Atp", "Fc", meaning="multipliers")
    return {name: name for name in ("ud", "Fc", "lam", "A", "b", "state")}


def note(order: int) -> str:
    """Return what a reader should know of the unknown."""
    return f"the unknown is the rate of order {order - 1} of the speeds"
