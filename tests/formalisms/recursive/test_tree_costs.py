"""Operations of the sweeps, counted: on open trees they can be written out, and are O(N)."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from formalisms.cases import system, system_of
from mbx.analyses.costs.counted import accelerations, rates_of_momenta
from mbx.analyses.costs.operation_counts import Counts, cost
from mbx.formalism import registry

SWEEPS: Final = (
    "tree_newton_euler:lu",
    "tree_newton_euler:cholesky",
    "tree_hamilton_extended:lu",
    "tree_hamilton_extended:cholesky",
)


def chain(links: int) -> str:
    """Return a chain of bodies whose axes alternate."""
    lines = ["mbx 1", "model Chain {"]
    for k in range(links):
        base = "ground" if k == 0 else f"b{k - 1} at [0.5 m, 0.1 m, 0.2 m]"
        lines += [
            f"coordinate q{k}: rad = 0.3",
            f"body b{k} {{ mass 2 kg  com [0.2 m, 0.1 m, 0.3 m]",
            "inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])",
            f"joint revolute({base}, axis = {'xyz'[k % 2]}, angle = q{k}) }}",
        ]
    return "\n".join([*lines, "gravity [0, 0, -9.81 [m/s^2]]", "}"])


def _operations(found: Counts | str) -> int:
    assert isinstance(found, Counts), found
    return found.add + found.mul + found.div


@pytest.mark.parametrize("form", SWEEPS)
def test_s2_07_a_further_pair_of_links_always_costs_the_same(form: str) -> None:
    counts = [_operations(accelerations(system_of(chain(n)), form)) for n in (6, 8, 10, 12)]
    added = {b - a for a, b in pairwise(counts)}
    assert len(added) == 1, counts
    assert added.pop() > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("form", [*SWEEPS, "rfda:constraints", "rfda:coordinates"])
def test_a_further_pair_always_costs_the_same_to_five_hundred(form: str) -> None:
    sizes = (10, 12, 100, 500)
    counts = [cost(registry.derive(system_of(chain(n)), form)).arithmetic for n in sizes]
    pair = counts[1] - counts[0]
    assert counts == [counts[0] + pair * (n - 10) // 2 for n in sizes]


@pytest.mark.parametrize("form", SWEEPS[2:])
def test_s2_07_rates_from_momenta_are_linear_too(form: str) -> None:
    counts = [_operations(rates_of_momenta(system_of(chain(n)), form)) for n in (6, 8, 10, 12)]
    assert len({b - a for a, b in pairwise(counts)}) == 1, counts


@pytest.mark.parametrize("form", SWEEPS)
def test_open_trees_can_be_written_out(form: str) -> None:
    assert _operations(accelerations(system("pipelayer"), form)) > 0


def test_s2_07_the_solvers_cost_about_the_same_where_hinges_have_one_freedom() -> None:
    """Section 7: Algorithm 2 pays where hinges have more than three freedoms."""
    one = system_of(chain(6))
    lu, cholesky = (_operations(rates_of_momenta(one, form)) for form in SWEEPS[2:])
    assert cholesky == pytest.approx(lu, rel=0.25)
