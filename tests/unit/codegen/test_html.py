from __future__ import annotations

from dataclasses import replace

import pytest

import mbx
from mbx.codegen.notation.html_equations import linked, part, view


def test_a_page_needs_nothing_but_itself() -> None:
    text = mbx.write(mbx.convert(mbx.read("lib:cart_pole"), "kane"), "html")
    assert text.startswith("<!DOCTYPE html>\n")
    assert "default-src &#39;none&#39;" in text
    for word in ("<script", "<link", "<img", "<iframe", "@import", "url("):
        assert word not in text


def test_symbols_equations_and_results_stand_under_their_headings() -> None:
    text = str(part(view(mbx.convert(mbx.read("lib:cart_pole"), "kane"))))
    places = [text.index(word) for word in ("What it needs", "Equations", "What it yields")]
    assert places == sorted(places)
    assert "<sup>2</sup>" in text
    assert '<math display="block">' in text


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("see https://example.org/a?b=1.", "https://example.org/a?b=1"),
        ("doi:10.1007/s11044-009-9145-7, 2009", "https://doi.org/10.1007/s11044-009-9145-7"),
    ],
)
def test_addresses_and_dois_are_links(text: str, link: str) -> None:
    assert f'<a href="{link}" rel="noreferrer">' in linked(text)


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "a 10.5/2 b"]
)
def test_nothing_else_is_a_link(text: str) -> None:
    assert "<a" not in linked(text)


def test_a_link_cannot_be_broken_out_of() -> None:
    text = linked('https://a.b/"onmouseover="alert(1) <script>')
    assert '"onmouseover' not in text
    assert "<script" not in text


def test_a_program_that_is_too_long_is_counted_instead() -> None:
    found = view(mbx.convert(mbx.read("lib:cart_pole"), "kane"))
    text = part(replace(found, blocks=(), cut=12345))
    assert "12,345 lines" in text
    assert '<math display="block">' not in text
