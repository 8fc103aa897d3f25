"""Saved equations are the equations: what is written of them has the same bytes."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from mbx import pipeline
from mbx.codegen import target
from mbx.formalism import registry
from mbx.formalism.equations import Equations
from mbx.formalism.page.page_options import PageOptions
from mbx.numerics.execute.evaluate_equations import further_values, general_values
from mbx.pipeline import write_files

if TYPE_CHECKING:
    from mbx.system.system import System

SMALL: Final = ("simple_pendulum", "programme_order_3")
LARGE: Final = (
    *(
        "dc_motor",
        "bead_with_friction",
        "four_bar",
        "rolling_disc",
        "bennett_linkage",
        "slider_crank",
        "whipple_bicycle",
    ),
    *("free_body_quaternion", "andrews_squeezer", "rssr_linkage", "tricycle", "differential_gear"),
)
CODE: Final = ("c", "numpy", "modelica")
"""Formats that take all that equations hold: pivots, ranks and zeros, starts."""


@cache
def library_system(model: str) -> System:
    """Return the system of a case of the library."""
    return mbx.elaborate(mbx.read(f"lib:{model}"))


def written(equations: Equations, formats: tuple[str, ...]) -> dict[str, Any]:
    """Return the files of each format, or why there are none."""
    found: dict[str, Any] = {}
    for name in formats:
        try:
            found[name] = write_files(equations, name)
        except mbx.MbxError as refused:
            found[name] = f"{type(refused).__name__}: {refused}"
    return found


def derived(system: System) -> list[Equations]:
    """Return the equations of a system in all forms that apply."""
    found = []
    for form in registry.names():
        try:
            found.append(mbx.derive(system, form))
        except mbx.NotApplicableError:
            continue
    return found


@pytest.mark.parametrize(
    "model", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]
)
def test_saved_equations_give_the_bytes_that_the_model_gives(model: str) -> None:
    forms = derived(library_system(model))
    assert len(forms) > 1
    for equations in forms:
        saved = mbx.Equations.loads(mbx.write(equations, "json"))
        assert saved == equations, equations.formalism
        assert written(saved, CODE) == written(equations, CODE), equations.formalism


def test_every_format_is_the_same_from_saved_equations() -> None:
    equations = mbx.derive(library_system("four_bar"), "maggi", page=PageOptions())
    assert equations.states is not None
    assert equations.page is not None
    saved = mbx.Equations.loads(mbx.write(equations, "json"))
    formats = target.names()
    found = written(saved, formats)
    assert found == written(equations, formats)
    assert all(isinstance(files, dict) for files in found.values())


def test_saved_equations_are_compiled_as_those_of_the_model() -> None:
    equations = mbx.derive(library_system("four_bar"), "kane")
    saved = mbx.Equations.loads(mbx.write(equations, "json"))
    at = general_values(equations)
    q, u = ([at[x.symbol] for x in some] for some in (saved.signature.q, saved.signature.u))
    found, expected = (mbx.compile(one, frozen=True)(q, u) for one in (saved, equations))
    assert found.status == 0
    np.testing.assert_array_equal(found.ud, expected.ud)


def test_without_its_states_a_form_with_ranks_is_refused() -> None:
    system = library_system("four_bar")
    bare = mbx.derive(system, "maggi", specialised=False)
    assert bare.states is None
    with pytest.raises(mbx.MbxError, match="a null space depends on a rank"):
        write_files(bare, "c")
    with pytest.raises(mbx.MbxError, match="hold no sampled states"):
        write_files(bare, "numpy")
    assert "pub" not in mbx.write(bare, "text")
    again = pipeline.specialise(bare, system)
    assert again == mbx.derive(system, "maggi")
    assert pipeline.specialise(again, system) is again


def test_states_are_where_the_model_says() -> None:
    system = library_system("four_bar")
    states = mbx.derive(system, "kane").states
    assert states is not None
    assert states.invariants == len(system.rows) == states.independent
    assert len(states.general) == 4
    starts = [dict(zip(states.symbols, row, strict=True)) for row in states.further]
    for v in system.q:
        if v.start is not None:
            assert starts[0][v.symbol] == pytest.approx(v.start, abs=1e-9)


def test_a_program_without_ranks_holds_no_states() -> None:
    equations = mbx.derive(library_system("simple_pendulum"), "tree_lagrange_2")
    assert equations.states is None
    assert '"states"' not in mbx.write(equations, "json")


def test_equations_hold_no_system() -> None:
    assert "system" not in {field.name for field in fields(Equations)}


def test_other_states_choose_other_code() -> None:
    """What the states say counts: with none of them regular there is no rank, and no code."""
    equations = mbx.derive(library_system("four_bar"), "maggi")
    assert equations.states is not None
    nowhere = tuple((None,) * len(row) for row in equations.states.general)
    lost = replace(equations, states=replace(equations.states, general=nowhere))
    assert further_values(lost)
    with pytest.raises(mbx.MbxError, match="no state tried is regular"):
        write_files(lost, "c")
