"""Inputs whose values name variables: followed where a state gives what is needed, or refused."""

from __future__ import annotations

from typing import Final

import pytest

import mbx
from mbx.formalism import registry
from unit.system.oracle import system

_POINT: Final = """
param k: 1 = 0.5
coordinate x, y, z: m
particle P { mass 2 kg at [x, y, z] }
"""
_STATE: Final = {"x": 0.3, "y": 0.0, "z": 0.1, "x'": 0.8, "y'": -0.15, "z'": 0.4}

REFUSED: Final = {
    "an invariant on positions": (
        "input f: m = -k*x\ninvariant c: y = f",
        "'c' needs f'' of the input 'f', and that depends on x''",
    ),
    "an invariant on velocities": (
        "input f: m/s = -k*x'\ninvariant c: y' = f",
        "'c' needs f' of the input 'f', and that depends on x''",
    ),
    "an input that is made of another one": (
        "input g: m = k*x\ninput f: m = 2*g\ninvariant c: y = f",
        "'c' needs f'' of the input 'f', and that depends on x''",
    ),
    "a place": (
        "input f: m = k*x\nparticle Q { mass 1 kg at [f, 0, z] }",
        "'Q' needs f'' of the input 'f', and that depends on x''",
    ),
    "a frame": (
        """coordinate a: rad
input f: rad = k*a
frame F = ground rotated x by f
body B { frame F mass 1 kg com [0, 0, 0] inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2]) }""",
        "'B' needs f'' of the input 'f', and that depends on a''",
    ),
    "the rate of a definition": (
        "speed p: m/s\ninput f: m/s = k*y'\ndefine p = x' + f",
        "the rate x' needs f' of the input 'f', and that depends on y''",
    ),
    "an invariant that the definitions keep": (
        "input f: m = k*x\nspeed p: m/s\ninvariant c: y = f\ndefine p = y' - ddt(f)",
        "needs f'",
    ),
    "a load": (
        "input f: N*s = -k*x'*(3 kg)\nload on x': ddt(f)",
        "'load(1)' needs f' of the input 'f', and that depends on x''",
    ),
    "a force": (
        "input f: N*s = -k*x'*(3 kg)\nforce ddt(f)*ground.x on P",
        "needs f' of the input 'f', and that depends on x''",
    ),
    "a torque": (
        """coordinate a: rad
input f: N*m*s = -k*x'*(3 [kg*m])
body B { mass 1 kg inertia 1 [kg*m^2] about z joint revolute(ground, axis = z, angle = a) }
torque ddt(f)*ground.z on B""",
        "needs f' of the input 'f', and that depends on x''",
    ),
    "an effective row": (
        "input f: N*s = -k*x'*(3 kg)\neffective x': ddt(f)",
        "needs f' of the input 'f', and that depends on x''",
    ),
    "an acceleration": (
        "input f: N = -k*x''*(3 kg)",
        "the input 'f' has a value that depends on x''",
    ),
    "a reaction": (
        "invariant c: y = 0.2*x reaction R\ninput f: N = 0.1*R\nload on z': f",
        "the input 'f' has a value that depends on R",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_input_is_refused_where_no_state_gives_what_is_needed_of_it(name: str) -> None:
    text, message = REFUSED[name]
    lines = f"mbx 1\nmodel M {{{_POINT}{text}\n}}".split("\n")
    with pytest.raises(mbx.SourceError) as bad:
        system("\n".join(lines))
    (fault,) = bad.value.report
    assert fault.code == "MBX4044"
    assert message in fault.message
    assert fault.message.endswith(", which no state gives")
    assert fault.span is not None
    line, column = fault.span.position
    assert lines[line - 1][: column + 1] == "input f:"


FOLLOWED: Final = {
    # y' = -k x: y'' = -k x', no constraint on the others
    "an invariant on velocities": (
        "input f: m/s = -k*x/(1 s)\ninvariant c: y' = f",
        [0, -0.5 * 0.8, 0],
    ),
    "an invariant on accelerations": (
        "input f: m/s^2 = -k*x'/(1 s)\ninvariant c: y'' = f",
        [0, -0.5 * 0.8, 0],
    ),
    # m x'' = d(-3 k x)/dt
    "a load": ("input f: N*s = -k*x*(3 [N*s/m])\nload on x': ddt(f)", [-3 * 0.5 * 0.8 / 2, 0, 0]),
    # held fixed by the slope: m y'' = -f, and nothing on x
    "a potential": ("input f: N = -k*x*(3 [N/m])\npotential f*y", [0, 3 * 0.5 * 0.3 / 2, 0]),
    # likewise: m x'' = 2 x f
    "a slope": (
        "input f: N/m = k*x*(3 [N/m^2])\nlet V = f*x^2\nload on x': diff(V, x)",
        [2 * 0.3 * 1.5 * 0.3 / 2, 0, 0],
    ),
    # likewise: m z'' = -f
    "a dissipation": ("input f: N = -k*x'*(3 [kg/s])\ndissipation f*z'", [0, 0, 1.5 * 0.8 / 2]),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_an_input_is_followed_where_a_state_gives_its_rates(name: str) -> None:
    text, wanted = FOLLOWED[name]
    found = system(_POINT + text)
    seen = 0
    for form in ("gauss", "newton_euler", "lagrange", "modular"):
        try:
            equations = registry.derive(found, form)
        except mbx.NotApplicableError:
            continue
        assert equations.evaluate(_STATE).ud == pytest.approx(wanted, abs=1e-12), form
        seen += 1
    assert seen


def test_an_input_without_a_value_comes_with_its_rates() -> None:
    found = system(_POINT + "input g: m\ninput f: m = 2*g + k*x\ninvariant c: y' = f/(1 s)")
    result = registry.derive(found, "kane").evaluate(_STATE, inputs={"g": 0.0, "g'": 0.7})
    # y'' = f' = 2 g' + k x'
    assert result.ud == pytest.approx([0, 1.4 + 0.5 * 0.8, 0], abs=1e-12)


def test_the_rate_of_a_coordinate_that_declared_speeds_replace_is_known() -> None:
    law = "speed p: m/s\ndefine p = 2*x'\ninput f: m/s = -k*x/(1 s)\ninvariant c: y' = f"
    state = {**_STATE, "p": 1.6}
    del state["x'"]
    result = registry.derive(system(_POINT + law), "kane").evaluate(state)
    speeds = [one.path for one in result.equations.signature.u]
    assert dict(zip(speeds, result.ud, strict=True)) == pytest.approx(
        {"p": 0, "y'": -0.5 * 0.8, "z'": 0}, abs=1e-12
    )


def test_rates_are_followed_through_several_inputs_and_declared_speeds() -> None:
    law = """
    speed p: m/s
    define p = 2*x'
    input g: m = k*x, f: m/s = -2*g/(1 s), F: N = -p*(3 [kg/s])
    invariant c: y' = f
    force F*ground.z on P
    """
    state = {**_STATE, "p": 1.6}
    del state["x'"]
    result = registry.derive(system(_POINT + law), "kane").evaluate(state)
    speeds = [one.path for one in result.equations.signature.u]
    # y'' = -2 k x', and m z'' = -3 p
    assert dict(zip(speeds, result.ud, strict=True)) == pytest.approx(
        {"p": 0, "y'": -2 * 0.5 * 0.8, "z'": -3 * 1.6 / 2}, abs=1e-12
    )
