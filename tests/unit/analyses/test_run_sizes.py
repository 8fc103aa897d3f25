"""Runs of models whose numbers are far from one in SI units, against closed forms."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import mbx
from mbx.analyses.simulate.methods import METHODS

PLANETS = """mbx 1
model Planets {
  param G: m^3/s^2/kg = 6.674e-11, ms: kg = 1.989e30, me: kg = 5.97e24
  coordinate x: m = 1.496e11, y: m = 0, xs: m = 0, ys: m = 0
  initial y' = 29780 [m/s]
  particle S { mass ms  at [xs, ys, 0] }
  particle E { mass me  at [x, y, 0] }
  potential -G*ms*me/norm(E - S)
}
experiment year of Planets {
  simulate 0 s .. 31557600 s every 3155760 s
  expect energy conserved within 1e-9
}
"""
"""The sun and the earth in SI units."""


def kepler(t: float, mu: float, r: float, v: float) -> tuple[float, float]:
    """Return where a body is that starts at [r, 0] with velocity [0, v], by Kepler's equation."""
    a = 1 / (2 / r - v * v / mu)
    e = r * v * v / mu - 1  # from the pericentre where it is positive
    side = 1.0 if e >= 0 else -1.0
    e, n = abs(e), sqrt(mu / a**3)
    M = n * t + (0.0 if side > 0 else pi)
    E = M
    for _ in range(50):
        E -= (E - e * sin(E) - M) / (1 - e * cos(E))
    return side * a * (cos(E) - e), side * a * sqrt(1 - e * e) * sin(E)


@pytest.mark.parametrize("method", ["projection", "stiff", "ggl", "momenta", "groups"])
def test_a_planet_follows_kepler_in_si_units(method: str) -> None:
    run = mbx.simulate(mbx.loads(PLANETS), "year", method=method)
    mu = 6.674e-11 * (1.989e30 + 5.97e24)
    close = 1e-7 if method == "ggl" else 1e-10
    for k, t in enumerate(run.t.tolist()):
        x, y = kepler(t, mu, 1.496e11, 29780.0)
        assert run["x"][k] - run["xs"][k] == pytest.approx(x, abs=close * 1.496e11)
        assert run["y"][k] - run["ys"][k] == pytest.approx(y, abs=close * 1.496e11)
    assert run.met or method == "ggl"


CARTESIAN = """mbx 1
model Pendulum {{
  param m: kg = {m}, l: m = {l}, g: m/s^2 = {g}
  coordinate x: m = l*sin(1 rad), y: m = -l*cos(1 rad)
  particle p {{ mass m  at [x, y, 0] }}
  invariant x^2 + y^2 = l^2
  gravity [0, -g, 0]
}}
experiment swing of Pendulum {{ simulate 0 s .. {end} s every {every} s }}
"""
"""A pendulum in Cartesian coordinates."""


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("m", "l", "g"),
    [(1e-9, 1e-6, 9.81), (1e-26, 1e-10, 1e15), (1.0, 1.0, 9.81), (6e24, 1e11, 1e-3)],
    ids=["micromachine", "molecule", "metre", "planet"],
)
@pytest.mark.parametrize("method", ["projection", "stiff", "baumgarte", "momenta", "groups"])
def test_a_pendulum_of_any_size_follows_jacobis_functions(
    method: str, m: float, l: float, g: float
) -> None:
    w, k = sqrt(g / l), sin(0.5)
    end = 10 / w
    text = CARTESIAN.format(m=m, l=l, g=g, end=repr(end), every=repr(end / 10))
    run = mbx.simulate(mbx.loads(text), "swing", method=method)
    sn, *_ = ellipj(w * run.t + ellipk(k**2), k**2)
    angle = 2 * np.arcsin(k * sn)
    close = 1e-10
    assert run["x"] / l == pytest.approx(np.sin(angle), abs=close)
    assert run["y"] / l == pytest.approx(-np.cos(angle), abs=close)
    if method != "baumgarte":
        assert max(run.drift) < 1e-13


MEMS = """mbx 1
model Plate "a plate of a nanogram on a soft spring, with an arm" {
  param m: kg = 1e-9, l: m = 1e-4, k: N/m = 0.5, J: kg*m^2 = 1e-18
  coordinate x: m = 1e-6 in [-1e-5, 1e-5], th: rad = -1.5
  body plate { mass m  joint prismatic(ground, axis = x, distance = x) }
  body arm { mass m  com [l/2, 0, 0]  inertia J about z
    joint revolute(plate, axis = z, angle = th) }
  spring on x stiffness k
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_a_micromechanism_is_at_rest_where_it_hangs() -> None:
    found = mbx.equilibrium(mbx.loads(MEMS))
    assert found.state["x"] == pytest.approx(0.0, abs=1e-18)
    assert found.state["th"] == pytest.approx(-pi / 2, abs=1e-12)
    assert found.stability == "marginal"  # nothing damps it


@pytest.mark.parametrize(
    ("m", "l", "g"), [(1e-9, 1e-6, 9.81), (1e-26, 1e-10, 1e15), (6e24, 1e11, 1e-3)]
)
@pytest.mark.parametrize(("method", "close"), [("ggl", 1e-8), ("index3", 1e-7)])
def test_implicit_methods_measure_in_sizes_of_the_model(
    method: str, close: float, m: float, l: float, g: float
) -> None:
    w, k = sqrt(g / l), sin(0.5)
    text = CARTESIAN.format(m=m, l=l, g=g, end=repr(0.5 / w), every=repr(0.25 / w))
    run = mbx.simulate(mbx.loads(text), "swing", method=method)
    sn, *_ = ellipj(w * run.t + ellipk(k**2), k**2)
    assert run["x"] / l == pytest.approx(np.sin(2 * np.arcsin(k * sn)), abs=close)


CARRIED = """mbx 1
model Carried "a particle on the end of a bar, drawn by a spring: lengths beside an angle" {{
  param l: m = {l}, m: kg = {m}, T: s = {T}
  coordinate a: rad = 0.3, x: m = l*cos(0.3 rad), y: m = l*sin(0.3 rad)
  body bar {{ mass m  com [l/2, 0, 0]  inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = a) }}
  particle p {{ mass m  at [x, y, 0] }}
  invariant x = l*cos(a)
  invariant y = l*sin(a)
  point Q = [2*l, 0, 0]
  spring between p and Q stiffness m/T^2 rest l
}}
experiment swing of Carried {{ simulate 0 s .. {end} s every {end} s }}
"""


def spring_and_bar(end: float) -> tuple[float, float]:
    """Return the angle and its rate, in lengths l, masses m and times T: J a'' = -dV/da."""

    def rate(_t: float, y: list[float]) -> list[float]:
        far = sqrt(5 - 4 * cos(y[0]))  # of p from Q
        return [y[1], -(far - 1) * 2 * sin(y[0]) / far / (4 / 3)]

    found = solve_ivp(rate, (0, end), [0.3, 0.0], method="DOP853", rtol=3e-14, atol=1e-16)
    return float(found.y[0, -1]), float(found.y[1, -1])


@pytest.mark.sample(2, "molecule")
@pytest.mark.parametrize(
    ("l", "m", "T"),
    [(1e-10, 1e-26, 1e-12), (1.0, 1.0, 1.0), (1e11, 6e24, 3e7)],
    ids=["molecule", "metre", "planet"],
)
@pytest.mark.parametrize("method", METHODS)
def test_lengths_beside_angles_have_any_size(method: str, l: float, m: float, T: float) -> None:
    # source: SciPy on the equation of the one freedom, J = m l^2/3 + m l^2
    text = CARRIED.format(l=repr(l), m=repr(m), T=repr(T), end=repr(3 * T))
    run = mbx.simulate(mbx.loads(text), "swing", method=method)
    angle, speed = spring_and_bar(3.0)
    close = {"index3": 1e-8, "ggl": 1e-8}.get(method, 1e-11)
    assert run["a"][-1] == pytest.approx(angle, abs=close)
    assert run["a'"][-1] * T == pytest.approx(speed, abs=close)
    assert run["x"][-1] / l == pytest.approx(cos(angle), abs=close)
    assert run.energy.relative < 1e-7
    assert max(run.drift) < (1e-9 if method == "baumgarte" else 1e-11)
