from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest

import mbx
from mbx.codegen.notation.display import display
from mbx.codegen.notation.exposition import Exposition
from mbx.codegen.notation.mathml.mathml_names import name
from mbx.codegen.notation.mathml.mathml_notation import block, inline, notation
from mbx.codegen.notation.mathml.mathml_sums import MathMLSums, number
from mbx.codegen.notation.notation import Aligned, Formula, Said
from mbx.codegen.notation.term_layout import Factor, Group, Name, Sum, Term
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.formalism.equations import Equations

# MathML Core, section 3: elements that take a fixed number of others
CHILDREN: Final = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mover": 2}
TOKENS: Final = {"mi", "mn", "mo", "mtext", "mspace"}


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        ("x", "<mi>x</mi>"),
        (r"\theta_{2}", "<msub><mi>θ</mi><mn>2</mn></msub>"),
        ("q_{12}", "<msub><mi>q</mi><mn>12</mn></msub>"),
        (r"\dot{q}", '<mover><mi>q</mi><mo stretchy="false">\N{DOT ABOVE}</mo></mover>'),
        (r"q_{1}^{\mathrm{arm}}", "<msubsup><mi>q</mi><mn>1</mn><mi>arm</mi></msubsup>"),
        (r"\mathrm{th}^{\mathrm{link[3]}}", "<msup><mi>th</mi><mi>link[3]</mi></msup>"),
        (r"m_{\mathrm{s}}", '<msub><mi>m</mi><mi mathvariant="normal">s</mi></msub>'),
        (r"\mathtt{x\_1}", '<mtext class="mono">x_1</mtext>'),
        ("x^{(4)}", "<msup><mi>x</mi><mrow><mo>(</mo><mn>4</mn><mo>)</mo></mrow></msup>"),
        ("x''", "<msup><mi>x</mi><mrow><mo>\N{PRIME}</mo><mo>\N{PRIME}</mo></mrow></msup>"),
        (r"\boldsymbol{M}", "<mi>\N{MATHEMATICAL BOLD ITALIC CAPITAL M}</mi>"),
        (r"\boldsymbol{\lambda}", "<mi>\N{MATHEMATICAL BOLD ITALIC SMALL LAMDA}</mi>"),
        (r"\mathbf{w}", "<mi>\N{MATHEMATICAL BOLD SMALL W}</mi>"),
        (r"\varphi", "<mi>φ</mi>"),
    ],
)
def test_a_name_is_read_from_its_latex(latex: str, found: str) -> None:
    assert name(latex) == found


def test_numbers_are_fractions_and_powers_of_ten() -> None:
    assert number(Fraction(-1, 3)) == "<mfrac><mn>1</mn><mn>3</mn></mfrac>"
    assert "<msup><mn>10</mn><mn>−7</mn></msup>" in number(1e-7)


def test_a_power_stands_above_an_index() -> None:
    write = MathMLSums(lambda text: name(f"{text}_{{2}}"))
    value = Sum((Term(1, (Factor(Name("q"), 2),)),))
    assert write.sum(value) == "<msubsup><mi>q</mi><mn>2</mn><mn>2</mn></msubsup>"


def test_a_bracket_that_is_longer_than_a_line_is_opened() -> None:
    inside = Sum(tuple(Term(1, (Factor(Name(f"x{k}"), 1),)) for k in range(30)))
    value = Sum((Term(-1, (Factor(Name("m"), 1), Factor(Group(inside), 2))),))
    lines = list(MathMLSums(lambda text: f"<mi>{text}</mi>").lines(value, 40))
    assert len(lines) > 3
    assert "(</mo>" in lines[0]
    assert lines[-1].endswith("<mn>2</mn></msup>")
    for k in range(30):
        assert sum(f"<mi>x{k}</mi>" in line for line in lines) == 1


def _equations(model: str) -> Iterator[Equations]:
    found = mbx.elaborate(mbx.read(f"lib:{model}"))
    for form in registry.names():
        try:
            yield mbx.derive(found, form)
        except mbx.NotApplicableError:
            continue


@pytest.mark.sample(1)
@pytest.mark.parametrize("model", ["cart_pole", "rolling_disc", "slider_crank_3d_friction"])
def test_every_formula_is_well_formed(model: str) -> None:
    for equations in _equations(model):
        shown = display(equations)
        for one in Exposition(shown, notation(shown)).program():
            if isinstance(one, Aligned):
                _well_formed(block(one))
            elif isinstance(one, Said):
                for part in one.parts:
                    if isinstance(part, Formula):
                        _well_formed(inline(part))


def _well_formed(text: str) -> None:
    for element in ET.fromstring(text).iter():  # noqa: S314  our own
        assert len(element) == CHILDREN.get(element.tag, len(element)), text
        if element.tag in TOKENS:
            assert len(element) == 0
        else:
            assert not (element.text or "").strip()
