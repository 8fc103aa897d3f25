from __future__ import annotations

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

import mbx
from mbx.codegen.notation.markdown_equations import escape


def page_of(model: str, form: str) -> str:
    return mbx.write(mbx.convert(mbx.read(f"lib:{model}"), form), "markdown")


def rendered(text: str) -> str:
    html: str = MarkdownIt("commonmark").enable("table").render(text)
    return html


@pytest.mark.parametrize(
    "text",
    ["# no", "*x* _y_ `z`", "[a](javascript:b)", "a | b", "<b>", "&amp;", "~~x~~", "![a](b)"],
)
def test_a_text_is_shown_as_it_is(text: str) -> None:
    html = rendered(f"{escape(text)}\n")
    assert unescape(re.sub(r"<[^>]*>", "", html)).strip() == text
    assert set(re.findall(r"<([a-z0-9]+)", html)) == {"p"}


def test_a_dollar_begins_no_formula() -> None:
    assert "$" not in escape(r"$x$ and \(y\)")
    assert "\\" not in escape(r"$x$ and \(y\)")


def test_a_page_has_headings_tables_and_formulas() -> None:
    text = page_of("cart_pole", "kane")
    html = rendered(text)
    assert html.count("<h1>") == 1
    assert re.findall("<h2>(.*)</h2>", html) == ["Symbols", "Equations", "Results"]
    assert html.count("<table>") == 2
    assert text.count("$$") % 2 == 0
    assert r"\begin{aligned}" in text


def test_no_line_of_a_formula_is_taken_for_something_else() -> None:
    for model, form in (("rolling_disc", "lagrange"), ("slider_crank_3d_friction", "kane")):
        for formula in re.findall(r"\$\$\n(.*?)\n\$\$", page_of(model, form), re.DOTALL):
            for line in formula.split("\n"):
                assert re.match(r"[A-Za-z\\&]", line), line
                assert "<" not in line
