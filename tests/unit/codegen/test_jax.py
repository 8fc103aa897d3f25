"""Equations as modules on JAX: run, differentiated, and compared with mbx's own run."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.codegen.target import get
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
    subject_of,
)
from representative import marked
from written import ALL_FORMS_OF, CLOSE, MODELS, Case, case, library_forms, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FRICTION = "slider_crank_3d_friction"
"""One of each kind; operations in a loop are slow one by one."""


@pytest.fixture(autouse=True)
def doubles() -> Iterator[None]:
    before = jnp.zeros(0).dtype
    config: Any = jax.config  # without types
    config.update("jax_enable_x64", val=True)
    yield
    config.update("jax_enable_x64", val=before == jnp.float64)


def _error(one: Case) -> float:
    results = module_of(one, "jax").names["results"]
    # a compiler would take longer than all the operations one by one
    with jax.disable_jit():
        found = jax.vmap(results)(*map(jnp.asarray, arguments(one)))
    return one.error(matrices(one, found))


@pytest.mark.sample(1)
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
    assert wrong(model, _error, library_forms(model, 1)) == {}


def _jacobian(rates: Any, given: list[Any], k: int) -> Any:
    """Return the derivatives of the accelerations by the k-th argument, by differences."""
    columns = []
    for j in range(given[k].size):
        h = 1e-6 * max(1.0, abs(given[k][j]))
        both = []
        for sign in (1, -1):
            moved = [np.array(x) for x in given]
            moved[k][j] += sign * h
            both.append(np.asarray(rates(*moved)[-1]))
        columns.append((both[0] - both[1]) / (2 * h))
    return np.stack(columns, axis=-1)


@pytest.mark.full
@pytest.mark.parametrize(
    ("model", "places"),
    [("four_bar", (1, 2, 4)), pytest.param(FRICTION, (1,), marks=pytest.mark.slow)],
)
def test_derivatives_are_those_of_the_accelerations_forwards_and_backwards(
    model: str, places: tuple[int, ...]
) -> None:
    one = case(model, "kane")
    rates = jax.jit(module_of(one, "jax").names["rates"])
    given = [np.asarray(x[1]) for x in arguments(one)]
    for k in places:
        expected = _jacobian(rates, given, k)
        size = np.abs(expected).max()
        for mode in (jax.jacfwd, jax.jacrev):
            found = mode(rates, argnums=k)(*given)[-1]
            assert np.abs(found - expected).max() <= 1e-6 * size


def test_a_function_is_compiled_and_mapped_over_states() -> None:
    one = case("four_bar", "kane")
    rates = jax.jit(jax.vmap(module_of(one, "jax").names["rates"]))
    _, ud = rates(*arguments(one))
    assert one.error({"ud": np.asarray(ud)[:, :, None]}) <= CLOSE


def test_an_unknown_that_is_not_found_is_nan() -> None:
    one = case(FRICTION, "kane")
    text = module_of(one, "jax").text
    hasty = load(text.replace("LIMIT: Final = 400", "LIMIT: Final = 1"))
    ud = hasty.names["rates"](*(x[0] for x in arguments(one)))[-1]
    assert np.isnan(ud).any()


@pytest.mark.full
def test_single_precision_is_refused_when_the_module_is_loaded(tmp_path: Path) -> None:
    one = case("simple_pendulum", "kane")
    (text,) = get("jax").write(subject_of(one)).values()
    (tmp_path / "pendulum.py").write_text(text, encoding="ascii")
    done = subprocess.run(
        [sys.executable, "-c", "import pendulum"],
        cwd=tmp_path,
        env={"JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "these equations need doubles: jax.config.update(" in done.stderr


def test_a_root_of_a_matrix_is_refused_with_its_step() -> None:
    one = case("four_bar", ROOTS[0])
    with pytest.raises(EquationsError, match=r"'Ms' \(sqrtm\) cannot be written out"):
        module_of(one, "jax")


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_of_a_model_stay_comments(text: str) -> None:
    found = hostile("jax", text)
    assert found.isascii()
    assert names_in(found) == names_in(hostile("jax", "a harmless text"))
