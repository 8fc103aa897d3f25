"""A(t) and B(t) along motions, against closed forms and differences of nonlinear runs."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.perform_requests import perform_along, perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.runs import Options

ROD = """mbx 1
model Rod "A rod on a pin, with a torque" {
  param m: kg = 2, l: m = 0.6, g: m/s^2 = 9.81
  coordinate th: rad = 0.3
  input u: N*m = 0
  body rod { mass m  com [l/2, 0, 0]  inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = th) }
  torque u*ground.z on rod
  gravity [g, 0, 0]
}
experiment wave of Rod {
  prescribe th = 0.5*sin(3 [1/s]*t) solve u
  simulate 0 s .. 2 s every 0.25 s
}
"""
J = 2 * 0.6**2 / 3
WEIGHT = 2 * 9.81 * 0.3


def test_along_a_prescribed_motion_the_rod_has_its_closed_form() -> None:
    found = mbx.linearize(mbx.loads(ROD), "wave", along=True)
    assert found.kind == "a prescribed motion"
    assert found.t == pytest.approx(np.arange(0, 2.01, 0.25))
    for t, one in zip(found.t.tolist(), found.systems, strict=True):
        th = 0.5 * sin(3 * t)
        assert one.at.state["th"] == pytest.approx(th, abs=1e-12)
        # J th'' = u - m g l/2 sin(th)
        assert one.at.inputs["u"] == pytest.approx(WEIGHT * sin(th) - 9 * J * th, abs=1e-9)
        assert pytest.approx(np.array([[0, 1], [-WEIGHT * cos(th) / J, 0]]), abs=1e-10) == one.A
        assert pytest.approx(np.array([[0], [1 / J]]), abs=1e-12) == one.B


@pytest.mark.parametrize("method", ["plain", "modular"])
def test_along_a_simulated_motion_the_rod_has_its_closed_form(method: str) -> None:
    options = Options(until=1.0, every=0.25)
    how = {"method": method} if method == "modular" else {"form": "lagrange"}
    found = perform_along(mbx.loads(ROD), Request(), options, **how)  # type: ignore[arg-type]
    run = perform_simulation(mbx.loads(ROD), Request(), options)
    assert found.kind == "a simulated motion"
    assert found.A[:, 1, 0] == pytest.approx(-WEIGHT * np.cos(run["th"]) / J, rel=1e-9)


def test_a_departure_grows_as_the_linear_system_says() -> None:
    """The difference of two runs of a double pendulum, next to each other."""
    document = mbx.read("lib:double_pendulum")
    step, until = 0.01, 1.0
    options = Options(until=until, every=step)
    found = perform_along(document, Request(), options)
    assert found.x == ("phi1", "phi2", "phi1'", "phi2'")
    first = dict(found.systems[0].at.state)
    small = 1e-6
    ends = []
    for sign in (1, -1):
        moved = {**first, "phi2": first["phi2"] + sign * small}
        asked = Request(initial=moved, held=frozenset(moved))
        ends.append(perform_simulation(document, asked, options).states[-1])
    nonlinear = (ends[0] - ends[1]) / (2 * small)
    x = np.array([0.0, 1.0, 0.0, 0.0])
    for k in range(0, len(found.t) - 2, 2):  # Runge and Kutta's method, two steps at once
        A0, A1, A2 = found.A[k : k + 3]
        k1 = A0 @ x
        k2 = A1 @ (x + step * k1)
        k3 = A1 @ (x + step * k2)
        k4 = A2 @ (x + 2 * step * k3)
        x = x + step / 3 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert x == pytest.approx(nonlinear, rel=1e-4)


def test_independent_variables_stay_the_same_along_a_motion() -> None:
    document = mbx.read("lib:four_bar")
    found = mbx.linearize(document, "drive", along=True, every=0.1)
    assert {one.x for one in found.systems} == {("th1", "th1'")}


BEAD = """mbx 1
model Bead "A bead on a circle, in Cartesian coordinates" {
  param m: kg = 1, r: m = 1, g: m/s^2 = 9.81
  coordinate x: m = 0.1, y: m = 0.99498743710662
  particle bead { mass m  at [x, y, 0] }
  gravity [0, -g, 0]
  invariant circle: x^2 + y^2 = r^2
}
"""


def test_a_motion_that_no_choice_of_variables_holds_along_is_refused() -> None:
    with pytest.raises(NotRunError, match="no choice of independent variables"):
        mbx.linearize(mbx.loads(BEAD), along=True, until=4.0, every=0.05)


def test_a_choice_that_fails_later_on_is_changed_from_the_beginning() -> None:
    """It starts beside the top, where x is best, and falls past the side, where y is."""
    found = mbx.linearize(mbx.loads(BEAD), along=True, until=1.2, every=0.02)
    assert {one.x for one in found.systems} == {("y", "y'")}
    assert found.systems[-1].at.state["y"] < -0.2


def test_what_cannot_be_linearised_on_the_way_is_told_with_its_time() -> None:
    with pytest.raises(NotRunError, match=r"at t = 0 s: .*(order 3|reaction)"):
        perform_along(
            mbx.read("lib:slider_crank_3d_friction"),
            Request(initial={"B1.w": 1.0}),
            Options(until=0.01, every=0.01),
            method="modular",
        )


def test_a_table_has_the_reference_and_every_entry() -> None:
    found = mbx.linearize(mbx.loads(ROD), "wave", along=True, every=1.0)
    names = [one.name for one in found.columns()]
    assert names[:4] == ["t", "th", "th'", "u"]
    assert names[4:] == [
        "A(th, th)",
        "A(th, th')",
        "A(th', th)",
        "A(th', th')",
        "B(th, u)",
        "B(th', u)",
    ]
    assert found.as_json()["A"][0] == found.systems[0].A.tolist()
