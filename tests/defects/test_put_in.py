"""What experiments put in is constant, and quaternions are checked with it, whatever moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

CART = """\
mbx 1
model M {
  param m: kg = 1
  input u: N = 0
  coordinate x: m = 0.1
  particle P { mass m  at [x, 0, 0] }
  force u*ground.x on P
  spring on x stiffness 1 [N/m]
}
experiment e of M { %s }
"""
RUN = "simulate 0 s .. 1 s"


def errors(text: str) -> list[tuple[str, int]]:
    found = mbx.check(mbx.loads(text))
    return [(d.code, d.span.position[0]) for d in found if d.severity == "error" and d.span]


@pytest.mark.parametrize(
    "task",
    [
        f"set m = (1 kg)*(1 + t/(1 s))  {RUN}",
        f"set m = (1 kg)*u/(1 N)  {RUN}",
        f"set u = (1 N)*sin(t/(1 s))  {RUN}",
        f"initial x = (1 m)*t/(1 s)  {RUN}",
        f"initial x = 1 m, x' = x/(1 s)  {RUN}",
        f"initial x' = (1 m)*t/(1 s)^2  {RUN}",
        f"hold x = (1 m)*t/(1 s)  {RUN}",
        f"vary m in [1 kg, (2 kg)*t/(1 s)] steps 3  {RUN}",
        "simulate 0 s .. 1 s + t",
        "simulate 0 s .. 1 s every (0.1 s)*x/(1 m)",
        f"{RUN}  expect x at t = 0.1 m within 1e-3 m",
        f"{RUN}  expect x at 1 s = x within 1e-3 m",
        f"{RUN}  expect x at 1 s = 1 m within (1e-3 m)*t/(1 s)",
        f"{RUN}  expect energy conserved within (1e-9)*t/(1 s)",
    ],
)
def test_a_number_of_an_experiment_that_is_not_constant_is_refused_at_its_line(task: str) -> None:
    assert errors(CART % task) == [("MBX4024", 10)]


@pytest.mark.parametrize("verb", ["simulate", "verify", "assemble", "linearize"])
def test_every_verb_refuses_a_mass_that_an_experiment_changes_with_time(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(CART % f"set m = (1 kg)*(1 + t/(1 s))  {RUN}")
    assert main([verb, str(file), *(["e"] if verb == "simulate" else [])]) == 1
    assert "m.mb:10:" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [["assemble"], ["linearize"], ["simulate", "--until", "1"]])
def test_a_value_that_is_put_in_twice_is_refused(
    verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(CART % RUN)
    assert main([verb[0], str(file), *verb[1:], "--set", "m=1", "--set", "m=2"]) == 2
    assert "--set m=2: 'm' has a value already" in capsys.readouterr().err


# -- quaternions -----------------------------------------------------------------------------------

TOP = """\
mbx 1
model M {
  param p = 0.8
  input u: rad = 0.1
  coordinate th: rad = 0.2
  body B { mass 1 kg  com [0.1 m, 0, 0]  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2 [kg*m^2])
    joint spherical(ground, quaternion(w = p*cos(%(a)s/2), x = 0, y = 0.6, z = p*sin(%(a)s/2))) }
  body C { inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = th) }
}
%(task)s
"""


@pytest.mark.parametrize("angle", ["th", "u", "t*(1 [rad/s])"])
def test_a_quaternion_that_moves_is_checked_with_what_is_put_in(
    angle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(TOP % {"a": angle, "task": ""}) == []
    for task in ("set p = 0.9", "vary p in [0.8, 0.9] steps 3"):
        text = TOP % {"a": angle, "task": f"experiment e of M {{ {task}  {RUN} }}"}
        assert errors(text) == [("MBX4161", 10)]
    file = tmp_path / "m.mb"
    file.write_text(TOP % {"a": angle, "task": ""})
    for verb in (["assemble"], ["simulate", "--until", "0.1"], ["linearize"], ["equilibrium"]):
        assert main([verb[0], str(file), *verb[1:], "--set", "p=0.9"]) == 1
        assert "error[MBX4161]: with --set p=0.9, the quaternion" in capsys.readouterr().err


# -- linearisations --------------------------------------------------------------------------------

SKATE = """\
mbx 1
model M {
  coordinate th: rad = 0.3
  speed v: m/s = 1, w: rad/s = 0.5
  define w = th'
  body B { mass 1 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])
    velocity [v*cos(th), v*sin(th), 0]  omega [0, 0, w] }
}
"""


def test_a_rate_that_vanishes_by_cancellation_has_the_rounding_of_what_cancels() -> None:
    """The slope of v' is zero, and 1e-17 of rounding is no disagreement of the linearisation."""
    found = mbx.verify(mbx.loads(SKATE), forms=("kane", "gauss"), states=4)
    assert found.verdict == "agree"
    assert set(found.linear) == {"plain", "modular"}
