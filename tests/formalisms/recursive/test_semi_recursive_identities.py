"""Identities I1 to I8 of the two methods, on random trees in the plane and in space."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, system_of
from formalisms.recursive.semi_recursive import BOTH
from mbx.formalism import registry
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from random_trees import random_tree

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

SEEDS: Final = tuple(range(12))
"""Trees in the plane and in space, with all joints, branches and joints that move by themselves."""


@cache
def _tree(seed: int) -> tuple[System, Links, dict[str, Equations]]:
    one = system_of(random_tree(seed))
    return (
        one,
        links(motion.in_speeds(one)),
        {form: registry.derive(one, form) for form in BOTH},
    )


def _state(one: System, seed: int) -> dict[str, float]:
    """Return a state with random speeds that keeps the lengths of quaternions."""
    rng = np.random.default_rng(seed)
    speeds = {v.path: float(rng.uniform(-1, 1)) for v in one.u}
    inputs = {x.path: 0.5 for x in one.inputs if x.value is None}
    return completed(one, speeds, inputs=inputs, held=())


def _at(equations: Equations, state: dict[str, float], t: float = 0.3) -> Evaluation:
    inputs = {x.path: 0.5 for x in equations.signature.inputs if x.value is None}
    return equations.evaluate(state, inputs=inputs, t=t)


@cache
def _both(seed: int) -> tuple[Links, Evaluation, Evaluation]:
    one, tree, found = _tree(seed)
    state = _state(one, seed)
    first, second = (_at(found[form], state) for form in BOTH)
    assert first.status == second.status == "regular"
    return tree, first, second


def _skew(a: Any) -> Any:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _shift(r: Any) -> Any:
    """Return [1, -r~; 0, 1]: a twist seen from a point that is r further."""
    found = np.eye(6)
    found[:3, 3:] = -_skew(r)
    return found


def _blocks(blocks: list[Any]) -> Any:
    found = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, block in enumerate(blocks):
        found[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    return found


def _near(value: Any, scale: float = 1.0) -> Any:
    return pytest.approx(np.asarray(value), rel=1e-12, abs=1e-12 * max(scale, 1.0))


def test_the_seeds_have_planes_and_space_branches_and_many_joints() -> None:
    kinds, branched, spatial = set(), 0, 0
    for seed in SEEDS:
        _, tree, _ = _tree(seed)
        kinds |= {j.kind for link in tree.links if (j := link.moving.element.joint) is not None}
        branched += any(len(some) > 1 for some in tree.children)
        spatial += np.abs(_both(seed)[1]["V"].reshape(len(tree.links), 6, -1)[:, 3:5]).max() > 0
    assert kinds >= {"revolute", "prismatic", "general"}
    assert branched
    assert 0 < spatial < len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_i1_no_joint_of_the_tree_is_broken_by_v(seed: int) -> None:
    tree, one, _ = _both(seed)
    V = one["V"].reshape(len(tree.links), 6, -1)
    for k, link in enumerate(tree.links, start=1):
        rho, n = one[f"rho_{k}"], link.freedoms
        columns = np.vstack([one[f"h_{k}"].reshape(3, -1), one[f"w_{k}"].reshape(3, -1)])[:, :n]
        # rows of Cq: what of the relative motion at the joint its columns do not allow
        _, s, Vt = np.linalg.svd(columns.T, full_matrices=True)
        held = Vt[int((s > 1e-10).sum()) :]
        moved = _shift(rho - one[f"R_{k}"]) @ V[k - 1]
        if link.parent is not None:
            moved = moved - _shift(rho - one[f"R_{link.parent + 1}"]) @ V[link.parent]
        assert held @ moved == _near(np.zeros((len(held), len(tree.direct))), np.abs(V).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_i3_v_is_d_times_the_path_matrix_times_the_joints(seed: int) -> None:
    tree, one, two = _both(seed)
    D = _blocks([two[f"D_{k}"] for k in range(1, len(tree.links) + 1)])
    assert D @ two["T"] @ two["R_d"] == _near(one["V"], np.abs(D).max())
    assert two["T"] @ two["R_d"] == _near(two["W"])


@pytest.mark.parametrize("seed", SEEDS)
def test_i4_accelerations_without_joint_ones_are_the_same(seed: int) -> None:
    tree, one, two = _both(seed)
    every = range(1, len(tree.links) + 1)
    D = _blocks([two[f"D_{k}"] for k in every])
    moved = two["e"] + D @ two["T"] @ two["d"]
    c = np.concatenate([one[f"c_{k}"] for k in every])
    assert moved == _near(c, np.abs(two["d"]).max() * np.abs(D).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_i5_velocities_telescope_and_collapse_at_the_origin(seed: int) -> None:
    tree, one, two = _both(seed)
    V = one["V"].reshape(len(tree.links), 6, -1)
    for k, link in enumerate(tree.links, start=1):
        if link.parent is None:
            continue
        p = link.parent + 1
        B = _shift(one[f"R_{k}"] - one[f"R_{p}"])
        before = [j for i in tree.path(link.parent) for j in tree.links[i].own]
        assert B @ V[p - 1][:, before] == _near(V[k - 1][:, before], np.abs(V).max())
        collapsed = np.linalg.inv(two[f"D_{k}"]) @ B @ two[f"D_{p}"]
        assert collapsed == _near(np.eye(6), np.abs(B).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_i6_v_and_its_rate_are_those_of_finite_differences(seed: int) -> None:
    one, tree, found = _tree(seed)
    state, step = _state(one, seed), 1e-6
    here = _at(found[BOTH[0]], state)
    rates = dict(zip([v.path for v in one.q], np.atleast_1d(here["qd"]), strict=True))
    early, late = (
        _at(
            found[BOTH[0]],
            {p: x + s * step * rates.get(p, 0.0) for p, x in state.items()},
            0.3 + s * step,
        )
        for s in (-1, 1)
    )

    def rate(name: str) -> Any:
        return (late[name] - early[name]) / (2 * step)

    size = max(1.0, *(np.abs(here[f"qd_{k}"]).max() for k in range(1, len(tree.links) + 1)))
    near = {"rel": 1e-7, "abs": 1e-7 * size**2}
    assert rate("V") == pytest.approx(here["Vdot"], **near)
    for k, link in enumerate(tree.links, start=1):
        if link.frame is None:
            continue
        v, w = here[f"qd_{k}"][:3], here[f"qd_{k}"][3:]
        assert rate(f"R_{k}") == pytest.approx(v, **near)
        assert rate(f"A_{k}") == pytest.approx(_skew(w) @ here[f"A_{k}"], **near)


@pytest.mark.parametrize("seed", SEEDS)
def test_i7_both_methods_have_the_same_equations_term_by_term(seed: int) -> None:
    _, one, two = _both(seed)
    scale = np.abs(one["Mbar"]).max()
    assert two["Mbb"] == _near(one["Mbar"], scale)
    for name in ("Qv", "Qe"):
        terms = np.abs(one[name]).max()
        assert two[name] == _near(one[name], 10 * max(terms, scale))
