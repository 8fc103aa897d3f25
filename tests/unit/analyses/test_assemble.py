"""Assembly from partial data, against closed forms."""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np
import pytest

import mbx
from mbx.analyses.assembly import Assembly, assemble, branches
from mbx.analyses.experiments.experiment_plan import NotRunError, Plan
from mbx.analyses.request import Request, UnknownNameError, plan_of

A, B, C, D = 0.1, 0.3, 0.25, 0.3


def planned(model: str, **asked: Any) -> Plan:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, mbx.elaborate(linked), Request(**asked))


def rockers(th1: float) -> list[float]:
    """Return both angles of the rocker of the four-bar: where two circles meet."""
    x, y = A * cos(th1) - D, A * sin(th1)
    r = hypot(x, y)
    bend = acos((C**2 + r**2 - B**2) / (2 * C * r))
    return sorted((atan2(y, x) + s * bend) % (2 * pi) for s in (1, -1))


@pytest.mark.parametrize("th1", [0.3, 1.0, 2.5])
def test_both_assemblies_of_the_four_bar_are_found(th1: float) -> None:
    found = branches(planned("four_bar", initial={"th1": th1}))
    assert sorted(one.state["th3"] % (2 * pi) for one in found) == pytest.approx(
        rockers(th1), abs=1e-12
    )
    assert all(one.state["th1"] == th1 for one in found)


def test_speeds_follow_from_the_speed_that_is_held() -> None:
    one = assemble(planned("four_bar", initial={"th1": 1.0, "th1'": 2.0}))
    h = 1e-6
    later, before = (
        assemble(planned("four_bar", initial={"th1": 1.0 + s * h})).state["th3"] for s in (1, -1)
    )
    assert one.state["th3'"] == pytest.approx(2.0 * (later - before) / (2 * h), rel=1e-7)
    assert max(one.residual) < 1e-14


def test_accelerations_are_those_of_the_equations() -> None:
    document = mbx.read("lib:four_bar")
    one = assemble(planned("four_bar", initial={"th1": 1.0}))
    ud = mbx.convert(document, "newton_euler").evaluate(one.state).ud
    assert list(one.accelerations.values()) == pytest.approx(list(ud), rel=1e-9)


def _flat() -> Assembly:
    return assemble(planned("parallelogram", initial=dict(FLAT), held=frozenset(FLAT)))


FLAT = {v.path: 0.0 for v in mbx.elaborate(mbx.read("lib:parallelogram")).q}


def test_a_singular_configuration_is_reported() -> None:
    flat = _flat()
    assert flat.singular
    assert flat.rank < flat.usual
    assert not assemble(planned("parallelogram")).singular


def test_coordinates_that_stay_open_are_named() -> None:
    with pytest.raises(NotRunError, match="1 of th1, th2, th3 must be held"):
        branches(planned("four_bar"))


def test_an_unknown_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="no variable 'th4'; did you mean 'th"):
        planned("four_bar", initial={"th4": 1.0})
    with pytest.raises(UnknownNameError, match="no experiment 'swinge'; did you mean 'swing'"):
        planned("four_bar", experiment="swinge")


def test_what_cannot_be_closed_is_no_state() -> None:
    held = {"th1": 1.0, "th2": 0.0, "th3": 0.0}
    with pytest.raises(NotRunError, match="no consistent state"):
        assemble(planned("four_bar", initial=held, held=frozenset(held)))


def test_the_start_of_an_experiment_is_its_own() -> None:
    one = assemble(planned("four_bar", experiment="swing"))
    assert np.isfinite(list(one.accelerations.values())).all()
    assert max(one.residual) < 1e-14


def test_a_state_on_a_prescribed_motion_is_that_to_which_the_motion_leads() -> None:
    one = assemble(planned("four_bar", experiment="drive"), at=0.5)
    assert one.t == 0.5
    assert one.prescribed == ("th1",)
    assert one.state["th1"] == pytest.approx(4.0)
    # the circles about the ends of crank and base intersect, at th1 = 4 rad
    assert one.state["th3"] == pytest.approx(2.4170894343595553, abs=1e-9)
    # the crank turns evenly, whatever the torque is
    assert one.accelerations["th1''"] == pytest.approx(0, abs=1e-12)
    ahead, behind = (
        assemble(planned("four_bar", experiment="drive"), at=0.5 + h).state["th3'"]
        for h in (1e-5, -1e-5)
    )
    assert one.accelerations["th3''"] == pytest.approx((ahead - behind) / 2e-5, rel=1e-6)


def test_assemblies_on_a_prescribed_motion_are_found() -> None:
    found = branches(planned("four_bar", experiment="drive"), at=0.5)
    assert sorted(one.state["th3"] % (2 * pi) for one in found) == pytest.approx(rockers(4.0))


def test_assemblies_need_something_that_is_held() -> None:
    with pytest.raises(NotRunError, match="all coordinates are said; hold those that are to stay"):
        branches(planned("four_bar", experiment="swing"))


def test_invariants_that_depend_at_a_singular_state_are_named() -> None:
    one = _flat()
    assert one.singular
    assert one.dependent == ("pin2.x", "pin3.x")


def test_what_is_held_is_told() -> None:
    one = assemble(planned("four_bar", initial={"th1": 2.0}, held=frozenset({"th1"})))
    assert one.held == ("th1",)
    assert set(one.moved) == {"th2", "th3"}
    assert one.units["th1''"] == "rad/s^2"


SLED = """mbx 1
model Sled {
  param mu: 1 = 0.3
  input F: N = 5
  coordinate x: m = 0, y: m = 0
  particle p { mass 2 kg  at [x, y, 0] }
  invariant floor: y = 0 reaction N
  load friction: on x': -mu*sign(x')*abs(N)
  load push: on x': F
  load lift: on y': 4*mu*sign(x')*abs(N)
  gravity [0, -10 [m/s^2], 0]
}"""


def sled(**asked: Any) -> Assembly:
    linked = mbx.link(mbx.loads(SLED))
    return assemble(plan_of(linked, mbx.elaborate(linked), Request(**asked)))


def test_friction_at_rest_has_both_limits() -> None:
    # N = m g - 4 s mu N: N = 20/(1 + 1.2 s); for mu = 0.1, N = 20/(1 + 0.4 s)
    (limit,) = sled(values={"mu": 0.1}).limits
    assert (limit.name, limit.loads) == ("x'", ("friction", "lift"))
    assert not isinstance(limit.below, str)
    assert not isinstance(limit.above, str)
    assert limit.above["N"] == pytest.approx(20 / 1.4)
    assert limit.below["N"] == pytest.approx(20 / 0.6)
    assert limit.above["x''"] == pytest.approx((5 - 0.1 * 20 / 1.4) / 2)
    assert limit.below["x''"] == pytest.approx((5 + 0.1 * 20 / 0.6) / 2)


def test_friction_that_jams_on_one_side_is_told_with_the_load_and_the_rate() -> None:
    (limit,) = sled(values={"mu": 0.3}).limits
    for side in (limit.below, limit.above):
        assert isinstance(side, str)
        assert side.startswith("'friction', 'lift' jams at t = 0 s, at x = 0, y = 0")
        assert "1.2 times as fast" in side


@pytest.mark.full
def test_a_state_that_jams_has_no_accelerations_and_says_why() -> None:
    one = sled(values={"mu": 0.3}, initial={"x'": 1.0}, held=frozenset({"x'"}))
    assert one.accelerations == {}
    assert "'friction', 'lift' jams" in one.status
    assert sled(values={"mu": 0.1}, initial={"x'": 1.0}).limits == ()
