"""Whether a run may begin where it does: a singular state says nothing of what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan

__all__ = ["require_regular"]

STATES: Final = 8
"""Random states that say how many invariants are independent in general."""


def require_regular(plan: Plan, state: Mapping[str, float]) -> None:
    """Raise `NotRunError` where fewer invariants are independent than in general.

    The mechanism has more than one way to go on from there.
    """
    system = plan.system
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    q, u = (
        np.array([[state[v.path] for v in some]], dtype=float).reshape(1, len(some))
        for some in (system.q, system.u)
    )
    (rank,) = manifold.ranks(Points(np.array([plan.first]), q, u)).tolist()
    others = draw(manifold, np.random.default_rng(1), STATES).points
    usual = max([rank, *manifold.ranks(others).tolist()]) if len(others) else rank
    if rank < usual:
        raise NotRunError(
            f"its start is singular: {rank} invariants are independent there, in general {usual}"
        )
