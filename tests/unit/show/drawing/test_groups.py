"""Structural diagrams as drawings: arrows meet nothing that they do not lead to."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest

from mbx.analyses.kinematics.groups.decompose import Chain, decompose
from mbx.analyses.kinematics.groups.structural_graph import Count
from mbx.show.drawing.group_diagram import as_svg
from mbx.show.drawing.lanes import heights, links_of, order_columns
from mbx.show.drawing.marks.label_text import text_width
from mechanisms import mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SVG: Final = "{http://www.w3.org/2000/svg}"
WIDE: Final = 24.0
"""Of a circle, from its middle."""
CASES: Final = {
    "four_bar_scalable": ["th"],
    "andrews_squeezer": ["beta"],
    "peaucellier_linkage": ["th"],
    "rrr_platform": ["theta[1]", "theta[2]", "theta[3]"],
}
Box = tuple[float, float, float, float]


def chain(vertices: Sequence[str], *needs: int) -> Chain:
    return Chain(tuple(vertices), needs, Count(len(vertices), 3, 3, 0, 3), ())


LADDER: Final = [chain("a", -1), *(chain("bc", -1, *range(k)) for k in range(1, 9))]
"""Each takes inputs from all before."""


def drawn(chains: Sequence[Chain], names: Sequence[str] | None = None) -> ET.Element:
    text = as_svg(chains, names or ["3R"] * len(chains))
    return ET.fromstring(text)  # noqa: S314  our own text


def along(data: str) -> Iterator[tuple[float, float]]:
    """Yield places on a path of the drawing: a line, a curve, a line."""
    x0, y0, left, *curve, end = (float(x) for x in re.findall(r"-?[\d.]+", data))
    x1, y1, x2, y2, x3, y3 = curve
    for k in range(21):
        s = k / 20
        yield x0 + s * (left - x0), y0
        yield x3 + s * (end - x3), y3
        a, b, c, d = (1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s**3
        yield a * left + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def boxes(root: ET.Element) -> Iterator[tuple[tuple[float, float], Box]]:
    """Yield the boxes of the circles and of the names below, each with its circle's middle."""
    for group in root.findall(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        assert circle is not None
        x, y, r = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
        yield (x, y), (x - r, y - r, x + r, y + r)
        for line in group.findall(f"{SVG}text")[1:]:
            half, low = text_width(((line.text or "", False),), 12) / 2, float(line.attrib["y"])
            yield (x, y), (x - half, low - 9, x + half, low + 3)


@pytest.mark.parametrize("name", [*CASES, "ladder"])
def test_no_arrow_meets_another_circle_or_a_name(name: str) -> None:
    chains = LADDER if name == "ladder" else decompose(mechanism(name, CASES[name]).graph)
    root = drawn(chains)
    for path in root.findall(f"{SVG}path"):
        places = list(along(path.attrib["d"]))
        ends = [min(places), max(places)]
        for (cx, cy), (left, top, right, low) in boxes(root):
            at_end = any(abs(x - cx) < WIDE + 0.2 and abs(y - cy) < 0.2 for x, y in ends)
            lane = any(abs(x - cx) < 0.2 and abs(y - cy) >= 0.2 for x, y in ends)
            if at_end and not lane:
                continue
            assert not [p for p in places if left < p[0] < right and top < p[1] < low]


@pytest.mark.parametrize("name", [*CASES, "ladder"])
def test_every_need_is_an_arrow_and_all_is_on_the_paper(name: str) -> None:
    chains = LADDER if name == "ladder" else decompose(mechanism(name, CASES[name]).graph)
    root = drawn(chains)
    arrows = [one for one in root.findall(f"{SVG}path") if "marker-end" in one.attrib]
    assert len(arrows) == sum(len(one.needs) for one in chains)
    assert len(root.findall(f"{SVG}g")) == len(chains) + 1
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = [box for _, box in boxes(root)]
    assert min(box[0] for box in found) > 0
    assert min(box[1] for box in found) > 0
    assert max(box[2] for box in found) < width
    assert max(box[3] for box in found) < height
    assert all(0 < y < height for one in arrows for _, y in along(one.attrib["d"]))


def test_circles_cover_what_is_behind_and_names_have_a_halo() -> None:
    for group in drawn(LADDER).findall(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        assert circle is not None
        assert circle.attrib["fill"] == "#ffffff"
        for line in group.findall(f"{SVG}text")[1:]:
            assert line.attrib["paint-order"] == "stroke"


def test_long_names_are_shortened_and_told_whole() -> None:
    bodies = ["a_body_with_quite_a_long_name_of_its_own", "another"]
    group = drawn([chain(bodies, -1)]).findall(f"{SVG}g")[1]
    shown = group.findall(f"{SVG}text")[2].text
    assert shown is not None
    assert shown.startswith("a_body_with")
    assert shown.endswith("…")
    title = group.find(f"{SVG}title")
    assert title is not None
    assert title.text == f"3R: {bodies[0]}, another; inputs from frame"


def test_names_stand_for_themselves() -> None:
    evil = "<script>&\"'\x07"
    group = drawn([chain([evil], -1)], [evil]).findall(f"{SVG}g")[1]
    assert [one.text for one in group.findall(f"{SVG}text")][1:] == ["<script>&\"' "] * 2
    assert len(group) == 5  # a title, a circle, three texts


def test_a_lane_passes_each_column_once_for_all_that_branch_off() -> None:
    # 0 -> 1 -> 2 -> 3, and 0 gives to 2 and 3 too
    levels = {0: 0, 1: 1, 2: 2, 3: 3}
    links = links_of(levels, {1: [0], 2: [0, 1], 3: [0, 2]})
    assert {b for a, b in links if a[0] == b[0]} == {(0, 1), (0, 2)}
    assert len(links) == len(set(links)) == 7


def test_crossings_are_undone_where_they_can_be() -> None:
    levels = {-1: 0, 0: 1, 1: 1, 2: 2, 3: 2}
    links = links_of(levels, {0: [-1], 1: [-1], 2: [1], 3: [0]})
    _, first, second = order_columns(levels, links)
    partner = {0: 3, 1: 2}
    assert [partner[thing] for thing, _ in first] == [thing for thing, _ in second]


def test_places_have_the_room_that_they_take() -> None:
    levels = {-1: 0, **dict.fromkeys(range(5), 1)}
    links = links_of(levels, {k: [-1] for k in range(5)})
    columns = order_columns(levels, links)
    y = heights(columns, links, lambda _: (10.0, 25.0))
    assert all(y[b] - y[a] >= 35 - 1e-9 for a, b in pairwise(columns[1]))
    assert y[-1, 0] == pytest.approx(y[columns[1][2]])
    assert min(y.values()) == pytest.approx(10.0)
