"""The mathematics of a page in HTML, read back: the MathML of every numbered line."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from mbx.codegen.pages.check.page_syntax import ReadPage
from pages_read import (
    FUNCTIONS,
    Cases,
    Frac,
    Func,
    Item,
    Mark,
    Name,
    Num,
    Rate,
    Root,
    Sup,
    read_equations,
    read_grid,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.codegen.pages.check.page_syntax import ReadEquation, ReadGrid

__all__ = ["read_mathml_page"]

_LINE: Final = re.compile(
    r'<div class="numbered" id="[\w-]*?-(\d+)">.*?(<math.*?</math>)', re.DOTALL
)
_GRID: Final = re.compile(
    r'<math display="block">(?:(?!</math>).)*?<mtable class="labelled.*?</math>'
)
_SIGNS: Final = {"−": "-", "≤": "<=", "\N{NOT SIGN}": "¬"}
_RATE: Final = "<mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"


def read_mathml_page(text: str, names: Mapping[str, str]) -> ReadPage:
    """Return the numbered equations of a page; `names` by what is printed for them."""
    table = {_plain(ET.fromstring(printed)): name for printed, name in names.items()}  # noqa: S314  our own
    assert len(table) == len(names)
    equations: list[ReadEquation] = []
    for number, formula in _LINE.findall(text):
        items = tuple(_items(ET.fromstring(formula), table))  # noqa: S314  likewise
        equations += read_equations(items, int(number))
    return ReadPage(tuple(equations), tuple(_grids(text, table)))


def _grids(text: str, names: Mapping[str, str]) -> Iterator[ReadGrid]:
    """Yield the matrices with labels."""
    for formula in _GRID.findall(text):
        *name, _, table = ET.fromstring(formula)  # noqa: S314  our own
        rows = [[_inside(cell, names) for cell in row] for row in table]
        yield read_grid([item for one in name for item in _items(one, names)], rows)


def _plain(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode").strip()


def _inside(element: ET.Element, names: Mapping[str, str]) -> tuple[Item, ...]:
    return tuple(_items(element, names))


def _items(element: ET.Element, names: Mapping[str, str]) -> Iterator[Item]:
    """Yield the items of an element."""
    plain = _plain(element)
    if plain in names:
        yield Name(names[plain])
        return
    children = list(element)
    match element.tag:
        case "mfrac" if plain == _RATE:
            yield Rate()
        case "mfrac":
            yield Frac(*(_inside(child, names) for child in children))
        case "msqrt":
            yield Root(tuple(item for child in children for item in _items(child, names)))
        case "msup":
            yield from _items(children[0], names)
            yield Sup(_inside(children[1], names))
        case "msubsup":
            base = ET.Element("msub")
            base.extend(children[:2])
            yield Name(names[_plain(base)])
            yield Sup(_inside(children[2], names))
        case "mtable" if element.get("class") == "cases":
            (yes, condition), (no, _) = ([_inside(cell, names) for cell in row] for row in children)
            yield Cases(yes, condition, no)
        case "mn":
            yield Num(float(Fraction((element.text or "").replace("−", "-"))))
        case "mi":
            text = element.text or ""
            yield Mark("∂") if text == "∂" else Func(_function(text))
        case "mo":
            text = element.text or ""
            if text != "{":
                yield Mark(_SIGNS.get(text, text))
        case "mtext" | "mspace":
            return
        case _:
            bars = [k for k, child in enumerate(children) if child.text == "|"]
            for k, child in enumerate(children):
                if k in bars:
                    yield Mark("|(" if k == bars[0] else "|)")
                else:
                    yield from _items(child, names)


def _function(text: str) -> str:
    assert text in FUNCTIONS, text
    return text
