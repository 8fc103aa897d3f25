"""Algorithm 3: block elimination on D_Sigma and H_Sigma, without fill-in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import system_of
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.published_costs import emh, hzu
from mbx.analyses.costs.topologies import Tree, binary_tree, carousel, chain
from mbx.base.errors import EquationsError
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred, subspaces
from mbx_converters.tree import block_cholesky
from mbx_converters.tree.orthogonal import kin
from mbx_converters.tree.tangent_projection import ancestors

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx_converters.tree.block_cholesky import Neighbours

TREES: Final = {
    "chain": chain(4, 2),
    "carousel": carousel(4, 2),
    "binary": binary_tree(3, 1),
    "mixed": Tree((0, 1, 1, 2, 2, 3, 0, 7, 7), (6, 1, 2, 3, 2, 1, 3, 1, 2)),
}
FORM: Final = {"D": "tree_lagrange_2", "H": "tree_lagrange_1"}
SOLUTION: Final = {"D": "z", "H": "hlam"}
RIGHT: Final = {"D": "ef", "H": "hZo"}


@cache
def equations(tree: str, mat: str) -> Equations:
    return registry.derive(system_of(model_text(TREES[tree])), FORM[mat])


@cache
def evaluated(tree: str, mat: str) -> Evaluation:
    signature = equations(tree, mat).signature
    names = [x.path for x in (*signature.q, *signature.u)]
    state = {name: 0.9 - 0.31 * (k % 5) for k, name in enumerate(names)}
    found = equations(tree, mat).evaluate(state)
    assert found.status == "regular"
    return found


@cache
def neighbours(tree: str, mat: str) -> Neighbours:
    one = links(motion.in_speeds(system_of(model_text(TREES[tree]))))
    return ancestors(one) if mat == "D" else kin(centred(one), subspaces(one))


def blocks(found: Evaluation, mat: str, near: Neighbours) -> dict[tuple[int, int], Any]:
    """Return the blocks of a matrix, in both halves."""
    lower = {(i, j): found.outcome.at(f"{mat}_{i}_{j}", 0) for i in near for j in (*near[i], i)}
    return lower | {(j, i): block.T for (i, j), block in lower.items()}


def dense(near: Neighbours, known: dict[tuple[int, int], Any]) -> Any:
    sizes = {i: len(known[i, i]) for i in near}
    grid = [
        [known.get((i, j), np.zeros((sizes[i], sizes[j]))) for j in sorted(near)]
        for i in sorted(near)
    ]
    return np.block(grid)


def algorithm_3(
    near: Neighbours,
    known: dict[tuple[int, int], Any],
    right: dict[int, Any],
    second: tuple[int, ...],
) -> Any:
    """Solve as the text says, with roots; `second` is the order of the second loop."""
    Mat = {at: block.copy() for at, block in known.items()}
    Q = {i: q.copy() for i, q in right.items()}
    L: dict[tuple[int, int], Any] = {}
    h: dict[int, Any] = {}
    zero = {(i, j): np.zeros((len(Q[i]), len(Q[j]))) for i in Q for j in Q}
    for i in sorted(near, reverse=True):
        L[i, i] = np.linalg.cholesky(Mat[i, i]).T
        for j in near[i]:
            L[i, j] = np.linalg.solve(L[i, i].T, Mat.get((i, j), zero[i, j]))
        for j in near[i]:
            for k in near[i]:
                Mat[j, k] = Mat.get((j, k), zero[j, k]) - L[i, j].T @ L[i, k]
        h[i] = np.linalg.solve(L[i, i].T, Q[i])
        for j in near[i]:
            Q[j] = Q[j] - L[i, j].T @ h[i]
    u = {i: np.zeros_like(q) for i, q in Q.items()}
    for i in second:
        u[i] = np.linalg.solve(L[i, i], h[i] - sum(L[i, j] @ u[j] for j in near[i]))
    return np.concatenate([u[i] for i in sorted(u)])


def right_of(found: Evaluation, mat: str, near: Neighbours) -> dict[int, Any]:
    return {i: found.outcome.at(f"{RIGHT[mat]}_{i}", 0) for i in near}


@pytest.mark.parametrize("mat", ["D", "H"])
@pytest.mark.parametrize("tree", TREES)
def test_s2_07_algorithm_3_solves_the_equations(tree: str, mat: str) -> None:
    near, found = neighbours(tree, mat), evaluated(tree, mat)
    known, right = blocks(found, mat, near), right_of(found, mat, near)
    expected = np.linalg.solve(dense(near, known), np.concatenate([right[i] for i in sorted(near)]))
    steps = np.concatenate([found.outcome.at(f"{SOLUTION[mat]}_{i}", 0) for i in sorted(near)])
    rooted = algorithm_3(near, known, right, tuple(sorted(near)))
    assert np.abs(expected).max() > 1e-3
    for solved in (steps, rooted):
        assert np.abs(solved - expected).max() < 1e-11 * np.abs(expected).max()


@pytest.mark.parametrize("mat", ["D", "H"])
def test_s2_07_elimination_is_that_of_the_roots(mat: str) -> None:
    """X_ij = L_ii^-1 L_ij with L_ii^T L_ii = Mat_ii and L_ij = L_ii^-T Mat_ij."""
    near, found = neighbours("mixed", mat), evaluated("mixed", mat)
    names = {step.name for step in equations("mixed", mat).steps}

    def left(i: int, j: int) -> Any:
        name = f"{mat}l_{i}_{j}"
        return found.outcome.at(name if name in names else f"{mat}_{i}_{j}", 0)

    compared = 0
    for i in near:
        L = np.linalg.cholesky(left(i, i)).T
        for j in near[i]:
            L_ij = np.linalg.solve(L.T, left(i, j))
            X = found.outcome.at(f"{mat}X_{i}_{j}", 0)
            assert np.linalg.solve(L, L_ij) == pytest.approx(X, rel=1e-9, abs=1e-12)
            compared += 1
    assert compared > 6


@pytest.mark.parametrize("mat", ["D", "H"])
def test_erratum_2_the_second_loop_runs_from_the_first_block(mat: str) -> None:
    """Printed is i = N:1 for the second loop, too."""
    near, found = neighbours("chain", mat), evaluated("chain", mat)
    known, right = blocks(found, mat, near), right_of(found, mat, near)
    expected = algorithm_3(near, known, right, tuple(sorted(near)))
    printed = algorithm_3(near, known, right, tuple(sorted(near, reverse=True)))
    assert np.abs(printed - expected).max() > 1e-2 * np.abs(expected).max()


def test_erratum_2_ancestors_are_no_index_set_for_h_sigma() -> None:
    """Printed is P_{k_i} for both matrices; siblings share a block of H_Sigma, too.

    What is left of a block then need not even be positive definite.
    """
    for tree, right_too in (("chain", True), ("carousel", False), ("mixed", False)):
        near, found = neighbours(tree, "H"), evaluated(tree, "H")
        known, right = blocks(found, "H", near), right_of(found, "H", near)
        above = ancestors(links(motion.in_speeds(system_of(model_text(TREES[tree])))))
        printed = {i: tuple(j for j in above[i] if j in near) for i in near}
        expected = algorithm_3(near, known, right, tuple(sorted(near)))
        try:
            solved = algorithm_3(printed, known, right, tuple(sorted(near)))
        except np.linalg.LinAlgError:
            assert not right_too
            continue
        gap = np.abs(solved - expected).max() / np.abs(expected).max()
        assert gap < 1e-10 if right_too else gap > 1e-3


def test_erratum_3_algorithm_2_does_not_solve_for_multipliers() -> None:
    """Printed is that (37) is solved by algorithm 2, which costs the same on every topology.

    Table 1 has for HZU what algorithm 3 costs on H_Sigma: of a carousel it is cubic.
    """
    N = 6
    assert emh(carousel(N, 2)) == emh(chain(N, 2))
    assert hzu(carousel(N, 2)) > 1.5 * hzu(chain(N, 2))
    products = {}
    for n in (3, 4, 5, 6):
        program = registry.derive(
            system_of(model_text(carousel(n, 1))), "tree_hamilton_multipliers"
        )
        products[n] = sum(step.name.startswith("Hu_") for step in program.steps)
        assert not [step for step in program.steps if step.name.startswith("Mst")]
    assert np.diff(list(products.values()), 3).tolist() == [1]  # cubic: n^3/6


# -- sparsity ----------------------------------------------------------------------------------


def pattern(tree: str, mat: str) -> list[str]:
    head = f"{mat}_Sigma: "
    notes = [n.removeprefix(head) for n in equations(tree, mat).notes if n.startswith(head)]
    return [notes[0], *(n.split("  ")[0] for n in notes[1:])]


def test_s2_10_patterns_of_d_sigma() -> None:
    """Full for a chain; two blocks a row for what one link carries."""
    assert pattern("chain", "D") == [
        "4 + 6 of 10 blocks of the lower half, no fill-in",
        "x",
        "x x",
        "x x x",
        "x x x x",
    ]
    assert pattern("carousel", "D")[1:] == ["x", "x x", "x . x", "x . . x"]
    assert pattern("binary", "D")[1:] == [
        "x",
        "x x",
        "x . x",
        "x x . x",
        "x x . . x",
        "x . x . . x",
        "x . x . . . x",
    ]


def test_s2_10_patterns_of_h_sigma() -> None:
    """Two diagonals for a chain; full for what one link carries."""
    assert pattern("chain", "H")[1:] == ["x", "x x", ". x x", ". . x x"]
    assert pattern("carousel", "H") == [
        "4 + 6 of 10 blocks of the lower half, no fill-in",
        "x",
        "x x",
        "x x x",
        "x x x x",
    ]
    assert pattern("binary", "H")[1:] == [
        "x",
        "x x",
        "x x x",
        ". x . x",
        ". x . x x",
        ". . x . . x",
        ". . x . . x x",
    ]


@pytest.mark.parametrize("mat", ["D", "H"])
@pytest.mark.parametrize("tree", TREES)
def test_s2_10_elimination_fills_nothing(tree: str, mat: str) -> None:
    near, found = neighbours(tree, mat), evaluated(tree, mat)
    assert block_cholesky.fill_in(near) == []
    known = blocks(found, mat, near)
    order = [i for i in sorted(near) for _ in range(len(known[i, i]))]
    full = dense(near, known)
    backward = np.linalg.cholesky(full[::-1, ::-1])[::-1, ::-1]
    for a, i in enumerate(order):
        for b, j in enumerate(order):
            if j < i and j not in near[i]:
                assert backward[b, a] == 0


def test_s2_10_fill_is_found() -> None:
    assert block_cholesky.fill_in({1: (), 2: (), 3: (1, 2)}) == [(2, 1)]
    with pytest.raises(EquationsError, match=r"elimination of D fills blocks: \[\(2, 1\)\]"):
        block_cholesky.factorize(Program(), "D", {1: (), 2: (), 3: (1, 2)}, {})


def test_a_large_pattern_is_described_by_numbers() -> None:
    notes = registry.derive(system_of(model_text(chain(17, 1))), "tree_lagrange_1").notes
    assert notes == ("H_Sigma: 17 + 16 of 153 blocks of the lower half, no fill-in",)
    assert not registry.derive(system_of(model_text(chain(1, 1))), "tree_lagrange_2").notes
