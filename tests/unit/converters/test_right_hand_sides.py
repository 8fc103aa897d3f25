"""Right-hand sides of equations with M_Sigma, and their unknowns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from formalisms.cases import system
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from mbx_converters.tree.cholesky import upper
from mbx_converters.tree.link_kinematics import hinges
from mbx_converters.tree.right_hand_sides import (
    Request,
    Unknowns,
    add_up,
    gather,
    move,
    stack_hinges,
)

if TYPE_CHECKING:
    from mbx.formalism.matrix_value import Matrix


def column(p: Program, name: str, size: int = 6) -> Matrix:
    return p.given(name, size=size)


def square(p: Program, name: str) -> Matrix:
    return p.define(name, [[number(i + 2 * j) for j in range(6)] for i in range(6)])


def steps(p: Program) -> list[tuple[str, str, tuple[str, ...], tuple[int, ...]]]:
    return [(s.name, s.op, s.args, s.signs) for s in p.steps if s.op in {"product", "sum"}]


def test_one_product_is_a_product_and_no_sum() -> None:
    p = Program()
    p.let("x", add_up([square(p, "A") @ column(p, "b")]))
    assert steps(p) == [("x", "product", ("A", "b"), ())]


def test_terms_are_one_sum() -> None:
    p = Program()
    a, b, c = (column(p, name) for name in "abc")
    p.let("x", add_up([a, square(p, "B") @ b, c]))
    assert steps(p) == [
        ("Bb", "product", ("B", "b"), ()),
        ("x", "sum", ("a", "Bb", "c"), (1, 1, 1)),
    ]


def test_a_right_hand_side_alone_has_no_second_name() -> None:
    p = Program()
    a = column(p, "a_1")
    f: dict[int, Matrix] = {}
    request = Request(x="x", z="z", a={1: a}, e={})
    assert gather(p, request, 1, [], f, {}) is a
    assert f == {1: a}
    assert gather(p, request, 2, [], f, {}) is None
    assert 2 not in f


def test_what_children_hand_on_and_b_are_gathered() -> None:
    p = Program()
    a, b, c = (column(p, name) for name in "abc")
    f: dict[int, Matrix] = {}
    request = Request(x="x", z="z", a={1: a}, b={1: b}, e={}, mark="h")
    gather(p, request, 1, [c], f, {1: square(p, "M")})
    assert steps(p) == [
        ("hf_1", "sum", ("a", "c"), (1, 1)),
        ("Mb", "product", ("M", "b"), ()),
        ("hfb_1", "sum", ("hf_1", "Mb"), (1, 1)),
    ]
    assert f[1].name == "hf_1"


def test_y_is_computed_where_it_is_wanted() -> None:
    p = Program()
    x, f = column(p, "x0"), column(p, "f_1")
    M = {1: square(p, "M_1")}
    silent, wanted = Unknowns(), Unknowns()
    move(p, Request(x="x", z="z", e={}), 1, "rod", [x], {1: f}, M, silent)
    assert not silent.y
    move(p, Request(x="v", y="mu", z="z", e={}), 1, "rod", [x], {1: f}, M, wanted)
    assert steps(p)[-1] == ("mu_1", "sum", ("Mv_1", "f_1"), (1, 1))
    assert wanted.y[1].name == "mu_1"


def test_links_without_rates_are_in_no_stack() -> None:
    tree = links(motion.in_speeds(system("pipelayer")))
    p = Program()
    on = hinges(p, tree)
    assert on.free == [1, 2, 3, 4]
    stack_hinges(p, on, {k: column(p, f"zd_{k}", 1) for k in range(1, 6)}, "z")
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
