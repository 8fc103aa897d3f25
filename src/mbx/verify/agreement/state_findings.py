"""Results of a verification on its states: numbers, assemblies, expected ranks, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.numerics.states.complete import StatePoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.verify.verification_work import Work

__all__ = ["branches_of", "broken_of", "conditions_of", "points_of"]


def points_of(work: Work, compared: NDArray[np.bool_]) -> tuple[StatePoint, ...]:
    """Return the states that were compared at, in numbers."""
    return tuple(
        StatePoint(work.sample.names[k], float(work.sample.points.t[k]), work.state(k))
        for k in map(int, np.flatnonzero(compared))
    )


def branches_of(work: Work, compared: NDArray[np.bool_]) -> dict[str, int]:
    """Return at how many states of each assembly forms were compared."""
    member = work.manifold.belongs(work.sample.points)[compared]
    return {name: int(member[:, k].sum()) for k, name in enumerate(work.manifold.system.branches)}


def broken_of(work: Work) -> tuple[str, ...]:
    """Return what the model expects of the constraint matrix, and is not so."""
    names = list(work.sample.names)
    expected = work.manifold.system.expectations
    if not expected or not names:
        return ()
    ranks = work.manifold.ranks(work.sample.points)
    broken = []
    for expectation in expected:
        if f"state {expectation.state}" not in names:
            continue  # a state that cannot be assembled is refused by itself
        rank = int(ranks[names.index(f"state {expectation.state}")])
        if expectation.rank is None and rank == ranks.max():
            broken.append(
                f"state {expectation.state}: expected singular, but the rank is {rank} as ever"
            )
        elif expectation.rank is not None and rank != expectation.rank:
            broken.append(
                f"state {expectation.state}: expected rank {expectation.rank}, but it is {rank}"
            )
    return tuple(broken)


def conditions_of(work: Work, kept: Sequence[int], compared: NDArray[np.bool_]) -> dict[str, float]:
    """Return the largest condition number of each form's scaled inertia matrix."""
    conditions = {}
    for k in kept:
        known = work.results[k].condition[compared]
        if np.isfinite(known).any():
            conditions[work.forms[k].name] = float(np.nanmax(known))
    return conditions
