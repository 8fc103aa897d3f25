"""The signs in the dictionary of terms, in numbers: closed forms, other texts' formulas, SymPy."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from formalisms.cases import forms, system, system_of

FORMS: Final = ("kane", "maggi", "gibbs_appell", "udwadia_kalaba:positive")
SLEIGH: Final = {"x": 0.3, "y": -0.2, "phi": 0.7, "u": 1.1, "v": 0.0, "w": -0.9}
M, J, A = 2.0, 0.4, 0.3  # of the library's sleigh
CIRCLE: Final = """mbx 1
model Circle {
  param m: kg = 2, r: m = 1, g: m/s^2 = 9.81
  coordinate x: m = 0.6, y: m = -0.8
  particle P { mass m  at [x, y, 0] }
  invariant circle: x^2 + y^2 = r^2
  load drag: on x' of circle: 0.7 N
  gravity [0, -g, 0]
}
"""
ON_THE_CIRCLE: Final = {"x": 0.6, "y": -0.8, "x'": 1.6, "y'": 1.2}


def _at(form: str, model: Any = None, state: Any = None) -> Any:
    equations = forms(system("chaplygin_sleigh") if model is None else model)[form]
    return equations.evaluate(SLEIGH if state is None else state)


@pytest.mark.parametrize("form", FORMS)
def test_the_sleigh_has_its_closed_form(form: str) -> None:
    # S. A. Chaplygin 1911; the force across the blade is m (a w' + u w)
    u, w = SLEIGH["u"], SLEIGH["w"]
    found = _at(form)
    assert found.ud == pytest.approx([A * w**2, 0, -M * A * u * w / (J + M * A**2)], abs=1e-14)
    assert found.lam == pytest.approx([J * M * u * w / (J + M * A**2)])


def test_hamel_coefficients_of_the_sleigh_are_structure_constants() -> None:
    # se(2) with u and v along and across, w about: d(u) = v w, d(v) = -u w
    found = _at("boltzmann_hamel", state={**SLEIGH, "v": 0.4})
    u, v, w = SLEIGH["u"], 0.4, SLEIGH["w"]
    rows = [[0, w, -v], [-w, 0, u], [0, 0, 0]]
    assert found["Gam"][:3] @ found["N"] == pytest.approx(np.array(rows), abs=1e-15)


def test_the_programme_of_gauss_has_minus_the_forces() -> None:
    found, kane = _at("gauss"), _at("kane")
    assert found["c"] == pytest.approx(-kane["h"])
    assert found["H"] == pytest.approx(kane["M"])


def test_udwadia_and_kalaba_have_another_sign_and_another_split() -> None:
    # F. E. Udwadia, R. E. Kalaba 1996: A qdd = b, M qdd = Q + Q^c, and C for non-ideal constraints
    x, y, xd, yd = ON_THE_CIRCLE.values()
    m, matrix, b = 2.0, np.array([[2 * x, 2 * y]]), np.array([-2 * (xd**2 + yd**2)])
    a, c = np.array([0, -9.81]), np.array([0.7, 0])
    root = np.sqrt(m)
    inverse = np.linalg.pinv(matrix / root)
    first = root * inverse @ (b - matrix @ a)
    second = (np.eye(2) - inverse @ matrix / root) @ c
    found = _at("udwadia_kalaba:positive", system_of(CIRCLE), ON_THE_CIRCLE)
    assert found["b"] == pytest.approx(-b)
    assert found["Q"] == pytest.approx(m * a)
    assert found["Cstar"] == pytest.approx(c)
    assert found.Fc + c == pytest.approx(first + second)
    assert np.abs(found.Fc - first).max() > 0.1


def test_multipliers_of_sympy_have_two_signs() -> None:
    t = dynamicsymbols._t
    x, y = dynamicsymbols("x y")
    lagrangian = (x.diff(t) ** 2 + y.diff(t) ** 2) - 2 * sp.Float("9.81") * y
    frame, point = ReferenceFrame("N"), Point("P")
    point.set_vel(frame, x.diff(t) * frame.x + y.diff(t) * frame.y)
    drag = [(point, sp.Float("0.7") * frame.x)]
    method = LagrangesMethod(
        lagrangian, [x, y], hol_coneqs=[x**2 + y**2 - 1], forcelist=drag, frame=frame
    )
    eom = method.form_lagranges_equations()
    now = dict(zip((x, y, x.diff(t), y.diff(t)), ON_THE_CIRCLE.values(), strict=True))
    full = method.mass_matrix_full.subs(now).LUsolve(method.forcing_full.subs(now))
    found = _at("lagrange", system_of(CIRCLE), ON_THE_CIRCLE)
    assert [float(z) for z in full[2:4]] == pytest.approx(list(found.qdd))
    assert float(full[4]) == pytest.approx(found.lam[0])
    moving = dict(zip((x.diff(t, 2), y.diff(t, 2)), found.qdd, strict=True))
    [other] = sp.solve(eom[0].subs(moving).subs(now), method.lam_vec[0])
    assert float(other) == pytest.approx(-found.lam[0])


@cache
def _sympy_sleigh() -> tuple[Any, Any, Any]:
    """Return Kane's method in SymPy for the sleigh, its forces, and its auxiliary equation."""
    t = dynamicsymbols._t
    x, y, phi, u, v, w = dynamicsymbols("x y phi u v w")
    force = sp.Symbol("R")
    ground = ReferenceFrame("N")
    frame = ground.orientnew("B", "Axis", [phi, ground.z])
    frame.set_ang_vel(ground, w * ground.z)
    blade = Point("O")
    blade.set_vel(ground, u * frame.x + v * frame.y)
    centre = blade.locatenew("C", sp.Float(A) * frame.x)
    centre.v2pt_theory(blade, ground, frame)
    body = RigidBody("S", centre, frame, sp.Float(M), (inertia(frame, 0, 0, sp.Float(J)), centre))
    rates = [
        x.diff(t) - u * sp.cos(phi) + v * sp.sin(phi),
        y.diff(t) - u * sp.sin(phi) - v * sp.cos(phi),
        phi.diff(t) - w,
    ]
    method = KanesMethod(
        ground, [x, y, phi], [u, w], rates, u_dependent=[v], velocity_constraints=[v]
    )
    forces = method.kanes_equations([body], [])
    second = KanesMethod(
        ground, [x, y, phi], [u, w], [r.subs(v, 0) for r in rates], u_auxiliary=[v]
    )
    second.kanes_equations([body], [(blade, force * frame.y)])
    return method, forces, second.auxiliary_eqs


def _numbers(one: Any, ud: Any = (0.0, 0.0, 0.0)) -> Any:
    t = dynamicsymbols._t
    symbols = dynamicsymbols("x y phi u v w")
    fast = {z.diff(t): value for z, value in zip(symbols[3:], ud, strict=True)}
    now = dict(zip(symbols, SLEIGH.values(), strict=True))
    return np.array(one.subs(fast).subs(now).evalf(), dtype=float)


def test_the_mass_matrix_of_sympy_has_the_constraints_in_it() -> None:
    method, _, _ = _sympy_sleigh()
    kane = _at("kane")
    independent = np.eye(3)[:, [0, 2]]
    # SymPy sorts speeds: the independent ones first
    order = [0, 2, 1]
    rows = np.vstack([independent.T @ kane["M"], kane["A"]])[:, order]
    right = np.concatenate([independent.T @ kane["h"], -kane["b"]])
    assert _numbers(method.mass_matrix) == pytest.approx(rows)
    assert _numbers(method.forcing)[:, 0] == pytest.approx(right)


def test_fr_and_frstar_of_sympy_are_ours_on_allowed_motions() -> None:
    _, (fr, frstar), _ = _sympy_sleigh()
    kane = _at("kane")
    ud = np.array([0.7, 0.0, -1.3])
    said = _numbers(fr + frstar, ud)[:, 0]
    assert said == pytest.approx((kane["h"] - kane["M"] @ ud)[[0, 2]])


def test_an_auxiliary_speed_of_sympy_gives_our_multiplier() -> None:
    _, _, auxiliary = _sympy_sleigh()
    kane = _at("kane")
    force = sp.Symbol("R")
    rest = _numbers(auxiliary.subs(force, 0), kane.ud)[0, 0]
    slope = _numbers(auxiliary.diff(force), kane.ud)[0, 0]
    assert -rest / slope == pytest.approx(kane.lam[0])
