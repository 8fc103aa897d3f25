"""Models that some forms answered wrongly, or not at all, while others were right."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path
from typing import Final

import pytest

import mbx
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.pipeline import elaborate as system

HERE: Final = Path(__file__).parent
BY_ENERGIES: Final = ("boltzmann_hamel", "hamilton", "lagrange", "maggi", "nielsen", "tzenoff")
IN_RATES: Final = ("hamilton", "lagrange", "maggi", "nielsen")


def _model(text: str) -> mbx.Document:
    return mbx.loads(f"mbx 1\nmodel T {{\n{text}\n}}\n")


def _verified(document: mbx.Document) -> tuple[str, dict[str, str]]:
    """Return the verdict, and why each form that takes no part does not."""
    found = mbx.verify(document, states=4, oracle=1)
    return found.verdict, {x.name: f"{x.status}: {x.reason}" for x in found.excluded}


def _refused(document: mbx.Document, form: str) -> str:
    with pytest.raises(NotApplicableError) as caught:
        mbx.convert(document, form)
    return str(caught.value)


# -- twists by rates ---------------------------------------------------------------------------

SLEIGH: Final = mbx.read(HERE / "twist_in_rates.mb")
NO_RATE: Final = "not known to be the rate of a placement"


@pytest.mark.parametrize("form", BY_ENERGIES)
def test_forms_by_energies_refuse_the_sleigh_that_is_given_by_its_twist(form: str) -> None:
    assert f"{NO_RATE} (B)" in _refused(SLEIGH, form)


# s'' = a th'^2 and (J + m a^2) th'' = -m a s' th': S. A. Chaplygin, On the theory of motion of
# nonholonomic systems, Matematicheskii sbornik 28, 1911
@pytest.mark.parametrize("form", ["kane", "gibbs_appell", "newton_euler", "tree_hamilton_reduced"])
def test_all_others_give_the_accelerations_of_the_sleigh(form: str) -> None:
    one = mbx.convert(SLEIGH, form).evaluate({"s": 0, "th": 0.4, "s'": -1.0, "th'": 0.7})
    assert one.ud == pytest.approx([0.3 * 0.49, 0.3 * 0.7 / (0.5 + 0.09)], rel=1e-12)


def test_the_sleigh_is_verified_by_the_forms_that_apply() -> None:
    verdict, excluded = _verified(SLEIGH)
    assert verdict == "agree"
    assert tuple(excluded) == BY_ENERGIES
    assert all(reason.startswith("not applicable") for reason in excluded.values())


TWISTS: Final = {
    "polar": "velocity [r'*cos(a) - r*a'*sin(a), r'*sin(a) + r*a'*cos(a), 0]",
    "polar in time": "velocity [r'*cos(a + w*t) - r*(a' + w)*sin(a + w*t), "
    "r'*sin(a + w*t) + r*(a' + w)*cos(a + w*t), 0]",
    "root": "velocity [(r*r' + l*l*a*a')/sqrt(r^2 + l^2*a^2), l*a', 0]",
    "one side of a kink": "velocity [(if r > 2 m then 2 else 3)*r', l*a', 0]",
    "input": "velocity [r' + f, l*a', 0]",
    "turn": "velocity [r', 0, 0]  omega [0, 0, a']",
}
OTHERS: Final = {
    "screw": "velocity [r', l*a', r*a']",
    "knife": "velocity [r'*cos(a), r'*sin(a), 0]",
    "drift in time": "velocity [r' + w*l*a, l*a', w*r]",
    "small": "velocity [r' + 1e-15*r*a', l*a', 0]",
    "far away": "velocity [r' + (if r > 50 m then r*a' else 0*r'), l*a', 0]",
    "turns": "velocity [r', l*a', 0]  omega [a', r'/l, 0]",
    "nonlinear": "velocity [sqrt(r'^2 + l^2*a'^2), l*a', 0]",
    "size of a rate": "velocity [abs(r'), l*a', 0]",
    "larger of two rates": "velocity [max(r', 2*r'), l*a', 0]",
    "rate by its sign": "velocity [if r' > 0 [m/s] then r' else 2*r', l*a', 0]",
    "sign of a rate": "velocity [r', l*a' + sign(r')*(1 [m/s]), 0]",
}
BODY: Final = """param m: kg = 1, l: m = 0.5, w: rad/s = 2
input f: m/s = 0.5
coordinate r: m = 1, a: rad = 0.3
body B {{ mass m  inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.4 [kg*m^2])  {twist} }}"""


def _features(twist: str) -> list[str]:
    return [feature.name for feature in system(_model(BODY.format(twist=twist))).features]


@pytest.mark.parametrize("name", TWISTS)
def test_a_twist_that_is_the_rate_of_a_placement_is_proved_to_be_one(name: str) -> None:
    assert "TWIST_NOT_INTEGRABLE" not in _features(TWISTS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_a_twist_that_is_no_rate_of_a_placement_is_found(name: str) -> None:
    assert "TWIST_NOT_INTEGRABLE" in _features(OTHERS[name])


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["size of a rate", "larger of two rates", "rate by its sign"])
def test_a_twist_with_kinks_in_rates_is_verified_by_the_forms_that_apply(name: str) -> None:
    verdict, excluded = _verified(_model(BODY.format(twist=OTHERS[name])))
    assert verdict == "agree"
    assert tuple(excluded) == BY_ENERGIES


EULER: Final = """param J: kg*m^2 = 1
coordinate a: rad = 0.3, b: rad = 0.4, c: rad = 0.2
body B {{ inertia diag(J, 2*J, 2.5*J)  omega [{omega}] }}
torque [0.1 [N*m], 0, 0] on B"""
OWN: Final = "a'*sin(b)*sin(c) + b'*cos(c), a'*sin(b)*cos(c) - b'*sin(c), a'*cos(b) + c'"
GROUND: Final = "b'*cos(a) + c'*sin(b)*sin(a), b'*sin(a) - c'*sin(b)*cos(a), a' + c'*cos(b)"


@pytest.mark.parametrize("form", BY_ENERGIES)
def test_rates_of_euler_angles_are_known_by_their_curvature(form: str) -> None:
    own = _model(EULER.format(omega=OWN))
    state = {"a": 0.3, "b": 0.7, "c": -0.4, "a'": 0.5, "b'": -0.8, "c'": 1.1}
    assert mbx.convert(own, form).evaluate(state).ud == pytest.approx(
        mbx.convert(own, "kane").evaluate(state).ud, rel=1e-12
    )
    # the same in ground components, where own ones are wanted, is no rotation
    assert f"{NO_RATE} (B)" in _refused(_model(EULER.format(omega=GROUND)), form)


@pytest.mark.parametrize("form", BY_ENERGIES)
def test_declared_speeds_do_not_hide_a_twist_that_is_no_rate(form: str) -> None:
    text = """param m: kg = 1, J: kg*m^2 = 1
    coordinate s: m, th: rad
    speed v: m/s, w: rad/s
    define v = s'
    define w = th'
    body B { mass m  velocity [v*cos(th), v*sin(th), 0]  omega [0, 0, w]  inertia J about z }"""
    assert f"{NO_RATE} (B)" in _refused(_model(text), form)


def test_a_refusal_names_the_line_of_the_body() -> None:
    assert system(SLEIGH).lines["B"].endswith("twist_in_rates.mb:6:8")


# -- halves of twists ----------------------------------------------------------------------------

SPEEDS: Final = """speed v1: m/s = 1, v2: m/s = 0.2, v3: m/s = 0.3
speed w1: rad/s = 1, w2: rad/s = 0.2, w3: rad/s = 0.3
"""
INERTIA: Final = "inertia diag(1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])"
HALVES: Final = {
    "turns": f"body B {{ {INERTIA}  omega [w1, w2, w3] }}\n"
    "particle P { mass 1 kg  velocity [v1, v2, v3] }",
    "moves": "body B { mass 2 kg  inertia diag(0, 0, 0)\n"
    "velocity [v1, v2, v3]  omega [w1, 0, 0] }\n"
    f"body C {{ {INERTIA}  omega [w1, w2, w3] }}",
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("half", HALVES)
def test_a_body_by_its_twist_may_have_inertia_in_one_half_alone(half: str) -> None:
    loads = "force [1 N, 2 N, 3 N] on B\ntorque [4 [N*m], 5 [N*m], 6 [N*m]] on B\n"
    verdict, excluded = _verified(_model(SPEEDS + HALVES[half] + "\n" + loads))
    assert verdict == "agree"
    assert tuple(excluded) == BY_ENERGIES


def test_the_body_that_only_turns_is_verified() -> None:
    verdict, excluded = _verified(mbx.read(HERE / "twist_only_turning.mb"))
    assert verdict == "agree"
    assert tuple(excluded) == BY_ENERGIES


@pytest.mark.parametrize("form", ["newton_euler", "tree_lagrange_1", "tree_newton_euler:lu"])
def test_the_half_without_inertia_hands_its_load_to_the_placement(form: str) -> None:
    text = SPEEDS + HALVES["turns"] + "\nforce [1 N, 2 N, 3 N] on B\n"
    state = {"v1": 1, "v2": 2, "v3": 3, "w1": 0.8, "w2": -0.6, "w3": 1.3}
    one = mbx.convert(_model(text), form).evaluate(state)
    assert one.reactions["B.placement"] == pytest.approx([-1, -2, -3, 0, 0, 0], abs=1e-12)


# -- rates without speeds ------------------------------------------------------------------------

OWN_SPEED: Final = "a coordinate without a speed of its own"


def test_a_controller_with_an_integrator_is_verified_by_the_forms_that_apply() -> None:
    verdict, excluded = _verified(mbx.read(HERE / "integrator_state.mb"))
    assert verdict == "agree"
    assert excluded == dict.fromkeys(IN_RATES, f"not applicable: {OWN_SPEED} (I)")


FILTER: Final = """coordinate x: m = 0.3, f: m = 0.1
define f' = (x - f)/(0.3 s)
particle P { mass 2 kg  at [x + f, 0, 0] }
force [1 N, 0, 0] on P"""
ROLLING: Final = """param m: kg = 2, J: kg*m^2 = 0.5, a: m = 0.3
coordinate x: m, y: m, th: rad = 0.1
speed v: m/s = 1, w: rad/s = 0.3
define x' = v*cos(th)
define y' = v*sin(th)
define th' = w
frame F = ground at [x, y, 0] rotated z by th
body B { frame F  mass m  com [a, 0, 0]  inertia diag(J, J, J) }"""
TIED: Final = {"filter": (FILTER, "f"), "rolling": (ROLLING, "y")}


@pytest.mark.parametrize("form", BY_ENERGIES)
@pytest.mark.parametrize("name", TIED)
def test_forms_in_rates_refuse_rates_that_definitions_tie(name: str, form: str) -> None:
    text, coordinate = TIED[name]
    said = _refused(_model(text), form)
    assert OWN_SPEED in said
    assert f"({coordinate})" in said


# 2 (x'' + f'') = 1 with f'' = (x' - f')/0.3; Chaplygin's sleigh: v' = a w^2
@pytest.mark.parametrize("form", ["kane", "newton_euler", "semi_recursive_1"])
def test_forms_in_speeds_are_right_where_definitions_tie_rates(form: str) -> None:
    one = mbx.convert(_model(FILTER), form).evaluate({"x": 0.3, "f": 0.1, "x'": 0.7})
    assert one.ud == pytest.approx([0.5 - (0.7 - 0.2 / 0.3) / 0.3], rel=1e-12)
    state = {"x": 0, "y": 0, "th": 0.4, "v": 1.2, "w": 0.7}
    two = mbx.convert(_model(ROLLING), form).evaluate(state)
    turn = -2 * 0.3 * 1.2 * 0.7 / (0.5 + 2 * 0.09)
    assert two.ud == pytest.approx([0.3 * 0.49, turn], rel=1e-12)


LEFT_OVER: Final = """coordinate x: m, y: m
speed v: m/s = 1, w: m/s = 1
define v = x'
define w = y'
define {}
particle P {{ mass 1 kg  at [x, y, 0] }}
force [1 N, 3 N, 0] on P"""


@pytest.mark.parametrize("form", ["lagrange", "maggi", "nielsen"])
@pytest.mark.parametrize("tie", ["v = w", "v = w^2/(1 [m/s])"])
def test_a_definition_that_ties_speeds_is_no_name_for_one(tie: str, form: str) -> None:
    assert "definition(3) ties the rates" in _refused(_model(LEFT_OVER.format(tie)), form)


def test_a_quaternion_with_speeds_has_speeds_enough() -> None:
    forms = [x for x in ("lagrange", "maggi") if not registry.refusals(_quaternion(), x)]
    assert forms == ["lagrange", "maggi"]


def _quaternion() -> mbx.System:
    return system(
        _model("""coordinate e0: 1 = 0.8, e1: 1 = 0.4, e2: 1 = -0.4, e3: 1 = 0.2
        speed wx, wy, wz: rad/s
        body top {
          mass 1 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 1.5 [kg*m^2])
          joint spherical(ground, quaternion(w = e0, x = e1, y = e2, z = e3))
        }
        define [wx, wy, wz] = omega(top) in top""")
    )


# -- points by expressions -----------------------------------------------------------------------

PAIR: Final = """param m: kg = 1, J: kg*m^2 = 1, l: m = 0.7
coordinate a: rad = 0.3, b: rad = 0.4
body B {{ mass m  com [1 m, 0, 0]  inertia J about z  joint revolute(ground, axis = z, angle = a) }}
body E {{
  mass m  com [0.4 m, 0, 0]  inertia J about z
  joint revolute(B at [2 m, 0, 0], axis = z, angle = b)
}}
{point}
spring between ground.origin and D stiffness 100 [N/m] rest 0.5 m
damper between D and B.com damping 3 [N*s/m]"""
FIXED: Final = {
    "axes": "point D = E.origin + l*E.x - (0.2 m)*E.y",
    "mass centre": "point D = E.com + (l - 0.4 m)*E.x - (0.2 m)*E.y",
    "nested": "point D0 = E.origin + l*E.x  point D = D0 - (0.2 m)*E.y",
    "let": "let off = l*E.x\npoint D = E.origin + off - (0.2 m)*E.y",
    "cross": "point D = E.origin + l*E.x - cross((0.2 m)*E.z, E.x)",
    "round trip": "point D = B.origin + (E.origin - B.origin) + l*E.x - (0.2 m)*E.y",
    "part of the way": "point D = E.origin + (l/(0.4 m))*(E.com - E.origin) - (0.2 m)*E.y",
    "sum of points": "point H = E.origin - (0.2 m)*E.y\npoint D = H + l*E.x + (E.com - E.com)",
    "three points": "point H = E.com - (0.2 m)*E.y\npoint D = H + (E.origin - E.com) + l*E.x",
    "direction": "point D = E.origin + l*unit(E.com - E.origin) - (0.2 m)*unit(2*E.y)",
    "frame": "frame F = E at [l, 0, 0] rotated z by 0\npoint D = F.origin - (0.2 m)*F.y",
    "choice": "point D = E.origin + (if l > 0.1 m then l else 2*l)*E.x - (0.2 m)*E.y",
}
LOOSE: Final = {
    "axes of another": "point D = E.origin + l*B.x",
    "moving": "point D = E.origin + l*sin(a)*E.x",
    "in time": "point D = E.origin + l*sin(t/(1 s))*E.x",
    "between": "point D = B.com + 0.5*(E.com - B.com)",
    "direction to another": "point D = E.origin + l*unit(E.com - B.origin)",
    "in ground axes": "point D = E.origin + [l, 0, 0]",
}
AT: Final = {"a": 0.3, "b": 0.4, "a'": 0.9, "b'": -0.6}


@pytest.mark.parametrize("name", FIXED)
def test_a_point_by_an_expression_is_the_point_of_the_body(name: str) -> None:
    written = mbx.convert(_model(PAIR.format(point=FIXED[name])), "newton_euler").evaluate(AT)
    frame = "frame G = E at [l, -0.2 m, 0]\npoint D = G.origin"
    wanted = mbx.convert(_model(PAIR.format(point=frame)), "newton_euler").evaluate(AT)
    assert written.ud == pytest.approx(wanted.ud, rel=1e-12)
    for joint in ("B.joint", "E.joint"):
        assert written.reactions[joint] == pytest.approx(
            wanted.reactions[joint], rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("name", LOOSE)
def test_a_point_of_no_body_is_refused_where_bodies_are_balanced(name: str) -> None:
    said = _refused(_model(PAIR.format(point=LOOSE[name])), "newton_euler")
    assert "generalized load that is no wrench" in said


def test_a_spring_between_such_points_is_verified_by_all_forms() -> None:
    verdict, excluded = _verified(mbx.read(HERE / "point_by_expression.mb"))
    assert verdict == "agree"
    assert not excluded


# m = 1 kg at 1 m, J = 1 kg m^2: 2 a'' = torque of the pull at (cos a, sin a) towards (0, 2)
def test_the_spring_turns_the_body_as_by_hand() -> None:
    model = mbx.read(HERE / "point_by_expression.mb")
    one = mbx.convert(model, "newton_euler").evaluate({"a": 0.3, "a'": 0.0})
    length = (cos(0.3) ** 2 + (2 - sin(0.3)) ** 2) ** 0.5
    pull = 100 * (length - 0.5)
    torque = pull / length * (cos(0.3) * (2 - sin(0.3)) + sin(0.3) * cos(0.3))
    assert one.ud == pytest.approx([torque / 2], rel=1e-12)
