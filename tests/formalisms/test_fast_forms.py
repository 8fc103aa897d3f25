"""Composite bodies, articulated bodies, recursive Newton-Euler: what they cost, what they give.

Operations are counted with all constants put in: additions, multiplications and divisions, sines
and cosines apart. The bounds are those of the issue, 3 % above what a prototype on the same
models needed (iiwa 464, 979; spatial20 5081), and of the same prototype for the other models.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from arms import arm, arm_state, arm_system, data
from formalisms.cases import system
from mbx.analyses.costs.operation_counts import cost
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.formalism import registry
from mbx.numerics.execute.straight_line import straight_line
from mbx.system.elaborate import elaborate
from mbx_converters.recursive.recursive_newton_euler import inverse_dynamics

if TYPE_CHECKING:
    from collections.abc import Mapping

FAST: Final = ("articulated_body", "composite_body", "recursive_newton_euler")
SLACK: Final = 1.03


def _cost(form: str, name: str) -> int:
    return cost(registry.derive(arm_system(name), form)).arithmetic


def _inverse_cost(name: str) -> int:
    return cost(inverse_dynamics(arm_system(name)), ["tau"]).arithmetic


# -- operations --------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("form", "name", "prototype"),
    [
        ("composite_body", "iiwa", 979),
        ("composite_body", "arm7gen", 2658),
        ("composite_body", "planar10", 1115),
        ("composite_body", "spatial20", 8109),
        ("articulated_body", "iiwa", 1139),
        ("articulated_body", "arm7gen", 3197),
        ("articulated_body", "planar10", 705),
        ("articulated_body", "spatial20", 5081),
    ],
)
def test_forward_dynamics_cost_no_more_than_the_prototype(
    form: str, name: str, prototype: int
) -> None:
    assert _cost(form, name) <= SLACK * prototype


@pytest.mark.parametrize(("name", "prototype"), [("iiwa", 464), ("arm7gen", 1178)])
def test_inverse_dynamics_cost_no_more_than_the_prototype(name: str, prototype: int) -> None:
    assert _inverse_cost(name) <= SLACK * prototype


def test_an_angle_that_nothing_depends_on_costs_no_sine() -> None:
    # gravity is along the first axis of the arm: seven angles, six matter
    assert cost(registry.derive(arm_system("iiwa"), "composite_body")).function == 12
    assert cost(inverse_dynamics(arm_system("iiwa")), ["tau"]).function == 12


def test_composite_bodies_are_cheaper_for_few_links_and_articulated_ones_for_many() -> None:
    assert _cost("composite_body", "spatial5") < _cost("articulated_body", "spatial5")
    assert _cost("composite_body", "spatial20") > _cost("articulated_body", "spatial20")


# -- linear in the number of bodies ------------------------------------------------------------


def _added(counts: Mapping[int, int]) -> set[float]:
    """Return the operations that a further body adds, between neighbouring sizes."""
    return {(counts[b] - counts[a]) / (b - a) for a, b in pairwise(sorted(counts))}


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_each_further_body_costs_articulated_bodies_the_same(kind: str) -> None:
    # of chains whose axes alternate, each further pair
    sizes = (10, 12, 14, 20, 40)
    assert len(_added({n: _cost("articulated_body", f"{kind}{n}") for n in sizes})) == 1


@pytest.mark.papers
@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_each_further_body_costs_inverse_dynamics_the_same(kind: str) -> None:
    sizes = (10, 12, 14, 20, 40)
    assert len(_added({n: _inverse_cost(f"{kind}{n}") for n in sizes})) == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_from_ten_to_five_hundred_bodies_the_cost_grows_by_one_constant(kind: str) -> None:
    sizes = (10, 12, 100, 500)
    assert len(_added({n: _cost("articulated_body", f"{kind}{n}") for n in sizes})) == 1
    assert len(_added({n: _inverse_cost(f"{kind}{n}") for n in sizes})) == 1


def test_the_count_of_composite_bodies_is_not_linear() -> None:
    # what the test of linear growth can tell apart
    sizes = (10, 12, 14)
    assert len(_added({n: _cost("composite_body", f"spatial{n}") for n in sizes})) == 2


def test_articulated_bodies_write_no_matrix_of_all_rates() -> None:
    equations = registry.derive(arm_system("spatial20"), "articulated_body")
    entries = [len(row) for step in equations.steps for row in step.entries]
    assert max(entries) == 6
    assert not any(step.op == "solve" and step.args[0] == "M" for step in equations.steps)
    assert "M" not in equations.results


# -- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FAST)
def test_the_arm_meets_the_check_of_the_data(form: str) -> None:
    said = data()["check"]["iiwa"]
    found = registry.derive(arm_system("iiwa"), form).evaluate(*_given(7))
    assert found.ud[0] == pytest.approx(said["qdd_0"], rel=1e-12)
    assert found.ud[6] == pytest.approx(said["qdd_6"], rel=1e-12)


def _given(n: int) -> tuple[dict[str, float], None, dict[str, float]]:
    state, inputs = arm_state(n)
    return state, None, inputs


@pytest.mark.parametrize(
    ("name", "n"), [("iiwa", 7), ("arm7gen", 7), ("planar5", 5), ("spatial8", 8)]
)
@pytest.mark.parametrize("form", FAST)
def test_arms_move_as_kane_says(form: str, name: str, n: int) -> None:
    one = arm_system(name)
    found = registry.derive(one, form).evaluate(*_given(n))
    kane = registry.derive(one, "kane").evaluate(*_given(n))
    assert np.abs(found.ud - kane.ud).max() <= 1e-11 * np.abs(kane.ud).max()


_BODY: Final = "com [0.2 m, 0.1 m, -0.05 m]  inertia tensor(J, 2*J, 2*J, J/8, -J/9, J/7)"
PARALLEL: Final = f"""
  param m: kg = 1.3, J: kg*m^2 = 0.2
  coordinate a, b, c, d, e: rad
  body base {{ mass m  {_BODY}  joint revolute(ground, axis = z, angle = a) }}
  body upper {{ mass m  {_BODY}  joint revolute(base at [0.1 m, 0, 0.2 m], axis = y, angle = b) }}
  body lower {{ mass m/2  {_BODY}
    joint revolute(upper at [0.5 m, 0, 0.1 m], axis = y, angle = c) }}
  body wrist {{ mass m/3  {_BODY}
    joint revolute(lower at [0.4 m, 0.1 m, 0], axis = -y, angle = d) }}
  body hand {{ mass m/4  {_BODY}  joint revolute(wrist at [0, 0, 0.1 m], axis = x, angle = e) }}
  body hook {{ mass m/5  {_BODY}  joint fixed(lower at [0, 0.2 m, 0]) }}
  gravity [0, 0, -9.81 [m/s^2]]
"""
WEIGHT_IN_A_PART: Final = f"""
  param m: kg = 1.3, J: kg*m^2 = 0.2
  coordinate a: rad
  body base {{ mass m  {_BODY}  joint revolute(ground, axis = x, angle = a) }}
  spring between base.com and part.bob.com stiffness 20 [N/m] rest 0.1 m
  subsystem part: Part
"""
_PART: Final = f"""
model Part {{
  param m: kg = 0.7, J: kg*m^2 = 0.2
  coordinate th: rad
  coordinate x: m
  body arm {{ mass m  {_BODY}  joint revolute(ground at [0.3 m, 0, 0], axis = z, angle = th) }}
  body bob {{ mass m  {_BODY}  joint prismatic(arm at [0.1 m, 0, 0], axis = x, distance = x) }}
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


@pytest.mark.parametrize("form", FAST)
@pytest.mark.parametrize(
    "text", [PARALLEL, WEIGHT_IN_A_PART], ids=["parallel axes", "weight in a part"]
)
def test_a_mechanism_moves_as_kane_says(form: str, text: str) -> None:
    document = mbx.loads(f"mbx 1 {_PART} model M {{ {text} }}")
    one = elaborate(mbx.link(document, "M"))
    draw = np.random.default_rng(2)
    state = {v.path: float(draw.uniform(-1, 1)) for v in (*one.q, *one.u)}
    found = registry.derive(one, form).evaluate(state)
    kane = registry.derive(one, "kane").evaluate(state)
    assert found.ud == pytest.approx(kane.ud, rel=1e-11)


@pytest.mark.parametrize("name", ["iiwa", "arm7gen", "planar6"])
def test_inverse_dynamics_of_the_accelerations_are_the_torques(name: str) -> None:
    one = arm_system(name)
    n = len(one.u)
    state, inputs = arm_state(n)
    a = registry.derive(one, "kane").evaluate(state, None, inputs).ud
    (tau,) = straight_line(inverse_dynamics(one), ["tau"]).values()
    values = {symbol(f"zdd[{i + 1},1]"): a[i] for i in range(n)}
    values |= {symbol(path): value for path, value in state.items()}
    found = evaluate_arrays([row[0] for row in tau], values)
    assert [float(x) for x in found] == pytest.approx([0.5] * n, abs=1e-10)


def test_tau_of_a_closed_loop_is_what_loads_and_multipliers_do() -> None:
    one = system("four_bar")
    equations = registry.derive(one, "recursive_newton_euler")
    state = {v.path: v.start or 0.0 for v in (*one.q, *one.u)}
    found = equations.evaluate(state)
    assert found.status == "regular"
    # no loads but weight: tau is what the loop does to the hinges
    assert found["tau"] == pytest.approx(found["C"].T @ found["ties"], abs=1e-9)
    assert np.abs(found["tau"]).max() > 1e-3


def test_an_arm_that_is_not_there_is_not_guessed() -> None:
    with pytest.raises(KeyError):
        arm("circular3")
