"""What expressions are, and what constants are worth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.known_values import Evaluator, fill_values
from mbx.checking.run_rules import examine
from mbx.language import units
from mbx.language.text.expression_rules import parse_expression

if TYPE_CHECKING:
    from mbx.checking.context import Context

MODEL: Final = """mbx 1
model M {
  param m: kg = 2, l: m = 3, k: N/m = 4, g: m/s^2
  input F: N
  coordinate x: m, th: rad
  speed v: m/s
  variable j: m/s^2 of order 2
  let E = m*v^2/2, area = l^2
  frame A = ground rotated z by th
  point P = A.origin + l*A.x
  body B {
    mass m
    inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = th)
  }
}
"""


@pytest.fixture
def context() -> Context:
    found, _ = examine(mbx.link(mbx.loads(MODEL)), Report())
    assert found is not None
    assert found.report.ok
    return found


@pytest.mark.parametrize(
    ("text", "sort", "dimension", "order"),
    [
        ("2", "scalar", "1", -1),
        ("0", "scalar", None, -1),
        ("0.0", "scalar", None, -1),
        ("2 mm", "scalar", "m", -1),
        ("pi", "scalar", "1", -1),
        ("t", "scalar", "s", -1),
        ("m*l", "scalar", "kg*m", -1),
        ("x", "scalar", "m", 0),
        ("x'", "scalar", "m/s", 1),
        ("x''", "scalar", "m/s^2", 2),
        ("v", "scalar", "m/s", 1),
        ("v'", "scalar", "m/s^2", 2),
        ("j", "scalar", "m/s^2", 2),
        ("j'", "scalar", "m/s^3", 3),
        ("E", "scalar", "J", 1),
        ("F", "scalar", "N", -1),
        ("x + 0", "scalar", "m", 0),
        ("x + 1 mm", "scalar", "m", 0),
        ("x/l + th", "scalar", "1", 0),
        ("sin(th)*x'", "scalar", "m/s", 1),
        ("sqrt(k/m)", "scalar", "1/s", -1),
        ("l^(1/2)", "scalar", "m^(1/2)", -1),
        ("l^-2", "scalar", "1/m^2", -1),
        ("0*sin(th)", "scalar", None, 0),
        ("abs(x)", "scalar", "m", 0),
        ("sign(x)", "scalar", "1", 0),
        ("atan2(x, l)", "scalar", "1", 0),
        ("min(x, l, 1 m)", "scalar", "m", 0),
        ("if x > 0 then l else 2*l", "scalar", "m", 0),
        ("x > 0", "condition", None, 0),
        ("not (x > 0 and v < 0)", "condition", None, 1),
        ("[x, 0, 0]", "vector", "m", 0),
        ("-[x', v, 0]", "vector", "m/s", 1),
        ("ground", "frame", None, -1),
        ("ground.x", "vector", "1", -1),
        ("A.x", "vector", "1", 0),
        ("A.origin", "point", "m", None),
        ("P", "point", "m", 0),
        ("B.com", "point", "m", None),
        ("P - A.origin", "vector", "m", 0),
        ("P + [0, x, 0]", "point", "m", 0),
        ("velocity(P)", "vector", "m/s", 1),
        ("velocity(P of B)", "vector", "m/s", 1),
        ("acceleration(P)", "vector", "m/s^2", 2),
        ("omega(A)", "vector", "1/s", 1),
        ("dot(velocity(P), A.x)", "scalar", "m/s", 1),
        ("cross(P - A.origin, F*A.y)", "vector", "N*m", 0),
        ("norm(velocity(P))", "scalar", "m/s", 1),
        ("unit(P - A.origin)", "vector", "1", 0),
        ("ddt(x*x')", "scalar", "m^2/s^2", 2),
        ("ddt(A.x)", "vector", "1/s", 1),
        ("diff(x^2, x)", "scalar", "m", 0),
        ("diff(E, v)", "scalar", "kg*m/s", 1),
        ("diag(1, 2, 3)", "tensor", "1", -1),
    ],
)
def test_an_expression_is_what_it_is_by_hand(
    context: Context, text: str, sort: str, dimension: str | None, order: int | None
) -> None:
    found = Inference(context, context.root).of(parse_expression(text))
    assert [one.code for one in context.report] == []
    assert found.sort == sort
    assert found.dimension == (None if dimension is None else units.parse(dimension).dimension)
    if order is not None:
        assert found.order == order


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x + m", "MBX4112"),
        ("x + 1", "MBX4112"),
        ("l > m", "MBX4112"),
        ("min(x, v)", "MBX4112"),
        ("[x, v, 0]", "MBX4112"),
        ("sin(x)", "MBX4113"),
        ("exp(2 kg)", "MBX4113"),
        ("x^th", "MBX4114"),
        ("x^pi", "MBX4114"),
        ("th^x", "MBX4116"),
        ("2 furlong", "MBX4111"),
        ("2 degC", "MBX4110"),
        ("nope", "MBX3002"),
        ("A.w", "MBX3009"),
        ("x.y", "MBX3009"),
        ("foo(x)", "MBX3011"),
        ("sin(x, x)", "MBX3012"),
        ("t'", "MBX3040"),
        ("m'", "MBX3040"),
        ("P'", "MBX3040"),
        ("A.x*A.y", "MBX4031"),
        ("x/A.x", "MBX4031"),
        ("x + A.x", "MBX4031"),
        ("-P", "MBX4031"),
        ("2*P", "MBX4031"),
        ("P + P", "MBX4032"),
        ("P + A.x", "MBX4032"),
        ("not x", "MBX4033"),
        ("if x then 1 else 2", "MBX4033"),
        ("dot(x, A.x)", "MBX4033"),
        ("velocity(x)", "MBX4033"),
        ("omega(x + x)", "MBX4033"),
        ("ddt(P)", "MBX4033"),
        ("[1, 2]", "MBX4035"),
        ("diff(x, 2)", "MBX4036"),
        ("diff(x, E)", "MBX4036"),
        ("th^100", "MBX5010"),
    ],
)
def test_an_expression_without_sense_is_refused(context: Context, text: str, code: str) -> None:
    Inference(context, context.root).of(parse_expression(text))
    assert [one.code for one in context.report] == [code]


def test_relaxed_checking_warns_of_dimensions_only() -> None:
    document = mbx.loads(MODEL.replace("let E", "let bad = m + l, E"))
    strict, relaxed = mbx.check(document), mbx.check(document, relaxed=True)
    assert [one.code for one in strict.errors] == ["MBX4112"]
    assert relaxed.errors == []
    assert "MBX4112" in {one.code for one in relaxed}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("m", 2.0),
        ("area", 9.0),
        ("m*l/k", 1.5),
        ("100 mm", 0.1),
        ("30 deg", math.pi / 6),
        ("60 rpm", 2 * math.pi),
        ("2*pi", 2 * math.pi),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("8/2/2", 2.0),
        ("8/2*4", 16.0),
        ("1 - 2 - 3", -4.0),
        ("1 - (2 - 3)", 2.0),
        ("(-8)^3", -512.0),
        ("sqrt(16)", 4.0),
        ("sign(-3)", -1.0),
        ("sign(0)", 0.0),
        ("abs(-2)", 2.0),
        ("atan2(1, 1)", math.pi / 4),
        ("min(3, 1, 2)", 1.0),
        ("max(3, 1, 2)", 3.0),
        ("if m > 1 kg then 3 else 4", 3.0),
        ("if not (1 < 2 or 1 > 2) then 3 else 4", 4.0),
        ("if 1 == 1 and 1 != 2 then 3 else 4", 3.0),
        ("g", None),
        ("2*g", None),
        ("x", None),
        ("t", None),
        ("F", None),
    ],
)
def test_constants_have_the_value_of_arithmetic(
    context: Context, text: str, value: float | None
) -> None:
    fill_values(context)
    found = Evaluator(context, context.root).value(parse_expression(text))
    assert context.report.ok
    assert found == (None if value is None else pytest.approx(value, rel=1e-14))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1/0", "MBX4103"),
        ("1/(1 - 1)", "MBX4103"),
        ("0^-1", "MBX4103"),
        ("sqrt(-1)", "MBX4102"),
        ("log(0)", "MBX4102"),
        ("asin(2)", "MBX4102"),
        ("(-8)^(1/3)", "MBX4102"),
        ("exp(1000)", "MBX5010"),
        ("10^400", "MBX5010"),
        ("1e300*1e300", "MBX5010"),
    ],
)
def test_a_constant_without_a_value_is_reported(context: Context, text: str, code: str) -> None:
    assert Evaluator(context, context.root).value(parse_expression(text)) is None
    assert [one.code for one in context.report] == [code]
