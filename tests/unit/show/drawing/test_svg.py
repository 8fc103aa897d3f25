from __future__ import annotations

import pytest

from mbx.show.drawing.marks import svg


@pytest.mark.parametrize(
    ("x", "expected"), [(1.0, "1"), (-0.04, "0"), (12.34, "12.3"), (-0.06, "-0.1"), (100.0, "100")]
)
def test_numbers_have_one_decimal_at_most(x: float, expected: str) -> None:
    assert svg.number(x) == expected


def test_a_text_stands_for_itself() -> None:
    assert svg.escape("<a href='x'>&\"\x00\n") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;  "


def test_parts_below_the_line_go_down_and_back() -> None:
    found = svg.text((("q", False), ("1", True), ("'", False)), 0, 0, 10, "#000", italic=False)
    assert 'dy="2.5"' in found
    assert 'dy="-2.5"' in found


def test_a_colour_is_between_two() -> None:
    assert svg.mix("#000000", "#ffffff", 0.5) == "#808080"
    assert svg.mix("#102030", "#ffffff", 0) == "#102030"


def test_an_ellipse_with_equal_axes_is_a_circle() -> None:
    assert svg.ellipse(0, 0, (3, 3), 40, "").startswith("<circle")
    assert 'transform="rotate(40 0 0)"' in svg.ellipse(0, 0, (3, 2), 40, "")
