"""Runs through singular configurations, against the motion with one freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError

if TYPE_CHECKING:
    from mbx.analyses.simulate.runs import Run

FOUR_BARS = """mbx 1
model A02 "IFToMM benchmark A02: four-bars in a row, unit links" {{
  param n: integer = {n}
  param m: kg = 1, L: m = 1, R: m = {R}, g: m/s^2 = 9.81
  coordinate a[0..n]: rad = pi/2 "upright bars"
  coordinate b[1..n]: rad = -(pi/2) "couplers, relative to the upright bar on their left"
  for i in 0..n {{
    body up[i] {{ mass m  com [L/2, 0, 0]  inertia m*L^2/12 about z
      joint revolute(ground at [i*L, 0, 0], axis = z, angle = a[i]) }}
  }}
  for i in 1..n {{
    body top[i] {{ mass m  com [L/2, 0, 0]  inertia m*L^2/12 about z
      joint revolute(up[i-1] at [L, 0, 0], axis = z, angle = b[i]) }}
    joint pin[i]: revolute(top[i] at [R, 0, 0], up[i] at [L, 0, 0], axis = z) cut
  }}
  gravity [0, -g, 0]
  for i in 0..n {{ initial a[i]' = {speed} [rad/s] }}
  for i in 1..n {{ initial b[i]' = {back} [rad/s] }}
}}
"""
"""Each four-bar is in line twice in a turn, where its invariants depend on each other."""


def ran(n: int, speed: float = -1.0, R: float = 1.0, start: str = "pi/2", **options: Any) -> Run:
    text = FOUR_BARS.format(n=n, speed=speed, back=-speed, R=R).replace("pi/2", start)
    run: Run = mbx.simulate(mbx.loads(text), **options)
    return run


def one_freedom(n: int, speed: float, t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return angle and rate of all upright bars.

    n + 1 of them turn with m L^2/3 each, and n couplers go round with m L^2, all parallel:
    ((n + 1)/3 + n) m L^2 a'' = -((n + 1)/2 + n) m g L cos(a).
    """
    by = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve_ivp(
        lambda _t, y: [y[1], -by * np.cos(y[0])],
        (0, t[-1]),
        [np.pi / 2, speed],
        method="DOP853",
        rtol=3e-14,
        atol=1e-15,
        t_eval=t,
    )
    return np.asarray(found.y)


@pytest.mark.sample(2)
@pytest.mark.parametrize("method", ["projection", "stiff", "baumgarte", "momenta", "groups"])
def test_two_four_bars_go_through_all_singular_configurations(method: str) -> None:
    run = ran(2, method=method, until=3.5, every=0.01)
    angle, rate = one_freedom(2, -1.0, run.t)
    for i in range(3):
        assert run[f"a[{i}]"] == pytest.approx(angle, abs=2e-8)
        assert run[f"a[{i}]'"] == pytest.approx(rate, abs=1e-7)
    assert [(one.rank, one.usual) for one in run.singular] == [(2, 4)] * 4
    assert run.energy.relative < 1e-9
    passed = run.as_json()["singular"]
    assert passed[0] == {"t": pytest.approx(0.7143555293, abs=1e-8), "rank": 2, "usual": 4}


@pytest.mark.slow
@pytest.mark.parametrize(("n", "close"), [(2, 1e-9), (40, 1e-7)])
def test_ten_seconds_of_four_bars(n: int, close: float) -> None:
    run = ran(n, until=10.0, every=1.0)
    angle, rate = one_freedom(n, -1.0, run.t)
    assert run[f"a[{n}]"] == pytest.approx(angle, abs=close)
    assert run[f"a[{n}]'"] == pytest.approx(rate, abs=10 * close)
    assert [(one.rank, one.usual) for one in run.singular] == [(n, 2 * n)] * 10


def test_expectations_and_ends_may_lie_in_a_gap() -> None:
    run = ran(1, until=0.75, every=0.75)
    (passed,) = run.singular
    inside = ran(1, until=passed.t + 1e-3, every=1.0)
    angle, rate = one_freedom(1, -1.0, inside.t)
    assert inside["a[1]"][-1] == pytest.approx(angle[-1], abs=1e-9)
    assert inside["a[1]'"][-1] == pytest.approx(rate[-1], abs=1e-8)


@pytest.mark.parametrize("R", [1.001, 1.00001])
def test_branches_that_do_not_meet_are_followed(R: float) -> None:
    # a coupler that is a little longer: it comes near to the branch beyond, and turns away
    run = ran(1, R=R, until=1.0, every=0.05)
    assert run.singular == ()
    assert run.energy.relative < 1e-8
    other = ran(1, R=R, until=1.0, every=0.05, method="stiff")
    assert other.states == pytest.approx(run.states, abs=1e-6)


def test_a_motion_that_comes_to_rest_where_branches_meet_is_refused() -> None:
    # it hangs at first, and its speed is used up where all bars are in line
    speed = float(np.sqrt(2 * 9.81 * 2 / (2 / 3 + 1)))
    with pytest.raises(NotRunError, match="singular"):
        ran(1, speed=speed, start="(-pi/2)", until=5.0)
