"""Compiled equations against the equations they were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from mbx import pipeline
from mbx.base.errors import EquationsError
from mbx.codegen.routine import routine
from mbx.expr import evaluate_arrays
from representative import marked
from written import ALL_FORMS_OF, CLOSE, MODELS, case, forms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from written import Case

WANTED: Final = ("ud", "qd", "M", "h", "A", "b")
FIRST: Final = ("kane", "modular")
"""Forms that say nearly everything; the first that says a model is taken."""


def form_of(model: str) -> str:
    return next(form for form in FIRST if form in forms_of(model))


def computed(one: Case, backend: str, wanted: Sequence[str] = WANTED) -> dict[str, Any]:
    """Return results at all states, each (states, rows, columns); one at a time the same."""
    wanted = [key for key in wanted if key in one.equations.results]
    function = mbx.compile(one.equations, wanted, backend=backend)
    given = one.arguments(routine(pipeline.subject(one.equations), ()))
    order = ("q", "u", "t", "inputs", "parameters", "higher")
    many = function(*(given[name] for name in order))
    assert not many.status.any()
    for k in range(len(one)):
        alone = function(*(given[name][k] for name in order))
        assert alone.status == 0
        assert all(np.array_equal(alone[key], many[key][k]) for key in wanted)
    return {key: x[:, :, None] if x.ndim == 2 else x for key, x in many.values.items()}


@pytest.mark.sample(5)
@pytest.mark.parametrize("backend", ["llvm", "cc"])
@pytest.mark.parametrize("model", MODELS)
def test_a_compiled_model_keeps_its_equations(model: str, backend: str) -> None:
    one = case(model, form_of(model))
    assert one.error(computed(one, backend)) < CLOSE


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("model", marked(ALL_FORMS_OF, quick={"four_bar"}))
def test_every_form_of_a_model_keeps_its_equations_when_compiled(model: str) -> None:
    compiled = []
    for form in forms_of(model):
        one = case(model, form)
        try:
            found = computed(one, "llvm", ("ud", "qd"))
        except EquationsError:  # a root of a matrix: NumPy is for that
            assert any(step.op == "sqrtm" for step in one.equations.steps), form
            continue
        assert one.error(found) < CLOSE, form
        compiled.append(form)
    assert len(compiled) > len(forms_of(model)) // 2


def test_what_cannot_be_written_out_is_run_in_numpy() -> None:
    form = next(
        form
        for form in forms_of("four_bar")
        if any(step.op == "sqrtm" for step in case("four_bar", form).equations.steps)
    )
    one = case("four_bar", form)
    assert mbx.compile(one.equations).backend == "numpy"
    given = one.arguments(routine(pipeline.subject(one.equations), ()))
    found = mbx.compile(one.equations)(
        given["q"], given["u"], given["t"], given["inputs"], given["parameters"]
    )
    assert one.error({"ud": found.ud[:, :, None], "qd": found.qd[:, :, None]}) < CLOSE


def lost(one: Case) -> float:
    """Return what the straight line itself loses, in NumPy: code cannot win it back."""
    line = routine(pipeline.subject(one.equations), ("ud",))
    if line.iterations:
        return 0.0
    ud = np.stack(np.broadcast_arrays(*evaluate_arrays(line.entries, one.values)), axis=1)
    return one.error({"ud": ud[:, :, None]})


@pytest.mark.full
def test_what_is_lost_is_lost_before_it_is_compiled() -> None:
    one = case("tricycle", "lagrange")
    error = one.error(computed(one, "llvm", ("ud",)))
    assert error < max(CLOSE, 3 * lost(one))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_model_of_the_library_keeps_its_equations_when_compiled() -> None:
    from mbx.linking.library import cases  # noqa: PLC0415

    compiled, refused, wrong = 0, [], []
    for model in (folder.name for folder in cases()):
        for form in forms_of(model):
            if form not in {*FIRST, "lagrange", "composite_body", "articulated_body"}:
                continue
            one = case(model, form)
            try:
                error = one.error(computed(one, "llvm", ("ud", "qd")))
            except EquationsError as reason:  # its digits would be lost: NumPy is for that
                refused.append((model, form, str(reason)))
                continue
            compiled += 1
            if not error < max(CLOSE, 3 * lost(one)):
                wrong.append((model, form, error))
    assert wrong == []
    assert len(refused) < compiled / 50, refused
