"""Equilibria and steady motions, against closed forms."""

from __future__ import annotations

from math import acos, cos, pi, sin, sqrt
from typing import Any

import pytest

import mbx
from mbx import api
from mbx.analyses.asked import Asked, plan_of
from mbx.analyses.equilibrium import Equilibrium, equilibria
from mbx.experiments.plan import NotRunError, Plan


def planned(model: str, **asked: Any) -> Plan:
    linked = api.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, api.system(linked), Asked(**asked))


def found(model: str, **asked: Any) -> Equilibrium:
    return mbx.equilibrium(mbx.read(f"lib:{model}"), asked=Asked(**asked))


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
    held = found("four_bar", initial={"th1": 1.0}, held=frozenset({"th1"}))
    free = found("four_bar", initial={"th1": 1.05}, values={"u1": held.held["th1"]})
    assert free.state["th1"] == pytest.approx(1.0, abs=1e-9)
    assert held.linear is not None
    assert not held.linear.x


@pytest.mark.parametrize("speed", [6.0, 7.0, 8.0])
def test_balls_of_a_governor_rise_as_its_spindle_turns(speed: float) -> None:
    one = found("flyball_governor", initial={"psi'": speed}, held=frozenset({"psi'"}))
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
    one = found("whipple_bicycle", initial={"spinR'": -50 / 3}, held=frozenset({"spinR'"}))
    assert one.state["x'"] == pytest.approx(5.0)
    assert one.stability == "neutral"
    assert one.linear is not None
    assert one.linear.kind == "steady motion"


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
