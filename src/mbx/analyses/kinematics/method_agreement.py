"""Whether all methods find the same motion, measured by what it is the sum of.

A velocity is the sum of K_j hd_j over drives, an acceleration that of K_j hdd_j and of
L_ij hd_i hd_j, (36). Errors are parts of the sums of the magnitudes of these terms, the largest
among coordinates of one unit; what has no terms but rounding is compared with the largest of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
from mbx.analyses.kinematics.groups.group_machine import compiled
from mbx.analyses.kinematics.jacobian_conditions import condition
from mbx.analyses.kinematics.solve_motion import METHODS, solution_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.groups.group_machine import Machine
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.solve_motion import Instant, Method, Solution
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["AGREE", "REGULAR", "Agreement", "Compared", "agreement"]

AGREE: Final = 1e-12
"""Error up to which methods agree, where Jacobians are regular."""
REGULAR: Final = 1e3
"""Condition number below which they are."""
_NOISE: Final = 64 * float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Compared:
    """A method compared with the first, at one instant.

    Attributes:
        method: The method.
        t: When.
        condition: The largest condition number of a group's Jacobian there.
        errors: Of positions, velocities and accelerations.
        where: The coordinate with the largest error.
    """

    method: Method
    t: float
    condition: float
    errors: tuple[float, float, float]
    where: str

    @property
    def error(self) -> float:
        """The largest of the errors."""
        return max(self.errors)

    @property
    def regular(self) -> bool:
        """Whether methods have to agree there."""
        return self.condition < REGULAR


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well methods agree.

    Attributes:
        first: The method that all others are compared with.
        comparisons: All of them.
        missing: Why a method does not apply.
    """

    first: Method
    comparisons: tuple[Compared, ...]
    missing: dict[Method, str]

    @property
    def holds(self) -> bool:
        """Whether methods agree wherever Jacobians are regular."""
        return all(
            comparison.error <= AGREE for comparison in self.comparisons if comparison.regular
        )

    def worst(self, method: Method, *, regular: bool = True) -> Compared | None:
        """Return the comparison of a method with the largest error, at regular instants or not."""
        compared = [
            comparison
            for comparison in self.comparisons
            if comparison.method == method and comparison.regular == regular
        ]
        return max(compared, key=lambda comparison: comparison.error, default=None)


def agreement(mechanism: Mechanism, instants: Sequence[Instant], solution: Solution) -> Agreement:
    """Return how well all methods agree at instants of a solution, each started from there."""
    missing: dict[Method, str] = {}
    engines: list[tuple[Solution, Machine | Solution]] = []
    for method in METHODS:
        if method != solution.method:
            try:
                other = solution_of(mechanism, method)
            except NotDeterminedError as reason:
                missing[method] = str(reason)
                continue
            engines.append((other, compiled(other)))
    engine = compiled(solution)
    comparisons = []
    for instant in instants:
        terms = _terms(solution, engine, instant)
        worst = max((condition(J) for _, J in solution.jacobians(instant)), default=1.0)
        for other, code in engines:
            there = code.at(instant.t, _same(solution, other, instant))
            comparisons.append(_compared(solution, other, (instant, there), terms, worst))
    return Agreement(solution.method, tuple(comparisons), missing)


def _same(solution: Solution, other: Solution, instant: Instant) -> Array:
    """Return the positions of an instant in the order of another solution."""
    index, system = solution.place, solution.view.mechanism.system
    state = {
        v.path: float(instant.x[index[v.symbol]]) if v.symbol in index else 0.0 for v in system.q
    }
    return other.start(state, instant.t)


def _terms(
    solution: Solution, engine: Machine | Solution, instant: Instant
) -> tuple[Array, Array, Array]:
    """Return the sums of the magnitudes of terms of positions, velocities and accelerations."""
    index, drives = solution.place, list(solution.view.mechanism.drives)
    x, hd, hdd = (
        {s: float(v[index[s]]) for s in drives} for v in (instant.x, instant.xd, instant.xdd)
    )

    def moved(rates: dict[Node, float]) -> Instant:
        solution.move({s: (x[s], rates.get(s, 0.0)) for s in drives})
        return engine.at(instant.t, instant.x)

    try:
        still = moved({})
        alone = {s: moved({s: hd[s]}) for s in drives}
        v, a = np.abs(still.xd), np.abs(still.xdd)
        for s, single in alone.items():
            K = moved({s: 1.0}).xd - still.xd
            v = v + np.abs(K * hd[s])
            a = a + np.abs(K * hdd[s]) + np.abs(single.xdd - still.xdd)
        for r, s in combinations(drives, 2):
            both = moved({r: hd[r], s: hd[s]}).xdd - alone[r].xdd - alone[s].xdd + still.xdd
            a = a + np.abs(both)
    finally:
        solution.move({})
    return np.abs(instant.x), v, a


def _compared(
    solution: Solution,
    other: Solution,
    pair: tuple[Instant, Instant],
    terms: tuple[Array, Array, Array],
    worst: float,
) -> Compared:
    same = [s for s in solution.symbols if s in other.place]
    mine, its = [solution.place[s] for s in same], [other.place[s] for s in same]
    units = [solution.view.dimension(s) for s in same]
    here, there = pair
    if not same:
        return Compared(other.method, here.t, worst, (0.0, 0.0, 0.0), "")
    errors: list[float] = []
    where = ""
    for a, b, size in zip(
        (here.x, here.xd, here.xdd), (there.x, there.xd, there.xdd), terms, strict=True
    ):
        error = np.abs(a[mine] - b[its]) / _sizes(units, size[mine])
        k = int(error.argmax())
        if error[k] > max(errors, default=-1.0):
            where = str(same[k].value)
        errors.append(float(error[k]))
    x, xd, xdd = errors
    return Compared(other.method, here.t, worst, (x, xd, xdd), where)


def _sizes(units: list[str], terms: Array) -> Array:
    """Return the largest terms of each unit for all that have it; of all, where they are noise."""
    largest = float(terms.max())
    kinds = np.array(units)
    size = np.array([terms[kinds == unit].max() for unit in units])
    size = np.where(size <= _NOISE * largest, largest, size)
    return np.where(size > 0, size, 1.0)
