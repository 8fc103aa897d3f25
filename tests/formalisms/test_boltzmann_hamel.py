"""Boltzmann-Hamel's own terms: momenta of quasi-velocities, Hamel terms, and what they are for."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from formalisms.cases import Point, at, completed, folder, system, system_of
from formalisms.features import found
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism import registry
from mbx.mechanics import energy, motion
from mbx.numerics.execute.evaluate_equations import values_of

CONE: Final = """
mbx 1 model Cone {
  param m: kg = 1.5, k: 1 = 0.8, g: m/s^2 = 9.81
  coordinate r: m = 1.2, a: rad, z: m
  speed v: m/s
  define v = r*a' + 0.1*z'
  particle P { mass m  at [r*cos(a), r*sin(a), z] }
  gravity [0, 0, -g]
  invariant cone: sqrt(r'^2 + (r*a')^2) = k*z'
}
"""
POLAR: Final = """
mbx 1 model Polar {
  coordinate r: m = 1.2, a: rad
  speed v: m/s
  define v = r*a'
  particle P { mass 2 kg  at [r*cos(a), r*sin(a), 0] }
}
"""


def test_quasi_velocities_may_be_nonlinear_and_in_declared_speeds() -> None:
    """A particle whose speed keeps its steepness: z'' = -g/(1 + k^2), by Chetaev's rule."""
    one = system_of(CONE)
    state = completed(one, {"r": 0.9, "a": 0.3, "r'": 0.7, "v": 0.6})
    given = at(one, registry.derive(one, "boltzmann_hamel"), Point(state))
    assert given.of("z''") == pytest.approx(-9.81 / (1 + 0.8**2), rel=1e-12)


def test_a_particle_in_polar_coordinates_has_the_hamel_terms_of_the_textbook() -> None:
    """T = m (r'^2 + v^2)/2 does not depend on q: r'' = v^2/r and v' = -r' v/r are theirs alone."""
    one = system_of(POLAR)
    equations = registry.derive(one, "boltzmann_hamel")
    given = equations.evaluate({"r": 1.2, "a": 0.3, "r'": 0.5, "v": 0.7})
    assert given["Tq"] == pytest.approx([0, 0], abs=1e-15)
    assert given["NT"] == pytest.approx([2 * 0.7**2 / 1.2, -2 * 0.5 * 0.7 / 1.2], rel=1e-14)
    assert given.ud == pytest.approx([0.7**2 / 1.2, -0.5 * 0.7 / 1.2], rel=1e-14)


def test_the_constraint_functions_have_momenta_that_the_sleigh_needs() -> None:
    """Of *, across the blade, it is m a w; without it the speeds would be constant."""
    one = system("chaplygin_sleigh")
    state = completed(one, {"phi": 0.4, "u": 0.7, "w": 1.9})
    given = registry.derive(one, "boltzmann_hamel").evaluate(state)
    m, a, w, u = 2, 0.3, 1.9, 0.7
    assert given["ps"] == pytest.approx([m * a * w], rel=1e-13)
    assert given["NT"] == pytest.approx([m * a * w**2, -w * m * u, -u * m * a * w], rel=1e-13)


def test_rates_of_functions_of_the_coordinates_have_no_hamel_terms() -> None:
    """What the rate of A and dT*/dq say of * cancels then."""
    one = system("four_bar")
    equations = registry.derive(one, "boltzmann_hamel")
    state = completed(one, {one.u[0].path: 1.3})
    given = equations.evaluate(state)
    assert not given["Gam"].any()
    assert np.abs(given["ps"]).min() > 1e-3
    slopes = gradient(energy.kinetic(motion.in_speeds(one)), [v.symbol for v in one.q])
    free = evaluate_arrays(slopes, values_of(equations, state))
    assert given["Ap"] + given["Tq"] == pytest.approx(free, rel=1e-12, abs=1e-12)
    assert np.abs(given["Ap"]).max() > 1e-3


@pytest.mark.parametrize("name", ["free_body_quaternion", "heavy_top_quaternion"])
def test_turning_rates_of_a_quaternion_give_eulers_equations(name: str) -> None:
    """Hamel terms of the body rates are w x I w with the inertia about the fixed point."""
    one = system(name)
    equations = registry.derive(one, "boltzmann_hamel")
    said = dict(zip(("wx", "wy", "wz"), (0.4, -1.1, 0.7), strict=True))
    q = dict(zip(("qt", "qx", "qy", "qz"), (0.8, 0.2, -0.4, 0.4), strict=True))
    state = completed(one, said) | (q if name.startswith("heavy") else {})
    given = equations.evaluate(state)
    rows = [k for k, v in enumerate(one.u) if v.path in said]
    w, p = np.array(list(said.values())), given["pu"][rows]
    assert given["NT"][rows] == pytest.approx(np.cross(p, w), rel=1e-12)


def test_independent_speeds_that_the_model_names_need_not_be_orthogonal() -> None:
    """A blade that is not along x of the sleigh: Phi has the columns of v = 0.4 u."""
    file = (folder("chaplygin_sleigh") / "model.mb").read_text("utf-8")
    text = file.partition("experiment")[0].replace(
        "invariant blade: v = 0", "independent u, w  invariant blade: v = 0.4*u"
    )
    one = system_of(text)
    given = registry.derive(one, "boltzmann_hamel").evaluate(completed(one, {"u": 0.7, "w": 1.9}))
    assert given["Phi"] == pytest.approx(np.array([[1, 0], [0.4, 0], [0, 1]]), abs=1e-15)
    assert given["po"] + given["A"].T @ given["ps"] == pytest.approx(given["pu"], rel=1e-12)
    beside = registry.derive(one, "kane").evaluate(completed(one, {"u": 0.7, "w": 1.9}))
    assert given.ud == pytest.approx(beside.ud, rel=1e-12)
    assert given.Fc == pytest.approx(beside.Fc, rel=1e-12)


def test_momenta_of_all_quasi_velocities_make_those_of_the_speeds() -> None:
    """Psi^T p_# + A^T p_* = dT/du."""
    for feature in ("holonomic redundant", "simple nonholonomic", "nonlinear nonholonomic"):
        given = found(feature, "boltzmann_hamel")
        made = given["po"] + given["A"].T @ given["ps"]
        assert made == pytest.approx(given["pu"], rel=1e-12, abs=1e-12), feature
