"""Results at states that are not regular: those to which no step that fails leads.

Where the mass matrix is singular there are no accelerations, but the mass matrix itself has
numbers. A state that fails leaves a run, and each result is run again there by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.execute.step_kinds import plan_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["matrix_at_all"]

_RANKLESS: Final = frozenset(
    {"given", "define", "identity", "product", "sum", "transpose", "absolute", "block", "rows"}
)
"""Operations that no rank decides."""


def matrix_at_all(
    equations: Equations, values: Mapping[Node, Array], outcome: Outcome, name: str
) -> Array | list[Array]:
    """Return a matrix of all states, NaN where it has no numbers; a list where shapes differ.

    `values` are those that the outcome is of. Where rounding decides a rank, what depends on a
    rank has no numbers, and a matrix whose shape depends on one has none at any state that is
    not regular.
    """
    matrix = outcome.matrix(name)
    lost = np.flatnonzero(outcome.status != REGULAR)
    if not lost.size or isinstance(matrix, list) or None in outcome.shapes[name]:
        return matrix
    steps = plan_of(equations, None, [name]).steps
    if not all(step.op in _RANKLESS and not step.symbols for step in steps):
        lost = np.array([k for k in lost.tolist() if k not in outcome.reasons], dtype=int)
    if lost.size:
        there = {node: value[lost] if value.size > 1 else value for node, value in values.items()}
        matrix[lost] = np.asarray(run(equations, there, wanted=[name]).matrix(name))
    return matrix
