"""Rates of too high an order: placements of rates, twists and loads beyond accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
mbx 1
model M {{
  param m: kg = 1, l: m = 1, T: s = 1, k: N/m = 1, J: kg*m^2 = 1
  coordinate s: m = 0.2, th: rad = 0.1
  let q = ddt(s)
  point C = [s'*T, 2 m, 0]
  frame W = ground rotated z by th'*T
  frame X = ground rotated z by 2*th
  {placed}
  {more}
}}
"""
PARTICLE = "particle P { mass m  at [s, l*th, 0] }"
BODY = "body B {{ mass m  inertia diag(J, J, J)  {} }}"
LINE = MODEL.format(placed="@", more="")[: MODEL.format(placed="@", more="").index("@")].count("\n")


def errors(placed: str, more: str = "") -> list[tuple[str, int]]:
    found = mbx.check(mbx.loads(MODEL.format(placed=placed, more=more)))
    return [(d.code, d.span.position[0]) for d in found if d.severity == "error" and d.span]


@pytest.mark.parametrize(
    "placed",
    [
        "particle P { mass m  at [s'*T, l*th, 0] }",
        "particle P { mass m  at [s''*T^2, l*th, 0] }",
        "particle P { mass m  at [ddt(s)*T, l*th, 0] }",
        "particle P { mass m  at [q*T, l*th, 0] }",
        "particle P { mass m  at C }",
        "particle P { mass m  at W.origin + s*W.x }",
        "particle P { mass m  velocity [s''*T, 0, 0] }",
        "particle P { mass m  velocity velocity(C) }",
        BODY.format("omega [0, 0, th''*T]"),
        BODY.format("joint revolute(ground, axis = z, angle = th'*T)"),
        BODY.format("joint revolute(ground, axis = [s'*T/l, 0, 1], angle = th)"),
        BODY.format("joint revolute(ground at [s'*T, 0, 0], axis = z, angle = th)"),
        BODY.format("joint revolute(ground, own at [s'*T, 0, 0], axis = z, angle = th)"),
        BODY.format("joint revolute(W, axis = z, angle = th)"),
        BODY.format("joint general(ground, move = [q*T, 0, 0], rotated z by th)"),
        BODY.format("frame W  com ground.origin + s*ground.x"),
        BODY.format("frame X  com C"),
    ],
)
def test_a_body_is_placed_by_coordinates_and_known_by_their_rates_at_most(placed: str) -> None:
    assert errors(placed) == [("MBX4045", LINE + 1)]


def test_what_stands_on_a_body_that_is_refused_is_not_told_again() -> None:
    first = BODY.format("joint revolute(ground, axis = z, angle = th'*T)")
    second = BODY.format("joint prismatic(B, axis = x, distance = s)").replace("B {", "E {")
    assert errors(first, second) == [("MBX4045", LINE + 1)]


@pytest.mark.parametrize(
    "load",
    [
        "spring between C and P.com stiffness k",
        "spring on s stiffness k rest s'*T",
        "spring on s stiffness k*s''*T^2/l",
        "damper between C and P.com damping k*T",
        "damper on s damping k*T*s''*T^2/l",
        "dissipation k*T^3*s''^2",
        "gravity [s'', 0, 0]",
        "force k*T^3*s'''*ground.x on P",
        "force k*T^2*acceleration(C) on P",
        "load on s': k*T^3*s'''",
        "effective s': k*T^3*s'''",
        "speed v: m/s\n  define v = s''*T",
        "branch b: s'' > 0 [m/s^2]",
        "invariant i: s''' = 1 [m/s^3]\n  force k*T^3*s'''*ground.y on P",
        "invariant i: s''' = 1 [m/s^3]\n  branch b: s'' > 0 [m/s^2]",
    ],
)
def test_a_load_names_no_rates_that_no_state_gives(load: str) -> None:
    line = LINE + 2 + load.count("\n")
    assert errors(PARTICLE, load) == [("MBX4045", line)]


@pytest.mark.parametrize(
    "load",
    [
        "frame D = ground rotated z by atan2(l*th', s' + 1 [m/s])\n  force (1 N)*D.y on P",
        "force -0.1*m*s''*ground.x on P",
        "force -0.1*k*T*velocity(C) on P",
        "damper on s damping k*T*(1 + s'^2*T^2/l^2)",
        "gravity [-s'/T, 0, 0]",
        "spring on s stiffness k*(2 + s/l) rest l*th",
        "branch b: s' > 0 [m/s]",
        "invariant i: s''' = 1 [m/s^3]",
        "force (1 N)*ground.y on P\n  invariant i: s'' = 1 [m/s^2]",
        "variable j: m/s^2 of order 2\n  define j = s''\n  force 0.1*m*j*ground.x on P",
    ],
)
def test_what_states_give_and_equations_solve_for_may_be_named(load: str) -> None:
    assert errors(PARTICLE, load) == []


def test_an_axis_is_an_axis_whatever_speed_has_its_name() -> None:
    more = "speed x: m/s\n  effective x: (1 N) - m*x'"
    assert errors(BODY.format("joint revolute(ground, axis = x, angle = th)"), more) == []


@pytest.mark.parametrize("verb", [["simulate", "--until", "1"], ["assemble"], ["verify"]])
def test_every_verb_refuses_a_place_by_rates(
    verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(MODEL.format(placed="particle P { mass m  at C }", more=""))
    assert main([verb[0], str(file), *verb[1:]]) == 1
    assert f"m.mb:{LINE + 1}:27: error[MBX4045]: the place of 'P'" in capsys.readouterr().err


# -- powers of accelerations -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "load",
    [
        "force k*T^4*s''^2/l*ground.x on P",
        "force k*T^4*ddt(s')^2/l*ground.x on P",
        "force (1 N)*sin(s''*T^2/l)*ground.x on P",
        "force (1 N)*sign(s'')*ground.x on P",
        "frame D = ground rotated z by s''*T^2/l\n  force (1 N)*D.y on P",
        "load on s': k*T^4*s''*th''",
        "effective s': k*T^4*ddt(s')^2/l",
    ],
)
def test_a_load_is_affine_in_the_accelerations(load: str) -> None:
    document = mbx.loads(MODEL.format(placed=PARTICLE, more=load))
    with pytest.raises(mbx.SourceError) as bad:
        mbx.convert(document, "kane")
    (found,) = bad.value.report
    assert found.span is not None
    assert (found.code, found.span.position[0]) == ("MBX4021", LINE + 2 + load.count("\n"))


def test_a_force_between_two_elements_is_told_once() -> None:
    more = "particle Q { mass m  at [0, 0, s] }\n  force k*T^4*s''^2/l*ground.x on P from Q"
    with pytest.raises(mbx.SourceError) as bad:
        mbx.convert(mbx.loads(MODEL.format(placed=PARTICLE, more=more)), "kane")
    assert [one.code for one in bad.value.report] == ["MBX4021"]


# an added mass: (m + 0.5 m) s'' = 3 N
def test_an_added_mass_is_one_more_term() -> None:
    more = "force -0.5*m*s''*ground.x on P\n  force (3 N)*ground.x on P"
    one = mbx.convert(mbx.loads(MODEL.format(placed=PARTICLE, more=more)), "kane")
    found = one.evaluate({"s": 0.2, "th": 0.1, "s'": 0.3, "th'": 0.4})
    assert found.ud[0] == pytest.approx(2, rel=1e-12)
