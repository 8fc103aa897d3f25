"""Four methods agree, relative to the magnitudes of the terms that a result is the sum of.

A velocity is the sum of K_j hd_j over drives, an acceleration that of K_j hdd_j and of
L_ij hd_i hd_j (36). What has no terms but rounding is compared with the largest of all.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.groups.motion import METHODS, Instant, Solution, solution_of
from mechanisms import MECHANISMS, evenly, library, mechanism, start_of

if TYPE_CHECKING:
    from mbx.expr import Node
    from mbx.formalism.numerics import Array

DRIVES = {**MECHANISMS, "arm_7_axis": [f"q[{k}]" for k in range(1, 8)]}
SLOW = {"stewart_platform", "arm_7_axis"}
AGREE = 1e-12
CONDITION = 1e3
NOISE = 64 * float(np.finfo(float).eps)


def _terms(solution: Solution, found: Instant) -> tuple[Array, Array, Array]:
    """Return the sums of the magnitudes of terms of positions, velocities and accelerations."""
    place, drives = solution.place, list(solution.view.mechanism.drives)
    x, hd, hdd = ({s: float(v[place[s]]) for s in drives} for v in (found.x, found.xd, found.xdd))

    def moved(*some: Node) -> Instant:
        solution.move({s: (x[s], hd[s] if s in some else 0.0) for s in drives})
        return solution.at(found.t, found.x)

    still, alone = moved(), {s: moved(s) for s in drives}
    v, a = np.abs(still.xd), np.abs(still.xdd)
    for s, one in alone.items():
        K = (one.xd - still.xd) / hd[s]
        v = v + np.abs(K * hd[s])
        a = a + np.abs(K * hdd[s]) + np.abs(one.xdd - still.xdd)
    for r, s in combinations(drives, 2):
        both = moved(r, s).xdd - alone[r].xdd - alone[s].xdd + still.xdd
        a = a + np.abs(both)
    solution.move({})
    return np.abs(found.x), v, a


def _natural_unit(s: Node) -> str:
    """Return metres for a point, `pin@x`; directions, `rod@v1x` or `rod@nx`, have none."""
    return "m" if str(s.value).rpartition("@")[2] in {"x", "y", "z"} else "1"


def _sizes(units: list[str], terms: Array) -> Array:
    """Return the largest terms of each unit for all that have it; of all, where they are noise."""
    largest = float(terms.max())
    kinds = np.array(units)
    size = np.array([terms[kinds == unit].max() for unit in units])
    return np.where(size <= NOISE * largest, largest, size)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in DRIVES]
)
def test_four_methods_agree_on_mechanisms_of_the_library(name: str) -> None:
    _, system = library(name)
    one = mechanism(name, evenly(system, DRIVES[name], 1.3, 0.7))
    results = {}
    for method in METHODS:
        solution = solution_of(one, method)
        results[method] = solution, solution.at(0.03, solution.start(start_of(system), 0.0))
    solution, found = results["td"]
    assert all(c < CONDITION for _, c in solution.conditions(found))
    unit = {v.symbol: v.unit for v in system.q}
    terms = _terms(solution, found)
    for method in METHODS[1:]:
        other, there = results[method]
        same = [s for s in solution.symbols if s in other.place]
        assert unit.keys() <= set(same)
        mine, its = [solution.place[s] for s in same], [other.place[s] for s in same]
        units = [unit.get(s) or _natural_unit(s) for s in same]
        levels = ((found.x, there.x), (found.xd, there.xd), (found.xdd, there.xdd))
        for (a, b), size in zip(levels, terms, strict=True):
            error = np.abs(a[mine] - b[its]) / _sizes(units, size[mine])
            worst = int(error.argmax())
            assert error[worst] <= AGREE, (method, str(same[worst].value))
