"""Checklist S1-01 to S1-06: trees, joint rows, driving rows, the dense equations, both variants."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from formalisms.cases import system, system_of
from formalisms.recursive.rfda_cases import (
    TREE_STATE,
    VARIANTS,
    accelerations,
    at,
    dense,
    matrix,
    parents,
    rate,
    some_state,
    space,
    tree_of,
)
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.topologies import Tree
from mbx.base.errors import EquationsError
from mbx.expr.nodes import ONE, ZERO, number
from mbx.mechanics.tree.absolute_hinges import across
from mbx_converters.rfda.joint_rows import full_rank

if TYPE_CHECKING:
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

SPACE_SEEDS = (0, 1, 2)


def _descendants(tree: Links, k: int) -> list[int]:
    found = [j + 1 for j in tree.children[k - 1]]
    return sorted(found + [x for j in found for x in _descendants(tree, j)])


def test_s1_01_a_tree_has_parents_children_and_descendants() -> None:
    # node 2 carries 4, 5, 7, 10, 11, 12, as in Fig. 1; the rest of that figure is not known
    parents_1 = (0, 1, 1, 2, 2, 3, 4, 3, 6, 7, 7, 5)
    tree = tree_of(system_of(model_text(Tree(parents=parents_1, freedoms=(1,) * 12))))
    assert [1 if x.parent is None else x.parent + 1 for x in tree.links] == [1, *parents_1[1:]]
    assert [j + 1 for j in tree.children[1]] == [4, 5]
    assert _descendants(tree, 2) == [4, 5, 7, 10, 11, 12]
    assert _descendants(tree, 2)[3 - 1] == 7  # h(2, 3)


def test_s1_01_several_roots_may_hang_on_joints_or_float() -> None:
    assert parents(space()) == [None, 1, 2, 1, 4, 1, None]
    assert tree_of(space()).links[6].freedoms == 6
    state = some_state(space(), 3)
    for variant in VARIANTS:
        found = at(space(), variant, state)
        assert found.status == "regular"
        # a floating root: y'' = Mhat^-1 fhat
        alone = np.linalg.solve(found["Mhat_7"], found["fhat_7"])
        # entries that are zero but for rounding are small beside the largest
        least = 1e-15 * np.abs(alone).max()
        np.testing.assert_allclose(found["ydd_7"], alone, rtol=1e-12, atol=least)


@pytest.mark.parametrize("seed", SPACE_SEEDS)
def test_s1_02_joint_rows_hold_for_velocities_and_accelerations(seed: int) -> None:
    one = space()
    state = some_state(one, seed)
    found = at(one, "coordinates", state)
    ud = accelerations(one, found)
    for k, j in enumerate(parents(one), start=1):
        G, ydd = matrix(found, f"G_{k}"), rate(one, "coordinates", f"yd_{k}", state, ud)
        left, right = G @ ydd, matrix(found, f"gamma_{k}")[:, 0]
        if j is not None:
            Q = matrix(found, f"Q_{k}")
            # (1), where a = nu
            open_ = Q @ found[f"yd_{j}"] + G @ found[f"yd_{k}"] - matrix(found, f"a_{k}")[:, 0]
            np.testing.assert_allclose(open_, 0, atol=1e-13)
            left = left + Q @ rate(one, "coordinates", f"yd_{j}", state, ud)
        np.testing.assert_allclose(left, right, atol=2e-8)  # (3), differences of 1e-5
        np.testing.assert_allclose(ydd, found[f"ydd_{k}"], atol=2e-8)


def test_s1_02_a_joint_that_moves_by_itself_has_a_right_side() -> None:
    found = at(system("five_node_tree"), "coordinates", TREE_STATE)
    # the anchor of node 4 moves along x of node 3, which is turned by -0.3
    speed = 0.05 * 2 * np.cos(0.3)
    nu = [speed * np.cos(0.3), -speed * np.sin(0.3)]
    np.testing.assert_allclose(found["a_5"][:2], nu, rtol=1e-13)
    assert np.abs(found["a_4"]).max() < 1e-15


def test_s1_03_dependent_joint_rows_are_refused_by_name() -> None:
    two = number(2)
    with pytest.raises(EquationsError, match="joint of 'arm' has dependent rows"):
        full_rank([[ONE, ONE, ZERO], [two, two, ZERO]], "arm")
    full_rank([[ONE, ONE, ZERO], [two, ONE, ZERO]], "arm")


def test_s1_03_a_state_where_joint_rows_lose_rank_is_singular() -> None:
    one = system_of(
        """mbx 1
        model M { coordinate a: rad = 0, b: rad = 0.3, c: rad = 0
          body arm { mass 1 kg com [0.1 m, 0, 0] inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
            joint spherical(ground, euler zxz by (a, b, c)) } }"""
    )
    state = {"a": 0.1, "c": 0.2, "a'": 0.0, "b'": 0.0, "c'": 0.0}
    for variant in VARIANTS:
        assert at(one, variant, state | {"b": 0.3}).status == "regular"
        assert at(one, variant, state | {"b": 0.0}).status == "singular"


@pytest.mark.parametrize("one", [space(), system("five_node_tree")], ids=["space", "tree"])
def test_s1_04_driving_rows_give_what_appendix_a_says(one: System) -> None:
    found = at(one, "constraints", some_state(one, 4))
    closed = at(one, "coordinates", some_state(one, 4))
    for k, j in enumerate(parents(one), start=1):
        G, Gd = matrix(found, f"G_{k}"), matrix(found, f"Gd_{k}")
        E, D = matrix(found, f"E_{k}"), matrix(found, f"H_{k}")
        both = np.vstack([G, Gd]) @ np.hstack([E, D])
        np.testing.assert_allclose(both, np.eye(6), atol=1e-13)  # (60)
        np.testing.assert_allclose(E, matrix(closed, f"E_{k}"), atol=1e-13)
        np.testing.assert_allclose(D, found[f"T_{k}"] @ matrix(found, f"A_{k}"), atol=1e-13)
        d = E @ matrix(found, f"gamma_{k}") + D @ matrix(found, f"gammad_{k}")
        np.testing.assert_allclose(d[:, 0], found[f"d_{k}"], atol=1e-12)
        if j is not None:
            B = -(E @ matrix(found, f"Q_{k}") + D @ matrix(found, f"Qd_{k}"))  # (61)
            np.testing.assert_allclose(B, found[f"B_{k}"], atol=1e-13)


@pytest.mark.parametrize("seed", SPACE_SEEDS)
@pytest.mark.parametrize("one", [space(), system("five_node_tree")], ids=["space", "tree"])
def test_s1_05_the_dense_equations_give_the_same(one: System, seed: int) -> None:
    found = at(one, "constraints", some_state(one, seed))
    ydd, lam = dense(one, found)
    for k in range(1, len(ydd) + 1):
        np.testing.assert_allclose(found[f"ydd_{k}"], ydd[k - 1], rtol=1e-9, atol=1e-11)
        got = matrix(found, f"lambda_{k}")[:, 0]
        np.testing.assert_allclose(got, lam[k - 1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("seed", SPACE_SEEDS)
def test_s1_06_all_variants_agree_in_what_they_hand_on_and_find(seed: int) -> None:
    one = space()
    state = some_state(one, seed)
    every = [at(one, variant, state) for variant in VARIANTS]
    for first, second in pairwise(every):
        np.testing.assert_allclose(first["ud"], second["ud"], rtol=1e-11, atol=1e-12)
        for k in range(1, len(parents(one)) + 1):
            for name in (f"Mhat_{k}", f"ydd_{k}", f"d_{k}"):
                np.testing.assert_allclose(first[name], second[name], rtol=1e-10, atol=1e-11)
        for path in ("one", "two", "three", "four", "five", "six"):
            a, b = (matrix(x, f"lambda:{path}") for x in (first, second))
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


def test_s1_06_what_holds_a_node_is_made_of_lambda_and_motors() -> None:
    found = at(space(), "constraints", some_state(space(), 5))
    for k, path in enumerate(("one", "two", "three", "four", "five", "six", "seven"), start=1):
        held = matrix(found, f"Gd_{k}").T @ matrix(found, f"tau_{k}")
        if k < 7:
            held = held - matrix(found, f"G_{k}").T @ matrix(found, f"lambda:{path}")
        np.testing.assert_allclose(held[:, 0], found[f"W_{k}"], atol=1e-10)


def test_what_is_across_a_hinge_is_said_where_symbols_can() -> None:
    rows = [[ZERO], [ZERO], [ZERO], [number(3)], [number(4)], [number(5)]]
    found = across(rows)
    assert found.linear
    assert not found.angular
    assert found.own is not None
    a = np.array([3, 4, 5])
    one, two = (np.array([float(x.value) for x in z[3:]]) for z in found.own)
    assert abs(one @ a) + abs(two @ a) + abs(one @ two) == 0
    assert one @ one > 0
    assert two @ two > 0
    mixed = [[ONE], [ZERO], [ZERO], [ONE], [ZERO], [ZERO]]
    assert across(mixed).own is None
