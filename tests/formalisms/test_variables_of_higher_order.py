"""Declared variables of order 2 and 3: closed forms, and the same model in orders 0 and 1."""

from __future__ import annotations

from math import cos, sin
from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import at, forms, system_of
from mbx.analyses.experiments.observe import Place
from mbx.base.errors import NotApplicableError
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


# -- what all have in common ---------------------------------------------------------------------

AGREE: Final = {
    "subsystems under a programme": """mbx 1
model Rail "A slider on a rail, with its acceleration as a variable" {
  param m: kg = 1 "mass"
  param tilt: rad = 0 "of the rail"
  coordinate s: m = 0 "along the rail"
  speed v: m/s = 0 "along the rail"
  variable a: m/s^2 "along the rail" of order 2
  define v = s'
  define a = v'
  body slider { mass m  joint prismatic(ground rotated z by tilt, axis = x, distance = s) }
}

model Rails "Two sliders whose accelerations are coupled" {
  param g: m/s^2 = 9.81 "gravity"
  param r: 1 = 2 "ratio of the accelerations"
  subsystem left: Rail(m = 2, tilt = 0.5), right: Rail(m = 0.8, tilt = -0.3)
  variable b: m/s^2 "mean acceleration" of order 2
  define b = (left.a + right.a)/2
  invariant couple: left.a' = -r*right.a' + 0.1 [1/s]*b
  spring on left.s stiffness 20 [N/m]
  independent right.a
  gravity [0, -g, 0]
}
""",
    "a quaternion": """mbx 1
model T2 {
  param m: kg = 2, I: kg*m^2 = 0.3, g: m/s^2 = 9.81
  coordinate x, y, z: m
  coordinate w: 1 = 1, a: 1 = 0, b: 1 = 0, c: 1 = 0
  speed p: rad/s, q: rad/s, r: rad/s
  variable ax: m/s^2 of order 2
  variable ay: m/s^2 of order 2
  variable al: rad/s^2 of order 2
  body B {
    frame ground quaternion(w = w, x = a, y = b, z = c)
    mass m  com ground.origin + [x, y, z]
    inertia diag(I, 2*I, 2.5*I)
  }
  define omega(B) = p*B.x + q*B.y + r*B.z
  define ax = dot(acceleration(B.com), B.x)
  define ay = dot(acceleration(B.com), B.y) + (1 m)*al
  define al = p' + 2*r'
  invariant go: ax + 0.5*ay = 1 [m/s^2]
  load on al: 2 [N*m]*p/(1 [rad/s])
  gravity [0, -g, 0]
}
""",
    "a loop": """mbx 1
model T3 {
  param a: m = 0.1, b: m = 0.3, c: m = 0.25, d: m = 0.3
  param m1: kg = 0.2, m2: kg = 0.5, m3: kg = 0.4, g: m/s^2 = 9.81
  let J1 = m1*a^2/12, J2 = m2*b^2/12, J3 = m3*c^2/12
  coordinate th1: rad = 1.0, th2: rad = -0.4, th3: rad = 1.5
  variable e: rad/s^2 of order 2
  body crank {
    mass m1  com [a/2, 0, 0]  inertia J1 about z
    joint revolute(ground, axis = z, angle = th1)
  }
  body coupler {
    mass m2  com [b/2, 0, 0]  inertia J2 about z
    joint revolute(crank at [a, 0, 0], axis = z, angle = th2)
  }
  body rocker {
    mass m3  com [c/2, 0, 0]  inertia J3 about z
    joint revolute(ground at [d, 0, 0], axis = z, angle = th3)
  }
  joint tip: revolute(coupler at [b, 0, 0], rocker at [c, 0, 0], axis = z) reaction R
  define e = 2*th1'' - th3''*cos(th2)
  torque 0.01 [N*m*s^2]*e*ground.z on crank from ground
  gravity [0, -g, 0]
}
""",
    "friction and a non-ideal part": """mbx 1
model T4 {
  param m: kg = 1.5, mu: 1 = 0.2, g: m/s^2 = 9.81, l: m = 1
  coordinate x: m, y: m
  variable a: m/s^2 of order 2
  speed ups: m^2/s^2
  define ups = x'^2 + y'^2
  particle P { mass m  at [x, y, 0] }
  invariant slot: y = 0.3*x reaction N
  define a = x''*cos(x/l) + y''*sin(y/l)
  load fr: on x' of slot: -mu*abs(N)*sign(x')
  load on a of slot: 0.1 N*cos(x/l)
  force -0.2 kg*a*ground.x on P
  gravity [0, -g, 0]
}
""",
}


@pytest.mark.parametrize("text", AGREE.values(), ids=AGREE.keys())
def test_forms_and_the_oracle_agree(text: str) -> None:
    found = mbx.verify(mbx.loads(text), states=3)
    assert found.verdict == "agree"
