"""Mathematics that is read back from a page, and its value."""

from __future__ import annotations

import math

import pytest

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.check_page import KnownState, check_page
from mbx.codegen.pages.check.page_values import PageValues
from mbx.codegen.pages.check.read_text_page import parse_term, read_text_page

KNOWN = {"a": 2.0, "b": 3.0, "x": 0.5, "x'": 0.25, "x''": -4.0, "m": 7.0, "link[1].q": 1.5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a b", 6.0),
        ("a/b x", 2 / 3 * 0.5),
        ("a/(b x)", 2 / 1.5),
        ("-a^2", -4.0),
        ("2^(-1)", 0.5),
        ("a - b - 1", -2.0),
        ("m/2 x'^2", 3.5 * 0.0625),
        ("sin(x)^2 + cos(x)^2", 1.0),
        ("a (b + 1)", 8.0),
        ("sqrt(a b + 3)", 3.0),
        ("2 link[1].q", 3.0),
        ("(if x < a then b else m)", 3.0),
        ("(if (x < a and not (b < a)) then 1 else 0)", 1.0),
        ("abs(x - a)", 1.5),
        ("atan2(a, b)", math.atan2(2, 3)),
        ("2 pi", 2 * math.pi),
        ("1.5e-3 a", 3e-3),
    ],
)
def test_a_text_has_the_value_that_a_reader_gives_it(text: str, value: float) -> None:
    assert PageValues(KNOWN, {}, {})(parse_term(text)) == pytest.approx(value, rel=1e-15)


def test_vectors_have_products_and_rates() -> None:
    definitions = {"v": parse_term("[a x', sin(x)]"), "w": parse_term("[1, b]")}
    values = PageValues(KNOWN, {"x": 0.25, "x'": -4.0}, definitions)
    assert values(parse_term("v · w")) == pytest.approx(0.5 + 3 * math.sin(0.5))
    assert values(parse_term("cross(v, w)")) == pytest.approx(1.5 - math.sin(0.5))
    assert values(parse_term("cross(a, w)")) == [-6.0, 2.0]
    assert values(parse_term("d/dt v")) == pytest.approx([-8.0, 0.25 * math.cos(0.5)])


def test_derivatives_are_those_of_what_the_page_defines() -> None:
    # T = a x'^2 cos(x)/2, whose derivatives any table gives
    definitions = {"T": parse_term("a/2 c x'^2"), "c": parse_term("cos(x)")}
    values = PageValues(KNOWN, {"x": 0.25, "x'": -4.0}, definitions)
    cos, sin = math.cos(0.5), math.sin(0.5)
    assert values(parse_term("∂T/∂x'")) == pytest.approx(2 * cos * 0.25)
    assert values(parse_term("∂T/∂x")) == pytest.approx(-sin * 0.0625)
    rate = values(parse_term("d/dt ∂T/∂x' - ∂T/∂x"))
    assert rate == pytest.approx(2 * (cos * -4 - sin * 0.25 * 0.25) + sin * 0.0625)


def test_what_is_neither_known_nor_defined_is_refused() -> None:
    with pytest.raises(EquationsError, match="'y' on the page is neither known nor defined"):
        PageValues(KNOWN, {}, {})(parse_term("a y"))


def test_what_is_no_formula_is_refused() -> None:
    with pytest.raises(EquationsError, match="cannot be read back"):
        parse_term("a + * b")


PAGE = """Some form: Model

1 Velocities: of something.
    k = a x    # what it is                                                   (1)
    v = [k x',
        b]                                                                    (2)
    ∂v/∂x' = [k, 0];  a b = 6                                                 (3)
        C →   x'   y'
        u   [ a    b + 1 ]
"""


def test_equations_are_read_with_their_numbers_and_continuations() -> None:
    page = read_text_page(PAGE)
    assert [(e.number, len(e.sides)) for e in page.equations] == [(1, 2), (2, 2), (3, 2), (3, 2)]
    assert page.grids[0].name == "C"
    assert page.grids[0].columns == ("x'", "y'")
    checked = check_page(page, [KnownState(KNOWN, {})])
    assert (checked.equalities, checked.mistakes) == (2, [])


@pytest.mark.parametrize(("old", "new"), [("[k, 0]", "[k, 1]"), ("a b = 6", "a b = 7")])
def test_an_equality_that_does_not_hold_is_a_mistake(old: str, new: str) -> None:
    page = read_text_page(PAGE.replace(old, new))
    assert len(check_page(page, [KnownState(KNOWN, {})]).mistakes) == 1


def test_entries_of_a_matrix_are_compared_where_they_are_known() -> None:
    page = read_text_page(PAGE)
    table = {("u", "x'"): 2.0, ("u", "y'"): 4.0}
    known = [KnownState(KNOWN, {})]
    assert check_page(page, known, {"C": [table]}).mistakes == []
    wrong = check_page(page, known, {"C": [{**table, ("u", "y'"): 5.0}]})
    assert [m.text for m in wrong.mistakes] == ["C[u, y']"]
