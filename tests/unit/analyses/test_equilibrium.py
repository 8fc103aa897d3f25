"""Equilibria and steady motions, against closed forms."""

from __future__ import annotations

from math import acos, cos, pi, sin, sqrt
from typing import Any

import pytest

import mbx
from mbx.analyses.equilibrium.steady_states import Equilibrium, equilibria
from mbx.analyses.experiments.experiment_plan import NotRunError, Plan
from mbx.analyses.perform_requests import perform_linearization
from mbx.analyses.request import Request, plan_of


def planned(model: str, **asked: Any) -> Plan:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, mbx.elaborate(linked), Request(**asked))


def found(model: str, **options: Any) -> Equilibrium:
    equilibrium: Equilibrium = mbx.equilibrium(f"lib:{model}", **options)
    return equilibrium


def test_a_pendulum_hangs_and_stands() -> None:
    hanging, standing = equilibria(planned("simple_pendulum"))
    assert hanging.state["theta"] == pytest.approx(0.0, abs=1e-12)
    assert hanging.stability == "marginal"
    assert abs(standing.state["theta"]) == pytest.approx(pi, abs=1e-12)
    assert standing.stability == "unstable"


def test_a_double_pendulum_has_four_equilibria_of_which_one_is_not_unstable() -> None:
    all_of_them = equilibria(planned("double_pendulum"))
    assert sorted(one.stability for one in all_of_them) == ["marginal", *["unstable"] * 3]


def test_equilibria_are_the_same_for_each_seed() -> None:
    first, second = ([one.state for one in equilibria(planned("four_bar"), seed=s)] for s in (1, 2))
    assert len(first) == len(second) == 4
    for one, other in zip(first, second, strict=True):
        assert sin(one["th1"]) == pytest.approx(sin(other["th1"]), abs=1e-9)


def test_the_torque_that_holds_a_crank_keeps_it_there_as_an_input() -> None:
    held = found("four_bar", hold={"th1": 1.0})
    free = found("four_bar", start={"th1": 1.05}, set={"u1": held.held["th1"]})
    assert free.state["th1"] == pytest.approx(1.0, abs=1e-9)
    assert held.linear is not None
    assert not held.linear.x


@pytest.mark.parametrize("speed", [6.0, 7.0, 8.0])
def test_balls_of_a_governor_rise_as_its_spindle_turns(speed: float) -> None:
    one = found("flyball_governor", hold={"psi'": speed})
    al = one.state["al1"]
    b, l, a, k = 0.04, 0.4, 0.25, 0.3
    m, ma, M, g = 2.0, 0.3, 3.0, 9.81
    # sleeve: s = a cos(al) + sqrt(k^2 - a^2 sin(al)^2)
    lift = -a * sin(al) - a**2 * sin(al) * cos(al) / sqrt(k**2 - (a * sin(al)) ** 2)
    weight = (2 * m * l + ma * l) * g * sin(al) - M * g * lift
    swing = 2 * m * (b + l * sin(al)) * l * cos(al)
    swing += ma * (b * l * cos(al) + 2 * l**2 * sin(al) * cos(al) / 3)
    assert speed**2 * swing == pytest.approx(weight, rel=1e-9)
    assert one.held["psi'"] == 0.0


def test_a_bead_on_a_turning_hoop_leaves_the_bottom() -> None:
    bottom, right, left, top = equilibria(planned("bead_on_hoop"))
    assert right.state["theta"] == pytest.approx(acos(9.81 / (0.2 * 10**2)), abs=1e-9)
    assert left.state["theta"] == pytest.approx(-right.state["theta"], abs=1e-9)
    assert [one.stability for one in (bottom, right, left, top)] == [
        "unstable",
        "marginal",
        "marginal",
        "unstable",
    ]


def test_a_bicycle_rolls_on_by_itself() -> None:
    one = found("whipple_bicycle", hold={"spinR'": -50 / 3})
    assert one.state["x'"] == pytest.approx(5.0)
    assert one.stability == "neutral"
    assert one.linear is not None
    assert one.linear.kind == "steady motion"


@pytest.mark.parametrize(("spin", "yaw"), [(10.0, 2.0), (6.0, -1.0), (12.0, 0.5)])
def test_a_disc_leans_as_it_rolls_in_a_circle(spin: float, yaw: float) -> None:
    """Euler's equations: (1 + k) W w cos(a) + g/r sin(a) = k/2 W^2 sin(a) cos(a), w = s + W sin(a).

    Velocities along the ground's axes turn, and are free to.
    """
    said = {"spin'": spin, "yaw'": yaw}
    one = found("rolling_disc", hold=said, free=["x'", "y'"])
    lean = one.state["lean"]
    k, r, g = 0.5, 0.3, 9.81
    w = spin + yaw * sin(lean)
    left = (1 + k) * yaw * w * cos(lean) + g / r * sin(lean)
    assert left == pytest.approx(k / 2 * yaw**2 * sin(lean) * cos(lean), abs=1e-9)
    assert one.held == {"yaw'": 0.0, "spin'": 0.0}
    assert one.linear is not None
    assert one.linear.kind == "steady motion"


def test_a_bicycle_turns_steadily_with_the_torque_that_holds_its_handlebar() -> None:
    said = {"spinR'": -50 / 3, "steer": 0.1}
    free = frozenset({"x'", "y'", "yaw'", "spinF'"})
    one = found("whipple_bicycle", hold=said, free=free)
    assert one.state["yaw'"] > 0.4
    assert one.linear is not None
    assert one.linear.kind == "steady motion"
    torque = Request(
        values={"T_steer": one.held["steer"]}, initial=one.state, held=frozenset(one.state)
    )
    free_again = perform_linearization(mbx.read("lib:whipple_bicycle"), torque, at="start")
    assert free_again.kind == "steady motion"
    rates = dict(zip(free_again.x, free_again.rates.tolist(), strict=True))
    assert rates["lean'"] == pytest.approx(0.0, abs=1e-9)
    assert rates["steer'"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("model", ["kapitza_pendulum", "vibration_absorber", "gantry_crane"])
def test_what_is_in_balance_for_an_instant_is_no_equilibrium(model: str) -> None:
    """A pivot that shakes, a force that goes to and fro, a rope that gets longer."""
    with pytest.raises(NotRunError, match="in balance at t = 0 s is so for an instant"):
        found(model)


def test_an_invariant_that_moves_in_time_may_leave_a_motion_steady() -> None:
    """The hoop turns evenly, and its angle is the one coordinate that moves."""
    one = found("bead_on_hoop")
    assert one.linear is not None
    assert one.linear.kind == "equilibrium"


def test_friction_without_a_slope_at_rest_is_told() -> None:
    with pytest.raises(NotRunError, match="no value at rest, or no slope"):
        found("slider_crank_3d_friction")


def test_a_model_may_stand_anywhere_and_stays_at_its_start() -> None:
    """A continuum of equilibria: the robot on the floor, and no force to move it."""
    one = found("differential_drive", start={"x": 0.7, "y": -0.2})
    assert (one.state["x"], one.state["y"]) == (0.7, -0.2)
    assert one.stability == "neutral"


@pytest.mark.full
def test_where_the_start_leads_nowhere_an_equilibrium_around_it_is_found() -> None:
    one = found("bennett_linkage")
    assert one.linear is not None
    assert one.linear.kind == "equilibrium"
    assert sin(one.state["th1"]) == pytest.approx(-sin(one.state["th3"]), abs=1e-9)


def test_masses_that_differ_find_no_equilibrium_and_are_named() -> None:
    with pytest.raises(NotRunError, match="what stays unbalanced is on 'y1'', 'y2''"):
        found("atwood_machine")


def test_a_singular_state_has_no_stability_but_a_reason() -> None:
    one = found("heavy_top")
    assert one.stability == "unknown"
    assert "singular" in one.why
