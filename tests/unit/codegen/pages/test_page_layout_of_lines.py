"""Names, widths and breaks of typeset formulas, and formulas in prose."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.codegen.notation.typst.typst_names import escape, quoted
from mbx.codegen.notation.typst.typst_names import name as as_typst
from mbx.codegen.pages.laid_lines import lay_lines
from mbx.codegen.pages.latex_page import LatexPageNotation
from mbx.codegen.pages.page_names import PageNames, measure_name
from mbx.codegen.pages.prose_formulas import WordFormula, split_prose

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations


@cache
def four_bar() -> Equations:
    return mbx.convert("lib:four_bar", "kane", page=True)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("v_crank", r"\boldsymbol{v}_{\mathrm{crank}}"),
        ("w_crank", r"\omega_{\mathrm{crank}}"),
        ("F*_th1'", r"F_{\dot{\theta}_{1}}^{*}"),
        ("k_th2", r"k_{\theta_{2}}"),
        ("T*_coupler", r"T_{\mathrm{coupler}}^{*}"),
        ("λ_tip.x", r"\lambda_{\mathrm{tip.x}}"),
        ("th1''", r"\ddot{\theta}_{1}"),
        ("m1", "m_{1}"),
        ("F_r", "F_{r}"),
        ("C", "C"),
    ],
)
def test_names_of_a_page_are_short_in_latex(text: str, latex: str) -> None:
    equations = four_bar()
    assert equations.page is not None
    assert PageNames(equations.signature, equations.page)(text) == latex


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (r"\dot{\theta}_{12}", "dot(θ)_(12)"),
        (r"\boldsymbol{v}_{\mathrm{crank}}", 'bold(v)_("crank")'),
        (r"F_{\dot{x}}^{*}", "F_(dot(x))^(*)"),
        (r"m_{\mathrm{s}}", "m_(upright(s))"),
        (r"\mathtt{x\_1}", 'mono("x_1")'),
        ("x^{(4)}", r"x^(\( 4 \))"),
    ],
)
def test_a_name_in_typst_is_read_from_its_latex(latex: str, typst: str) -> None:
    assert as_typst(latex) == typst


def test_no_text_is_markup_of_typst() -> None:
    assert escape("a *b* #c $d$ @e <f>") == r"a \*b\* \#c \$d\$ \@e \<f\>"
    assert quoted('"\\') == r'"\"\\"'


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("F_r + F*_r = 0 for the independent speeds.", ["F_r+F*_r=0"]),
        ("-m a and T* on the partial velocities.", ["-ma", "T*"]),
        ("the body's turning, the bodies' axes and/or x-axis (see 3)", []),
        ("a free body: M a = Q, a formula", ["Ma=Q"]),
        ("E_i = d/dt ∂T/∂q_i' - ∂T/∂q_i, and q'", ["E_i=d/dtTq_i'-Tq_i", "q'"]),
        ("C^T E = 0, one equation for each column of C", ["C^TE=0"]),
    ],
)
def test_formulas_in_words_are_found(text: str, formulas: list[str]) -> None:
    pieces = list(split_prose(text))
    found = [
        "".join(token.text + token.by for token in piece.tokens)
        for piece in pieces
        if isinstance(piece, WordFormula)
    ]
    assert found == formulas


def test_a_name_is_as_wide_as_its_letters() -> None:
    assert measure_name("x") < measure_name("m") < measure_name("x_{1}") + measure_name("x")
    assert measure_name(r"\dot{x}") == measure_name("x") == measure_name(r"\theta")
    assert measure_name(r"v_{\mathrm{crank}}") < measure_name(r"\mathrm{vcrank}")


@pytest.mark.parametrize("model", ["four_bar", "rolling_disc"])
def test_lines_break_where_the_column_ends(model: str) -> None:
    equations = mbx.convert(f"lib:{model}", "kane", page=True)
    page = equations.page
    assert page is not None
    counts = []
    for room in (10_000, 336, 200):
        write = LatexPageNotation(equations.signature, page, room)
        laid = list(lay_lines(write, page.lines))
        counts.append(sum(len(line.rows) for line in laid))
        assert [line.number for line in laid] == [line.number for line in page.lines]
        assert not any(row.left for line in laid for row in line.rows if row.goes_on)
    assert len(page.lines) == counts[0] < counts[1] < counts[2]
