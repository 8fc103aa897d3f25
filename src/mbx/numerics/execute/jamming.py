"""Why a state jams: how fast a load grows with the reactions that it brings about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.numerics.execute.execute import run
from mbx.numerics.execute.single_norm import affine, quadratic, single_norm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array, Faults

__all__ = ["Growth", "growth_at"]


@dataclass(frozen=True, slots=True)
class Growth:
    """How fast a load grows with itself at a state, and how many solutions that leaves."""

    factor: float
    solutions: int


def growth_at(equations: Equations, values: Mapping[Node, Any]) -> Growth | None:
    """Return the growth at one state; None where reactions enter not by one norm alone.

    It is mu |r1| of Coulomb friction, reactions being r0 + r1 times their norm.
    """
    k = next((k for k, one in enumerate(equations.steps) if one.op == "implicit"), None)
    if k is None:
        return None
    step = equations.steps[k]
    norm = single_norm(step)
    if norm is None:
        return None
    before = equations.steps[:k]
    known_already = {each.name for each in before}  # what an inner step repeats is the same
    inner = (each for each in norm.steps if each.name not in known_already)
    alone = replace(equations, steps=(*before, *inner), residuals=())
    still = np.zeros((1, len(norm.named), 1))

    def reactions(N: Array) -> tuple[Array, Faults]:
        known = {**values, norm.norm: float(N[0])}
        outcome = run(alone, known, given={step.unknown: still}, wanted=[step.residual])
        return -outcome.at(step.residual, 0)[:, 0][None], outcome.status

    outer = {node: np.asarray(value, dtype=float) for node, value in values.items()}

    def square(y: Array) -> Array:
        return norm.of(y, outer)

    r0, r1, _ = affine(reactions, square, 1)
    _, factor, count = quadratic(r0, r1, square)
    return Growth(float(factor[0]), int(count[0]))
