"""Kinks that no condition shows, and equations that have values on one side of a condition."""

from __future__ import annotations

import math

import pytest

import mbx

BEAD = """mbx 1
model Bead {{
  coordinate s: m = 0.3
  particle P {{ mass 1 kg  at [s, {place}, 0] }}
  initial s' = 1 [m/s]
}}
experiment run of Bead {{ simulate 0 s .. 2 s every 0.1 s }}
"""

LINE = """mbx 1
model Line {{
  coordinate x: m = 0.6
  particle P {{ mass 1 kg  at [x, 0, 0] }}
  {load}
  initial x' = 1 [m/s]
}}
experiment run of Line {{ simulate 0 s .. 2 s every 0.1 s }}
"""


@pytest.mark.parametrize(
    ("place", "when", "what"),
    [
        ("sqrt((s - 1 m)^2)", 0.7, "a kink"),
        ("sqrt(s^2 - 2 m*s + (1 m)^2)", 0.7, "a kink"),
        ("norm([s - 1 m, 0 m, 0 m])", 0.7, "a kink"),
        ("(s - 1 m)^2/sqrt((s - 1 m)^2)", 0.7, "a kink"),
        ("(1 m)*acos(cos(3*s/(1 m)))", math.pi / 3 - 0.3, "a kink"),
        ("(1 m)*asin(sin(3*s/(1 m)))", math.pi / 6 - 0.3, "a kink"),
        ("(0.1 m)*atan(tan(3*s/(1 m)))", math.pi / 6 - 0.3, "jumps"),
        ("(0.1 m)*atan2(sin(3*s/(1 m)), cos(3*s/(1 m)))", math.pi / 3 - 0.3, "jumps"),
    ],
)
def test_a_run_ends_at_a_kink_without_a_condition(place: str, when: float, what: str) -> None:
    document = mbx.loads(BEAD.format(place=place))
    with pytest.raises(mbx.MbxError, match=f"P' (has )?{what}") as caught:
        mbx.simulate(document, "run")
    ended = float(str(caught.value).split("t = ")[1].split(" s")[0])
    assert ended == pytest.approx(when, abs=1e-4)


@pytest.mark.parametrize(
    "place",
    [
        "sqrt((s - 1 m)^2 + (1 mm)^2)",
        "norm([s - 1 m, 0.01 m, 0 m])",
        "(1 m)*atan2(s, 1 m)",
        "(1 m)*asin(s/(3 m))",
        "abs(s - 1 m)*(s - 1 m)/(1 m)",
    ],
)
def test_a_smooth_place_is_passed_however_bent(place: str) -> None:
    run = mbx.simulate(mbx.loads(BEAD.format(place=place)), "run")
    assert run.t[-1] == pytest.approx(2.0)
    assert run.energy.relative < 1e-9


@pytest.mark.parametrize(
    "load",
    [
        "force -1e6 [N/m^(3/2)]*max(0 m, x - 0.8 m)^(3/2)*ground.x on P",
        "force (if x > 0.8 m then -1e6 [N/m^(3/2)]*(x - 0.8 m)^(3/2) else 0 N)*ground.x on P",
        "potential if x > 0.8 m then 4e5 [N/m^(3/2)]*(x - 0.8 m)^(5/2) else 0 J",
    ],
)
def test_a_contact_of_a_fractional_power_is_left_again(load: str) -> None:
    run = mbx.simulate(mbx.loads(LINE.format(load=load)), "run")
    state = dict(zip(run.paths, run.states[-1], strict=True))
    assert state["x'"] == pytest.approx(-1, abs=1e-9)
    assert len(run.events) == 2


def test_a_force_like_a_root_works_all_of_its_way() -> None:
    push = "1000 N*sqrt(max(0, 1 - ((x - 0.83 m)/(0.5 mm))^2))"
    run = mbx.simulate(mbx.loads(LINE.format(load=f"force ({push})*ground.x on P")), "run")
    state = dict(zip(run.paths, run.states[-1], strict=True))
    assert state["x'"] == pytest.approx(math.sqrt(1 + math.pi / 2), abs=1e-7)


def test_a_side_whose_values_overflow_beyond_its_condition_is_no_end() -> None:
    push = "1000 N*(x/(0.63 m))^64*(x/(0.63 m))^64*(if x < 0.63 m then 1 else 0)"
    text = LINE.format(load=f"force ({push})*ground.x on P").replace("m = 0.6\n", "m = 0\n")
    run = mbx.simulate(mbx.loads(text), "run")
    state = dict(zip(run.paths, run.states[-1], strict=True))
    assert state["x'"] == pytest.approx(math.sqrt(1 + 2 * 630 / 129), abs=1e-8)
