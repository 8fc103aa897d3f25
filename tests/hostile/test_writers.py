"""Hostile names and descriptions in what is written for people: H104 to H108."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

import pytest
from markdown_it import MarkdownIt

import mbx

LABELS: Final = {
    "H104-script": "<script>alert(1)</script>",
    "H104-comment": "<!-- --> ]]> </style></script>",
    "H105-attribute": '\\"><img src=x onerror=alert(1)>',
    "H105-entity": "&lt;script&gt; &#x3c;script&#x3e;",
    "H106-input": "\\\\input{/etc/passwd}",
    "H106-write": "x}\\\\write18{id}",
    "H106-characters": "^^5c % $ # & ~ _ { }",
    "H106-end": "\\\\end{document} \\\\end{aligned} $$",
    "H107-template": "{{ 7*7 }} {% include 'x' %} ${x} #{x}",
    "H107-markdown": "[a](javascript:b) ![i](x) `c` | d **e** <f@g.h>",
}
ALLOWED: Final = frozenset(
    "a body code details div h1 h2 h3 h4 h5 head html main math meta mfrac mi mn mo mover mrow "  # noqa: SIM905  a list of words reads best as words
    "mspace msub msubsup msup mtable mtd mtext mtr p span style summary sup table tbody td th "
    "thead title tr ul li svg g rect path circle desc em".split()
)


def pendulum(label: str) -> mbx.Equations:
    document = mbx.loads(
        f'mbx 1 model M "{label}" {{ param m: kg = 1 "{label}", l: m = 1 "{label}"\n'
        f' coordinate x: m = 0.1 "{label}"\n particle P {{ mass m  at [x, l, 0] }} }}'
    )
    return mbx.convert(document, "kane")


class Elements(HTMLParser):
    """Hears which elements and attributes a page has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_html_has_only_our_own_elements(label: str) -> None:
    found = Elements(mbx.write(pendulum(label), "html"))
    assert set(found.tags) <= ALLOWED
    assert not [name for name in found.attributes if name.startswith("on")]
    assert found.tags == Elements(mbx.write(pendulum("plain"), "html")).tags


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_markdown_has_only_our_own_elements(label: str) -> None:
    text = mbx.write(pendulum(label), "markdown")
    outside = re.sub(r"\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.DOTALL)
    assert "$" not in outside
    found = Elements(MarkdownIt("commonmark").enable("table").render(outside))
    assert set(found.tags) <= ALLOWED
    assert "a" not in found.tags
    assert found.tags.count("h1") == 1


@pytest.mark.parametrize("target", ["latex", "latex_fragment"])
@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_latex_has_only_our_own_commands(label: str, target: str) -> None:
    words = {"textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"}
    words |= {"textbar", "textquotedbl", "texttt"}
    said, plain = (
        set(re.findall(r"\\([A-Za-z]+)", mbx.write(pendulum(one), target)))
        for one in (label, "plain")
    )
    assert said - plain <= words
    assert "^^" not in mbx.write(pendulum(label), target)


# H108: models that have such characters are refused; equations may come from elsewhere
@pytest.mark.parametrize("target", ["latex", "markdown", "html"])
def test_no_character_turns_the_reading_direction(target: str) -> None:
    turned = "\N{RIGHT-TO-LEFT OVERRIDE}abc\N{POP DIRECTIONAL ISOLATE}\N{ZERO WIDTH JOINER}"
    equations = replace(pendulum("plain"), title=turned, model=turned, notes=(turned,))
    text = mbx.write(equations, target)
    assert "abc" in text
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]", text)


def test_a_display_name_beyond_the_closed_part_is_refused() -> None:
    for bad in ("\\\\input{x}", "x}", "$", "\\\\href{javascript:a}{b}", "<mi>"):
        document = mbx.loads(
            f'mbx 1 model M {{ coordinate x: m latex "{bad}"\n'
            " particle P { mass 1 kg  at [x, 0, 0] } }"
        )
        assert "MBX1040" in {one.code for one in mbx.check(document)}
