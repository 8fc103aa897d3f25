"""Loads that name reactions: the right-hand side depends on what it brings about.

    y = Y lam(h(y))

An `implicit` step finds y; where no load names a reaction, nothing of this is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.program import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node

__all__ = ["Closed", "close"]


@dataclass(frozen=True, slots=True)
class Closed:
    """Names of the matrices that closing the equations gave."""

    h: str
    ud: str
    lam: str


def close(
    program: Program,
    h: Sequence[Node],
    named: Sequence[Node],
    Y: Sequence[Sequence[Node]],
    solve: Callable[[Program, str], tuple[str, str]],
    *,
    labels: Sequence[str] = (),
    meaning: str = "active and gyroscopic forces",
) -> Closed:
    """Add the right-hand side h and the steps of `solve`, which give ud and lam from it."""
    if not named:
        program.column("h", h, meaning, rows=labels)
        ud, lam = solve(program, "h")
        return Closed("h", ud, lam)
    program.define("Y", Y, "named reactions from multipliers")
    inner = Program()
    inner.given("y", named)
    inner.column("h", h, meaning, rows=labels)
    _, lam = solve(inner, "h")
    inner.product("y_new", "Y", lam)
    inner.sum("y_open", "y", "y_new", signs=(1, -1))
    program.add(
        Step(
            name="y",
            op="implicit",
            steps=tuple(inner.steps),
            unknown="y",
            residual="y_open",
            meaning="reactions that loads depend on",
            row_labels=tuple(str(s.value) for s in named),
        )
    )
    program.add(
        Step(
            name="h",
            op="define",
            args=("y",),
            symbols=tuple(named),
            entries=tuple((x,) for x in h),
            size=(len(h), 1),
            meaning=meaning,
            row_labels=tuple(labels),
        )
    )
    ud, lam = solve(program, "h")
    return Closed("h", ud, lam)
