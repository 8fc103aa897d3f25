"""The tolerance of a run, its error, further results, and a run that ends before its time."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.form_verbs import references
from mbx.analyses.simulate.runs import EndedError, Run
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

SPRING = """mbx 1
model Spring "x = cos(3 t)" {{
  coordinate x: m = 1
  body b {{ mass 1 kg  joint prismatic(ground, axis = x, distance = x) }}
  spring between b.origin and ground.origin stiffness 9 [N/m]
}}
experiment run of Spring {{ {tolerance} simulate 0 s .. 5 s }}
"""
METHODS = ["projection", "baumgarte", "ggl", "index3", "momenta", "groups"]
PENDULUM = """mbx 1
model Swing {
  coordinate x: m = 0.6, y: m = -0.8
  particle P { mass 2 kg  at [x, y, 0] }
  invariant rod: x^2 + y^2 = 1 [m^2]  reaction R
  gravity [0, -10 [m/s^2], 0]
}
experiment run of Swing { simulate 0 s .. 1 s every 0.5 s }
"""


def ran(text: str, **options: Any) -> Run:
    run: Run = mbx.simulate(mbx.loads(text), "run", **options)
    return run


def off(run: Run) -> float:
    return float(np.abs(run["x"] - np.cos(3 * run.t)).max())


@pytest.mark.sample(3)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_the_tolerance(method: str) -> None:
    text = SPRING.format(tolerance="")
    rough, fine = (ran(text, method=method, tolerance=x) for x in (1e-4, 1e-8))
    assert rough.steps < fine.steps or method == "groups"  # its steps turn no angle far
    assert off(fine) < 1e-5
    assert off(fine) < off(rough) < 0.1


def test_a_tolerance_in_the_file_is_that_of_the_run_unless_another_is_given() -> None:
    text = SPRING.format(tolerance="tolerance 1e-6")
    run = ran(text)
    assert run.given == 1e-6
    assert run.steps == ran(SPRING.format(tolerance=""), tolerance=1e-6).steps
    document = mbx.loads(text)
    assert mbx.simulate(document, "run", tolerance=1e-9).given == 1e-9
    assert mbx.loads(mbx.dumps(document, "json"), form="json") == document


def test_a_tolerance_out_of_range_is_refused() -> None:
    with pytest.raises(NotRunError, match="no run has a tolerance of 1e-16: it is from 1e-14"):
        ran(SPRING.format(tolerance=""), tolerance=1e-16)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-8, 1e-11])
@pytest.mark.parametrize("method", ["projection", "ggl"])
def test_the_error_that_is_told_is_about_the_one_there_is(method: str, tolerance: float) -> None:
    run = ran(SPRING.format(tolerance=""), method=method, tolerance=tolerance, error=True)
    assert run.error is not None
    assert off(run) / 3 < run.error.largest["x"] < 3 * off(run)
    assert run.error.last["x"] <= run.error.largest["x"]
    assert run.error.tolerance == pytest.approx(tolerance / 10)


def test_accelerations_multipliers_and_reactions_need_no_expectation() -> None:
    # at rest on the way of length 1 m: a = g sin, and the rod pulls m g cos = 16 N = 2 lam r
    run = ran(PENDULUM, results=("accelerations", "multipliers", "reactions"))
    assert run["x''"][0] == pytest.approx(-4.8)
    assert run["y''"][0] == pytest.approx(-3.6)
    assert run["lambda:rod"][0] == pytest.approx(-8.0)
    assert run["R"] == pytest.approx(run["lambda:rod"])
    units = {one.name: one.unit for one in run.columns}
    assert (units["x''"], units["R"]) == ("m/s^2", "N/m")
    with pytest.raises(NotRunError, match="no results are called 'forces', only accelerations"):
        ran(PENDULUM, results=("forces",))


def test_a_multiplier_that_is_not_unique_is_left_out() -> None:
    again = PENDULUM.replace("  gravity", "  invariant twice: 2*x^2 + 2*y^2 = 2 [m^2]\n  gravity")
    run = ran(again, results=("multipliers",))
    assert run.omitted == ("lambda:rod", "lambda:twice")


BLOCK = """mbx 1
model Block {
  coordinate x: m = 1
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force spring: -4 [N/m]*x*ground.x on b
  force friction: -0.3 [N]*sign(x')*ground.x on b
}
experiment run of Block {
  simulate 0 s .. 20 s every 0.5 s
  expect x at 1 s = 0.075 + 0.925*cos(2) within 1e-10
  expect x at 15 s = 0 within 1e-3
  expect energy conserved within 1e-3
}
"""


def test_a_run_that_ends_early_keeps_its_results() -> None:
    # each half period of pi/2 takes 0.15 m: at 0.05 m the spring is weaker than friction
    with pytest.raises(EndedError, match=r"it sticks at t = 10\.9956 s") as caught:
        ran(BLOCK, results=("accelerations",))
    run = caught.value.run
    assert run.t[-1] == pytest.approx(7 * np.pi / 2, abs=1e-9)
    assert run.t[-2] == 10.5
    assert run["x"][-1] == pytest.approx(0.05 * -cos(np.pi * 7), abs=1e-9)
    assert run["x'"][-1] == pytest.approx(sin(0), abs=1e-9)
    assert len(run["x''"]) == len(run.t)
    assert [one.met for one in run.references] == [True, None, None]
    assert "sticks" in run.references[1].reason
    assert references(mbx.loads(BLOCK)) == run.references


def test_the_command_writes_what_there_is_and_ends_with_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "block.mb", tmp_path / "run.csv"
    file.write_text(BLOCK)
    assert main(["simulate", str(file), "run", "-o", str(out)]) == 4
    assert "it sticks at t = 10.9956 s" in capsys.readouterr().err
    assert len(out.read_text().splitlines()) == 1 + 22 + 1  # names, 0 s .. 10.5 s, the end


DOUBLE = """mbx 1
model Double {{
  param l: m = 1, m: kg = 1
  coordinate a: rad = 2, b: rad = 2.5
  particle P {{ mass m  at [l*sin(a), -l*cos(a), 0] }}
  particle Q {{ mass m  at [l*sin(a) + l*sin(b), -l*cos(a) - l*cos(b), 0] }}
  gravity [0, -9.81 [m/s^2], 0]
}}
experiment run of Double {{
  simulate 0 s .. {until} s
  expect a at {until} s = 0.1 within 1e-3
}}
"""


def test_a_chaotic_motion_leaves_an_expectation_open() -> None:
    (one,) = references(mbx.loads(DOUBLE.format(until=60)), forms=["kane"])
    assert one.met is None
    assert "the motion is chaotic: a start moved by 1e-12 moves it by" in str(one)
    assert "not decided: expected 0.1 within 0.001, found" in str(one)


def test_a_wrong_expectation_before_differences_have_grown_is_not_met() -> None:
    (one,) = references(mbx.loads(DOUBLE.format(until=3)), forms=["kane"])
    assert one.met is False
