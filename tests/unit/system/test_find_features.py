"""Each feature on a minimal model that has it, and on one that has not."""

from __future__ import annotations

import pytest

from mbx.system.find_features import Feature
from unit.system.oracle import system

_P = "coordinate x, y: m\nparticle P { mass 1 kg at [x, y, 0] }\n"
_INERTIA = "inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])"
_SLIDER = "coordinate s: m\nbody B { mass 1 kg joint prismatic(ground, axis = x, distance = s) }\n"
_QUATERNION = f"""coordinate a, b, c, d: 1
body B {{ mass 1 kg {_INERTIA}
  joint spherical(ground, quaternion(w = a, x = b, y = c, z = d)) }}"""
_MOTOR = "speed w: rad/s\neffective w: 1 [N*m] - 2 [kg*m^2]*w'\n"

_CASES: dict[str, tuple[str, dict[Feature, tuple[str, ...]]]] = {
    "nothing": (_P, {}),
    "a slider with everything on its coordinate": (
        _SLIDER + "spring on s stiffness 1 [N/m]\ndamper on s damping 1 [N*s/m]\nload on s': 1 N",
        {},
    ),
    "holonomic": (_P + "invariant c: x = y", {Feature.HOLONOMIC: ("c",)}),
    "nonholonomic": (_P + "invariant x' = y'", {Feature.NONHOLONOMIC: ("invariant(1)",)}),
    "nonlinear": (
        _P + "invariant c: x'^2 = y'*1 [m/s]",
        {Feature.NONHOLONOMIC: ("c",), Feature.NONLINEAR_VELOCITY_INVARIANT: ("c",)},
    ),
    "order 2": (_P + "invariant c: x'' = y''", {Feature.ORDER_2_INVARIANT: ("c",)}),
    "order 3": (_P + "invariant c: x''' = 0", {Feature.ORDER_3_INVARIANT: ("c",)}),
    "declared speed": (
        _P + "speed w: m/s\ndefine w = x'",
        {Feature.DECLARED_SPEEDS: ("w",)},
    ),
    "speed without rate": (
        "speed w: m/s\nparticle P { mass 1 kg velocity [w, 0, 0] }",
        {Feature.DECLARED_SPEEDS: ("w",), Feature.SPEED_WITHOUT_RATE: ("w",)},
    ),
    "left over": (
        _P + "speed w, v: m/s\ndefine w = x'\ndefine v = 2*x'",
        {
            Feature.DECLARED_SPEEDS: ("w", "v"),
            Feature.LEFT_OVER_DEFINITIONS: ("definition(2)",),
        },
    ),
    "quaternion": (_QUATERNION, {Feature.HOLONOMIC: ("norm(1)",)}),
    "quaternion with speeds": (
        _QUATERNION + "\nspeed p, q, r: rad/s\ndefine omega(B) = [p, q, r] in B",
        {
            Feature.DECLARED_SPEEDS: ("p", "q", "r"),
            Feature.QUATERNION_WITH_SPEEDS: ("norm(1)",),
        },
    ),
    "effective": (
        _P + "effective x': 1 N - 2 kg*x''",
        {Feature.EFFECTIVE_ROWS: ("effective(1)",)},
    ),
    "effective without rate": (
        _MOTOR,
        {
            Feature.DECLARED_SPEEDS: ("w",),
            Feature.SPEED_WITHOUT_RATE: ("w",),
            Feature.EFFECTIVE_ROWS: ("effective(1)",),
            Feature.EFFECTIVE_WITHOUT_RATE: ("effective(1)",),
        },
    ),
    "reaction in load": (
        _P + "invariant c: x = y reaction N\nforce f: N*ground.x on P",
        {Feature.HOLONOMIC: ("c",), Feature.REACTION_IN_LOAD: ("f",)},
    ),
    "generalized load": (_P + "load f: on x': 1 N", {Feature.GENERALIZED_LOAD: ("f",)}),
    "generalized potential": (
        _P + "potential V: 1 [N/m]*x*y",
        {Feature.GENERALIZED_LOAD: ("V",)},
    ),
    "non-ideal": (
        _SLIDER + "invariant c: s = 1 m\nload f: on s' of c: 1 N",
        {Feature.HOLONOMIC: ("c",), Feature.NON_IDEAL: ("f",)},
    ),
    "no inertia": (
        "coordinate x: m\nparticle P { mass 0 kg at [x, 0, 0] }",
        {Feature.NO_INERTIA: ("T",)},
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_a_model_has_the_features_that_its_elements_cause(name: str) -> None:
    text, expected = _CASES[name]
    assert dict(system(text).features) == expected


def test_the_elements_of_parts_have_their_paths() -> None:
    found = system(
        f"""mbx 1
        model Part {{ {_P} invariant c: x = y
          load on x': 1 N }}
        model T {{ subsystem U: Part, V: Part }}"""
    )
    assert found.features == {
        Feature.HOLONOMIC: ("U.c", "V.c"),
        Feature.GENERALIZED_LOAD: ("U.load(1)", "V.load(1)"),
    }


def test_what_causes_a_feature_is_found_in_the_file() -> None:
    found = system(_P + "invariant c: P = [0, 0, 0]\nload f: on x': 1 N")
    for paths in found.features.values():
        for path in paths:
            name, line, column = found.lines[path].split(":")
            assert (name, int(column)) == ("<text>", 1)
            assert int(line) == (5 if path.startswith("c") else 6)
