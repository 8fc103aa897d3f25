"""Equations as functions of CasADi: run, differentiated, and compared with mbx's own run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.linking.library import cases
from python_targets import (
    ROOTS,
    TEXTS,
    arguments,
    first,
    hostile,
    load,
    matrices,
    module_of,
    names_in,
    scalar_forms,
)
from representative import marked
from written import ALL_FORMS_OF, CLOSE, MODELS, Case, case, library_forms, wrong


def _error(one: Case) -> float:
    results = module_of(one, "casadi").names["results"]
    given = arguments(one)
    every = [results.call([x[k] for x in given]) for k in range(len(one))]
    found = {
        name: np.array([np.array(outputs[j]) for outputs in every])
        for j, name in enumerate(results.name_out())
    }
    return one.error(matrices(one, found))


@pytest.mark.parametrize("model", MODELS)
def test_ten_models_give_what_their_programs_give(model: str) -> None:
    assert _error(case(model, first(model))) <= CLOSE


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("model", marked(ALL_FORMS_OF, quick={"four_bar"}))
def test_all_forms_of_a_model_give_what_their_programs_give(model: str) -> None:
    forms = scalar_forms(model)
    assert len(forms) > 20
    assert wrong(model, _error, forms) == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", sorted(path.name for path in cases()))
def test_the_library_gives_what_its_programs_give(model: str) -> None:
    assert wrong(model, _error, library_forms(model, 3)) == {}


def _differences(rates: Any, given: list[Any], k: int) -> Any:
    columns = []
    for j in range(given[k].size):
        h = 1e-6 * max(1.0, abs(given[k][j]))
        both = []
        for sign in (1, -1):
            moved = [np.array(x) for x in given]
            moved[k][j] += sign * h
            both.append(np.array(rates.call(moved)[-1])[:, 0])
        columns.append((both[0] - both[1]) / (2 * h))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("model", ["four_bar", "slider_crank_3d_friction"])
def test_derivatives_are_those_of_the_accelerations(model: str) -> None:
    one = case(model, "kane")
    rates = module_of(one, "casadi").names["rates"]
    given = [np.asarray(x[1]) for x in arguments(one)]
    derivative = rates.jacobian()
    blocks = dict(zip(derivative.name_out(), derivative.call([*given, 0, 0]), strict=True))
    for k, name in ((1, "q"), (2, "u"), (4, "parameters")):
        expected = _differences(rates, given, k)
        found = np.array(blocks[f"jac_ud_{name}"])
        assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


def test_functions_say_what_they_take_and_give() -> None:
    names = module_of(case("four_bar", "kane"), "casadi").names
    assert names["rates"].name_in() == ["t", "q", "u", "inputs", "parameters"]
    assert names["rates"].name_out() == ["qd", "ud"]
    assert names["rates"].size_in("parameters") == (8, 1)
    assert names["PARAMETERS"].shape == (8, 1)
    own = names["rates"](
        t=0, q=[1.0, -0.4, 1.5], u=0, inputs=names["INPUTS"], parameters=names["PARAMETERS"]
    )
    assert np.isfinite(np.array(own["ud"])).all()


def test_an_unknown_that_is_not_found_is_nan() -> None:
    text = module_of(case("slider_crank_3d_friction", "kane"), "casadi").text
    given = [np.asarray(x[0]) for x in arguments(case("slider_crank_3d_friction", "kane"))]
    hasty = load(text.replace("NEWTON: Final = 20", "NEWTON: Final = 1"))
    assert np.isnan(np.array(hasty.names["rates"].call(given)[-1])).any()


def test_a_root_of_a_matrix_is_refused_with_its_step() -> None:
    one = case("four_bar", ROOTS[0])
    with pytest.raises(EquationsError, match=r"'Ms' \(sqrtm\) cannot be written out"):
        module_of(one, "casadi")


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_of_a_model_stay_comments(text: str) -> None:
    found = hostile("casadi", text)
    assert found.isascii()
    assert names_in(found) == names_in(hostile("casadi", "a harmless text"))
