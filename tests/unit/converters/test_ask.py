"""Sums of products, and solvers of M_Sigma."""

from __future__ import annotations

import numpy as np
import pytest

from formalisms.cases import system
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import number
from mbx.formalism.named_program import NamedProgram
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from mbx_converters.tree.cholesky import upper
from mbx_converters.tree.right_hand_sides import added, hinged, stacked


def test_one_product_is_a_product_and_no_sum() -> None:
    p = NamedProgram()
    added(p, "x", ("A", "b"), meaning="a column")
    assert [(s.name, s.op, s.args, s.meaning) for s in p.steps] == [
        ("x", "product", ("A", "b"), "a column")
    ]


def test_a_sum_takes_matrices_and_products_with_their_signs() -> None:
    p = NamedProgram()
    added(p, "x", ("a",), ("B", "c"), signs=(1, -1))
    assert [(s.name, s.op, s.args) for s in p.steps] == [
        ("x_2", "product", ("B", "c")),
        ("x", "sum", ("a", "x_2")),
    ]
    assert p.steps[-1].signs == (1, -1)


def test_a_product_with_a_minus_stays_a_sum() -> None:
    p = NamedProgram()
    added(p, "x", ("A", "b"), signs=(-1,))
    assert [s.op for s in p.steps] == ["product", "sum"]


def test_links_without_rates_are_in_no_stack() -> None:
    tree = links(motion.in_speeds(system("pipelayer")))
    assert hinged(tree) == [1, 2, 3, 4]
    p = NamedProgram()
    stacked(p, tree, "zd", "z")
    assert p.steps[-1].grid == (("zd_1",), ("zd_2",), ("zd_3",), ("zd_4",))


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_upper_factors_of_a_positive_matrix(n: int) -> None:
    rng = np.random.default_rng(n)
    half = rng.integers(-4, 5, (n, n)) + 9 * np.eye(n, dtype=int)
    D = half @ half.T
    nodes = [x for row in upper([[number(int(x)) for x in row] for row in D]) for x in row]
    L = np.array([float(x) for x in evaluate_arrays(nodes, {})]).reshape(n, n)
    assert np.array_equal(L, np.triu(L))
    assert np.abs(L.T @ L - D).max() < 1e-12 * np.abs(D).max()
