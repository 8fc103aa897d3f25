"""Masses of links, and what of them the parents may carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.expr.nodes import ZERO, Node, number, symbol
from mbx.mechanics import motion
from mbx.mechanics.tree import base_parameters
from mbx.mechanics.tree.base_parameters import Mass, unit_entries
from mbx.mechanics.tree.links import links
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.mechanics.tree.links import Links

_BODY: Final = "mass 2 kg  com [0.1 m, 0.2 m, 0.3 m]  inertia tensor(J, J, J, J/10, J/20, J/30)"
_JOINTS: Final = {
    "revolute": "revolute(base at [0.4 m, 0, 0], axis = y, angle = a)",
    "turning back": "revolute(base at [0.4 m, 0, 0], axis = -y, angle = a)",
    "prismatic": "prismatic(base at [0.4 m, 0, 0], axis = y, distance = x)",
    "fixed": "fixed(base at [0.4 m, 0, 0])",
    "screw": "screw(base at [0.4 m, 0, 0], axis = y, pitch = 0.1 [m/rad], angle = a)",
    "cylindrical": "cylindrical(base at [0.4 m, 0, 0], axis = y, distance = x, angle = a)",
    "oblique": "revolute(base at [0.4 m, 0, 0], axis = [1, 2, 0], angle = a)",
    "driven": "revolute(base at [0.4 m*sin(t/(1 s)), 0, 0], axis = y, angle = a)",
}


_FREE: Final = "spherical(ground, euler zxy by (b, c, d))"


def _tree(joint: str, base: str = _FREE) -> Links:
    text = f"""mbx 1 model M {{
      param J: kg*m^2 = 0.5
      {"coordinate b, c, d: rad" if base == _FREE else "coordinate b: rad"}
      {"coordinate a: rad = 0.3" if "angle = a" in _JOINTS[joint] else ""}
      {"coordinate x: m = 0.3" if "distance = x" in _JOINTS[joint] else ""}
      body base {{ {_BODY} joint {base} }}
      body tip {{ {_BODY} joint {_JOINTS[joint]} }}
    }}"""
    return links(motion.in_speeds(elaborate(mbx.link(mbx.loads(text)))))


def _zeros(mass: Mass) -> tuple[bool, list[int], list[tuple[int, int]]]:
    """Return whether there is no mass, and where moments are zero."""
    h = [i for i in range(3) if mass.h[i] is ZERO]
    S = [(i, j) for i in range(3) for j in range(i + 1) if mass.S[i][j] is ZERO]
    return mass.m is ZERO, h, S


@pytest.mark.parametrize("joint", ["revolute", "turning back"])
def test_a_link_on_a_fixed_axis_keeps_seven_parameters(joint: str) -> None:
    tip = base_parameters.regrouped(_tree(joint))[1]
    # of Khalil and Gautier: no mass, no first moment along the axis, one second moment less
    assert _zeros(tip) == (True, [1], [(1, 1)])


def test_a_link_that_slides_keeps_its_mass_and_first_moments() -> None:
    tip = base_parameters.regrouped(_tree("prismatic"))[1]
    assert _zeros(tip) == (False, [], [(i, j) for i in range(3) for j in range(i + 1)])


def test_a_link_that_is_fixed_keeps_nothing() -> None:
    tip = base_parameters.regrouped(_tree("fixed"))[1]
    assert _zeros(tip) == (True, [0, 1, 2], [(i, j) for i in range(3) for j in range(i + 1)])


@pytest.mark.parametrize("joint", ["screw", "cylindrical", "oblique", "driven"])
def test_any_other_link_keeps_what_it_has(joint: str) -> None:
    tree = _tree(joint)
    own = base_parameters.masses(tree)[1]
    assert base_parameters.regrouped(tree)[1] == own
    assert own.m is number(2)


def _flat(mass: Mass) -> list[Node]:
    return [mass.m, *mass.h, *(x for row in mass.S for x in row)]


def _numbers(mass: Mass, values: Mapping[Node, float]) -> np.ndarray:
    """Return [S, h; h^T, m]."""
    m, *rest = evaluate(_flat(mass), values)
    P = np.empty((4, 4))
    P[3, 3] = m
    P[:3, 3] = P[3, :3] = rest[:3]
    P[:3, :3] = np.array(rest[3:]).reshape(3, 3)
    return P


def _pose(link: object, values: Mapping[Node, float]) -> np.ndarray:
    R, r = link.R, link.r  # type: ignore[attr-defined]
    H = np.eye(4)
    H[:3, :3] = np.array(evaluate([x for row in R for x in row], values)).reshape(3, 3)
    H[:3, 3] = evaluate(list(r), values)
    return H


def _values(nodes: Sequence[Node], angle: float) -> dict[Node, float]:
    return {x: 0.5 if x.value == "J" else angle for x in free_symbols(nodes)}


@pytest.mark.parametrize("angle", [0.3, -1.2])
@pytest.mark.parametrize("joint", ["revolute", "turning back", "fixed"])
def test_what_moves_to_the_parent_is_the_same_whole_at_every_angle(
    joint: str, angle: float
) -> None:
    # a mass that hangs on an axis, and what of it lies on the axis: one pose is as good as another
    tree = _tree(joint)
    before, after = base_parameters.masses(tree), base_parameters.regrouped(tree)
    nodes = [x for mass in (*before, *after) for x in _flat(mass)]
    link = tree.links[1]
    values = _values([*nodes, *(x for row in link.R for x in row)], angle)
    H = _pose(link, values)
    wholes = [
        _numbers(base, values) + H @ _numbers(tip, values) @ H.T for base, tip in (before, after)
    ]
    assert wholes[0] == pytest.approx(wholes[1], abs=1e-14)


@pytest.mark.parametrize("distance", [0.3, -1.2])
def test_the_second_moments_of_what_slides_turn_with_the_parent(distance: float) -> None:
    tree = _tree("prismatic")
    before, after = base_parameters.masses(tree), base_parameters.regrouped(tree)
    nodes = [x for mass in (*before, *after) for x in _flat(mass)]
    link = tree.links[1]
    values = _values([*nodes, *link.r], distance)
    H = _pose(link, values)
    wholes = [
        _numbers(base, values) + H @ _numbers(tip, values) @ H.T for base, tip in (before, after)
    ]
    assert wholes[0] == pytest.approx(wholes[1], abs=1e-14)


def test_the_ground_carries_what_the_first_link_gives_up() -> None:
    hinge = "revolute(ground, axis = z, angle = b)"
    first = base_parameters.regrouped(_tree("oblique", hinge))[0]
    assert _zeros(first) == (True, [2], [(2, 2)])


def test_second_moments_say_the_inertia_about_the_origin() -> None:
    mass = base_parameters.masses(_tree("revolute"))[1]
    J = 0.5 * np.array([[1, 0.1, 0.05], [0.1, 1, 1 / 30], [0.05, 1 / 30, 1]])
    c = np.array([0.1, 0.2, 0.3])
    about = J + 2 * (c @ c * np.eye(3) - np.outer(c, c))  # Steiner
    values = {symbol("J"): 0.5}
    found = evaluate([x for row in base_parameters.inertia(mass) for x in row], values)
    assert np.array(found).reshape(3, 3) == pytest.approx(about, abs=1e-14)


def test_masses_about_one_origin_add() -> None:
    tree = _tree("revolute")
    a, b = base_parameters.masses(tree)
    values = {symbol("J"): 0.5}
    found = _numbers(base_parameters.together([a, b]), values)
    assert found == pytest.approx(_numbers(a, values) + _numbers(b, values))
    assert base_parameters.together([a]) is a
    assert _zeros(base_parameters.together([]))[0]


def test_unit_columns_are_known_with_their_signs() -> None:
    assert [x[:2] for x in unit_entries(_tree("revolute").links[1]) or ()] == [(4, 0)]
    back = unit_entries(_tree("turning back").links[1])
    assert back is not None
    assert back[0][2] is number(-1)
    assert [x[0] for x in unit_entries(_tree("cylindrical").links[1]) or ()] == [4, 1]
    assert unit_entries(_tree("oblique").links[1]) is None
    assert unit_entries(_tree("screw").links[1]) is None
    assert unit_entries(_tree("fixed").links[1]) == ()
