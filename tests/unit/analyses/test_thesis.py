"""Simulations of Orsino's thesis (USP 2016), against numbers of a separate program or closed forms.

The thesis prints figures only. Its Example 4.4 was computed by a separate program from its
equations (c) and those of Example 2.5; Example 4.7 likewise, with the linear model in closed form.
"""

from __future__ import annotations

from math import asin, cos, radians

import numpy as np
import pytest

import mbx
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.runs import Options, Run

pytestmark = pytest.mark.papers

X = {0.5: 0.01721639, 1: 0.13931663, 2: 0.83015285, 3: 1.51416189, 4: 1.66135243, 5: 1.83623387}
LATE = {10: 4.4768873, 20: 7.72637735}
Y = {1: -0.08832122, 10: 0.01789048, 20: -0.09365939, 30: -0.05136186, 40: 0.07541477}
PERIOD = 2.368857898
"""Of y, in closed form: the energy of the motion across, integrated."""
OMEGA = 2.632965083
"""Example 4.7 (e): sqrt(6.93250513), the natural frequency about the steady angle, in rad/s."""
STEADY = asin(3 / 5)


@pytest.fixture(name="sphere", scope="module")
def _sphere() -> Run:
    options = Options(until=50.0, every=0.05)
    return perform_simulation(mbx.read("lib:sphere_in_trough"), Request(), options)


@pytest.mark.slow
def test_the_sphere_goes_along_the_trough_as_in_example_4_4(sphere: Run) -> None:
    for t, x in X.items():
        assert sphere["x"][round(t / 0.05)] == pytest.approx(x, abs=1e-7)
    for t, x in LATE.items():  # beyond some 25 s, x is chaotic
        assert sphere["x"][round(t / 0.05)] == pytest.approx(x, abs=1e-5)
    assert max(sphere.drift) < 1e-10


@pytest.mark.slow
def test_the_sphere_goes_across_the_trough_throughout(sphere: Run) -> None:
    for t, y in {**Y, 50: 0.07823097}.items():
        assert sphere["y"][round(t / 0.05)] == pytest.approx(y, abs=1e-7)
    # the trough is z = mu y^2 with mu = 0.5/m
    assert sphere["z"] == pytest.approx(sphere["y"] ** 2 / 2, abs=1e-9)
    down = np.flatnonzero((sphere["y"][:-1] > 0) & (sphere["y"][1:] <= 0))
    across = sphere["y"]
    zeros = sphere.t[down] + 0.05 * across[down] / (across[down] - across[down + 1])
    assert np.diff(zeros).mean() == pytest.approx(PERIOD, rel=1e-4)


def swing(angle: float, until: float) -> Run:
    asked = Request(initial={"theta": STEADY + angle}, held=frozenset({"theta"}))
    options = Options(until=until, every=0.01)
    return perform_simulation(mbx.read("lib:ring_and_disc"), asked, options)


def test_the_linear_model_of_example_4_7_is_the_limit_of_the_nonlinear_one() -> None:
    off = []
    for angle in (0.02, 0.01):
        run = swing(angle, 2.0)
        linear = STEADY + angle * np.cos(OMEGA * run.t)
        off.append(float(np.abs(run["theta"] - linear).max()))
    # what is left is of the second order in the angle
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)
    assert off[1] < 1e-4


def test_the_swing_of_example_4_7_is_not_linear() -> None:
    run = swing(radians(30), 2.0)
    golden = {0.25: 1.069886618, 0.5: 0.81000777, 1: 0.22820574, 2: 0.88381283}
    for t, theta in golden.items():
        assert run["theta"][round(t / 0.01)] == pytest.approx(theta, abs=1e-7)
    linear = STEADY + radians(30) * cos(OMEGA)
    assert abs(run["theta"][100] - linear) > 0.03


def test_the_whitworth_mechanism_turns_with_the_torque_that_inverse_dynamics_found() -> None:
    # at an even turn by pi/2 rad/s the torque at 0 s is 0.0365418530 N m, in closed form
    rate = np.pi / 2
    asked = Request(initial={"q'": rate}, held=frozenset({"q'"}), values={"u1": 0.0365418530049609})
    document = mbx.read("lib:whitworth")
    run = perform_simulation(document, asked, Options(until=0.01, every=0.002))
    assert run["q"] - run["q"][0] == pytest.approx(rate * run.t, abs=1e-6)
    free = mbx.simulate(document, hold={"q'": rate}, until=4.0)
    assert free.energy.changed_by is None
    assert free.energy.relative < 1e-9
    assert max(free.drift) < 1e-10
