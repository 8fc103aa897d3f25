"""Equations as objects of SymPy: evaluated, compared, and used as those of SymPy's methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sm
from sympy.physics.mechanics import (
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

import mbx
from mbx import pipeline
from mbx.base.errors import EquationsError
from mbx.codegen.python.sympy_objects import to_sympy
from mbx.linking.library import cases
from python_targets import (
    ROOTS,
    TEXTS,
    arguments,
    first,
    hostile,
    load,
    module_of,
    names_in,
    scalar_forms,
    subject_of,
)
from representative import marked
from written import CLOSE, MODELS, Case, case, library_forms, wrong

IMPLICIT = "found by iteration"
FRICTION = "slider_crank_3d_friction"


def _error(one: Case) -> float:
    equations = module_of(one, "sympy").names["equations"]
    wanted = [key for key in ("ud", "qd", "M", "h", "A", "b") if key in equations.results]
    function = equations.lambdify(*wanted)
    every = [function(*(x[k] for x in arguments(one))) for k in range(len(one))]
    found = {
        key: np.array([np.asarray(values[j], dtype=float) for values in every])
        for j, key in enumerate(wanted)
    }
    return one.error(found)


@pytest.mark.parametrize("model", [model for model in MODELS if model != FRICTION])
def test_nine_models_give_what_their_programs_give(model: str) -> None:
    assert _error(case(model, first(model))) <= CLOSE


@pytest.mark.full
@pytest.mark.parametrize("model", marked(["four_bar", "rolling_disc"], quick={"four_bar"}))
def test_all_forms_of_a_model_give_what_their_programs_give(model: str) -> None:
    forms = scalar_forms(model)
    assert len(forms) > 20
    assert wrong(model, _error, forms) == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", sorted(path.name for path in cases()))
def test_the_library_gives_what_its_programs_give(model: str) -> None:
    assert wrong(model, _error, library_forms(model, 1), IMPLICIT) == {}


@pytest.mark.parametrize("model", ["four_bar", "cam_follower", "dc_motor"])
def test_the_file_builds_what_memory_holds(model: str) -> None:
    one = case(model, first(model))
    written, made = module_of(one, "sympy").names["equations"], to_sympy(subject_of(one))
    assert [name for name, _ in written.replacements] == [name for name, _ in made.replacements]
    for (_, a), (_, b) in zip(written.replacements, made.replacements, strict=True):
        assert a == b or sm.expand(a - b) == 0
    assert written.results.keys() == made.results.keys()
    for key, matrix in written.results.items():
        assert sm.expand(matrix - made.results[key]) == sm.zeros(*matrix.shape)


def _pendulum() -> Any:
    """Return a point on a string in SymPy's own words."""
    q = dynamicsymbols("q")
    m, l, g = sm.symbols("m l g")
    frame = ReferenceFrame("N")
    hanging = frame.orientnew("B", "Axis", (q, frame.z))
    pivot, tip = Point("O"), Point("P")
    pivot.set_vel(frame, 0)
    tip.set_pos(pivot, -l * hanging.y)
    tip.v2pt_theory(pivot, frame, hanging)
    bob = Particle("bob", tip, m)
    bob.potential_energy = -m * g * l * sm.cos(q)
    method = LagrangesMethod(bob.kinetic_energy(frame) - bob.potential_energy, [q])
    method.form_lagranges_equations()
    return method, q, (m, l, g)


POINT = """mbx 1

model Bob "A point on a string" {
  param m: kg = 2, l: m = 0.5, g: m/s^2 = 9.81
  coordinate th: rad = 0.3

  body bob {
    mass m
    com [0, -l, 0]
    inertia 0 about z
    joint revolute(ground, axis = z, angle = th)
  }
  gravity [0, -g, 0]
}
"""


def test_attributes_mean_what_they_mean_in_sympy() -> None:
    theirs, q, parameters = _pendulum()
    ours = to_sympy(pipeline.subject(mbx.convert(mbx.loads(POINT), "lagrange")))
    same = {
        **dict(zip(ours.parameters, parameters, strict=True)),
        ours.q[0]: q,
        ours.u[0]: q.diff(ours.t),
    }
    for name in ("mass_matrix", "forcing", "mass_matrix_full", "forcing_full"):
        mine = ours.written_out(getattr(ours, name)).xreplace(same)
        assert sm.simplify(mine - getattr(theirs, name)) == sm.zeros(*mine.shape), name
    rhs = ours.written_out(ours.rhs()).xreplace(same)
    assert sm.simplify(rhs - theirs.rhs()) == sm.zeros(2, 1)
    assert ours.kindiffdict() == {ours.q[0].diff(ours.t): ours.u[0]}


def test_with_constraints_the_full_equations_have_the_multipliers() -> None:
    one = case("four_bar", "lagrange")
    equations = to_sympy(subject_of(one))
    assert equations.mass_matrix_full.shape == (8, 8)
    assert equations.forcing_full.shape == (8, 1)
    equations.results |= {"full": equations.mass_matrix_full, "right": equations.forcing_full}
    function = equations.lambdify("full", "right", "ud")
    for k in range(len(one)):
        full, right, ud = function(*(x[k] for x in arguments(one)))
        assert np.allclose(np.linalg.solve(full, right)[3:6], ud, rtol=1e-9)


def test_what_a_form_does_not_have_is_an_attribute_error() -> None:
    equations = to_sympy(subject_of(case("four_bar", "articulated_body")))
    with pytest.raises(AttributeError, match="this form has no M, only ud"):
        _ = equations.mass_matrix


def test_exact_numbers_stay_exact() -> None:
    equations = to_sympy(subject_of(case("simple_pendulum", "lagrange")))
    m, l, _ = equations.parameters
    (M,) = equations.written_out(equations.mass_matrix)
    assert sm.simplify(M) == m * l**2 / 3


def test_what_is_found_by_iteration_is_refused() -> None:
    with pytest.raises(
        EquationsError, match="sympy cannot express ud: its unknown is found by iter"
    ):
        to_sympy(subject_of(case(FRICTION, "kane")))


def test_a_root_of_a_matrix_is_refused_with_its_step() -> None:
    with pytest.raises(EquationsError, match=r"'Ms' \(sqrtm\) cannot be written out"):
        to_sympy(subject_of(case("four_bar", ROOTS[0])))


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_of_a_model_stay_comments(text: str) -> None:
    found = hostile("sympy", text)
    assert found.isascii()
    assert names_in(found) == names_in(hostile("sympy", "a harmless text"))


def test_a_file_needs_sympy_alone() -> None:
    text = module_of(case("simple_pendulum", "kane"), "sympy").text
    assert "mbx." not in text
    assert load(text).names["equations"].q.shape == (1, 1)
