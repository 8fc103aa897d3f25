"""The map of the cheapest methods, with counts that are known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

from mbx.analyses.costs import cost_map_drawing as drawing
from mbx.analyses.costs.cheapest import FREEDOMS, SHAPES, Cell, Panel, published_panel
from mbx.analyses.costs.cost_map_drawing import draw
from mbx.analyses.costs.cost_maps import Map, counted_map, make_map
from mbx.analyses.costs.published_costs import FORMS, METHODS, estimate
from mbx.base.extras import ExtraError

if TYPE_CHECKING:
    from mbx.analyses.costs.topologies import Tree

MOST: Final = 31


def published(method: str, tree: Tree) -> int | None:
    """Count what the formulas say, as far as a tree is not too large."""
    if len(tree.parents) > MOST:
        return None
    return estimate(method, tree)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def known() -> Map:
    return make_map(published)


# -- by counts -------------------------------------------------------------------------------


def test_s2_11_counts_that_follow_the_formulas_give_their_map(known: Map) -> None:
    for counted, said in zip(known.counted[:2], known.published[:2], strict=True):
        assert [cell.costs for cell in counted.cells] == [cell.costs for cell in said.cells]


def test_a_chain_is_counted_as_far_as_its_law_needs(known: Map) -> None:
    cells = [cell for cell in known.counted[0].cells if cell.freedoms == 2]
    assert [cell.bodies for cell in cells if cell.known == "counted"] == [1, 2, 3, 4, 5, 6]
    assert cells[-1].known == "extended"


def test_a_binary_tree_is_counted_level_by_level(known: Map) -> None:
    cells = [cell for cell in known.counted[2].cells if cell.freedoms == 2]
    assert [cell.bodies for cell in cells] == [1, 3, 7, 15, 31, 63]
    assert [cell.known for cell in cells[:5]] == ["counted"] * 5
    assert cells[-1].winner is None


def test_a_system_that_one_method_lacks_is_left_open() -> None:
    found = make_map(lambda method, tree: None if method == "HZU" else published(method, tree))
    assert {cell.winner for panel in found.counted for cell in panel.cells} == {None}


def test_methods_that_cost_the_same_are_all_named() -> None:
    cell = Cell(1, 1, {"EMH": 3, "DAH": 2, "HZU": 2}, "counted")
    assert cell.winner == "DAH = HZU"


def test_progress_hears_every_part() -> None:
    heard: list[tuple[str, int]] = []
    make_map(published, lambda *said: heard.append(said), ["kane"], lambda *_: 1)
    assert heard[0] == ("chain, 1 freedoms, EMH", 72)
    assert len(heard) == 72


def test_forms_have_a_map_of_their_own() -> None:
    found = make_map(published, None, ["kane", "gauss"], lambda name, tree: len(name))
    assert {cell.winner for panel in found.among for cell in panel.cells} == {"kane"}
    lines = found.lines()
    at = lines.index("cheapest of these forms by number of bodies, to ud: kane, gauss")
    assert lines[at + 2 : at + 4] == ["chain", "  1  kane 1-63"]


# -- in words --------------------------------------------------------------------------------


def test_s2_11_lines_have_the_published_map_and_its_crossovers(known: Map) -> None:
    lines = known.lines()
    # computed from Table 1 of Ivanov and Shimanovskiy 2023
    assert "  1         DAH 1-16, EMH 17-63  DAH 1-16, EMH 17-63" in lines
    for name, said in [
        ("EMH below DAH", "17, 8, 5, 4, 4, 3"),
        ("HZU below DAH", "39, 10, 3, 1, 1, 1"),
        ("HZU below EMH", "-, -, 1, 1, 1, 1"),
    ]:
        (line,) = (line for line in lines if line.strip().startswith(name))
        assert line.count(said) == 2


def test_what_is_not_counted_is_said(known: Map) -> None:
    words = [line.split(maxsplit=1) for line in known.lines()]
    last = [line[1] for line in words if line and line[0] == "6"][2]
    assert last.startswith("HZU 1-31, not counted 63 ")


def test_the_data_have_every_cell(known: Map) -> None:
    data = known.as_json()
    assert data["methods"] == dict(FORMS)
    first = data["counted"][0]["cells"][0]
    # Table 1 for one body and one freedom
    assert first["costs"] == {"EMH": 324, "DAH": 291, "HZU": 927}
    assert (first["cheapest"], first["known"]) == ("DAH", "counted")


def test_a_count_that_fails_leaves_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "mbx.analyses.costs.counted.rates_of_momenta", lambda *_, **__: "not countable: x"
    )
    monkeypatch.setattr("mbx.analyses.costs.cost_maps._system_of", lambda _: None)
    found = counted_map(1.0)
    assert found.notes == tuple(f"{one} on 1 bodies: not countable: x" for one in METHODS)
    assert found.lines()[-3:] == list(found.notes)


# -- as a picture ----------------------------------------------------------------------------


def test_a_picture_is_the_same_each_time(known: Map) -> None:
    first, second = known.picture("svg"), known.picture("svg")
    assert first == second
    assert first.startswith(b"<?xml")


def test_a_picture_may_have_pixels(known: Map) -> None:
    assert known.picture("png").startswith(b"\x89PNG\r\n")


def test_a_picture_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ExtraError, match=r'a plot needs matplotlib; pip install "mbx\[plot\]"'):
        draw([], {}, "svg")


def _labels(panel: Panel) -> list[tuple[str, float]]:
    bodies = sorted({cell.bodies for cell in panel.cells})
    edges = drawing._edges(bodies)
    column = {b: (edges[k], edges[k + 1]) for k, b in enumerate(bodies)}
    winners = {(cell.bodies, cell.freedoms): cell.winner for cell in panel.cells}
    found = drawing._labels(winners, bodies, list(FREEDOMS), column)
    return [(name, y) for name, _, y in found]


def test_regions_have_their_names_in_their_middle() -> None:
    # the regions of the published formulas, see test_table_computed
    chain, carousel, binary = (_labels(published_panel(shape)) for shape in SHAPES)
    assert sorted(chain) == [("DAH", 1.0), ("EMH", 2.0), ("HZU", 5.0)]
    assert sorted(carousel) == [("DAH", 2.0), ("HZU", 6.0)]
    assert sorted(binary) == [("DAH", 1.0), ("EMH", 2.0), ("HZU", 5.0)]


def test_what_was_extended_is_lighter() -> None:
    colours = {"EMH": "#0072B2"}
    counted = Cell(1, 1, {"EMH": 1}, "counted")
    extended = Cell(1, 1, {"EMH": 1}, "extended")
    assert drawing._colour(counted, colours) == "#0072B2"
    assert drawing._colour(extended, colours) == "#3891C3"  # 0x72 + 0.22 (255 - 0x72) = 0x91


def test_what_costs_the_same_or_is_not_known_has_no_colour_of_a_method() -> None:
    colours = {"EMH": "#0072B2", "DAH": "#E69F00"}
    both = Cell(1, 1, {"EMH": 1, "DAH": 1}, "counted")
    none = Cell(1, 1, {}, "extended")
    shades = {drawing._colour(cell, colours) for cell in (both, none)}
    assert len(shades) == 2
    assert shades.isdisjoint(colours.values())
