"""The forms of a model by their operations."""

from __future__ import annotations

from typing import Any

import pytest

import mbx
from mbx.analyses.costs.cost_ranking import best_method, rank
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.topologies import Tree
from mbx.linking.library import cases
from unit.analyses.costs.test_count import SPRING, system


def library(name: str) -> Any:
    """Return the system of a case of the library."""
    (folder,) = (case for case in cases() if case.name == name)
    return mbx.elaborate(mbx.read(folder / "model.mb"))


def test_the_cheapest_form_comes_first() -> None:
    found = rank(library("pipelayer"), ["lagrange", "udwadia_kalaba:positive", "kane"])
    assert [entry.form for entry in found.entries] == [
        "kane",
        "lagrange",
        "udwadia_kalaba:positive",
    ]
    kane, lagrange, last = (entry.operations for entry in found.entries)
    assert kane is not None
    assert lagrange is not None
    assert kane.arithmetic < lagrange.arithmetic
    assert last is None
    assert found.best == "kane"


def test_equal_forms_are_in_the_order_of_their_names() -> None:
    found = rank(system(SPRING), ["lagrange", "kane", "gauss"])
    assert [entry.form for entry in found.entries] == ["gauss", "kane", "lagrange"]


def test_where_nothing_is_counted_there_is_no_best() -> None:
    found = rank(library("four_bar"), ["udwadia_kalaba:positive"])
    assert found.best is None
    assert "no form could be counted" in found.lines()


def test_s2_11_the_best_method_of_a_model_is_one_of_its_forms() -> None:
    names = mbx.forms(mbx.loads(SPRING.lstrip()))
    assert best_method(system(SPRING)) in names


def test_the_published_estimates_stand_beside() -> None:
    found = mbx.compare(mbx.read(_file("pipelayer")), forms=["kane"])
    # computed from Table 1 of Ivanov and Shimanovskiy 2023
    said = {one.method: one.estimate for one in found.published}
    assert said == {"EMH": 3893, "DAH": 2494, "HZU": 6638}
    assert not found.as_json()["extrapolated"]


def _file(name: str) -> Any:
    (folder,) = (case for case in cases() if case.name == name)
    return folder / "model.mb"


def test_an_extrapolation_says_so() -> None:
    tree = Tree((0, 0), (1, 1))
    found = rank(mbx.elaborate(mbx.loads(model_text(tree))), ["kane"])
    assert "published for one body on the ground, here are 2: an extrapolation" in found.lines()
    assert found.as_json()["extrapolated"]


def test_what_is_no_tree_has_no_estimate() -> None:
    found = rank(library("four_bar"), ["kane"])
    assert found.published == ()
    assert found.lines()[-1] == (
        "Ivanov and Shimanovskiy 2023, Table 1, is for trees: 'tip.x' constrains the hinges"
    )
    assert found.as_json()["tree"] is None


@pytest.mark.sample(0, "freedoms0", "freedoms1", "freedoms2")
@pytest.mark.parametrize(
    ("freedoms", "said"),
    [
        ((1,), "1 body, 1 freedom"),
        ((2, 2), "2 bodies, 4 freedoms, 2 in each hinge"),
        ((3, 1), "2 bodies, 4 freedoms, in its hinges 3, 1"),
        ((1,) * 12 + (2,), "13 bodies, 14 freedoms, 1 to 2 in a hinge"),
    ],
)
def test_freedoms_are_told(freedoms: tuple[int, ...], said: str) -> None:
    tree = Tree(tuple(range(len(freedoms))), freedoms)
    found = rank(mbx.elaborate(mbx.loads(model_text(tree))), ["newton_euler"])
    assert found.lines()[0] == f"Tree: {said}"


def test_progress_hears_every_form() -> None:
    heard: list[tuple[str, int]] = []
    rank(system(SPRING), ["kane", "gauss"], progress=lambda *said: heard.append(said))
    assert heard == [("kane", 2), ("gauss", 2)]


def test_parameters_are_numbers_unless_symbols_are_wanted() -> None:
    document = mbx.loads(SPRING.lstrip())
    numbers = mbx.compare(document, forms=["kane"]).as_json()
    symbols = mbx.compare(document, forms=["kane"], symbolic=True).as_json()
    # -3/2 x and -k x/m
    assert numbers["forms"][0]["operations"]["total"] == 1
    assert symbols["forms"][0]["operations"]["total"] == 2
    assert (numbers["symbolic"], symbols["symbolic"]) == (False, True)
