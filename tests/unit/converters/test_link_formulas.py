"""The formulas of the sweeps, in numbers, against spatial algebra and mechanics of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.expr.build import NULL
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.mechanics import motion
from mbx.mechanics.tree.base_parameters import Mass
from mbx.mechanics.tree.links import links
from mbx.system.elaborate import elaborate
from mbx_converters.recursive import articulated_inertia, link_motion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.mechanics.tree.links import Link
    from mbx.system.system import System

DRAW: Final = np.random.default_rng(5)
VALUES: Final[dict[Node, float]] = {}


def _named(name: str) -> Node:
    node = symbol(name)
    VALUES.setdefault(node, float(DRAW.uniform(-1, 1)))
    return node


def _three(name: str) -> tuple[Node, Node, Node]:
    return _named(f"{name}1"), _named(f"{name}2"), _named(f"{name}3")


def _symmetric(name: str, n: int) -> list[list[Node]]:
    return [[_named(f"{name}{max(i, j)}{min(i, j)}") for j in range(n)] for i in range(n)]


def _numbers(nodes: Sequence[Node] | Sequence[Sequence[Node]]) -> np.ndarray:
    if nodes and not isinstance(nodes[0], Node):
        return np.array([_numbers(row) for row in nodes])  # type: ignore[arg-type]
    return np.array(evaluate(list(nodes), VALUES), dtype=float)  # type: ignore[arg-type]


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


MASS: Final = Mass(_named("m"), _three("h"), tuple(tuple(row) for row in _symmetric("s", 3)))
W, WD, A = _three("w"), _three("wd"), _three("a")


def _system(joint: str, gravity: str = "gravity [0, -9.81 [m/s^2], 0]") -> System:
    text = f"""mbx 1 model M {{
      coordinate b, c: rad
      body base {{ mass 1 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2 [kg*m^2])
        joint revolute(ground, axis = z, angle = b) }}
      body tip {{ mass 1 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2 [kg*m^2])
        joint {joint} }}
      {gravity}
    }}"""
    return elaborate(mbx.link(mbx.loads(text)))


def _link(joint: str = "revolute(base at [0.3 m, 0.1 m, -0.2 m], axis = y, angle = c)") -> Link:
    link = links(motion.in_speeds(_system(joint))).links[1]
    VALUES[symbol("c")] = 0.7
    return link


def test_a_place_on_a_link_is_accelerated_by_u() -> None:
    w, wd = _skew(_numbers(W)), _skew(_numbers(WD))
    assert _numbers(link_motion.turning(W, WD)) == pytest.approx(wd + w @ w, abs=1e-14)


def _inertia() -> np.ndarray:
    S = _numbers(MASS.S)
    J: np.ndarray = np.trace(S) * np.eye(3) - S
    return J


def test_a_link_needs_the_wrench_of_newton_and_euler() -> None:
    m, h, J = VALUES[MASS.m], _numbers(MASS.h), _inertia()
    w, wd, a = _numbers(W), _numbers(WD), _numbers(A)
    force = m * a + np.cross(wd, h) + np.cross(w, np.cross(w, h))
    torque = np.cross(h, a) + J @ wd + np.cross(w, J @ w)
    found = link_motion.inertia_wrench(MASS, link_motion.turning(W, WD), A)
    assert _numbers(found) == pytest.approx([*force, *torque], abs=1e-14)


def test_from_rest_the_wrench_is_the_spatial_inertia_times_the_acceleration() -> None:
    six = [*A, *WD]
    spatial = _numbers(link_motion.spatial(MASS))
    assert spatial == pytest.approx(spatial.T)
    found = _numbers(link_motion.unit_wrench(MASS, six))
    assert found == pytest.approx(spatial @ _numbers(six), abs=1e-14)


def _carrying(link: Link) -> np.ndarray:
    """Return X with (a; wd) of the link = X (a; wd) of its parent, from rest."""
    G, r = _numbers(link.R).T, _numbers(link.r)
    return np.block([[G, -G @ _skew(r)], [np.zeros((3, 3)), G]])


def test_a_wrench_is_handed_on_so_that_its_power_stays() -> None:
    link, six = _link(), [*_three("f"), *_three("n")]
    found = _numbers(link_motion.handed_on(link, six))
    assert found == pytest.approx(_carrying(link).T @ _numbers(six), abs=1e-14)


def test_an_inertia_is_turned_and_moved_to_the_parent() -> None:
    link, inertia = _link(), _symmetric("i", 6)
    X = _carrying(link)
    found = articulated_inertia.moved(link.r, articulated_inertia.turned_inertia(link, inertia))
    assert _numbers(found) == pytest.approx(X.T @ _numbers(inertia) @ X, abs=1e-13)


@pytest.mark.parametrize(
    "joint",
    [
        "revolute(base, axis = y, angle = c)",
        "revolute(base, axis = -y, angle = c)",
        "universal(base, axis = x, axis2 = y, angle = c, angle2 = 2*c)",
        "revolute(base, axis = [1, 2, 2], angle = c)",
    ],
)
def test_a_reduced_inertia_is_none_along_the_hinge(joint: str) -> None:
    link, inertia = _link(joint), _symmetric("i", 6)
    I6 = _numbers(inertia) + 9 * np.eye(6)
    for i in range(6):
        VALUES[symbol(f"i{i}{i}")] = I6[i, i]
    Acol = _numbers(link.A)
    U = I6 @ Acol
    DU = np.linalg.solve(Acol.T @ U, U.T)
    nodes = [[_named(f"u{i}{j}") for j in range(link.freedoms)] for i in range(6)]
    gains = [[_named(f"g{j}{i}") for i in range(6)] for j in range(link.freedoms)]
    for i in range(6):
        for j in range(link.freedoms):
            VALUES[nodes[i][j]], VALUES[gains[j][i]] = U[i, j], DU[j, i]
    found = _numbers(articulated_inertia.reduced(link, inertia, nodes, gains))
    assert found == pytest.approx(I6 - U @ DU, abs=1e-12)
    assert found @ Acol == pytest.approx(np.zeros_like(Acol), abs=1e-12)
    known = articulated_inertia.known_gain(link, nodes, gains)
    assert _numbers(known) == pytest.approx(DU, abs=1e-12)


def test_weight_is_an_acceleration_of_the_ground() -> None:
    light, ground = link_motion.weightless(_system("revolute(base, axis = y, angle = c)"))
    assert [float(x.value) for x in ground] == [0, 9.81, 0]
    assert all(element.gravity is None for element in light.elements)


def test_without_gravity_the_ground_rests() -> None:
    one = _system("revolute(base, axis = y, angle = c)", gravity="")
    light, ground = link_motion.weightless(one)
    assert ground is NULL
    assert light is one


def test_a_link_that_turns_in_a_moving_parent_has_the_acceleration_of_a_moving_frame() -> None:
    link = _link("general(base at [0.1 m, 0, 0], move = [0.2 m*sin(c), 0, 0], rotated y by c)")
    VALUES[symbol("c'")] = 0.9
    zd = [symbol("c'")]
    G, w = _numbers(link.R).T, _numbers(W)
    v = _numbers(link.A)[:, 0] * 0.9
    rate = _numbers(link.Ad)[:, 0] * 0.9
    carried = G @ w
    linear = rate[:3] + 2 * np.cross(carried, v[:3]) + np.cross(v[3:], v[:3])
    angular = rate[3:] + np.cross(carried, v[3:])
    found = _numbers(link_motion.free_acceleration(link, zd, W))
    assert found == pytest.approx([*linear, *angular], abs=1e-14)
    assert np.abs(v[:3]).max() > 0.1


def test_zeros_of_loads_stay_zeros_in_a_sum_of_inertias() -> None:
    inertia = [[ZERO] * 6 for _ in range(6)]
    assert articulated_inertia.symmetric_total([inertia, inertia]) == inertia
