from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.codegen.notation import display as shown
from mbx.expr.evaluate import substitute

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

LIBRARY: Final = Path(__file__).parents[3] / "library"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("cart_pole", "lagrange"),
        ("heavy_top", "lagrange"),
        ("rolling_disc", "udwadia_kalaba"),
        ("four_bar", "kane"),
        ("four_bar", "newton_euler"),
        ("chaplygin_sleigh", "maggi"),
        ("spherical_pendulum_angles", "gibbs_appell"),
        ("tricycle_wheel", "modular"),
        ("rp_chain", "kane"),
        ("slider_crank_3d_friction", "kane"),
    ],
)
def test_what_is_shown_has_the_values_of_what_was_derived(model: str, form: str) -> None:
    system = mbx.elaborate(mbx.read(LIBRARY / model / "model.mb"))
    equations = mbx.derive(system, form)
    simple = shown._simplified(equations.steps)
    parts, named, _ = shown._in_parts(equations, simple)
    restored = tuple(_without(step, parts) for step in named)
    state = {one.path: (one.start or 0.4) + 0.1 * k for k, one in enumerate((*system.q, *system.u))}
    before = equations.evaluate(state)
    assert before.status == "regular"
    for steps in (simple, restored):
        after = replace(equations, steps=steps).evaluate(state)
        assert after.status == "regular"
        np.testing.assert_allclose(after.ud, before.ud, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(after.Fc, before.Fc, rtol=1e-8, atol=1e-7)


def _without(step: Step, parts: list[tuple[Node, Node]]) -> Step:
    """Return a step in which no part has a name."""
    rows = []
    for row in step.entries:
        nodes = list(row)
        for name, value in reversed(parts):
            nodes = substitute(nodes, {name: value})
        rows.append(tuple(nodes))
    return replace(
        step, entries=tuple(rows), steps=tuple(_without(inner, parts) for inner in step.steps)
    )


def test_a_result_is_called_by_its_meaning() -> None:
    found = shown.display(mbx.convert(mbx.read(LIBRARY / "cart_pole" / "model.mb"), "lagrange"))
    names = [line.step.name for line in found.lines]
    assert names == ["M_", "h", "ud"]
    assert {key: name for key, name, _ in shown.results(found)} == {
        "ud": "ud",
        "qdd": "ud",
        "Fc": "0",
        "lam": "0",
        "M": "M_",
        "h": "h",
        "A": "0",
        "b": "0",
    }


def test_the_sentence_on_operations_has_all_three_numbers() -> None:
    found = shown.display(mbx.convert(mbx.read(LIBRARY / "simple_pendulum" / "model.mb"), "kane"))
    assert shown.operations(found) == (
        f"Operations: {found.written} written out, {found.shared} with shared parts once, "
        f"{found.shown} as shown."
    )
    assert found.left_out > 10
