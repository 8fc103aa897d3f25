"""The Hamel matrix: zero for rates of functions of q, structure constants for turning rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from mbx.expr.build import function, mul
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.mechanics import energy, motion, quasi
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from mbx.system.system import System

ANGLES: Final = """
mbx 1 model M {
  coordinate a, b, c: rad
  speed x, y, z: rad/s
  frame first = ground rotated z by a
  frame second = first rotated x by b
  body top {
    frame second rotated z by c
    mass 1 kg  com ground.origin
    inertia diag(1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])
  }
  define omega(top) = x*top.x + y*top.y + z*top.z in top
}
"""
POLAR: Final = """
mbx 1 model M {
  coordinate r: m = 1, a: rad
  speed v: m/s, s: m/s
  define v = r*a'
  define s = r' + 0.1 [m]*2*t/(1 s)*a'
  particle P { mass 2 kg  at [r*cos(a), r*sin(a), 0] }
}
"""


def _system(text: str) -> System:
    return elaborate(mbx.link(mbx.loads(text)))


def _matrix(one: System, functions: list[Any], at: dict[str, float]) -> Any:
    found = quasi.hamel_matrix(motion.in_speeds(one), motion.in_rates(one), functions)
    values = {symbol(name): value for name, value in at.items()}
    flat = evaluate_arrays([x for row in found for x in row], values)
    return np.array(flat, dtype=float).reshape(len(found), -1)


@pytest.mark.parametrize("angles", [(0.3, 0.8, -0.5), (1.2, -0.7, 2.0)])
def test_turning_rates_have_the_cross_product(angles: tuple[float, float, float]) -> None:
    """Hamel 1904: for rates about the body's axes, N^T Gam^T p = w x p."""
    one = _system(ANGLES)
    w, p = [0.4, -1.1, 0.7], [0.9, 0.2, -1.3]
    at = dict(zip(["a", "b", "c", "x", "y", "z"], [*angles, *w], strict=True))
    speeds = motion.in_speeds(one)
    Gam = _matrix(one, motion.in_rates(one).express(speeds.u), at)
    slopes = jacobian([speeds.qd[v.symbol] for v in one.q], speeds.u)
    values = {symbol(name): value for name, value in at.items()}
    N = np.array(evaluate_arrays([x for row in slopes for x in row], values)).reshape(3, 3)
    assert N.T @ Gam.T @ p == pytest.approx(np.cross(w, p), rel=1e-12)


def test_a_speed_across_has_terms_of_its_own() -> None:
    """v = r a': d/dt dv/da' = r', and dv/dr = a'."""
    one = _system(POLAR)
    at = {"r": 1.2, "a": 0.4, "v": 0.9, "s": -0.3, "t": 0.0}
    functions = motion.in_rates(one).express([symbol("v")])
    assert _matrix(one, functions, at) == pytest.approx(np.array([[-0.9 / 1.2, -0.3]]))


def test_a_definition_that_changes_with_time_has_terms() -> None:
    """s = r' + k t a' with k = 0.2 m/s: d/dt ds/da' = k."""
    one = _system(POLAR)
    at = {"r": 1.2, "a": 0.4, "v": 0.9, "s": -0.3, "t": 0.5}
    functions = motion.in_rates(one).express([symbol("s")])
    assert _matrix(one, functions, at) == pytest.approx(np.array([[0, 0.2]]))


def test_the_rate_of_a_function_of_the_coordinates_has_none() -> None:
    one = _system(POLAR)
    r, a, t = symbol("r"), symbol("a"), symbol("t")
    functions = motion.in_rates(one).rate([mul(r, function("sin", mul(a, t))), mul(r, r, a)])
    at = {"r": 1.2, "a": 0.4, "v": 0.9, "s": -0.3, "t": 0.5}
    assert _matrix(one, functions, at) == pytest.approx(np.zeros((2, 2)), abs=1e-14)


def test_a_function_that_is_not_affine_has_accelerations_in_it() -> None:
    """d/dt of the derivative of r'^2 is 2 r''; r' = s at t = 0, and s' = r'' + k a'."""
    one = _system(POLAR)
    rate = motion.in_rates(one).u[0]
    at = {"r": 1.2, "a": 0.4, "v": 0.9, "s": -0.3, "t": 0.0, "s'": 1.7, "v'": 0.2}
    expected = np.array([[2 * (1.7 - 0.2 * 0.9 / 1.2), 0]])
    assert _matrix(one, [mul(rate, rate)], at) == pytest.approx(expected)


def test_forces_of_hamel_terms_are_those_of_euler() -> None:
    """For rates about the axes of a body, Phi^T Gam^T dT/dw = w x I w."""
    one = _system(ANGLES)
    w = np.array([0.4, -1.1, 0.7])
    at = dict(zip(["a", "b", "c", "x", "y", "z"], [0.3, 0.8, -0.5, *w], strict=True))
    speeds = motion.in_speeds(one)
    forces = quasi.hamel_forces(speeds, motion.in_rates(one), energy.kinetic(speeds))
    found = evaluate_arrays(forces, {symbol(name): value for name, value in at.items()})
    assert found == pytest.approx(np.cross(w, np.array([1, 2, 2.5]) * w), rel=1e-12)
