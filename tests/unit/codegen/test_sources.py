"""Code that is copied into written modules: all that it uses comes along, and nothing else."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from mbx.codegen.sources import copied
from mbx.formalism import numerics

SOURCES = ("mbx.formalism.numerics", "mbx.formalism.newton", "mbx.codegen.runtime.numpy")


def test_what_is_copied_runs_by_itself() -> None:
    found = copied(SOURCES, ["least_squares"])
    space: dict[str, object] = {}
    text = "\n".join(["from __future__ import annotations", *found.imports, "import numpy as np"])
    exec(f"{text}\n{found.text}", space)  # noqa: S102
    A, b = np.array([[[1.0, 2.0], [2.0, 4.0]]]), np.array([[[1.0], [2.0]]])
    x, faults = space["least_squares"](A, b)  # type: ignore[operator]
    assert np.array_equal(x, numerics.least_squares(A, b)[0])
    assert list(faults) == [""]


def test_nothing_is_copied_that_is_not_used() -> None:
    expected = {"sqrtm", "Array", "Faults", "LEAST_RECIPROCAL", "_is_positive", "_t"}
    assert copied(SOURCES, ["sqrtm"]).names == expected
    assert "solve" not in copied(SOURCES, ["pinv"]).names


@pytest.mark.parametrize("wanted", [["fixed_point"], ["evaluated", "basis"], ["solve"]])
def test_every_name_is_defined_or_imported(wanted: list[str]) -> None:
    found = copied(SOURCES, wanted)
    assert not any("mbx" in line for line in found.imports)
    tree = ast.parse(found.text)
    made = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
    assert set(wanted) <= made <= found.names


def test_notes_to_tools_are_left_out() -> None:
    found = copied(("mbx.codegen.runtime.sympy",), ["SymbolicEquations"])
    assert "noqa" not in found.text
    assert "dynamicsymbols._t" in found.text


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        copied(SOURCES, ["braille"])
