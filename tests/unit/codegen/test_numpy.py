"""Equations as modules on NumPy: run by themselves, and compared with mbx's own run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.base.errors import EquationsError
from mbx.codegen.target import get
from mbx.formalism.json.serial import from_json, to_json
from mbx.linking.library import cases
from mbx.pipeline import write_files
from python_targets import (
    TEXTS,
    arguments,
    first,
    hostile,
    load,
    matrices,
    module_of,
    names_in,
    subject_of,
)
from representative import marked
from written import ALL_FORMS_OF, CLOSE, MODELS, Case, case, forms_of, library_forms, wrong

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.formalism.program import Step


def _error(one: Case) -> float:
    found = module_of(one, "numpy").names["results"](*arguments(one))
    assert set(found["status"]) == {"regular"}, (one.form, found["status"])
    return one.error(matrices(one, found))


@pytest.mark.sample(1)
@pytest.mark.parametrize("model", MODELS)
def test_ten_models_give_what_their_programs_give(model: str) -> None:
    assert _error(case(model, first(model))) <= CLOSE


@pytest.mark.parametrize("model", marked(ALL_FORMS_OF, quick={"four_bar"}))
def test_all_forms_of_a_model_give_what_their_programs_give(model: str) -> None:
    forms = forms_of(model)
    assert len(forms) > 20
    assert wrong(model, _error, forms) == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", sorted(path.name for path in cases()))
def test_the_library_gives_what_its_programs_give(model: str) -> None:
    assert wrong(model, _error, library_forms(model, 3)) == {}


def test_results_are_those_of_the_program_to_the_last_digits_and_bases_too() -> None:
    one = case("four_bar", "kane")
    found = module_of(one, "numpy").names["results"](*arguments(one))
    for key, value in matrices(one, found).items():
        assert np.allclose(value, one.matrices[key], rtol=1e-12, atol=1e-13), key


def test_states_have_any_number_of_axes_and_broadcast() -> None:
    one = case("four_bar", "kane")
    names = module_of(one, "numpy").names
    t, q, u, inputs, parameters = arguments(one)
    qd, ud = names["rates"](t, q, u, inputs, parameters)
    assert ud.shape == (len(one), 3)
    single = names["rates"](t[0], q[0], u[0], inputs[0], parameters[0])
    assert np.allclose(single[1], ud[0], rtol=1e-13, atol=0)
    folded = [np.stack([x, x]) for x in (q, u, inputs, parameters)]
    assert names["rates"](t, *folded)[1].shape == (2, len(one), 3)
    assert np.array_equal(names["rates"](t, *folded)[0][1], qd)
    assert names["rates"](0.0, q, u, inputs[0], parameters[0])[1].shape == ud.shape
    assert names["results"](t, *folded)["M"].shape == (2, len(one), 3, 3)


def test_inputs_and_parameters_may_be_left_at_their_own_values() -> None:
    equations = mbx.convert(mbx.read("lib:simple_pendulum"), "lagrange")
    names = load(mbx.write(equations, "numpy")).names
    _, ud = names["rates"](0.0, [0.3], [0.0])
    assert np.allclose(ud, -1.5 * 9.81 * np.sin(0.3))
    with pytest.raises(ValueError, match=r"argument 2 has the shape \(2,\) and not \(..., 1\)"):
        names["rates"](0.0, [0.3, 0.1], [0.0])


def test_a_state_that_fails_is_nan_and_says_why_and_leaves_others_alone() -> None:
    one = case("four_bar", "kane")
    names = module_of(one, "numpy").names
    t, q, u, inputs, parameters = arguments(one)
    parameters = parameters.copy()
    parameters[1] = 0.0
    q = q.copy()
    q[2] = np.nan
    found = names["results"](t, q, u, inputs, parameters)
    assert list(found["status"][[0, 1, 2]]) == ["regular", "singular", "not finite"]
    assert np.isnan(found["ud"]).all(axis=1).tolist()[:3] == [False, True, True]
    assert np.isnan(found["M"][1]).all()


def test_a_state_that_jams_says_so() -> None:
    one = case("slider_crank_3d_friction", "kane")
    t, q, u, inputs, parameters = arguments(one)
    names = [quantity.path for quantity in one.equations.signature.parameters]
    parameters = parameters.copy()
    parameters[0, [names.index(name) for name in names if name.startswith("mu")]] = 1e6
    found = module_of(one, "numpy").names["results"](t, q, u, inputs, parameters)
    assert found["status"][0] in {"jamming", "no convergence"}
    assert set(found["status"][1:]) == {"regular"}


def test_without_states_a_null_space_is_refused_for_its_columns() -> None:
    equations = replace(from_json(to_json(case("four_bar", "kane").equations)), states=None)
    with pytest.raises(EquationsError, match=r"'Cb' \(nullspace\) cannot be written: the number"):
        write_files(equations, "numpy")
    other = replace(mbx.convert(mbx.read("lib:simple_pendulum"), "kane"), states=None)
    assert load(mbx.write(other, "numpy")).names["rates"](0.0, [0.0], [1.0])[0] == [1.0]


def test_a_matrix_takes_no_name_that_code_needs() -> None:
    one = case("four_bar", "kane")
    new = {"M": "np", "K": "import", "h": "solve", "A": "v1", "Cb": "status", "lam": "print"}

    def named(step: Step) -> Step:
        return replace(
            step,
            name=new.get(step.name, step.name),
            args=tuple(new.get(name, name) for name in step.args),
            grid=tuple(tuple(new.get(n, n) if n else n for n in row) for row in step.grid),
        )

    equations = replace(
        one.equations,
        steps=tuple(named(step) for step in one.equations.steps),
        results={key: new.get(name, name) for key, name in one.equations.results.items()},
    )
    found = load(mbx.write(equations, "numpy")).names["results"](*arguments(one))
    assert one.error(matrices(one, found)) <= CLOSE


def test_numbers_that_are_put_in_are_no_arguments_any_more() -> None:
    equations = mbx.convert(mbx.read("lib:simple_pendulum"), "kane")
    frozen = load(write_files(equations, "numpy", frozen=True)["mb_Pendulum_kane_numpy.py"])
    assert len(frozen.names["PARAMETERS"]) == 0
    free = load(mbx.write(equations, "numpy"))
    for x in (0.3, 2.0):
        one, other = (names["rates"](0.0, [x], [0.5]) for names in (frozen.names, free.names))
        assert np.allclose(one, other, rtol=1e-14)


def test_dependent_constraints_keep_their_rank_where_numbers_are_put_in() -> None:
    equations = mbx.convert(mbx.read("lib:bennett_linkage"), "kane")
    (text,) = write_files(equations, "numpy", frozen=True).values()
    assert "basis(A, 1)" in text


def test_a_module_runs_where_there_is_no_mbx(tmp_path: Path) -> None:
    one = case("slider_crank_3d_friction", "kane")
    ((name, text),) = get("numpy").write(subject_of(one)).items()
    (tmp_path / name).write_text(text, encoding="ascii")
    given = [np.asarray(x).tolist() for x in arguments(one)]
    code = (
        "import importlib, json, sys\n"
        f"module = importlib.import_module({name.removesuffix('.py')!r})\n"
        f"_, ud = module.rates(*json.loads(sys.stdin.read()))\n"
        "assert not [name for name in sys.modules if name.startswith('mbx')]\n"
        "print(json.dumps(ud.tolist()))\n"
    )
    # -S leaves out the path file of the editable install, and NumPy's folder is named instead
    folder = str(next(p for p in np.__path__)).removesuffix("numpy")
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        input=json.dumps(given),
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ud = np.array(json.loads(done.stdout))[:, :, None]
    assert one.error({"ud": ud}) <= CLOSE


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_of_a_model_stay_comments(text: str) -> None:
    found = hostile("numpy", text)
    assert found.isascii()
    assert names_in(found) == names_in(hostile("numpy", "a harmless text"))
