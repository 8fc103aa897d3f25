"""Pages in LaTeX, MathML and Typst, read back and evaluated as printed."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.check_page import check_page
from mbx.codegen.pages.check.page_states import known_states
from mbx.codegen.pages.check.read_text_page import read_text_page
from mbx.codegen.pages.html_page import write_html_page
from mbx.codegen.pages.latex_page import LatexPageNotation, write_latex_page
from mbx.codegen.pages.markdown_page import write_markdown_page
from mbx.codegen.pages.mathml_page import MathMLPageNotation
from mbx.codegen.pages.text_page import write_text_page
from mbx.codegen.pages.typst_page import TypstPageNotation, write_typst_page
from pages_read import names_of
from pages_read_latex import read_latex_page
from pages_read_mathml import read_mathml_page
from pages_read_typst import read_typst_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.codegen.pages.check.check_page import Checked, KnownState
    from mbx.codegen.pages.check.page_syntax import ReadPage
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page

pytestmark = pytest.mark.full

MODELS: Final = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "heavy_top")
FORMULAS: Final = {
    "latex": re.compile(r"\\begin\{align\}.*?\\end\{align\}", re.DOTALL),
    "mathml": re.compile(r'<div class="numbered".*?</math>', re.DOTALL),
    "typst": re.compile(r"^\$ [^$]* \$ <", re.MULTILINE),
}
"""Where the numbered equations of a notation stand."""
SIGNS: Final = {
    "latex": ((" + ", " - "), (" - ", " + ")),
    "typst": ((" + ", " - "), (" - ", " + ")),
    "mathml": (
        ('<mo form="infix">+</mo>', '<mo form="infix">−</mo>'),
        ('<mo form="infix">−</mo>', '<mo form="infix">+</mo>'),
    ),
}


@cache
def equations_of(model: str, form: str = "kane") -> Equations:
    return mbx.convert(f"lib:{model}", form, page=True)


def page_of(equations: Equations) -> Page:
    assert equations.page is not None
    return equations.page


@cache
def states_of(model: str, form: str = "kane") -> list[KnownState]:
    equations = equations_of(model, form)
    return known_states(equations, page_of(equations))


def written(equations: Equations, notation: str) -> str:
    page = page_of(equations)
    match notation:
        case "latex":
            return write_latex_page(equations, page)
        case "mathml":
            return str(write_html_page(equations.signature, page, "eq"))
    return write_typst_page(equations, page)


def reader(equations: Equations, notation: str) -> Callable[[str], ReadPage]:
    signature, page = equations.signature, page_of(equations)
    match notation:
        case "latex":
            names = names_of(equations, LatexPageNotation(signature, page))
            return lambda text: read_latex_page(text, names)
        case "mathml":
            names = names_of(equations, MathMLPageNotation(signature, page))
            return lambda text: read_mathml_page(text, names)
    names = names_of(equations, TypstPageNotation(signature, page))
    return lambda text: read_typst_page(text, names)


def checked(model: str, notation: str, form: str = "kane") -> Checked:
    equations = equations_of(model, form)
    read = reader(equations, notation)
    return check_page(read(written(equations, notation)), states_of(model, form))


@pytest.mark.parametrize("notation", FORMULAS)
@pytest.mark.parametrize("model", MODELS)
def test_a_page_holds_as_it_is_printed(model: str, notation: str) -> None:
    equations = equations_of(model)
    lines = write_text_page(equations.signature, page_of(equations))
    text = check_page(read_text_page("\n".join(lines)), states_of(model))
    found = checked(model, notation)
    assert [mistake.text for mistake in found.mistakes] == []
    assert found.equalities == text.equalities > 5


# Maggi's page has C with labels; Udwadia's and Kalaba's M and Q
@pytest.mark.parametrize("notation", FORMULAS)
@pytest.mark.parametrize("form", ["maggi", "udwadia_kalaba", "hamilton"])
def test_matrices_and_other_forms_hold_as_they_are_printed(form: str, notation: str) -> None:
    equations = equations_of("chaplygin_sleigh", form)
    lines = write_text_page(equations.signature, page_of(equations))
    text = read_text_page("\n".join(lines))
    states = states_of("chaplygin_sleigh", form)
    found = checked("chaplygin_sleigh", notation, form)
    assert [mistake.text for mistake in found.mistakes] == []
    assert found.equalities == check_page(text, states).equalities > 5
    typeset = reader(equations, notation)(written(equations, notation))
    assert [(g.name, g.rows, g.columns) for g in typeset.grids] == [
        (g.name, g.rows, g.columns) for g in text.grids
    ]


@pytest.mark.parametrize("notation", FORMULAS)
def test_numbers_and_equations_are_those_of_the_text(notation: str) -> None:
    equations = equations_of("rolling_disc")
    lines = write_text_page(equations.signature, page_of(equations))
    text = read_text_page("\n".join(lines))
    typeset = reader(equations, notation)(written(equations, notation))
    assert [e.number for e in typeset.equations] == [e.number for e in text.equations]


def mutations(text: str, notation: str) -> Iterator[str]:
    """Yield a page with each sign between terms replaced by the other one."""
    for formula in FORMULAS[notation].finditer(text):
        for sign, other in SIGNS[notation]:
            for found in re.finditer(re.escape(sign), formula[0]):
                first = formula.start() + found.start()
                yield text[:first] + other + text[first + len(sign) :]


@pytest.mark.parametrize("notation", FORMULAS)
def test_a_wrong_sign_on_a_page_is_found(notation: str) -> None:
    equations = equations_of("double_pendulum")
    read = reader(equations, notation)
    tried = found = 0
    for text in mutations(written(equations, notation), notation):
        tried += 1
        found += _fails(read, text, states_of("double_pendulum"))
    assert tried > 30
    assert found >= 0.95 * tried


def _fails(read: Callable[[str], ReadPage], text: str, states: list[KnownState]) -> bool:
    try:
        return bool(check_page(read(text), states).mistakes)
    except EquationsError:
        return True


def test_a_page_in_markdown_numbers_its_equations_in_order() -> None:
    equations = equations_of("four_bar")
    text = write_markdown_page(equations, page_of(equations))
    numbers = [int(n) for n in re.findall(r"\\tag\{(\d+)\}", text)]
    assert numbers == [line.number for line in page_of(equations).lines]
    for formula in re.findall(r"\$\$\n(.*?)\n\$\$", text, re.DOTALL):
        assert all(re.match(r"[A-Za-z\\&/(+=-]", line) for line in formula.split("\n"))
        assert "<" not in formula


def test_equations_alone_have_no_table_and_no_reasons() -> None:
    equations = equations_of("four_bar")
    for write in (write_latex_page, write_markdown_page, write_typst_page):
        text = write(equations, page_of(equations), only_equations=True)
        assert "Generalized active forces" in text
        assert "crank length" not in text
        assert "on the partial velocities" not in text
    text = write_latex_page(equations, page_of(equations), only_equations=True)
    assert check_page(reader(equations, "latex")(text), states_of("four_bar")).mistakes == []


def test_prose_is_typeset_and_refers_to_labels() -> None:
    equations = equations_of("chaplygin_sleigh")
    latex = write_latex_page(equations, page_of(equations), "sleigh")
    assert r"$F_{r} + F_{r}^{*} = 0$" in re.sub(" +", " ", latex)
    assert r"\label{sleigh:1}" in latex
    assert r"\boldsymbol{v}_{\mathrm{sleigh}} & = [u,\; a \omega + v]" in latex


@pytest.mark.parametrize(
    ("target", "wrong"),
    [
        ("latex", ("$x$ \\textless", "\\input", " #panic")),
        ("html", ("<script>", "<b>")),
        ("typst", (" #panic", " *#", "$x$ \\<", " `")),
        ("markdown", ("<script>", "<b>", "#panic", "`")),
    ],
)
def test_texts_of_a_model_are_escaped(target: str, wrong: tuple[str, ...]) -> None:
    document = mbx.loads(
        'mbx 1 model M "*#$@<b>{{7}}\\\\input{x}*" { param m: kg = 1 "$x$ <script> #panic() `"\n'
        " coordinate x: m\n particle P { mass m  at [x, 0, 0] } }"
    )
    text = mbx.write(mbx.convert(document, "kane", page=True), target)
    assert "panic" in text
    assert [each for each in wrong if each in text] == []


def test_a_form_without_a_page_is_not_written_in_typst() -> None:
    equations = mbx.convert("lib:cart_pole", "kane")
    with pytest.raises(EquationsError, match="only a form with a page"):
        mbx.write(equations, "typst")
