"""Parts of an algorithm, such as its sweeps, are headed where they begin."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.codegen.notation.display import display
from mbx.codegen.notation.latex.latex_names import matrix_name
from mbx.formalism.builder import Program
from mbx.formalism.json.serial import from_json, to_json

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

LIBRARY: Final = Path(__file__).parents[3] / "library"
FORMS: Final = (
    "articulated_body",
    "composite_body",
    "recursive_newton_euler",
    "rfda",
    "semi_recursive_1",
    "semi_recursive_2",
    "tree_hamilton_extended",
    "tree_hamilton_multipliers",
    "tree_hamilton_reduced",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_newton_euler",
)


def _derived(form: str, model: str) -> Equations:
    return mbx.convert(mbx.read(LIBRARY / model / "model.mb"), form)


def _headings(said: str) -> list[str]:
    lines = said.split("\n")
    return [
        line.strip().removeprefix("# ")
        for before, line, after in zip(lines, lines[1:], lines[2:], strict=False)
        if line.strip().startswith("# ") and not before and not after
    ]


def test_a_part_is_within_another() -> None:
    p = Program()
    p.let("a", p.identity(1))
    p.begin("forward")
    p.let("b", p.identity(1))
    p.within = "loops"
    p.begin("backward")
    p.let("c", p.identity(1))
    assert [step.part for step in p.steps] == ["", "forward", "loops: backward"]


def test_the_sweeps_of_articulated_bodies_stand_in_the_order_of_the_algorithm() -> None:
    """Featherstone, Rigid Body Dynamics Algorithms, table 7.1: out, in, out."""
    equations = _derived("articulated_body", "five_node_tree")
    assert _headings(mbx.write(equations, "text")) == [
        "Forward sweep, root to leaves: velocities",
        "Backward sweep, leaves to root: articulated bodies",
        "Loads",
        "Backward sweep, leaves to root: wrenches",
        "Forward sweep, root to leaves: accelerations",
    ]


@pytest.mark.full
def test_latex_has_the_headings_of_the_text() -> None:
    equations = _derived("articulated_body", "quick_return")
    found = _headings(mbx.write(equations, "text"))
    assert "Loops: backward sweep, leaves to root: wrenches" in found
    said = [f"\\subsubsection*{{{one}}}" for one in ("Abbreviations", *found)]
    assert [x for x in mbx.write(equations, "latex").split("\n") if "subsubsection" in x] == said


def test_parts_are_read_again() -> None:
    equations = _derived("tree_newton_euler", "rp_chain")
    again = from_json(json.loads(json.dumps(to_json(equations))))
    assert again.steps == equations.steps
    assert any(step.part for step in again.steps)


def test_a_classical_form_has_no_parts() -> None:
    assert not _headings(mbx.write(_derived("kane", "rp_chain"), "text"))


@pytest.mark.parametrize("form", FORMS)
def test_no_two_matrices_of_a_form_look_alike_and_none_has_a_name_of_a_program(form: str) -> None:
    shown = display(_derived(form, "rp_chain"))
    names = Counter(matrix_name(line.step.name, line.step.symbol) for line in shown.lines)
    assert [name for name, uses in names.items() if uses > 1] == []
    assert [name for name in names if r"\_" in name] == []


@pytest.mark.parametrize("form", FORMS)
def test_every_step_of_a_sweep_has_a_heading(form: str) -> None:
    shown = display(_derived(form, "rp_chain"))
    assert [line.step.name for line in shown.lines if not line.step.part] == []
