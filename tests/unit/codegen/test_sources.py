"""Code that is copied into written modules: all that it uses comes along, and nothing else."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from mbx.codegen.sources import copied
from mbx.codegen.targets.numpy import _SOURCES as SOURCES
from mbx.numerics.execute import stacked_algebra


def test_what_is_copied_runs_by_itself() -> None:
    found = copied(SOURCES, ["least_squares"])
    space: dict[str, object] = {}
    text = "\n".join(["from __future__ import annotations", *found.imports, "import numpy as np"])
    exec(f"{text}\n{found.text}", space)  # noqa: S102
    A, b = np.array([[[1.0, 2.0], [2.0, 4.0]]]), np.array([[[1.0], [2.0]]])
    x, faults = space["least_squares"](A, b)  # type: ignore[operator]
    assert np.array_equal(x, stacked_algebra.least_squares(A, b)[0])
    assert list(faults) == [""]


def _used(text: str) -> dict[str, set[str]]:
    """Return the names that each definition of a text uses."""
    found: dict[str, set[str]] = {}
    for one in ast.parse(text).body:
        names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
        match one:
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                found[own] = names
            case ast.Assign(targets=[ast.Name(id=own)]) | ast.AnnAssign(target=ast.Name(id=own)):
                found[own] = names
    return found


@pytest.mark.parametrize("wanted", ["sqrtm", "pinv", "solve"])
def test_nothing_is_copied_that_is_not_used(wanted: str) -> None:
    found = copied(SOURCES, [wanted])
    used = _used(found.text)
    assert set(used) == found.names
    reached, left = set[str](), [wanted]
    while left:
        name = left.pop()
        if name in used and name not in reached:
            reached.add(name)
            left += used[name]
    assert reached == found.names
    assert {"sqrtm", "pinv", "solve"} & found.names == {wanted}


@pytest.mark.parametrize("wanted", [["fixed_point"], ["evaluated", "basis"], ["solve"]])
def test_every_name_is_defined_or_imported(wanted: list[str]) -> None:
    found = copied(SOURCES, wanted)
    assert not any("mbx" in line for line in found.imports)
    tree = ast.parse(found.text)
    made = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
    assert set(wanted) <= made <= found.names


def test_notes_to_tools_are_left_out() -> None:
    found = copied(("mbx.codegen.runtime.sympy_runtime",), ["SymbolicEquations"])
    assert "noqa" not in found.text
    assert "dynamicsymbols._t" in found.text


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        copied(SOURCES, ["braille"])
