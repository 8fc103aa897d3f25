"""Declared variables of order 2 and 3: closed forms, and the same model in orders 0 and 1."""

from __future__ import annotations

from math import cos, sin
from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import at, forms, system_of
from mbx.errors import NotApplicableError
from mbx.experiments.observe import Place
from mbx.formalism import registry
from mbx.verify.oracle import Oracle

EXACT: Final = 1e-12
M, W, C, F = 2.0, 0.7, 0.3, 3.0
STATE: Final = {"x": 0.3, "y": -0.2, "x'": 0.5, "y'": 0.4}
T: Final = 1.3
SINGULAR: Final = {"modular", "udwadia_kalaba:singular", "udwadia_kalaba:augmented"}

_PARTICLE: Final = """mbx 1
model P {
  param m: kg = 2, w: rad/s = 0.7, c: kg = 0.3, F: N = 3, l: m = 1
  coordinate x, y: m
  particle p { mass m  at [x, y, 0] }
  force push: F*ground.x on p
"""
_ALONG: Final = "  variable a: m/s^2 of order 2\n  define a = x''*cos(w*t) + y''*sin(w*t)\n"


def _model(*statements: str, along: str = _ALONG) -> str:
    return _PARTICLE + along + "".join(f"  {one}\n" for one in statements) + "}\n"


def _e(t: float = T) -> np.ndarray:
    return np.array([cos(W * t), sin(W * t)])


def _check(
    text: str, accepted: set[str], wanted: dict[str, float], state: dict[str, float]
) -> None:
    one = system_of(text)
    found = forms(one)
    assert set(found) == accepted
    for name, form in found.items():
        seen = at(one, form, Place(state, t=T))
        for path, value in wanted.items():
            assert seen.of(path) == pytest.approx(value, rel=EXACT, abs=EXACT), (name, path)
    answer = Oracle(mbx.link(mbx.loads(text))).at(state, T)
    assert answer.status == "regular"
    known = {f"{path}'": x for path, x in answer.ud.items()} | dict(answer.quasi)
    for path in wanted.keys() & known.keys():
        assert float(known[path]) == pytest.approx(wanted[path], rel=EXACT, abs=EXACT), path


def test_a_quasi_acceleration_is_given_what_it_stands_for() -> None:
    acceleration = np.array([F, 0.0]) / M
    x, y = acceleration.tolist()
    wanted = {"x''": x, "y''": y, "a": float(_e() @ acceleration)}
    _check(_model(), SINGULAR, wanted, STATE)


def test_an_invariant_names_a_quasi_acceleration_and_a_load_that_depends_on_it() -> None:
    """m r'' = F + c a e_y + R e with e . r'' = a = 1/2."""
    text = _model("invariant go: a = 0.5 [m/s^2] reaction R", "force c*a*ground.y on p")
    e, load = _e(), np.array([F, C * 0.5])
    R = M * 0.5 - e @ load
    x, y = ((load + R * e) / M).tolist()
    wanted = {"x''": x, "y''": y, "a": 0.5, "R": float(R)}
    _check(text, SINGULAR - {"udwadia_kalaba:augmented"}, wanted, STATE)


def test_a_load_on_a_quasi_acceleration_is_a_force_along_its_direction() -> None:
    """The virtual work is e da = e (cos dx'' + sin dy'')."""
    text = _model("load on a: 2 N*cos(x/l)")
    load = np.array([F, 0.0]) + 2 * cos(STATE["x"]) * _e()
    x, y = (load / M).tolist()
    _check(text, SINGULAR, {"x''": x, "y''": y, "a": float(_e() @ load) / M}, STATE)


def test_a_known_model_gives_a_quasi_acceleration_an_inertia() -> None:
    """(m 1 + J e e^T) r'' = F: then also the inertia matrix of all variables is regular."""
    text = _model("effective a: -0.8 kg*a")
    e = _e()
    x, y = np.linalg.solve(M * np.eye(2) + 0.8 * np.outer(e, e), [F, 0.0]).tolist()
    every = SINGULAR | {"udwadia_kalaba:positive"}
    _check(text, every, {"x''": x, "y''": y, "a": float(e @ [x, y])}, STATE)


def test_several_variables_are_solved_together_also_from_invariants_without_a_reaction() -> None:
    along = """  variable a: m/s^2 of order 2
  variable b: m/s^2 of order 2
  invariant one: a + 2*b = x'' + w*x'
  define a - b = y''
"""
    x, y = F / M, 0.0
    a, b = np.linalg.solve([[1, 2], [1, -1]], [x + W * STATE["x'"], y]).tolist()
    _check(_model(along=along), SINGULAR, {"x''": x, "y''": y, "a": a, "b": b}, STATE)


# -- order 3 -----------------------------------------------------------------------------------

DECAY: Final = 0.6
_FREE: Final = _PARTICLE.replace("  force push: F*ground.x on p\n", "")
_STRAIGHT: Final = 0.9 * _e()
_PROGRAMME: Final = {**STATE, "x''": float(_STRAIGHT[0]), "y''": float(_STRAIGHT[1])}
_TURN: Final = np.array([-sin(W * T), cos(W * T)])


def test_a_programme_of_order_3_on_a_quasi_acceleration() -> None:
    """Ideal means r'' = al e, so a = al, and a' = -k a is al' = -k al: r''' = al' e + al w e'."""
    text = _FREE + _ALONG + "  invariant decay: a' = -0.6 [1/s]*a reaction R\n}\n"
    x, y = (-DECAY * 0.9 * _e() + 0.9 * W * _TURN).tolist()
    wanted = {"x'''": x, "y'''": y, "a": 0.9, "a'": -DECAY * 0.9}
    _check(text, SINGULAR, wanted, _PROGRAMME)
    for form in forms(system_of(text)).values():
        found = form.evaluate(_PROGRAMME, t=T)
        assert found.lam == pytest.approx([M * 0.9], rel=EXACT)
        assert found.Fc == pytest.approx(M * _STRAIGHT, rel=EXACT)


def test_a_variable_of_order_3_beside_one_of_order_2() -> None:
    """The same with the jerk along the direction as a variable: j = e . r''' = al'."""
    text = (
        _FREE
        + _ALONG
        + (
            "  variable j: m/s^3 of order 3\n"
            "  define j = x'''*cos(w*t) + y'''*sin(w*t)\n"
            "  invariant decay: j = -0.6 [1/s]*a\n}\n"
        )
    )
    x, y = (-DECAY * 0.9 * _e() + 0.9 * W * _TURN).tolist()
    wanted = {"x'''": x, "y'''": y, "a": 0.9, "a'": -DECAY * 0.9, "j": -DECAY * 0.9}
    _check(text, SINGULAR, wanted, _PROGRAMME)


def test_a_variable_that_is_not_affine_in_accelerations_lifts_the_system() -> None:
    """a = |r''|, for a force that does not change: order 3 (Orsino, definition 2.3)."""
    along = "  variable a: m/s^2 of order 2\n  define a = sqrt(x''^2 + y''^2)\n"
    state = {**STATE, "x''": F / M, "y''": 0.0}
    _check(_model(along=along), SINGULAR, {"x'''": 0.0, "y'''": 0.0, "a": F / M, "a'": 0.0}, state)


# -- what forms refuse ---------------------------------------------------------------------------


def test_other_forms_refuse_with_the_reason() -> None:
    one = system_of(_model())
    for name in registry.names():
        for variant in registry.get(name).variants:
            label = f"{name}:{variant.name}" if variant.name else name
            if label in SINGULAR | {"udwadia_kalaba:positive"}:
                continue
            (refusal,) = registry.refusals(one, name, variant.name)
            assert refusal.feature.value == "a declared variable of order 2 or more"
            assert refusal.elements == ("a",)


def test_the_variant_that_inverts_the_inertia_names_what_has_none() -> None:
    with pytest.raises(NotApplicableError, match="no inertia behind a"):
        registry.derive(system_of(_model()), "udwadia_kalaba:positive")
    assert registry.derive(system_of(_model()), "udwadia_kalaba").variant == "singular"
