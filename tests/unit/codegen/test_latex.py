from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

import mbx
from mbx.codegen.notation.latex.latex_names import Names, escape, matrix_name
from mbx.expr.nodes import symbol
from mbx.formalism import registry
from mbx.formalism.equations import Quantity, Signature

LIBRARY: Final = Path(__file__).parents[3] / "library"
SIGNATURE: Final = Signature(
    t=symbol("t"),
    q=(
        Quantity(symbol=symbol("phi[2]"), path="phi[2]", unit="1", latex=r"\theta"),
        Quantity(symbol=symbol("a.s"), path="a.s", unit="1", latex=r"\gamma_B"),
        Quantity(symbol=symbol("bad"), path="bad", unit="1", latex=r"\input{secret}"),
    ),
    u=(Quantity(symbol=symbol("phi[2]'"), path="phi[2]'", unit="1", latex=r"\dot{\theta}"),),
)


def tex_of(model: str, form: str) -> str:
    return mbx.write(mbx.convert(mbx.read(LIBRARY / model / "model.mb"), form), "latex")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("x", "x"),
        ("theta", r"\theta"),
        ("theta[2]", r"\theta_{2}"),
        ("theta2", r"\theta_{2}"),
        ("q1", "q_{1}"),
        ("q'", r"\dot{q}"),
        ("q''", r"\ddot{q}"),
        ("x''''", "x^{(4)}"),
        ("arm.q1", r"q_{1}^{\mathrm{arm}}"),
        ("arm.q1'", r"\dot{q}_{1}^{\mathrm{arm}}"),
        ("link[3].th", r"\mathrm{th}^{\mathrm{link[3]}}"),
        ("reach", r"\mathrm{reach}"),
        ("m_cart", r"m_{\mathrm{cart}}"),
        ("phi[2]", r"\theta_{2}"),
        ("phi[2]'", r"\dot{\theta}_{2}"),
        ("a.s", r"\gamma_{B}^{\mathrm{a}}"),
        ("bad", r"\mathrm{bad}"),
    ],
)
def test_names_are_made_safe_and_short(name: str, latex: str) -> None:
    assert Names(SIGNATURE)(name) == latex


@pytest.mark.parametrize(
    ("name", "given", "latex"),
    [
        ("M", "", r"\boldsymbol{M}"),
        ("Mr", "", r"\boldsymbol{M}_{\mathrm{r}}"),
        ("ud", "", r"\boldsymbol{\dot{u}}"),
        ("Cb", r"\bar C", r"\boldsymbol{\bar{C}}"),
        ("Cb", r"\input{x}", r"\boldsymbol{C}_{\mathrm{b}}"),
        ("rest", "", r"\mathbf{rest}"),
    ],
)
def test_matrices_are_bold(name: str, given: str, latex: str) -> None:
    assert matrix_name(name, given) == latex


def test_no_text_is_a_command() -> None:
    assert escape(r"50% of \input{x} & $y_1$ #2 ~^\u0007") == (
        r"50\% of \textbackslash{}input\{x\} \& \$y\_1\$ \#2 "
        r"\textasciitilde{}\textasciicircum{}\textbackslash{}u0007"
    )
    assert escape("a\x07b\nc") == "a?b?c"


def test_a_hostile_meaning_does_not_reach_latex() -> None:
    document = mbx.loads(
        'mbx 1 model M { param m: kg = 1 "\\\\input{secret} $"\n coordinate x: m\n'
        " particle P { mass m  at [x, 0, 0] } }"
    )
    tex = mbx.write(mbx.convert(document, "kane"), "latex")
    assert r"\input" not in tex
    assert r"\textbackslash{}input\{secret\} \$" in tex


# a bar about its end
def test_the_pendulum_reads_as_in_a_textbook() -> None:
    tex = tex_of("simple_pendulum", "kane")
    assert r"\frac{1}{3} m l^{2}" in tex
    assert r"-\frac{1}{2} m g l \sin(\theta)" in tex
    assert r"\boldsymbol{M} \, \boldsymbol{\dot{u}} &= \boldsymbol{h}" in tex


@pytest.mark.sample(0, "cart_pole")
@pytest.mark.parametrize(
    "model", ["cart_pole", "rolling_disc", "tricycle_wheel", "five_bar_motors"]
)
def test_a_document_is_well_formed(model: str) -> None:
    found = mbx.elaborate(mbx.read(LIBRARY / model / "model.mb"))
    for form in registry.names():
        try:
            equations = mbx.derive(found, form)
        except mbx.NotApplicableError:
            continue
        tex = mbx.write(equations, "latex")
        assert tex.startswith("\\documentclass{article}\n")
        assert tex.endswith("\\end{document}\n")
        _balanced(tex)


def _balanced(tex: str) -> None:
    """Check braces, environments, growing brackets and the number of dollars."""
    bare = re.sub(r"\\[{}$\\&]", "", tex)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert bare.count(r"\left") == bare.count(r"\right")
    opened: list[str] = []
    for word, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", tex):
        if word == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    for inside in re.findall(r"\\begin\{align\*\}.*?\\end\{align\*\}", tex, re.DOTALL):
        assert "\n\n" not in inside, "a blank line ends the formula"
    assert not re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_", bare), "two scripts in one place"


def test_letters_without_a_font_are_said_with_those_that_have_one() -> None:
    assert escape("é λ → 漢 –") == (
        r"é \ensuremath{\lambda} \texttt{U+2192} \texttt{U+6F22} " + "\u2013"
    )


def test_symbols_that_would_look_alike_are_written_as_in_the_model() -> None:
    paths = ("x1", "x_1", "x[2]", "y")
    alike = Signature(t=symbol("t"), q=(), u=(), parameters=tuple(_plain(path) for path in paths))
    names = Names(alike)
    assert [names(path) for path in paths] == [r"\mathtt{x1}", r"\mathtt{x\_1}", "x_{2}", "y"]


def _plain(path: str) -> Quantity:
    return Quantity(symbol=symbol(path), path=path, unit="1")


def test_a_transpose_in_a_product_has_no_brackets() -> None:
    assert r"&= \boldsymbol{A}^{T} \, \boldsymbol{\lambda}" in tex_of("rolling_disc", "lagrange")


def test_a_result_is_not_said_to_be_itself() -> None:
    text = tex_of("cart_pole", "lagrange")
    assert r"$\boldsymbol{M}$ & inertia matrix \\" in text


def test_a_fragment_says_what_its_document_needs_and_has_no_preamble() -> None:
    tex = mbx.write(mbx.convert(mbx.read("lib:cart_pole"), "kane"), "latex_fragment")
    assert r"%   \usepackage{amsmath}" in tex
    assert not re.search(r"(?m)^\\(documentclass|usepackage|begin\{document\})", tex)
    document = tex_of("cart_pole", "kane")
    assert tex[tex.index(r"\section*") : tex.rindex(r"\par\endgroup")] in document


def test_a_bracket_that_is_longer_than_a_line_is_broken() -> None:
    for line in tex_of("rolling_disc", "tree_hamilton_multipliers").split("\n"):
        assert len(line) < 1500
