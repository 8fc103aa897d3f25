"""What the paper says of its estimates.

Source of every expected value: V. Ivanov, V. Shimanovskiy, J. Appl. Comput. Mech. 9(4), 2023,
1107-1121, section 8: (39), Table 1, and the text around them.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest

from mbx.analyses.costs.published_costs import METHODS, dah, emh, estimate, growth, hzu, parameters
from mbx.analyses.costs.topologies import (
    Tree,
    binary_tree,
    carousel,
    chain,
    equal_chains,
    limit_system,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.costs.topologies import Shape

FREEDOMS: Final = range(1, 7)


def trees() -> Iterator[Tree]:
    """Yield all trees of five bodies or less with one body on the ground, hinges of all sorts."""
    for bodies in range(1, 6):
        for number, rest in enumerate(product(*(range(1, i) for i in range(2, bodies + 1)))):
            yield Tree((0, *rest), tuple((3 * number + 5 * i) % 7 for i in range(bodies)))


TREES: Final = list(trees())


def path(tree: Tree, i: int) -> list[int]:
    """Return P_i, the hinges between the ground and body i, which is one of them."""
    return [] if i == 0 else [*path(tree, tree.parents[i - 1]), i]


def children(tree: Tree, i: int) -> list[int]:
    """Return U_i, the bodies that body i carries."""
    return [j for j, parent in enumerate(tree.parents, 1) if parent == i]


# -- (39) ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", TREES)
def test_s2_11_eta_tau_and_theta_are_those_of_equation_39(tree: Tree) -> None:
    n = (0, *tree.freedoms)
    bodies = range(1, len(tree.parents) + 1)
    found = parameters(tree)
    assert found.eta == tuple(sum(n[j] for j in path(tree, i)) for i in bodies)
    assert found.tau == tuple((6 - n[i]) + sum(6 - n[j] for j in children(tree, i)) for i in bodies)
    assert found.theta == tuple(n[i] * len(path(tree, i)) for i in bodies)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_a_chain_has_the_published_parameters(n: int) -> None:
    found = parameters(chain(5, n))
    assert found.eta == (n, 2 * n, 3 * n, 4 * n, 5 * n)
    assert found.tau == (*[2 * (6 - n)] * 4, 6 - n)
    assert found.theta == (n, 2 * n, 3 * n, 4 * n, 5 * n)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_a_carousel_has_the_published_parameters(n: int) -> None:
    found = parameters(carousel(5, n))
    assert found.eta == (n, *[2 * n] * 4)
    assert found.tau == ((6 - n) * 5, *[6 - n] * 4)
    assert found.theta == (n, *[2 * n] * 4)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_a_binary_tree_has_the_published_parameters(n: int) -> None:
    found = parameters(binary_tree(3, n))
    assert found.eta == (n, *[2 * n] * 2, *[3 * n] * 4)
    assert found.tau == (*[3 * (6 - n)] * 3, *[6 - n] * 4)
    assert found.theta == found.eta


def test_s2_11_equal_chains_stand_on_one_base() -> None:
    assert equal_chains(3, 2, 1).parents == (0, 1, 2, 1, 4, 1, 6)
    assert equal_chains(1, 4, 2) == chain(5, 2)
    assert equal_chains(4, 1, 2) == carousel(5, 2)


# -- Table 1 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", TREES)
def test_s2_11_the_estimate_of_emh_is_that_of_table_1(tree: Tree) -> None:
    n = tree.freedoms
    third, half, sixth = Fraction(1, 3), Fraction(39, 2), Fraction(1105, 6)
    said = sum(third * x**3 + half * x**2 + sixth * x + 864 for x in n) - (84 * n[0] + 660)
    assert emh(tree) == said


@pytest.mark.parametrize("tree", TREES)
def test_s2_11_the_estimate_of_dah_is_that_of_table_1(tree: Tree) -> None:
    found = parameters(tree)
    eta = (0, *found.eta)

    def term(x: int) -> Fraction:
        return Fraction(x**3, 3) + Fraction(17 * x**2, 2) + Fraction(109 * x, 6)

    first = sum(term(e) + 42 * theta + 222 for e, theta in zip(found.eta, found.theta, strict=True))
    assert dah(tree) == first - sum(term(eta[k]) - 205 for k in tree.parents[1:])


@pytest.mark.parametrize("tree", TREES)
def test_s2_11_the_estimate_of_hzu_is_that_of_table_1(tree: Tree) -> None:
    first = sum(
        Fraction(x**3, 3) + Fraction(17 * x**2, 2) + Fraction(361 * x, 6) + 420
        for x in parameters(tree).tau
    )
    second = sum(
        Fraction(m**3, 3) + Fraction(5 * m**2, 2) + Fraction(m, 6)
        for m in (6 - n for n in tree.freedoms[1:])
    )
    assert hzu(tree) == first - second - 48


# -- growth ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["chain", "carousel"])
@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_emh_grows_with_the_bodies_whatever_the_structure(n: int, shape: Shape) -> None:
    said = 864 + Fraction(1105 * n, 6) + Fraction(39 * n**2, 2) + Fraction(n**3, 3)
    assert growth("EMH", shape, n) == (said, 1)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_dah_grows_with_the_cube_of_a_chain(n: int) -> None:
    assert growth("DAH", "chain", n) == (Fraction(n**3, 3), 3)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_dah_grows_with_the_bodies_of_a_carousel(n: int) -> None:
    said = 427 + Fraction(613 * n, 6) + Fraction(51 * n**2, 2) + Fraction(7 * n**3, 3)
    assert growth("DAH", "carousel", n) == (said, 1)


@pytest.mark.parametrize("n", FREEDOMS)
def test_s2_11_hzu_grows_with_the_bodies_of_a_chain(n: int) -> None:
    said = 2779 - Fraction(4501 * n, 6) + Fraction(147 * n**2, 2) - Fraction(7 * n**3, 3)
    assert growth("HZU", "chain", n) == (said, 1)


@pytest.mark.parametrize("n", range(1, 6))
def test_s2_11_hzu_grows_with_the_cube_of_a_carousel(n: int) -> None:
    said = 72 - 36 * n + 6 * n**2 - Fraction(n**3, 3)
    assert growth("HZU", "carousel", n) == (said, 3)


def test_s2_11_hzu_has_no_cube_where_no_hinge_constrains() -> None:
    # the published coefficient is zero for n = 6
    assert growth("HZU", "carousel", 6)[1] == 1


def test_the_growth_of_a_binary_tree_is_no_polynomial() -> None:
    with pytest.raises(ValueError, match="no polynomials"):
        growth("DAH", "binary tree", 1)


# -- what is no tree -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parents", "freedoms", "message"),
    [
        ((0, 2), (1, 1), "body 2"),
        ((0, -1), (1, 1), "body 2"),
        ((0,), (7,), "hinge 1"),
        ((0,), (-1,), "hinge 1"),
        ((0, 1), (1,), "one hinge"),
    ],
)
def test_what_is_no_tree_is_refused(
    parents: tuple[int, ...], freedoms: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Tree(parents, freedoms)


def test_every_method_has_an_estimate() -> None:
    tree = limit_system("carousel", 3, 2)
    assert [estimate(one, tree) for one in METHODS] == [emh(tree), dah(tree), hzu(tree)]
