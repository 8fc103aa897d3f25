"""Which motions can be reversed in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mbx
from self_test.metamorphic.edit import NotApplicableHereError, context_of
from self_test.metamorphic.parity import parity, require_reversible

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Scope
    from mbx.linking.link import Linked

MODEL = """
mbx 1
model M {{
  param k: 1 = 2
  input f: N
  coordinate x: m, y: m, a: rad
  speed w: rad/s
  let v = 2*x', r = x^2 + y^2
  body B {{ mass 1 kg  inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = a) }}
  particle P {{ mass 1 kg  at [x, y, 0] }}
{statements}
}}
"""


def context(statements: str) -> tuple[Linked, Scope]:
    """Return a model with more statements, linked, and its top level."""
    linked = mbx.link(mbx.loads(MODEL.format(statements=statements)))
    return linked, context_of(linked).root


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x", 1),
        ("x'", -1),
        ("x''", 1),
        ("w", -1),
        ("w'", 1),
        ("k*f", 1),
        ("0", 0),
        ("0*x'", 0),
        ("v", -1),
        ("r + (1 [s^2])*x'^2", 1),
        ("x'^3", -1),
        ("x'*y", -1),
        ("-x'/(1 m + x)", -1),
        ("(x'*y')^(1/2)", 1),
        ("sqrt(x'*y')", 1),
        ("abs(x')", 1),
        ("sign(x')", -1),
        ("sin(a'/(1 [rad/s]))", -1),
        ("cos(a'/(1 [rad/s]))", 1),
        ("exp(a)", 1),
        ("velocity(P)", -1),
        ("velocity(P of B)", -1),
        ("acceleration(P)", 1),
        ("omega(B)", -1),
        ("ddt(x')", 1),
        ("ddt(r)", -1),
        ("norm(velocity(P))", 1),
        ("unit(velocity(P))", -1),
        ("cross(omega(B), velocity(P))", 1),
        ("dot(omega(B), ground.z)", -1),
        ("diff(x'^2, x')", -1),
        ("[x', 0, y']", -1),
        ("if x > y then x' else 0", -1),
        ("P - B.com", 1),
    ],
)
def test_what_is_even_and_what_is_odd(expression: str, expected: int) -> None:
    linked, scope = context(f"let e = {expression}")
    node: Any = linked.model.body[-1].items[0].value  # type: ignore[union-attr]
    assert parity(node, scope) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "force x*(1 [N/m])*ground.x on P",
        "force (1 [N*s^2/m^2])*norm(velocity(P))*norm(velocity(P))*ground.x on P",
        "force f*ground.x on P",
        "load on x': (1 [N*s^2/m^2])*x'*y'",
        "define w = a' + 2*x'/(1 m)",
        "invariant x'*y' = (2 [1/s^2])*x*y",
        "spring on x stiffness 1 [N/m]",
        "body C { mass 1 kg  inertia 1 [kg*m^2] about z  velocity [x', 0, 0]  omega [0, 0, w] }",
        "state s { x = 0 }",
    ],
)
def test_even_forces_and_definite_invariants_can_be_reversed(statement: str) -> None:
    require_reversible(context(statement)[0])


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("damper on x damping 1 [N*s/m]", r"damper \(line 11\) takes energy"),
        ("dissipation (1 [N*s/m])*x'^2", "dissipation .*takes energy"),
        ("force -(1 [N*s/m])*velocity(P) on P", "force .*another one backwards"),
        ("input g: N = t*(1 [N/s])", "input .*depends on time"),
        ("load on x': -(1 N)*sign(x')", "load .*another one backwards"),
        ("load on x': (1 [N*s/m])*(x' + (1 [1/s])*x)", "load .*another one backwards"),
        ("define w = a' + 3 [rad/s]", "define .*another one backwards"),
        ("define w = x'^2/(1 [m^2/s])", "define .*another one backwards"),
        ("invariant x' = (2 [1/s])*y", "invariant .*another one backwards"),
        ("invariant x' = if x' > 0 [m/s] then y' else 2*y'", "invariant .*another one backwards"),
        ("invariant x = (2 [m/s])*t", "invariant .*depends on time"),
        ("effective x': (1 N) - (2 kg)*x'' - (1 [N*s/m])*x'", "effective .*another one backwards"),
        (
            "particle C { mass 1 kg  velocity [x' + 1 [m/s], 0, 0] }",
            "particle .*another one backwards",
        ),
        (
            "invariant floor: y = 0 reaction N\nload on x': 0.1*N",
            "load .*another one backwards",
        ),
    ],
)
def test_what_cannot_be_reversed_says_why(statement: str, reason: str) -> None:
    with pytest.raises(NotApplicableHereError, match=reason):
        require_reversible(context(statement)[0])


def test_an_input_is_what_the_part_above_binds_it_to() -> None:
    text = """
mbx 1
model Part {{
  input f: N
  coordinate x: m
  particle P {{ mass 1 kg  at [x, 0, 0] }}
  force f*ground.x on P
}}
model Whole {{ coordinate y: m  subsystem U: Part(f = (1 {unit})*{bound}) }}
"""
    require_reversible(mbx.link(mbx.loads(text.format(unit="[N/m]", bound="y"))))
    with pytest.raises(NotApplicableHereError, match=r"force \(line 7\)"):
        require_reversible(mbx.link(mbx.loads(text.format(unit="[N*s/m]", bound="y'"))))
