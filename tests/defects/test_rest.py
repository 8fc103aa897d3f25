"""Equilibria at any scale, and of models without freedom."""

from __future__ import annotations

from math import pi
from pathlib import Path

import pytest

import mbx
from mbx.cli.main import main

HERE = Path(__file__).parent

ARM = """\
mbx 1
model Arm {{
  param m: kg = {m}, l: m = {l}, k: N/m = {k}, J: kg*m^2 = {J}
  coordinate x: m = {x}, th: rad = 0.1
  body plate {{ mass m  joint prismatic(ground, axis = x, distance = x) }}
  body arm {{ mass m  com [l/2, 0, 0]  inertia J about z
    joint revolute(plate, axis = z, angle = th) }}
  spring on x stiffness k
  gravity [0, -9.81 [m/s^2], 0]
}}
"""
SIZES = [(1, 1), (1e-9, 1e-4), (1e24, 1e11), (1e-27, 1e-9), (1e6, 1e-3), (1e-6, 1e3)]


@pytest.mark.parametrize(("mass", "length"), SIZES)
def test_an_equilibrium_is_found_at_any_scale(mass: float, length: float) -> None:
    stiffness = 5e4 * mass / length  # weights stretch the spring by the same part of the length
    inertia = 0.1 * mass * length**2
    text = ARM.format(m=mass, l=length, k=stiffness, J=inertia, x=0.01 * length)
    one = mbx.equilibrium(mbx.loads(text))
    # the mass centre is above or below the hinge, and the spring is not stretched
    assert abs(one.state["th"]) == pytest.approx(pi / 2, abs=1e-9)
    assert abs(one.state["x"]) <= 1e-9 * length
    assert one.linear is not None
    assert one.linear.kind == "equilibrium"


@pytest.mark.parametrize(("mass", "length"), SIZES)
def test_a_state_that_moves_is_no_equilibrium_at_any_scale(mass: float, length: float) -> None:
    stiffness = 5e4 * mass / length
    inertia = 0.1 * mass * length**2
    text = ARM.format(m=mass, l=length, k=stiffness, J=inertia, x=0.01 * length)
    assert mbx.linearize(mbx.loads(text), at="start").kind == "instant of a motion"


def test_a_weak_force_beside_a_stiff_spring_is_balanced_too() -> None:
    text = ARM.format(m=1e-27, l=1e-9, k=1e-3, J=1e-46, x=0)
    assert abs(mbx.equilibrium(mbx.loads(text)).state["th"]) == pytest.approx(pi / 2, abs=1e-6)


def test_the_micromechanism_rests_with_its_arm_upright() -> None:
    one = mbx.equilibrium(mbx.read(HERE / "mems.mb"))
    assert abs(one.state["th"]) == pytest.approx(pi / 2, abs=1e-9)
    assert abs(one.state["x"]) <= 1e-15


@pytest.mark.parametrize("name", ["immobile", "immobile_twice", "only_fixed"])
@pytest.mark.parametrize("verb", ["equilibrium", "linearize"])
def test_a_model_without_freedom_has_an_answer(
    name: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, str(HERE / f"{name}.mb")]) == 0
    assert "no freedom" in capsys.readouterr().out


def test_a_model_without_freedom_stays_where_it_is() -> None:
    one = mbx.equilibrium(mbx.read(HERE / "immobile.mb"))
    assert (one.state["x"], one.state["y"]) == (0.6, 0.8)
    assert one.stability == "no freedom"
    assert one.linear is not None
    assert one.linear.modes == ()
