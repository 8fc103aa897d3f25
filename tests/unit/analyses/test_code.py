"""A form that is compiled once for many values, against one that is compiled for each."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx.analyses.request import Request, plan_of
from mbx.analyses.simulate.engine import chosen_form
from mbx.analyses.simulate.form_code import OpenCode, compiled

MADE = """mbx 1
model Made {
  param m: kg = 2, k: N/m = 3, double: kg = 2*m
  input F: N = 1
  coordinate x: m = 1
  body a { mass m + double  joint prismatic(ground, axis = x, distance = x) }
  potential spring: k*x^2/2
  force push: F*ground.x on a from ground
}
"""


def rate(values: dict[str, float]) -> float:
    m, k, F = (values.get(name, own) for name, own in (("m", 2.0), ("k", 3.0), ("F", 1.0)))
    return (F - k * 0.7) / (m + values.get("double", 2 * m))


@pytest.mark.parametrize("free", [("m",), ("m", "k"), ("k", "F"), ()])
def test_open_code_has_the_rates_of_each_plan(free: tuple[str, ...]) -> None:
    linked = mbx.link(mbx.loads(MADE))
    system = mbx.elaborate(linked)
    _, equations = chosen_form(system)
    code = OpenCode(free)
    codes = set()
    for scale in (1.0, 2.0, 5.0):
        values = {name: scale * (k + 1.5) for k, name in enumerate(free)}
        plan = plan_of(linked, system, Request(values=values))
        with code.shared():
            function, _ = compiled(plan, equations)
        assert function is not None
        codes.add(id(function.code))
        found = function.single([0.7], [0.2])
        np.testing.assert_allclose(found, [0.2, rate(values), 0.0], rtol=1e-14)
    assert len(codes) == 1


def test_a_plan_that_sets_something_else_has_code_of_its_own() -> None:
    linked = mbx.link(mbx.loads(MADE))
    system = mbx.elaborate(linked)
    _, equations = chosen_form(system)
    code = OpenCode(("m",))
    for values in ({"k": 4.0}, {"m": 3.0}, {"F": 4.0}, {"k": 5.0}):
        function = code.at(plan_of(linked, system, Request(values=values)), equations)
        assert function is not None
        assert function.single([0.7], [0.2])[1] == pytest.approx(rate(values))


def test_code_is_open_no_longer_than_it_is_shared() -> None:
    linked = mbx.link(mbx.loads(MADE))
    system = mbx.elaborate(linked)
    _, equations = chosen_form(system)
    plan = plan_of(linked, system, Request())
    with OpenCode(("m",)).shared():
        function, _ = compiled(plan, equations)
    assert function is not None
    assert function.arguments["parameters"] == ("m",)
    alone, _ = compiled(plan, equations)
    assert alone is not None
    assert alone.arguments["parameters"] == ()


def test_what_the_model_makes_of_others_is_compiled_for_each_value() -> None:
    linked = mbx.link(mbx.loads(MADE))
    system = mbx.elaborate(linked)
    _, equations = chosen_form(system)
    plan = plan_of(linked, system, Request(values={"m": 4.0, "double": 9.0}))
    assert OpenCode(("m", "double")).at(plan, equations) is None
    alone = OpenCode(("double",)).at(plan, equations)
    for function in (alone, compiled(plan, equations)[0]):
        assert function is not None
        assert function.single([0.7], [0.0])[1] == pytest.approx((1 - 3 * 0.7) / 13)
    found = mbx.study(
        linked,
        analysis="simulate",
        vary={"m": [4.0], "double": [9.0, 1.0]},
        results=["x at 0", "x'' at 0"],
        until=0.1,
    )
    assert found["x'' at 0"].tolist() == pytest.approx([(1 - 3) / 13, (1 - 3) / 5])


def test_a_function_with_other_values_leaves_the_first_as_it_is() -> None:
    linked = mbx.link(mbx.loads(MADE))
    system = mbx.elaborate(linked)
    function = mbx.compile(chosen_form(system)[1])
    other = function.with_values({"parameters": {"m": 8.0}, "inputs": {"F": 2.0}})  # type: ignore[union-attr]
    assert other([0.7], [0.0]).ud[0] == pytest.approx(rate({"m": 8.0, "F": 2.0}))
    assert function([0.7], [0.0]).ud[0] == pytest.approx(rate({}))


def test_starts_follow_values_that_are_set_beside_an_experiment() -> None:
    text = "mbx 1\nmodel P { param l: m = 1\n coordinate x: m = 2*l\n"
    text += "body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) } }\n"
    text += "experiment e of P { set l = 3 m  simulate 0 s .. 1 s }"
    linked = mbx.link(mbx.loads(text))
    system = mbx.elaborate(linked)
    for experiment, values, start in (
        ("", {}, 2.0),
        ("", {"l": 5.0}, 10.0),
        ("e", {}, 6.0),
        ("e", {"l": 5.0}, 10.0),
    ):
        plan = plan_of(linked, system, Request(experiment=experiment, values=values))
        assert plan.system.q[0].start == start
