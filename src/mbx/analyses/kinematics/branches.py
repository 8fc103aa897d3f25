"""All branches of a mechanism at a time: every position of each group, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.groups.solve_group import StuckError
from mbx.analyses.kinematics.solve_motion import Instant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.analyses.kinematics.groups.solve_group import Solver
    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["MOST", "branches"]

MOST: Final = 256
"""Branches that are listed."""
_TRIALS: Final = 60
_SAME: Final = 1e-7
"""Part of the largest coordinate by which one position may be off itself."""


def branches(
    solution: Solution,
    t: float,
    near: Array,
    seed: int = 1,
    tick: Callable[[], None] = lambda: None,
) -> list[Instant]:
    """Return the positions of a mechanism at a time with their rates, the nearest first.

    Each group is started from many random positions; branches may be missed.
    `tick` is called for every branch, and may raise to end the work.
    """
    d, v, a = solution.driven(t)
    x, xd, xdd = near.copy(), np.zeros(len(near)), np.zeros(len(near))
    x[: len(d)], xd[: len(d)], xdd[: len(d)] = d, v, a
    instants = []
    for instant in _continued(solution, 0, Instant(t, x, xd, xdd), seed):
        tick()
        instants.append(instant)
        if len(instants) == MOST:
            break
    return instants


def _continued(solution: Solution, k: int, known: Instant, seed: int) -> Iterator[Instant]:
    if k == len(solution.solvers):
        yield known
        return
    solver, phi, h = solution.solvers[k], solution.phi[k], solution.h[k]
    t = known.t
    only = solver.group.name == "readout"
    for position in _positions(solver, known.x[phi], known.x[h], t, seed):
        x, xd, xdd = known.x.copy(), known.xd.copy(), known.xdd.copy()
        x[phi] = position
        try:
            xd[phi], xdd[phi] = solver.by_time(position, x[h], t, xd[h], xdd[h])
        except StuckError:
            continue
        yield from _continued(solution, k + 1, Instant(t, x, xd, xdd), seed)
        if only:
            return


def _positions(solver: Solver, near: Array, h: Array, t: float, seed: int) -> list[Array]:
    """Return the positions of a group, the nearest to its start first."""
    generator = np.random.default_rng([seed, len(near)])
    size = max(float(np.abs(near).max(initial=0.0)), float(np.abs(h).max(initial=0.0)), 1e-3)
    positions: list[Array] = []
    for k in range(_TRIALS):
        start = near if k == 0 else size * generator.uniform(-1.5, 1.5, len(near))
        try:
            position, _ = solver.position(start, h, t)
        except StuckError:
            continue
        if not any(np.abs(position - known).max() <= _SAME * size for known in positions):
            positions.append(position)
        if solver.group.name == "readout":
            break
    return sorted(positions, key=lambda p: float(np.abs(p - near).max()))
