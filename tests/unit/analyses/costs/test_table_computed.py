"""Numbers that follow from the published formulas, and stand nowhere in the paper.

Source of every expected value: computed from Table 1 of V. Ivanov, V. Shimanovskiy,
J. Appl. Comput. Mech. 9(4), 2023, by another program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mbx.analyses.costs.cheapest import crossover, map_of_equal_chains
from mbx.analyses.costs.published_costs import METHODS, estimate
from mbx.analyses.costs.topologies import Tree, limit_system

if TYPE_CHECKING:
    from mbx.analyses.costs.published_costs import Method
    from mbx.analyses.costs.topologies import Shape

GOLDEN: Final[dict[tuple[int, Shape], str]] = {
    (1, "chain"): """
        1 324/291/927; 2 1392/848/3027; 3 2460/1468/5127; 5 4596/2905/9327; 10 9936/7740/19827;
        20 20616/23585/40827; 50 52656/138520/103827; 100 106056/674745/208827""",
    (1, "carousel"): """
        3 2460/1405/6052; 5 4596/2519/15877; 10 9936/5304/74127; 20 20616/10874/441252;
        100 106056/55434/43908252""",
    (1, "binary tree"): """
        3 2460/1405/6052; 7 6732/3885/16302; 15 15276/9365/36802; 31 32364/21397/77802;
        63 66540/47669/159802""",
    (2, "chain"): """
        1 485/379/770; 5 5737/4555/6986; 7 8363/7971/10094; 10 12302/15115/14756;
        100 130472/3476995/154616""",
    (2, "carousel"): "5 5737/3387/10666; 10 12302/7147/44516; 100 130472/74827/22792616",
    (2, "binary tree"): "63 81891/87035/113486",
    (3, "chain"): """
        1 689/488/638; 2 2290/1514/1765; 3 3891/2927/2892; 5 7093/7130/5146;
        10 15098/28190/10781; 100 159188/10449245/112211""",
    (3, "carousel"): "5 7093/4592/6928; 10 15098/9722/24713; 100 159188/102062/9848168",
    (3, "binary tree"): "7 10295/8192/8183; 15 23103/23024/18243",
    (4, "chain"): """
        1 938/620/529; 5 8674/10880/3749; 10 18344/48965/7774; 100 192404/23591495/80224""",
    (4, "carousel"): """
        5 8674/6192/4413; 10 18344/13157/12718; 15 28014/20122/26723; 100 192404/138527/3074908""",
}
"""Bodies, then EMH/DAH/HZU, by the freedoms of each hinge and the structure."""


def _rows() -> list[tuple[int, Shape, int, str]]:
    return [
        (n, shape, int(row.split()[0]), row.split()[1])
        for (n, shape), text in GOLDEN.items()
        for row in text.split(";")
    ]


def estimates(tree: Tree) -> str:
    """Return the three estimates as the tables have them."""
    return "/".join(str(estimate(method, tree)) for method in METHODS)


def sized(shape: Shape, bodies: int) -> int:
    """Return the size of a limit system: its bodies, or the levels of a binary tree."""
    return bodies.bit_length() if shape == "binary tree" else bodies


@pytest.mark.sample(12)
@pytest.mark.parametrize(("n", "shape", "bodies", "said"), _rows())
def test_s2_11_limit_systems_cost_what_the_formulas_say(
    n: int, shape: Shape, bodies: int, said: str
) -> None:
    tree = limit_system(shape, sized(shape, bodies), n)
    assert len(tree.parents) == bodies
    assert estimates(tree) == said


def test_s2_11_the_pipelayer_costs_what_the_formulas_say() -> None:
    assert estimates(Tree((0, 1, 2, 3), (3, 1, 1, 1))) == "3893/2494/6638"


def test_s2_11_a_mixed_tree_costs_what_the_formulas_say() -> None:
    tree = Tree((0, 1, 1, 2, 2, 3, 6), (6, 1, 2, 3, 2, 1, 1))
    assert estimates(tree) == "9010/6892/10893"


# -- crossovers of chains --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cheaper", "than", "said"),
    [
        ("EMH", "DAH", [17, 8, 5, 4, 4, 3]),
        ("HZU", "DAH", [39, 10, 3, 1, 1, 1]),
        ("HZU", "EMH", [None, None, 1, 1, 1, 1]),
    ],
)
def test_s2_11_methods_cross_on_a_chain_where_the_formulas_say(
    cheaper: Method, than: Method, said: list[int | None]
) -> None:
    assert [crossover(cheaper, than, n, most=400) for n in range(1, 7)] == said


# -- equal chains on one base ----------------------------------------------------------------

LETTERS: Final = {"D": "DAH", "E": "EMH", "H": "HZU"}
ANY: Final = range(1, 31)


def winners(said: str, longest: int) -> list[str]:
    """Return the cheapest method by length, from `D<=3,E4-7,H8+` and the like."""
    found: list[str] = []
    for part in said.split(","):
        letter, bounds = part[0], part[1:].removeprefix("<=").removesuffix("+")
        last = longest if part.endswith("+") else int(bounds.rpartition("-")[2])
        found += [LETTERS[letter]] * (last - len(found))
    return found


@pytest.mark.parametrize(
    ("n", "chains", "said"),
    [
        (1, ANY, "D<=15,E16+"),
        (2, ANY, "D<=6,E7+"),
        (3, [1], "D1,H2+"),
        (3, range(2, 7), "D<=2,H3+"),
        (3, range(7, 11), "D<=3,H4+"),
        (3, [11], "D<=3,E4,H5+"),
        (3, [15], "D<=3,E4-7,H8+"),
        (3, [20], "D<=3,E4-11,H12+"),
        (3, [30], "D<=3,E4-23,H24+"),
        (3, [50], "D<=3,E4-40"),
        (4, range(1, 10), "H1+"),
        (4, range(10, 21), "D1,H2+"),
        (4, [30], "D<=2,E3,H4+"),
        (4, [50], "D<=2,E3-7,H8+"),
        (5, range(1, 21), "H1+"),
        (6, range(1, 21), "H1+"),
    ],
)
def test_s2_11_equal_chains_have_the_cheapest_method_that_the_formulas_say(
    n: int, chains: list[int], said: str
) -> None:
    longest = 40 if n < 4 else 20
    found = map_of_equal_chains(n, chains, range(1, longest + 1))
    for count in chains:
        by_length = [found[count, length] for length in range(1, longest + 1)]
        assert by_length == winners(said, longest), count
