"""Entries of matrices, named in the expressions of others, as they are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mbx
from mbx.codegen.notation.display import display
from mbx.codegen.notation.latex.latex_names import matrix_name
from mbx.codegen.reduce import ZEROS, reduce
from mbx.expr.build import add, mul, neg
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.formalism.builder import Program
from mbx.formalism.equations import Quantity
from mbx.formalism.program import Step
from unit.codegen.test_shown_is_computed import compare
from unit.formalism.programs import X, Y, program
from unit.formalism.sweeps import sweep


def test_a_sweep_is_shown_link_by_link() -> None:
    said = mbx.write(sweep(), "text")
    body = said.partition("Equations\n")[2].partition("\n\nResults")[0]
    assert [" ".join(line.split()) for line in body.split("\n")] == [
        "v_1 = # velocity of link 1",
        "[ x ]",
        "[ 0 ]",
        "[ y ]",
        "M_1 = # inertia of link 1",
        "[ x 1 ]",
        "[ 1 y ]",
        "v_2 = # velocity of link 2",
        "[ v_1[1]*cos(x) ]",
        "[ M_1[2,2]*v_1[3] ]",
        "[ 1 ]",
        "P = M_1 M_1",
        "ud = # acceleration",
        "[ P[1,2]*v_2[1] ]",
        "[ P[2,1] + v_2[2] ]",
        "s = [-v_2[2]]",
    ]


def test_a_sweep_that_is_shown_is_computed() -> None:
    compare(sweep())


def test_entries_in_latex_are_called_as_their_matrices() -> None:
    said = mbx.write(sweep(), "latex")
    assert r"\boldsymbol{M}_{1}\left[2,2\right] \boldsymbol{v}_{1}\left[3\right]" in said
    assert r"\boldsymbol{P}\left[2,1\right] + \boldsymbol{v}_{2}\left[2\right]" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("v_2", r"\boldsymbol{v}_{2}"),
        ("Mst_12", r"\boldsymbol{\hat{M}}_{12}"),
        ("Ia_2", r"\boldsymbol{I}_{\mathrm{a},2}"),
        ("F_2_1", r"\boldsymbol{F}_{2,1}"),
        ("zdd_3", r"\boldsymbol{\ddot{z}}_{3}"),
        ("zdd0_3", r"\boldsymbol{\ddot{z}}_{\mathrm{0},3}"),
        ("hlam_1", r"\boldsymbol{\lambda}_{\mathrm{h},1}"),
        ("Lc_fhat_3", r"\boldsymbol{\hat{f}}_{\mathrm{Lc},3}"),
        ("hb_2", r"\boldsymbol{\bar{h}}_{2}"),
        ("hbr_2", r"\boldsymbol{b}_{\mathrm{h},\mathrm{r},2}"),
        ("X_1F", r"\boldsymbol{X}_{\mathrm{F},1}"),
        ("R_d", r"\boldsymbol{R}_{\mathrm{d}}"),
        ("ud_3", r"\boldsymbol{\dot{u}}_{3}"),
        ("word_3", r"\mathbf{word}_{3}"),
        ("v_x", r"\mathbf{v\_x}"),
    ],
)
def test_the_number_of_a_link_stands_below(name: str, said: str) -> None:
    assert matrix_name(name) == said


def test_entries_follow_the_name_that_their_matrix_is_shown_by() -> None:
    # a model may have a row of parameters v_2[1], v_2[2]
    rows = (Quantity(symbol=symbol("v_2[2]"), path="v_2[2]", unit="m", value=ONE),)
    equations = replace(sweep(), signature=replace(sweep().signature, parameters=rows))
    said = mbx.write(equations, "text")
    assert "s = [-v_2_[2]]" in said
    compare(equations)


def test_named_parts_are_not_made_of_entries_that_come_later() -> None:
    p = Program()
    (b,) = zip(*p.entries(p.column("b", [add(X, Y), mul(X, Y)])), strict=True)
    deep = b[0]
    for _ in range(60):
        deep = add(mul(deep, b[1]), X)
    p.derived("c", [[deep], [mul(deep, deep)]])
    shown = display(program(*p.steps, results={"ud": "c"}))
    assert shown.parts == ()
    assert shown.shown == shown.shared


def test_a_zero_that_is_seen_takes_its_terms_along() -> None:
    a, b, c = (symbol(name) for name in "abc")
    zero = Step(name="z", op="define", entries=((ZERO, ZERO),))
    seen = Step(name="n", op="define", entries=((ONE,),))
    open_ = Step(name="x", op="define", entries=((X,),))
    step = Step(
        name="s",
        op="define",
        args=("z", "x", "n"),
        symbols=(a, symbol("unused"), b, c),
        entries=((add(a, mul(b, c)),),),
    )
    found = reduce([zero, seen, open_, step], ["s"])
    assert [one.name for one in found.steps] == ["x", "s"]
    assert found.steps[-1].args == ("x",)
    assert found.steps[-1].symbols == (b,)
    assert found.steps[-1].entries == ((b,),)
    gone = reduce([zero, replace(step, args=("z",), symbols=(a, b), entries=((a,),))], ["s"])
    assert gone.names["s"] == ZEROS


def test_an_identity_is_seen_entry_by_entry() -> None:
    symbols = tuple(symbol(f"e{k}") for k in range(4))
    unit = Step(name="E", op="identity", size=(2, 2))
    step = Step(
        name="s", op="define", args=("E",), symbols=symbols, entries=((mul(X, symbols[3]),),)
    )
    assert reduce([unit, step], ["s"]).steps[-1].entries == ((X,),)
    crossed = replace(step, entries=((neg(symbols[1]),),))
    assert reduce([unit, crossed], ["s"]).names["s"] == ZEROS


def test_rows_of_a_derived_matrix_keep_its_arguments() -> None:
    p = Program()
    (b,) = zip(*p.entries(p.column("b", [X, Y])), strict=True)
    c = p.derived("c", [[mul(b[0], b[1])], [ZERO], [neg(b[1])]])
    p.let("r", c.rows([2]))
    found = reduce(p.steps, ["r"])
    assert [one.name for one in found.steps] == ["b", "r"]
    assert found.steps[-1].args == ("b",)
    assert found.steps[-1].entries == ((neg(b[1]),),)


def test_an_unknown_is_not_said_to_be_its_own_entries() -> None:
    inner = Program()
    unknown = inner.given("y", size=2)
    (y,) = zip(*inner.entries(unknown), strict=True)
    F = inner.column("F", [mul(X, y[1]), neg(y[0])])
    inner.let("g", unknown - F)
    step = Step(name="w", op="implicit", steps=tuple(inner.steps), unknown="y", residual="g")
    said = mbx.write(program(step, results={"ud": "w"}), "text")
    assert "find ud with g = 0, where" in said
    assert "[ x*ud[2] ]" in said
    assert "[ -ud[1]  ]" in said
