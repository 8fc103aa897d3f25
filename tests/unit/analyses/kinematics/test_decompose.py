"""Decompositions of the paper, of digest 3.1, and of the library as the procedure says."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from mbx.analyses.kinematics.groups.decompose import NotDeterminedError, decompose
from mbx.analyses.kinematics.groups.structural_graph import Graph, Tie
from mechanisms import MECHANISMS, mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator


def _pair(path: str, *bodies: str, driven: int = 0) -> Tie:
    return Tie(path, bodies, 2, 1, driven, "revolute")


def _four_bar(driven: str = "1-2") -> Graph:
    """The four-bar of Fig. 3, with the numbers of its bodies; 1 is the frame."""
    ends = {"1-2": ("2",), "2-3": ("2", "3"), "3-4": ("3", "4"), "1-4": ("4",)}
    ties = tuple(_pair(path, *b, driven=int(path == driven)) for path, b in ends.items())
    return Graph(3, dict.fromkeys("234", 3), ties)


def test_the_chains_of_the_four_bar_pass_and_fail_as_in_the_paper() -> None:
    # source: Saura et al., Fig. 3, L216-L243: L_th, P and N_m of each chain that is tried
    graph = _four_bar()
    assert graph.mobility == 1
    for chain, solved, numbers in [
        ("4", "", (1, 1, 1)),
        ("2", "", (0, 1, 1)),
        ("3", "2", (1, 1, 1)),
        ("4", "2", (1, 1, 1)),
        ("34", "2", (3, 3, 2)),
    ]:
        count = graph.count(list(chain), list(solved))
        assert (count.thin, count.pairs, count.bodies) == numbers
        assert count.holds == (numbers in {(0, 1, 1), (3, 3, 2)})


def test_the_four_bar_falls_into_a_crank_and_a_dyad() -> None:
    # source: Saura et al., Fig. 3: order {2}, {3, 4}; labels (N_m, n_c) = (1, 1), (2, 0)
    found = decompose(_four_bar())
    assert [one.vertices for one in found] == [("2",), ("3", "4")]
    assert [(one.count.bodies, one.count.driven) for one in found] == [(1, 1), (2, 0)]
    assert [one.needs for one in found] == [(-1,), (-1, 0)]


def test_another_driver_makes_another_structure() -> None:
    # source: the procedure of section 3.2 by hand, driver at 1-4
    assert [one.vertices for one in decompose(_four_bar("1-4"))] == [("4",), ("2", "3")]


def test_the_scalable_four_bar_is_a_crank_and_dyads() -> None:
    # source: Saura et al., section 4.1: {2}, {3, 4}, ... and L_c = 3 (2k + 1) - 2 (3k + 1) = 1
    one = mechanism("four_bar_scalable", ["th"])
    assert one.graph.mobility == 1
    found = [chain.vertices for chain in decompose(one.graph)]
    assert found == [("crank",), *((f"rocker[{k}]", f"rod[{k}]") for k in (1, 2, 3))]


def test_the_spatial_slider_crank_is_a_crank_and_rods_with_a_frozen_component() -> None:
    # source: Saura et al., section 4.2: each rod and slider has L_th = 6, P = 3, n_c = 1
    one = mechanism("slider_crank_scalable_3d", ["th"])
    crank, *rods = decompose(one.graph)
    assert crank.vertices == ("crank",)
    for k, rod in enumerate(rods):
        assert rod.vertices == (f"slider[{k + 1}]", f"rod[{k + 1}]")
        assert (rod.count.thin, rod.count.pairs, rod.count.driven) == (6, 3, 1)


def _chains(left: list[str]) -> Iterator[tuple[str, ...]]:
    for size in range(1, len(left) + 1):
        yield from combinations(left, size)


@pytest.mark.parametrize("name", [n for n in MECHANISMS if n != "watt_six_bar"])
def test_library_mechanisms_fall_apart_as_trying_all_chains_says(name: str) -> None:
    graph = mechanism(name, MECHANISMS[name]).graph
    solved: set[str] = set()
    left = list(graph.vertices)
    place = left.copy().index
    for chain in decompose(graph):
        shorter = (
            some
            for some in _chains(left)
            if graph.count(some, solved).holds and _candidate(graph, some, solved)
        )
        found = {tuple(sorted(next(shorter), key=place))}
        for some in shorter:
            if len(some) > len(next(iter(found))):
                break
            found.add(tuple(sorted(some, key=place)))
        assert chain.vertices in found
        solved |= {*chain.vertices}
        left = [v for v in left if v not in solved]
    assert not left


def _candidate(graph: Graph, chain: tuple[str, ...], solved: set[str]) -> bool:
    """Whether the frame or a solved group ties a chain, and all of it hangs together."""
    inside = {*chain}
    mine = [t for t in graph.ties if {*t.vertices} & inside and {*t.vertices} <= inside | solved]
    rows = sum(t.rows + t.driven for t in mine)
    return rows == sum(graph.vertices[v] for v in chain)


def test_what_nothing_drives_is_refused_by_name() -> None:
    with pytest.raises(NotDeterminedError, match="'crank', 'coupler', 'rocker' keep 1 freedom"):
        decompose(mechanism("four_bar", []).graph)


def test_what_is_driven_twice_is_refused_by_name() -> None:
    with pytest.raises(NotDeterminedError, match=r"1 too many .*drives 'crank', 'coupler'"):
        decompose(mechanism("four_bar", ["th1", "th2"]).graph)


def test_a_rod_that_spins_is_not_determined() -> None:
    # source: digest 3.1: without the frozen component of V4 the procedure fails
    graph = mechanism("slider_crank_scalable_3d", ["th"]).graph
    free = Graph(6, graph.vertices, tuple(t for t in graph.ties if t.path != "spin[1]"))
    with pytest.raises(NotDeterminedError, match=r"'slider\[1\]', 'rod\[1\]' keep 1 freedom"):
        decompose(free)


def test_a_special_geometry_is_told() -> None:
    # source: Bennett's linkage moves although L_c = 6*3 - 5*4 = -2
    graph = mechanism("bennett_linkage", ["th1"]).graph
    assert graph.mobility == -2
    with pytest.raises(NotDeterminedError, match="special geometry"):
        decompose(graph)
