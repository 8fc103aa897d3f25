"""Checklist S1-15 to S1-17, and what the form owes beyond the paper: loops, motors, reactions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import folder, forms, linked, system, system_of
from formalisms.recursive.rfda_cases import VARIANTS, at, matrix, some_state, space
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.operation_counts import cost
from mbx.analyses.costs.topologies import Tree
from mbx.formalism import registry
from mbx.formalism.shapes import shapes
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

RECURSIVE: Final = ("semi_recursive_1", "semi_recursive_2", "articulated_body")


@pytest.mark.parametrize("case", ["featherstone_sliders", "revolute_pair", "five_node_tree"])
def test_s1_15_the_examples_are_in_the_library(case: str) -> None:
    text = (folder(case) / "model.mb").read_text("utf-8")
    assert "Deepak" in text
    assert not mbx.check(mbx.read(folder(case) / "model.mb")).errors


def _chain(n: int) -> Equations:
    tree = Tree(parents=tuple(range(n)), freedoms=(1,) * n)
    return registry.derive(system_of(model_text(tree)), "rfda:projection")


def test_s1_16_every_further_body_costs_the_same() -> None:
    counts = {n: cost(_chain(n)).arithmetic for n in (10, 11, 20, 40, 60)}
    each = counts[11] - counts[10]
    assert each > 0
    for n, count in counts.items():
        assert count == counts[10] + (n - 10) * each


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_s1_16_every_further_body_costs_the_same_to_five_hundred() -> None:
    counts = {n: cost(_chain(n)).arithmetic for n in (10, 100, 250, 500)}
    each = (counts[100] - counts[10]) // 90
    for n, count in counts.items():
        assert count == counts[10] + (n - 10) * each


def test_s1_16_the_other_variant_is_linear_too() -> None:
    # axes come round with every third body
    counts = []
    for n in (9, 12, 15, 18):
        tree = Tree(parents=tuple(range(n)), freedoms=(1,) * n)
        equations = registry.derive(system_of(model_text(tree)), "rfda:constraints")
        counts.append(cost(equations).arithmetic)
    assert len(set(np.diff(counts))) == 1


def test_s1_16_the_dense_equations_are_not() -> None:
    """The matrix of (7) has 6n + 5n rows: elimination alone grows with their cube."""
    counts = []
    for n in (4, 8, 16):
        tree = Tree(parents=tuple(range(n)), freedoms=(1,) * n)
        counts.append(cost(registry.derive(system_of(model_text(tree)), "kane")).arithmetic)
    assert counts[2] - counts[1] > 3 * (counts[1] - counts[0])


@pytest.mark.parametrize("variant", ["projection", "constraints"])
def test_no_matrix_of_the_whole_tree_is_written(variant: str) -> None:
    one = space()
    equations = registry.derive(one, f"rfda:{variant}")
    sizes = shapes(equations.steps)
    columns = [name for name, (_, width) in sizes.items() if width and width > 12]
    assert columns == [] or set(columns) <= {"Au", "Aut"}
    assert all(
        re.search(r"_\d+m?$", n)
        for n, (h, w) in sizes.items()
        if (h or 0) * (w or 0) > 20 and h and w and w > 1
    )


@pytest.mark.parametrize("case", ["five_node_tree", "spatial_chain", "rp_chain"])
def test_s1_17_all_forms_have_the_same_accelerations(case: str) -> None:
    one = system(case)
    state = some_state(one, 7)
    every = forms(one)
    assert {f"rfda:{v}" for v in VARIANTS} | set(RECURSIVE) <= {
        *every,
        *(n.partition(":")[0] for n in every),
    }
    reference = every["kane"].evaluate(state)["ud"]
    scale = np.abs(reference).max()
    for name, equations in every.items():
        if "ud" in equations.results and not equations.signature.derived:
            got = equations.evaluate(state)["ud"]
            np.testing.assert_allclose(got, reference, rtol=0, atol=1e-11 * scale, err_msg=name)


@pytest.mark.parametrize(
    "case", ["four_bar", "heavy_top_quaternion", "dc_motor", "five_bar_motors"]
)
def test_s1_17_beyond_the_paper_loops_motors_and_quaternions_agree(case: str) -> None:
    found = mbx.verify(linked(case), forms=["rfda", "kane"], states=2, oracle=1)
    assert found.verdict == "agree", str(found)
    assert sum(form.startswith("rfda") for form in map(str, found.forms)) == 3, str(found)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", ["five_node_tree", "spatial_chain", "revolute_pair"])
def test_reactions_are_those_of_newton_and_euler(case: str, variant: str) -> None:
    one = system(case)
    state = some_state(one, 8)
    other = registry.derive(one, "newton_euler").evaluate(state).reactions
    mine = at(one, variant, state).reactions
    assert set(mine) == set(other)
    for path, six in other.items():
        np.testing.assert_allclose(mine[path], six, rtol=1e-9, atol=1e-10, err_msg=path)


@pytest.mark.parametrize("variant", VARIANTS)
def test_lambda_of_a_closed_tree_is_what_holds_its_nodes(variant: str) -> None:
    one = system("four_bar")
    equations = registry.derive(one, f"rfda:{variant}")
    start = {v.path: v.start or 0.0 for v in (*one.q, *one.u)}
    found = equations.evaluate(start)
    for k, path in enumerate(("crank", "coupler", "rocker"), start=1):
        if f"lambda:{path}" not in equations.results:
            continue
        W, E = found[f"W_{k}"], matrix(found, f"E_{k}")
        np.testing.assert_allclose(found[f"lambda:{path}"], -E.T @ W, atol=1e-11)
    assert "lambda:crank" in equations.results


DAMPED: Final = """mbx 1
model M { coordinate a: rad = 0.3
  body b { mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  damper between (b.origin + 0.5 m*cos(a)*b.x) and (ground.origin + [1 m, 1 m, 0])
    damping 2 [N*s/m] }
"""


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "one", [system("five_bar_motors"), system_of(DAMPED)], ids=["loop", "tree"]
)
def test_a_load_that_no_joint_hands_on_leaves_reactions_unsaid(one: System, variant: str) -> None:
    assert Feature.GENERALIZED_LOAD in one.features
    results = registry.derive(one, f"rfda:{variant}").results
    assert not [name for name in results if name.startswith(("reaction:", "lambda:"))]
