"""Events of a simulation against closed forms: reversal of dry friction, conditions, sticking."""

from __future__ import annotations

from math import cos, pi, sqrt
from typing import Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.runs import Options, Run

BLOCK = """mbx 1
model Block "A block on a spring, with dry friction" {
  param k: N/m = 4
  param f: N = 0.3
  coordinate x: m = 1
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force spring: -k*x*ground.x on b
  force friction: -f*sign(x')*ground.x on b
}
experiment slide of Block { simulate 0 s .. 6 s every 0.25 s }
"""


def ran(text: str, form: str | None = None, *, asked: Request | None = None, **options: Any) -> Run:
    document = mbx.loads(text)
    request = asked or Request(experiment=document.experiments[0].name)
    return perform_simulation(document, request, Options(**options), form=form)


def block(t: float) -> float:
    """Return where the block is: each half period about f/k on the side it comes from."""
    n = int(2 * t // pi)
    turned = (-1) ** n * (1 - 0.15 * n)
    about = 0.075 * (-1) ** n
    return float(about + (turned - about) * cos(2 * (t - n * pi / 2)))


@pytest.mark.parametrize(
    ("method", "form", "close"),
    [
        ("projection", "kane", 1e-11),
        ("projection", "newton_euler", 1e-11),
        ("projection", "articulated_body", 1e-11),
        ("projection", "tree_hamilton_reduced", 1e-11),
        ("momenta", "hamilton", 1e-11),
        ("momenta", "tree_hamilton_reduced", 1e-11),
        ("stiff", "kane", 1e-10),
        ("ggl", "kane", 1e-8),
    ],
)
def test_friction_turns_when_the_block_does(method: str, form: str, close: float) -> None:
    run = ran(BLOCK, form, method=method)
    assert [one.t for one in run.events] == pytest.approx([pi / 2, pi, 3 * pi / 2], abs=close)
    assert [str(one) for one in run.events] == [
        "x' turns positive",
        "x' turns negative",
        "x' turns positive",
    ]
    assert run["x"] == pytest.approx([block(t) for t in run.t], abs=10 * close)


@pytest.mark.slow
def test_friction_turns_with_index3() -> None:
    run = ran(BLOCK, method="index3")
    assert [one.t for one in run.events] == pytest.approx([pi / 2, pi, 3 * pi / 2], abs=1e-6)
    assert run["x"] == pytest.approx([block(t) for t in run.t], abs=1e-6)


@pytest.mark.sample(2)
@pytest.mark.parametrize("method", ["projection", "stiff", "baumgarte", "momenta", "ggl"])
def test_a_block_that_stops_is_told_and_does_not_chatter(method: str) -> None:
    # after seven turns it is at -0.05 m, where the spring is weaker than friction
    message = r"it sticks at t = 10\.9956 s: on either side of x' = 0 the motion leads back"
    with pytest.raises(NotRunError, match=message):
        ran(BLOCK, method=method, until=12.0)
    assert len(ran(BLOCK, method=method, until=10.9).events) == 6


def test_a_block_that_friction_holds_sticks_at_its_start() -> None:
    asked = Request(initial={"x": 0.07})
    with pytest.raises(NotRunError, match="it sticks at its start: on either side of x' = 0"):
        ran(BLOCK, asked=asked, until=1.0)
    run = ran(BLOCK, asked=Request(initial={"x": 0.08}), until=0.5)
    assert run["x"][-1] == pytest.approx(0.075 + 0.005 * cos(1.0), abs=1e-12)


STOP = """mbx 1
model Stop "A mass between two springs that only push, and a motor for a while" {
  param k: N/m = 400
  coordinate x: m = 0
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force push: -k*(max(x - 0.5 [m], 0 [m]) + min(x + 0.5 [m], 0 [m]))*ground.x on b
  force motor: (if t < 0.25 [s] then 2 [N] else 0 [N])*ground.x on b
}
experiment bounce of Stop { simulate 0 s .. 3 s every 0.01 s }
"""


def test_conditions_and_springs_that_only_push() -> None:
    run = ran(STOP, method="projection")
    # the motor gives 0.5 m/s and 1/16 m; contact lasts half a period, pi/20 s
    free = 0.25 + (0.5 - 1 / 16) / 0.5
    within, across = pi / 20, 1 / 0.5
    wanted = [0.25, free, free + within]
    assert [one.t for one in run.events] == pytest.approx(wanted, abs=1e-11)
    assert across > 3 - free - within  # so it does not come to the other spring
    deepest = 0.5 + 0.5 / sqrt(400)
    assert run["x"].max() <= deepest
    assert run["x"].max() == pytest.approx(deepest, abs=1e-3)
    assert run["x'"][-1] == pytest.approx(-0.5, abs=1e-11)


def test_a_magnitude_is_smooth_on_each_side() -> None:
    text = """mbx 1
    model Well {
      coordinate x: m = 1
      body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
      potential well: 2 [N]*abs(x)
    }
    experiment fall of Well {
      simulate 0 s .. 4 s every 0.5 s
      expect energy conserved within 1e-12
    }
    """
    run = ran(text)
    # a quarter of the period is sqrt(2 x/a) = 1 s, on parabolas
    assert [one.t for one in run.events] == pytest.approx([1.0, 3.0], abs=1e-12)
    assert run["x"] == pytest.approx([1, 0.75, 0, -0.75, -1, -0.75, 0, 0.75, 1], abs=1e-11)
    assert run.met


@pytest.mark.full
def test_friction_by_reactions_turns_with_the_slider() -> None:
    document = mbx.read("lib:slider_crank_3d_friction")
    asked = Request(initial={"B1.w": -3.0}, held=frozenset({"B1.w"}))
    run = perform_simulation(document, asked, Options(until=0.6, every=0.01))
    assert [str(one) for one in run.events] == ["B3.vx turns negative"]
    # the slider turns where the crank, the rod and the guide are in a plane: at chi = 0
    (at,) = [one.t for one in run.events]
    assert np.interp(at, run.t, run["B1.chi"]) == pytest.approx(0.0, abs=1e-3)
    assert (np.diff(run["kinetic energy"]) < 0).all()
