"""Rates of inputs, and inputs that are made of the state: known to every analysis."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Literal

import pytest

import mbx
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
mbx 1
model M {{
  coordinate x: m = 0.2, y: m = 0
  {inputs}
  particle P {{ mass 1 kg  at [{place}, y, 0] }}
  spring on x stiffness 1 [N/m]
  spring on y stiffness 2 [N/m]
  {load}
}}
"""
MOVED = MODEL.format(inputs="input u: m = 0.1", place="x + u", load="")
SHAKEN = MODEL.format(inputs="input u: m = (0.1 m)*sin(t/(1 s))", place="x + u", load="")
DAMPED = "force (1 [N*s/m])*ddt(f)*ground.x on P\n  force (1 [N/m])*f*ground.x on P"
CASES = {
    "a constant that places": MOVED,
    "a function of time that places": SHAKEN,
    "a rate in a force": MODEL.format(inputs="input f: m = 0.1", place="x", load=DAMPED),
    "feedback": MODEL.format(inputs="input f: m = -4*x", place="x", load=DAMPED),
    "feedback through another": MODEL.format(
        inputs="input g: m = -2*x\n  input f: m = 2*g", place="x", load=DAMPED
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("verb", [["linearize"], ["simulate", "--until", "1"], ["assemble"]])
def test_an_analysis_knows_the_rates_of_inputs(name: str, verb: list[str], tmp_path: Path) -> None:
    file = tmp_path / "m.mb"
    file.write_text(CASES[name])
    assert main([verb[0], str(file), *verb[1:]]) == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CASES)
def test_forms_and_linearisations_agree_on_inputs(name: str) -> None:
    assert mbx.verify(mbx.loads(CASES[name]), states=4, oracle=1).verdict == "agree"


# x'' = -x - 4 x' - 4 x: the force of f = -4 x and of its rate
@pytest.mark.parametrize("name", ["feedback", "feedback through another"])
@pytest.mark.parametrize("method", ["plain", "modular"])
def test_a_linearisation_follows_inputs_back_to_the_state(
    name: str, method: Literal["plain", "modular"]
) -> None:
    one = mbx.linearize(mbx.loads(CASES[name]), at="start", method=method)
    row = dict(zip(one.x, one.A[one.x.index("x'")], strict=True))
    assert [row["x"], row["x'"]] == pytest.approx([-5, -4], rel=1e-12)
    assert one.inputs == ()


# x'' + x = 0.1 sin t: x = 0.2 cos t + 0.05 sin t - 0.05 t cos t
def test_a_place_that_an_input_shakes_moves_as_by_hand() -> None:
    wanted = 0.15 * cos(1) + 0.05 * sin(1)
    task = (
        f"experiment e of M {{ simulate 0 s .. 1 s\n expect x at 1 s = {wanted} m within 1e-8 m }}"
    )
    (found,) = mbx.simulate(mbx.loads(SHAKEN + task), "e").references
    assert found.met
