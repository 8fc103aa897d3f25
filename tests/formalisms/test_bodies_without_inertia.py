"""Bodies that are known by their twist and have no inertia: a known model says it for them."""

from __future__ import annotations

from math import cos
from typing import Final

import pytest

from formalisms.cases import Point, at, forms, system_of
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

WHEEL: Final = """
mbx 1
model Wheel {{
  speed w: rad/s
  coordinate a: rad
  body wheel {{ inertia 0 about z  omega [0, 0, a'] }}
  torque [0, 0, (2 [N*m])*cos(a)] on wheel
  effective w: -(0.1 [kg*m^2])*w' - (0.2 [N*m*s])*w
  invariant same: a' = w
  {more}
}}
"""
CART: Final = """coordinate x: m
  body cart { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
"""
STATE: Final = {"a": 0.4, "w": 1.5, "a'": 1.5}
ON_LINKS: Final = (
    "rfda",
    "semi_recursive_1",
    "semi_recursive_2",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_newton_euler",
)


@pytest.mark.parametrize("form", ON_LINKS)
def test_forms_on_links_refuse_a_system_whose_bodies_have_no_inertia(form: str) -> None:
    with pytest.raises(NotApplicableError, match="no mass element has inertia"):
        registry.derive(system_of(WHEEL.format(more="")), form)


@pytest.mark.parametrize(
    "form", ["tree_hamilton_extended", "tree_hamilton_multipliers", "tree_hamilton_reduced"]
)
def test_momenta_refuse_it_also_where_no_load_depends_on_accelerations(form: str) -> None:
    slow = WHEEL.format(more="").replace("-(0.1 [kg*m^2])*w'", "")
    with pytest.raises(NotApplicableError, match="no mass element has inertia"):
        registry.derive(system_of(slow), form)


@pytest.mark.parametrize(("more", "state"), [("", {}), (CART, {"x": 0.3, "x'": 0.2})])
def test_all_other_forms_take_the_inertia_of_the_known_model(
    more: str, state: dict[str, float]
) -> None:
    one = system_of(WHEEL.format(more=more))
    known = forms(one)
    assert len(known) >= 10
    assert bool(more) == any(name.startswith(ON_LINKS) for name in known)
    for name, equations in known.items():
        found = at(one, equations, Point({**STATE, **state}))
        # 0.1 w' = 2 cos(a) - 0.2 w
        assert found.of("w'") == pytest.approx(20 * cos(0.4) - 2 * 1.5), name


def test_what_holds_such_a_body_takes_its_load() -> None:
    one = system_of(WHEEL.format(more=CART))
    told = set()
    for name, equations in forms(one).items():
        evaluation = at(one, equations, Point({**STATE, "x": 0.3, "x'": 0.2})).evaluation
        if "wheel.placement" in evaluation.reactions:
            told.add(name)
            held = evaluation.reactions["wheel.placement"]
            assert held == pytest.approx([0, 0, 0, 0, 0, -2 * cos(0.4)], abs=1e-12), name
    assert {"newton_euler", "tree_lagrange_1", "tree_newton_euler:lu"} <= told
